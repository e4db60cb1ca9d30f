/** Builds the entries of the mention list that opens with `@`. Pure. */
import path from "node:path";
import type { Mention } from "../../protocol/chat/attachments";
import type { Listed } from "./file-list";
import { best, typed, type Target } from "./mention-match";

/** A symbol in a file. `what`: its kind, such as function or class. */
export interface Named {
  readonly kind: "symbol";
  readonly name: string;
  readonly what: string;
  readonly path: string;
  /** The file, formatted for the list. */
  readonly where: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly target: Target;
}

export interface Sources {
  /** Editor context such as the selection, always first. */
  readonly offers: readonly Mention[];
  readonly files: Iterable<Listed>;
  /** Open files, then recently opened files, including those that are not in `files`. */
  readonly opened: readonly Opened[];
  readonly symbols: readonly Named[];
}
export interface Opened {
  readonly listed: Listed;
  readonly isOpen: boolean;
}

/** Maximum number of entries. */
export const MAX_MENTIONS = 50;

/** Weights for equally good matches. Open files precede all others, in their order. */
const FILE = 10_000,
  FOLDER = 10_001,
  SYMBOL = 10_002;

export function mentionsOf(query: string, { offers, files, opened, symbols }: Sources): readonly Mention[] {
  const wanted = typed(query),
    order = new Map(opened.map(({ listed }, i) => [keyOf(listed), i]));
  const weight = (candidate: Listed | Named): number =>
    candidate.kind === "symbol" ? SYMBOL : (order.get(keyOf(candidate)) ?? (candidate.kind === "file" ? FILE : FOLDER));
  const about = (file: Listed): string => {
    const openedFile = opened[order.get(keyOf(file)) ?? -1];
    return openedFile === undefined ? file.kind : openedFile.isOpen ? "open editor" : "recently opened";
  };
  const first = offers.filter(({ name }) => name.startsWith(wanted));
  const rest = best(query, candidates(files, opened, order, symbols), weight, MAX_MENTIONS - first.length);
  return [
    ...first,
    ...rest.map(candidate =>
      candidate.kind === "symbol" ? mentionOfSymbol(candidate) : mentionOfFile(candidate, about(candidate)),
    ),
  ];
}

function* candidates(
  files: Iterable<Listed>,
  opened: readonly Opened[],
  order: ReadonlyMap<string, number>,
  symbols: readonly Named[],
): Iterable<Listed | Named> {
  for (const { listed } of opened) yield listed;
  for (const file of files) if (!order.has(keyOf(file))) yield file;
  yield* symbols;
}

const keyOf = ({ root, path }: Listed): string => `${root}\n${path}`;

function mentionOfFile({ kind, root, path: relative, target }: Listed, about: string): Mention {
  return {
    name: kind === "folder" ? `${target.path}/` : target.path,
    about,
    adds: { kind: "attachment", attachment: { kind, path: path.join(root, relative) } },
  };
}

function mentionOfSymbol({ name, what, path: file, where, startLine, endLine }: Named): Mention {
  return {
    name,
    about: `${what} · ${where}:${startLine}`,
    adds: { kind: "attachment", attachment: { kind: "symbol", name, path: file, startLine, endLine } },
  };
}
