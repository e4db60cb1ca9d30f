/**
 * Checks the text of an `extension.json` or `agent.json` for its author. The registry's own parser decides whether an
 * entry can be used (`inspectEntry`); this module adds positions, advice and warnings. Pure.
 *
 * Invariants:
 * - A document that Symposium rejects at a URL has an error. Positions are in the document.
 * - The findings are in the order of the document.
 */
import type { Installable } from "../../../src/protocol/agents/agent-service";
import { PLATFORMS, readDistribution } from "../../../src/protocol/agents/distribution";
import { readSettingsSchema, SETTING_TYPES, type SettingType } from "../../../src/protocol/agents/setting-schema";
import { npmSpec, pythonSpec } from "../../../src/protocol/agents/package-spec";
import { findNodeAtLocation, getNodeValue, type Node } from "jsonc-parser";
import { inspectEntry, optionalFields, withVersion } from "../../agents/registry/document";
import { isObject, objectOr, type JsonObject } from "../../rpc/json";
import { positionIn, propertiesOf, readTree } from "../json-tree";

export interface Finding {
  /** An error prevents the use of the document, or of one of its members. */
  readonly severity: "error" | "warning";
  /** Both start at 1. A column is one UTF-16 code unit. */
  readonly line: number;
  readonly column: number;
  /** The problem and what to do, as sentences. */
  readonly message: string;
}

type Path = readonly string[];

interface Located {
  readonly severity: Finding["severity"];
  readonly at: Path;
  readonly message: string;
}

/** Maximum size of a document that Symposium downloads. */
const MAX_BYTES = 128 * 1024;

/** Known members of an entry. Others are kept but have no effect. */
const MEMBERS: ReadonlySet<string> = new Set([
  "$schema",
  "authors",
  "description",
  "distribution",
  "icon",
  "id",
  "kind",
  "license",
  "name",
  "repository",
  "settingsSchema",
  "type",
  "version",
  "website",
]);
/** Optional members, and the advice for a missing or an invalid one. */
const OPTIONAL = {
  name: "a text of at most 100 characters, as people see it",
  description: "one sentence about what it does",
  repository: "the https URL of its sources",
  license: "an SPDX identifier, such as “MIT”",
  website: "an https URL",
  icon: "the https URL of an image",
  authors: "a list of texts",
} as const;
/** Members that the ACP registry shows, and that each entry should have. */
const RECOMMENDED: readonly (keyof typeof OPTIONAL)[] = ["name", "description", "repository", "license"];

/** Required form of each distribution. */
const FORMS: Readonly<Record<string, string>> = {
  npx: '{"package": "@scope/name@1.2.3", "args": ["…"], "env": {"NAME": "value"}}',
  uvx: '{"package": "name==1.2.3", "args": ["…"], "env": {"NAME": "value"}}',
  pipx: '{"package": "name==1.2.3", "args": ["…"], "env": {"NAME": "value"}}',
  cargo: '{"crate": "name", "version": "1.2.3", "binary": "name", "args": ["…"]}',
  binary: '{"linux-x86_64": {"archive": "https://…", "cmd": "./name", "sha256": "64 hex digits"}}',
  http: '{"url": "https://…", "headers": {"NAME": "value"}}, with "kind": "mcp" beside “distribution”',
};
/** Required form of each setting. */
const SETTINGS: Readonly<Record<SettingType, string>> = {
  boolean: '{"type": "boolean", "label": "…", "default": false}',
  number: '{"type": "number", "label": "…", "default": 10, "min": 0, "max": 100, "isWhole": true, "unit": "…"}',
  choice: '{"type": "choice", "label": "…", "default": "a", "options": [{"value": "a", "label": "…"}]}',
  choices: '{"type": "choices", "label": "…", "options": [{"value": "a", "label": "…", "default": true}]}',
  text: '{"type": "text", "label": "…", "default": "", "maxLength": 100}',
  texts: '{"type": "texts", "label": "…", "default": []}',
};
const KINDS = Object.keys(FORMS).slice(0, -1).join(", ");

export function checkEntry(text: string, kind: Installable): readonly Finding[] {
  const finding = (severity: Finding["severity"], offset: number, message: string): Finding => ({
    severity,
    ...positionIn(text, offset),
    message,
  });
  if (Buffer.byteLength(text) > MAX_BYTES)
    return [finding("error", 0, `The document is longer than ${MAX_BYTES} bytes. Shorten it.`)];
  const tree = readTree(text, { disallowComments: true, allowTrailingComma: false });
  if ("message" in tree) return [finding("error", tree.offset, `${tree.message} The document must be JSON.`)];
  const value: unknown = getNodeValue(tree);
  return [
    ...duplicates(tree).map(({ offset, message }) => ({ offset, finding: finding("error", offset, message) })),
    ...problems(value, kind).map(({ severity, at, message }) => {
      const offset = offsetOf(tree, at);
      return { offset, finding: finding(severity, offset, message) };
    }),
  ]
    .sort((a, b) => a.offset - b.offset)
    .map(item => item.finding);
}

function problems(value: unknown, kind: Installable): readonly Located[] {
  if (isObject(value) && Array.isArray(value.agents))
    return [error([], "This is a registry. Check the document of a single entry.")];
  const inspected = inspectEntry(withVersion(value), kind, {});
  const rejected =
    "entry" in inspected ? [] : inspected.problems.map(({ at, why }) => error(at, `${why} ${adviceFor(at)}`));
  if (!isObject(value)) return rejected;
  const ignored = ignoredMembers(value, kind).filter(({ at }) => !rejected.some(other => isWithin(at, other.at)));
  return [
    ...rejected,
    ...ignored,
    ...memberWarnings(value),
    ...(value.version === undefined ? [warning([], NO_VERSION_WARNING)] : versionWarnings(value)),
    ...settingProblems(value, kind),
  ];
}

const NO_VERSION_WARNING =
  "“version” is missing. The registry requires it; an entry at a URL works without it. Add a text, such as “0.1.0”.";

function error(at: Path, message: string): Located {
  return { severity: "error", at, message };
}
function warning(at: Path, message: string): Located {
  return { severity: "warning", at, message };
}

function adviceFor([member, kind, ...rest]: Path): string {
  const last = rest.at(-1) ?? kind;
  switch (member) {
    case undefined:
      return 'Write one object: {"id": "my-extension", "name": "…", "version": "0.1.0", "distribution": {…}}.';
    case "id":
      return "Choose an id that starts with a letter, such as “my-extension”.";
    case "version":
      return "Write it as a text, such as “0.1.0”.";
    case "name":
    case "description":
      return `Write ${OPTIONAL[member]}, or remove the member.`;
    case "distribution":
      if (kind === undefined) return `Add at least one of: ${KINDS}.`;
      if (kind === "local" || kind === "executable" || kind === "symposium")
        return `Publish a package or an archive: ${KINDS}.`;
      if (rest.includes("env")) return "Remove the variable.";
      if (last === "archive" || last === "url") return "Use an https URL.";
      return `Correct it: "${kind}": ${FORMS[kind] ?? "{…}"}.`;
    default:
      return "Remove the member.";
  }
}

/** Members of the distribution, and of the entry, that the parsers drop. */
function ignoredMembers(entry: JsonObject, kind: Installable): readonly Located[] {
  const isServer = entry.kind === "mcp",
    parsed = objectOr(readDistribution(entry.distribution, isServer));
  const ofKind =
    kind === "agent" || entry.kind === undefined || entry.kind === "proxy" || isServer
      ? []
      : [error(["kind"], "“kind” is neither “proxy” nor “mcp”. Correct it, or remove it for a proxy.")];
  return [
    ...ofKind,
    ...droppedPaths(objectOr(entry.distribution), parsed, ["distribution"]).map(at => droppedMember(at)),
  ];
}

/** Paths of the members that are in `given` but not in `kept`. */
function droppedPaths(given: JsonObject, kept: JsonObject, at: Path): readonly Path[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const path = [...at, name];
    if (!Object.hasOwn(kept, name)) return [path];
    return isObject(value) && name !== "env" && name !== "headers"
      ? droppedPaths(value, objectOr(kept[name]), path)
      : [];
  });
}

function droppedMember(at: Path): Located {
  const [, kind = "", ...rest] = at,
    form = FORMS[kind],
    name = at.at(-1) ?? "";
  if (form === undefined)
    return warning(at, `The distribution “${kind}” is unknown and has no effect. Known: ${KINDS}.`);
  const isPlatform = kind === "binary" && rest.length === 1;
  if (isPlatform && !PLATFORMS.some(known => known === name))
    return warning(at, `The platform “${name}” is unknown and has no effect. Known: ${PLATFORMS.join(", ")}.`);
  if (rest.length === 0 || isPlatform || (rest.length === 1 && form.includes(`"${name}"`)) || name === "cmd")
    return error(at, `“${name}” is invalid and has no effect. Write "${kind}": ${form}.`);
  return warning(at, `“${name}” is unknown and has no effect. Known: "${kind}": ${form}.`);
}

/** Members that are missing, unknown or dropped as invalid. */
function memberWarnings(entry: JsonObject): readonly Located[] {
  const kept = optionalFields(entry);
  const unknown = Object.keys(entry)
    .filter(name => !MEMBERS.has(name) && !name.startsWith("_"))
    .map(name => warning([name], `“${name}” is unknown and has no effect. Check its spelling, or remove it.`));
  const missing = RECOMMENDED.filter(name => entry[name] === undefined).map(name =>
    warning([], `“${name}” is missing. Add ${OPTIONAL[name]}.`),
  );
  const dropped = Object.entries(OPTIONAL)
    .filter(([name]) => name !== "name" && name !== "description" && entry[name] !== undefined)
    .filter(([name]) => !Object.hasOwn(kept, name))
    .map(([name, form]) => error([name], `“${name}” is invalid and has no effect. Write ${form}.`));
  return [...unknown, ...missing, ...dropped];
}

/** Settings without a control. */
function settingProblems({ settingsSchema, distribution }: JsonObject, kind: Installable): readonly Located[] {
  if (settingsSchema === undefined) return [];
  if (kind === "agent") return [warning(["settingsSchema"], "Agents have no settings. Remove “settingsSchema”.")];
  const isRemote = objectOr(distribution).http !== undefined;
  return [
    ...(isRemote
      ? [warning(["settingsSchema"], "A server at a URL receives no settings. Remove “settingsSchema”.")]
      : []),
    ...readSettingsSchema(settingsSchema).problems.map(({ at, expected }) =>
      error(["settingsSchema", ...at], settingProblem(settingsSchema, at, expected)),
    ),
  ];
}

function settingProblem(schema: unknown, at: Path, expected: string | undefined): string {
  const [name] = at,
    type = name === undefined ? undefined : objectOr(objectOr(schema)[name]).type,
    form = SETTING_TYPES.find(known => known === type);
  if (name === undefined)
    return `“settingsSchema” is not an object and has no effect. Write {"maxResults": ${SETTINGS.number}}.`;
  const problem = `The setting “${name}” has no control: ${expected === undefined ? `“${at.join(".")}” is invalid` : `it needs ${expected}`}.`;
  return form === undefined
    ? `${problem} Use one of the types ${SETTING_TYPES.join(", ")}.`
    : `${problem} Write ${SETTINGS[form]}.`;
}

/** Versions of packages that differ from the version of the entry, and archives without a checksum. */
function versionWarnings({ version, distribution }: JsonObject): readonly Located[] {
  const { npx, uvx, pipx, cargo, binary = {} } = readDistribution(distribution) ?? {};
  const versions: readonly (readonly [at: Path, version: string | undefined])[] = [
    [["distribution", "npx", "package"], npx && npmSpec(npx.package)?.version],
    [["distribution", "uvx", "package"], uvx && pythonSpec(uvx.package)?.version],
    [["distribution", "pipx", "package"], pipx && pythonSpec(pipx.package)?.version],
    [["distribution", "cargo", "version"], cargo?.version],
  ];
  return [
    ...versions.flatMap(([at, own]) =>
      own === undefined || !/^\d/.test(own) || own === version
        ? []
        : [warning(at, `The version ${own} is not the “version” of the entry. Use one version for both.`)],
    ),
    ...Object.entries(binary).flatMap(([platform, { sha256 }]) =>
      sha256 === undefined
        ? [
            warning(
              ["distribution", "binary", platform],
              `The archive for ${platform} has no “sha256”. Add its checksum, so that a changed archive is rejected.`,
            ),
          ]
        : [],
    ),
  ];
}

/** Whether the problem of a member of the distribution, `parent`, explains this one. */
function isWithin(path: Path, parent: Path): boolean {
  return parent.length > 1 && parent.every((name, i) => path[i] === name);
}

/** Offset of the member's name, or of the deepest existing object for a missing member. */
function offsetOf(tree: Node, at: Path): number {
  const node = findNodeAtLocation(tree, [...at]);
  if (!node) return offsetOf(tree, at.slice(0, -1));
  return node.parent?.type === "property" ? node.parent.offset : node.offset;
}

function duplicates(tree: Node): readonly { readonly offset: number; readonly message: string }[] {
  const properties = tree.type === "object" ? propertiesOf(tree) : [];
  const own = properties.filter(({ key }, i) => properties.findIndex(other => other.key.value === key.value) !== i);
  return [
    ...own.map(({ key }) => ({
      offset: key.offset,
      message: `“${String(key.value)}” is set twice. Remove one of them.`,
    })),
    ...(tree.children ?? []).flatMap(child => duplicates(child)),
  ];
}
