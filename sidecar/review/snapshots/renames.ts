/** Finds renamed files among the changes between two trees. Pure. */
import { LINK_MODE, type FileChange, type FileState, type Oid, type RootPath } from "./file-state";

export interface RenamedFile extends FileChange {
  readonly before: FileState;
  readonly after: FileState;
  readonly from: RootPath;
}

/** Minimum share of equal lines, by bytes, of a rename with other changes. Git's own default. */
const MIN_SIMILARITY = 0.5;
/** Larger contents are not compared, and at most this number of pairs is. */
export const MAX_COMPARED_BYTES = 512 * 1024,
  MAX_COMPARED_PAIRS = 10_000;

/** The contents that `withRenames` compares: both sides of deleted and created files without an equal counterpart. */
export function comparedOids(changes: readonly FileChange[]): readonly Oid[] {
  const { deleted, created } = unpaired(withRenames(changes, () => undefined));
  if (deleted.length === 0 || created.length === 0 || deleted.length * created.length > MAX_COMPARED_PAIRS) return [];
  return [...new Set([...deleted.map(({ state }) => state.oid), ...created.map(({ state }) => state.oid)])];
}

/**
 * Joins each deleted file with the created file of equal content, or else of the most similar text. `content` returns
 * the content of an object, or undefined if it is not available or too large. The order of other changes is kept; a
 * rename has the position of the created file.
 */
export function withRenames(
  changes: readonly FileChange[],
  content: (oid: Oid) => Uint8Array | undefined,
): readonly (FileChange | RenamedFile)[] {
  const origins = new Map<RootPath, Unpaired>(),
    { deleted, created } = unpaired(changes),
    used = new Set<RootPath>();
  const pair = (origin: Unpaired, target: Unpaired): void => {
    origins.set(target.path, origin);
    used.add(origin.path);
  };
  for (const target of created) {
    const equal = deleted.filter(({ path, state }) => !used.has(path) && state.oid === target.state.oid),
      origin = equal.find(({ path }) => nameOf(path) === nameOf(target.path)) ?? equal[0];
    if (origin && (origin.state.mode === LINK_MODE) === (target.state.mode === LINK_MODE)) pair(origin, target);
  }
  const texts = lineSizes(content),
    rest = {
      deleted: deleted.filter(({ path }) => !used.has(path)),
      created: created.filter(({ path }) => !origins.has(path)),
    };
  if (rest.deleted.length * rest.created.length <= MAX_COMPARED_PAIRS)
    for (const { origin, target } of similarPairs(rest, texts))
      if (!used.has(origin.path) && !origins.has(target.path)) pair(origin, target);
  return changes.flatMap((change): readonly (FileChange | RenamedFile)[] => {
    if (used.has(change.path) && change.after === undefined) return [];
    const origin = origins.get(change.path);
    return origin === undefined || change.after === undefined
      ? [change]
      : [{ path: change.path, from: origin.path, before: origin.state, after: change.after }];
  });
}

interface Unpaired {
  readonly path: RootPath;
  readonly state: FileState;
}

function unpaired(changes: readonly FileChange[]): {
  readonly deleted: readonly Unpaired[];
  readonly created: readonly Unpaired[];
} {
  return {
    deleted: changes.flatMap(({ path, before, after }) => (before && !after ? [{ path, state: before }] : [])),
    created: changes.flatMap(({ path, before, after }) => (after && !before ? [{ path, state: after }] : [])),
  };
}

function nameOf(path: RootPath): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** All pairs that are similar enough, the most similar first; equal ones in the order of their paths. */
function similarPairs(
  { deleted, created }: ReturnType<typeof unpaired>,
  texts: (oid: Oid) => LineSizes | undefined,
): readonly { readonly origin: Unpaired; readonly target: Unpaired }[] {
  return deleted
    .flatMap(origin => created.map(target => ({ origin, target, score: scoreOf(origin, target, texts) })))
    .filter(({ score }) => score >= MIN_SIMILARITY)
    .sort((a, b) => b.score - a.score);
}

function scoreOf(origin: Unpaired, target: Unpaired, texts: (oid: Oid) => LineSizes | undefined): number {
  if (origin.state.mode === LINK_MODE || target.state.mode === LINK_MODE) return 0;
  const a = texts(origin.state.oid),
    b = texts(target.state.oid);
  return a && b ? similarity(a, b) : 0;
}

interface LineSizes {
  readonly total: number;
  /** Bytes of all lines with this content. */
  readonly lines: ReadonlyMap<string, number>;
}

/** Undefined for binary, empty and large contents. */
function lineSizes(content: (oid: Oid) => Uint8Array | undefined): (oid: Oid) => LineSizes | undefined {
  const known = new Map<Oid, LineSizes | undefined>();
  return oid => {
    if (!known.has(oid)) known.set(oid, sizesOf(content(oid)));
    return known.get(oid);
  };
}

function sizesOf(bytes: Uint8Array | undefined): LineSizes | undefined {
  if (!bytes || bytes.length === 0 || bytes.length > MAX_COMPARED_BYTES || bytes.includes(0)) return undefined;
  const lines = new Map<string, number>();
  for (const line of Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .toString("latin1")
    .split(/(?<=\n)/))
    lines.set(line, (lines.get(line) ?? 0) + line.length);
  return { total: bytes.length, lines };
}

/** Share of equal bytes in the larger text, from 0 to 1. Symmetric. */
function similarity(a: LineSizes, b: LineSizes): number {
  let equal = 0;
  for (const [line, size] of a.lines) equal += Math.min(size, b.lines.get(line) ?? 0);
  return equal / Math.max(a.total, b.total);
}
