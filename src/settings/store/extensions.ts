/**
 * The agent extensions as the settings have them: `[{id, _enabled, _source, name?, kind?, distribution?, settings?}]`,
 * from the editor to the agent. Pure. Absent: those built-in ones that are on by default, in their order. Settings are
 * written by people: what cannot be read is left out alone, and said in one sentence. A built-in extension that is not
 * in this version is of another: its entry stays as it is, is not used, and is nobody's mistake.
 *
 * Invariants: what is written keeps every entry that it is not about, and in that every field; those that cannot be
 * read stay where they are; what means the same as nothing is not written (`undefined`); where nothing changes it is
 * the value itself, so that nobody's comments are lost for it; what is no list is not overwritten.
 */
import { readDistribution } from "../../protocol/agents";
import { BUILT_IN_EXTENSIONS, DEFAULT_EXTENSIONS, type ExtensionConfig } from "../../protocol/extensions";
import { isObject, type Fields } from "../../protocol/json";

export interface ConfiguredExtension {
  readonly config: ExtensionConfig;
  readonly isEnabled: boolean;
}

export interface ExtensionSettings {
  /** In their order from the editor to the agent. */
  readonly all: readonly ConfiguredExtension[];
  /** Sentences for the user. */
  readonly problems: readonly string[];
}

/** What is part of Symposium; `byDefault`: what is on as long as nothing is set, in this order. */
export interface BuiltIns {
  readonly all: readonly ExtensionConfig[];
  readonly byDefault: readonly ExtensionConfig[];
}
const OURS: BuiltIns = { all: BUILT_IN_EXTENSIONS, byDefault: DEFAULT_EXTENSIONS };

/** `value`: of `symposium.extensions`, as it is. */
export function readExtensions(value: unknown, builtIns: BuiltIns = OURS): ExtensionSettings {
  const problems: string[] = [];
  return { all: slotsOf(value, builtIns, problems).flatMap(({ read }) => read ?? []), problems };
}

/** The value in which it is on or off; one that is not there changes nothing. */
export function withEnabled(value: unknown, id: string, isEnabled: boolean, builtIns: BuiltIns = OURS): unknown {
  const slots = slotsOf(value, builtIns),
    isOther = ({ read }: Slot): boolean => read?.config.id === id && read.isEnabled !== isEnabled;
  return slots.some(isOther)
    ? written(
        value,
        slots.map(slot => (isOther(slot) ? switched(slot.entry, isEnabled) : slot.entry)),
        builtIns,
      )
    : value;
}

/** The value in which it stands at this place of those that can be read, from 0; beyond their end is the end. */
export function moved(value: unknown, id: string, to: number, builtIns: BuiltIns = OURS): unknown {
  const slots = slotsOf(value, builtIns),
    readable = slots.filter(({ read }) => read),
    one = readable.find(({ read }) => read?.config.id === id);
  if (!one) return value;
  const order = readable.filter(slot => slot !== one).toSpliced(Math.max(0, to), 0, one);
  if (order.every((slot, i) => slot === readable[i])) return value;
  let next = 0;
  // A second entry with its id must not come to stand before it: then that one would count.
  const [first, again] = [
    slots.filter(({ twice }) => twice === undefined),
    slots.filter(({ twice }) => twice !== undefined),
  ];
  return written(
    value,
    [...first.map(slot => (slot.read ? order[next++]?.entry : slot.entry)), ...again.map(({ entry }) => entry)],
    builtIns,
  );
}

/** The value in which it does not stand any more. */
export function without(value: unknown, id: string, builtIns: BuiltIns = OURS): unknown {
  const slots = slotsOf(value, builtIns),
    left = slots.filter(({ read, twice }) => read?.config.id !== id && twice !== id);
  return left.length < slots.length
    ? written(
        value,
        left.map(({ entry }) => entry),
        builtIns,
      )
    : value;
}

/**
 * The value with this entry: in the place of the one with its id, where what the user decided of that stays; else at
 * the end, and on unless it says something else.
 */
export function withExtension(value: unknown, entry: Fields, builtIns: BuiltIns = OURS): unknown {
  const slots = slotsOf(value, builtIns),
    { id } = entry,
    has = (slot: Slot): boolean => isObject(slot.entry) && slot.entry["id"] === id;
  const known = slots.find(slot => slot.read?.config.id === id) ?? slots.find(has);
  return written(
    value,
    known
      ? slots.map(slot => (slot === known ? renewed(slot, entry) : slot.entry))
      : [...slots.map(slot => slot.entry), { _enabled: true, ...entry }],
    builtIns,
  );
}

/** One entry as it stands there, and what it says, if it counts. `twice`: the id of one before it, which does. */
interface Slot {
  readonly entry: unknown;
  readonly read?: ConfiguredExtension;
  readonly twice?: string;
}

function slotsOf(value: unknown, builtIns: BuiltIns, problems: string[] = []): readonly Slot[] {
  if (!isList(value)) problems.push("symposium.extensions is no list of extensions and is not used.");
  const entries: readonly unknown[] = Array.isArray(value)
    ? value
    : builtIns.byDefault.map(({ id }) => ({ id, _enabled: true, _source: "built-in" }));
  const seen = new Set<string>();
  return entries.map((entry, i) => {
    const read = readEntry(entry, i, builtIns, problems),
      { id } = read?.config ?? {};
    if (!read || id === undefined) return { entry };
    if (seen.has(id)) {
      problems.push(`symposium.extensions has “${id}” twice; the first entry counts.`);
      return { entry, twice: id };
    }
    seen.add(id);
    return { entry, read };
  });
}

function readEntry(entry: unknown, i: number, builtIns: BuiltIns, problems: string[]): ConfiguredExtension | undefined {
  if (!isObject(entry) || !isText(entry["id"])) {
    problems.push(`Entry ${i + 1} of symposium.extensions has no “id” and is left out.`);
    return undefined;
  }
  const { id, _source, distribution, settings } = entry,
    where = `“${id}” in symposium.extensions`,
    ours = builtIns.all.find(one => one.id === id);
  const isBuiltIn =
    _source === "built-in" || (_source === undefined && distribution === undefined && ours !== undefined);
  if (isBuiltIn && !ours) return undefined;
  const own = isBuiltIn ? ours : ofUser(entry, id, where, problems);
  if (!own) return undefined;
  return {
    config: { ...own, ...(isObject(settings) ? { settings } : {}) },
    isEnabled: enabled(entry, where, problems),
  };
}

function ofUser(
  { name, kind: given, distribution, version, description, _source }: Fields,
  id: string,
  where: string,
  problems: string[],
): ExtensionConfig | undefined {
  const kind = given ?? "proxy",
    how = readDistribution(distribution, kind === "mcp");
  if (!how) {
    problems.push(
      distribution === undefined
        ? `${where} does not say how it is started: add “distribution”. It is left out.`
        : readDistribution(distribution, true)
          ? `${where} is at an address, and only an MCP server can be: add “kind”: “mcp”. The extension is left out.`
          : `The distribution of ${where} cannot be read: it needs “local” with a “command”, “npx”, “uvx” or “pipx” with a “package”, “cargo” with a “crate”, “binary” with an archive, or, of an MCP server, “http” with a “url”. The extension is left out.`,
    );
    return undefined;
  }
  if (kind !== "proxy" && kind !== "mcp") {
    problems.push(`The kind of ${where} is neither “proxy” nor “mcp”. The extension is left out.`);
    return undefined;
  }
  return {
    id,
    name: isText(name) ? name : id,
    ...(kind === "mcp" ? { kind } : {}),
    distribution: how,
    _source: _source === "registry" ? "registry" : "custom",
    ...(isText(version) ? { version } : {}),
    ...(isText(description) ? { description } : {}),
  };
}

/** The older name is read where there is no newer one. */
function enabled({ _enabled, enabled: older }: Fields, where: string, problems: string[]): boolean {
  const value = _enabled ?? older ?? true;
  if (typeof value !== "boolean")
    problems.push(
      `“${_enabled === undefined ? "enabled" : "_enabled"}” of ${where} is neither true nor false: it is off.`,
    );
  return value === true;
}

/** It is said in one way from now on. */
function switched(entry: unknown, isEnabled: boolean): unknown {
  if (!isObject(entry)) return entry;
  const { enabled: _, ...fields } = entry;
  return { ...fields, _enabled: isEnabled };
}

/** `entry` may have been made when the user had not decided yet what stands there now. */
function renewed({ entry: old, read }: Slot, entry: Fields): Fields {
  const of = (fields: Fields, whose: "users" | "others"): Fields =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => isTheUsers(field) === (whose === "users")));
  const { enabled: _, ...decided } = of(isObject(old) ? old : {}, "users");
  return { ...of(entry, "others"), ...decided, _enabled: read?.isEnabled ?? true };
}

/** What no document says for them. */
function isTheUsers(field: string): boolean {
  return field === "settings" || field === "enabled" || (field.startsWith("_") && field !== "_source");
}

/** Throws a sentence where `value` is something that somebody wrote, and that would be lost. */
function written(value: unknown, entries: readonly unknown[], { byDefault }: BuiltIns): unknown {
  if (!isList(value))
    throw new Error(
      "symposium.extensions is no list of extensions. Put that right in settings.json first: it would be lost.",
    );
  const isDefault =
    entries.length === byDefault.length &&
    entries.every((entry, i) => {
      if (!isObject(entry) || entry["id"] !== byDefault[i]?.id) return false;
      const { id: _, _enabled = true, _source = "built-in", ...more } = entry;
      return _enabled === true && _source === "built-in" && Object.keys(more).length === 0;
    });
  return isDefault ? undefined : entries;
}

const isList = (value: unknown): boolean => value === undefined || value === null || Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
