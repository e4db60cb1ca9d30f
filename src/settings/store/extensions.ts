/**
 * Reads and changes the agent extensions in the settings: `[{id, _enabled, _source, name?, kind?, distribution?,
 * settings?}]`, ordered from the editor to the agent. Pure. An absent value means the built-in extensions that are on
 * by default, in their order. Users edit the settings by hand: an unreadable entry is skipped with one message, without
 * affecting others. The entry of a built-in extension that this version lacks is kept, but neither used nor reported.
 *
 * Invariants:
 * - A change keeps all other entries with all their fields. Unreadable entries keep their position.
 * - A value equivalent to the default is removed (`undefined`).
 * - Without a change the result is the same value, so that comments in the file are kept.
 * - A value that is not a list is never overwritten.
 */
import * as l10n from "@vscode/l10n";
import { readDistribution } from "../../protocol/agents/distribution";
import { BUILT_IN_SETTINGS } from "../../protocol/agents/built-in-settings";
import { isEqual, withSetting as withValue, type SettingValue } from "../../protocol/agents/extension-settings";
import { BUILT_IN_EXTENSIONS, DEFAULT_EXTENSIONS, type ExtensionConfig } from "../../protocol/agents/extensions";
import { readSettingsSchema, type SettingsSchema } from "../../protocol/agents/setting-schema";
import { isFilled, isObject, objectOr, type Fields } from "../../protocol/wire/json";

export interface ConfiguredExtension {
  readonly config: ExtensionConfig;
  readonly isEnabled: boolean;
  /** Settings with a control in the settings page. Absent without any. */
  readonly schema?: SettingsSchema;
}

export interface ExtensionSettings {
  /** In the order from the editor to the agent. */
  readonly all: readonly ConfiguredExtension[];
  /** Messages for the user. */
  readonly problems: readonly string[];
}

/** Extensions that ship with Symposium. `byDefault`: those that are on without a setting, in this order. */
export interface BuiltIns {
  readonly all: readonly ExtensionConfig[];
  readonly byDefault: readonly ExtensionConfig[];
}
const OURS: BuiltIns = { all: BUILT_IN_EXTENSIONS, byDefault: DEFAULT_EXTENSIONS };

/** `value`: the raw value of `symposium.extensions`. */
export function readExtensions(value: unknown, builtIns: BuiltIns = OURS): ExtensionSettings {
  const problems: string[] = [];
  return { all: slotsOf(value, builtIns, problems).flatMap(({ read }) => read ?? []), problems };
}

/** Turns an extension on or off; an unknown id changes nothing. */
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

/** Moves an extension to this index among the readable entries, from 0. A larger index means the end. */
export function moved(value: unknown, id: string, to: number, builtIns: BuiltIns = OURS): unknown {
  const slots = slotsOf(value, builtIns),
    readable = slots.filter(({ read }) => read),
    movedSlot = readable.find(({ read }) => read?.config.id === id);
  if (!movedSlot) return value;
  const order = readable.filter(slot => slot !== movedSlot).toSpliced(Math.max(0, to), 0, movedSlot);
  if (order.every((slot, i) => slot === readable[i])) return value;
  let next = 0;
  // A duplicate must not move before the first entry with its id, because the first one is effective.
  const [effective, duplicates] = [
    slots.filter(({ twice }) => twice === undefined),
    slots.filter(({ twice }) => twice !== undefined),
  ];
  return written(
    value,
    [
      ...effective.map(slot => (slot.read ? order[next++]?.entry : slot.entry)),
      ...duplicates.map(({ entry }) => entry),
    ],
    builtIns,
  );
}

/** Sets one setting of an extension, or with `undefined` resets it. An unknown id or name changes nothing. */
export function withSetting(
  value: unknown,
  id: string,
  name: string,
  setting: SettingValue | undefined,
  builtIns: BuiltIns = OURS,
): unknown {
  const slots = slotsOf(value, builtIns),
    slot = slots.find(({ read }) => read?.config.id === id),
    schema = slot?.read?.schema ?? {},
    control = Object.hasOwn(schema, name) ? schema[name] : undefined;
  if (!slot || !control || !isObject(slot.entry)) return value;
  const { settings, ...fields } = slot.entry,
    after = withValue(objectOr(settings), name, control, setting);
  if (isEqual(after, settings ?? {})) return value;
  const entry = Object.keys(after).length === 0 ? fields : { ...fields, settings: after };
  return written(
    value,
    slots.map(each => (each === slot ? entry : each.entry)),
    builtIns,
  );
}

/** Removes an extension. */
export function without(value: unknown, id: string, builtIns: BuiltIns = OURS): unknown {
  const slots = slotsOf(value, builtIns),
    remaining = slots.filter(({ read, twice }) => read?.config.id !== id && twice !== id);
  return remaining.length < slots.length
    ? written(
        value,
        remaining.map(({ entry }) => entry),
        builtIns,
      )
    : value;
}

/**
 * Replaces the entry with the same id but keeps the fields that the user decides. A new entry is appended, and enabled
 * unless its `_enabled` is false.
 */
export function withExtension(value: unknown, entry: Fields, builtIns: BuiltIns = OURS): unknown {
  const slots = slotsOf(value, builtIns),
    { id } = entry,
    hasId = (slot: Slot): boolean => isObject(slot.entry) && slot.entry["id"] === id;
  const known = slots.find(slot => slot.read?.config.id === id) ?? slots.find(hasId);
  return written(
    value,
    known
      ? slots.map(slot => (slot === known ? renewed(slot, entry) : slot.entry))
      : [...slots.map(slot => slot.entry), { _enabled: true, ...entry }],
    builtIns,
  );
}

/** One entry of the list and its parsed form, if it is effective. `twice`: the id of an earlier, effective entry. */
interface Slot {
  readonly entry: unknown;
  readonly read?: ConfiguredExtension;
  readonly twice?: string;
}

function slotsOf(value: unknown, builtIns: BuiltIns, problems: string[] = []): readonly Slot[] {
  if (!isList(value)) problems.push(l10n.t("symposium.extensions is not a list of extensions and is ignored."));
  const entries: readonly unknown[] = Array.isArray(value)
    ? value
    : builtIns.byDefault.map(({ id }) => ({ id, _enabled: true, _source: "built-in" }));
  const seen = new Set<string>();
  return entries.map((entry, i) => {
    const read = readEntry(entry, i, builtIns, problems),
      { id } = read?.config ?? {};
    if (!read || id === undefined) return { entry };
    if (seen.has(id)) {
      problems.push(l10n.t`symposium.extensions contains “${id}” twice. The first entry is used.`);
      return { entry, twice: id };
    }
    seen.add(id);
    return { entry, read };
  });
}

function readEntry(entry: unknown, i: number, builtIns: BuiltIns, problems: string[]): ConfiguredExtension | undefined {
  if (!isObject(entry) || !isFilled(entry["id"])) {
    problems.push(l10n.t`Entry ${i + 1} of symposium.extensions has no “id” and is ignored.`);
    return undefined;
  }
  const { id, _source, distribution, settings } = entry,
    where = l10n.t`“${id}” in symposium.extensions`,
    ours = builtIns.all.find(config => config.id === id);
  const isBuiltIn =
    _source === "built-in" || (_source === undefined && distribution === undefined && ours !== undefined);
  if (isBuiltIn && !ours) return undefined;
  const own = isBuiltIn ? ours : ofUser(entry, id, where, problems);
  if (!own) return undefined;
  if (settings !== undefined && settings !== null && !isObject(settings))
    problems.push(l10n.t`The “settings” of ${where} are not an object and are ignored.`);
  const schema = isBuiltIn ? BUILT_IN_SETTINGS[id] : schemaIn(entry);
  return {
    config: { ...own, ...(isObject(settings) ? { settings } : {}) },
    isEnabled: enabled(entry, where, problems),
    ...(schema ? { schema } : {}),
  };
}

/** A server at a URL receives no settings. */
function schemaIn({ settingsSchema, distribution }: Fields): SettingsSchema | undefined {
  if (settingsSchema === undefined || objectOr(distribution)["http"] !== undefined) return undefined;
  const { schema } = readSettingsSchema(settingsSchema);
  return Object.keys(schema).length === 0 ? undefined : schema;
}

function ofUser(
  { name, kind: given, distribution, version, description, _source }: Fields,
  id: string,
  where: string,
  problems: string[],
): ExtensionConfig | undefined {
  const kind = given ?? "proxy",
    parsedDistribution = readDistribution(distribution, kind === "mcp");
  if (!parsedDistribution) {
    problems.push(
      distribution === undefined
        ? l10n.t`${where} has no “distribution” with a start command and is ignored.`
        : readDistribution(distribution, true)
          ? l10n.t`${where} has a URL, which only MCP servers support. Add “kind”: “mcp”. The extension is ignored.`
          : l10n.t(
              "The distribution of {0} is invalid. Use “local” with a “command”, “npx”, “uvx” or “pipx” " +
                "with a “package”, “cargo” with a “crate”, or “binary” with an archive. An MCP server can also use " +
                "“http” with a “url”. The extension is ignored.",
              where,
            ),
    );
    return undefined;
  }
  if (kind !== "proxy" && kind !== "mcp") {
    problems.push(l10n.t`The kind of ${where} is neither “proxy” nor “mcp”. The extension is ignored.`);
    return undefined;
  }
  return {
    id,
    name: isFilled(name) ? name : id,
    ...(kind === "mcp" ? { kind } : {}),
    distribution: parsedDistribution,
    _source: _source === "registry" ? "registry" : "custom",
    ...(isFilled(version) ? { version } : {}),
    ...(isFilled(description) ? { description } : {}),
  };
}

/** The older name is read if the newer one is absent. */
function enabled({ _enabled, enabled: older }: Fields, where: string, problems: string[]): boolean {
  const value = _enabled ?? older ?? true;
  if (typeof value !== "boolean")
    problems.push(
      l10n.t(
        "“{0}” of {1} is neither true nor false. " + "The extension is disabled.",
        _enabled === undefined ? "enabled" : "_enabled",
        where,
      ),
    );
  return value === true;
}

/** Writes the newer name only. */
function switched(entry: unknown, isEnabled: boolean): unknown {
  if (!isObject(entry)) return entry;
  const { enabled: _, ...fields } = entry;
  return { ...fields, _enabled: isEnabled };
}

/**
 * Merges `entry` into a slot: fields that the user decides come from the old entry, because the user may have changed
 * it after `entry` was created.
 */
function renewed({ entry: old, read }: Slot, entry: Fields): Fields {
  const fieldsOf = (fields: Fields, whose: "users" | "others"): Fields =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => isUserField(field) === (whose === "users")));
  const { enabled: _, ...decided } = fieldsOf(isObject(old) ? old : {}, "users");
  return { ...fieldsOf(entry, "others"), ...decided, _enabled: read?.isEnabled ?? true };
}

/** Whether the user, not a document, decides this field. */
function isUserField(field: string): boolean {
  return field === "settings" || field === "enabled" || (field.startsWith("_") && field !== "_source");
}

/** Throws a message for the user if `value` is not a list and writing would lose it. */
function written(value: unknown, entries: readonly unknown[], { byDefault }: BuiltIns): unknown {
  if (!isList(value))
    throw new Error(
      l10n.t(
        "symposium.extensions is not a list of extensions. Correct settings.json first; otherwise its content would be lost.",
      ),
    );
  const isDefault =
    entries.length === byDefault.length &&
    entries.every((entry, i) => {
      if (!isObject(entry) || entry["id"] !== byDefault[i]?.id) return false;
      const { id: _, _enabled = true, _source = "built-in", ...extra } = entry;
      return _enabled === true && _source === "built-in" && Object.keys(extra).length === 0;
    });
  return isDefault ? undefined : entries;
}

const isList = (value: unknown): boolean => value === undefined || value === null || Array.isArray(value);
