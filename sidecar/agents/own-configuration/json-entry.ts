/**
 * Edits a JSON configuration file, which may contain comments and trailing commas: sets values, and removes Symposium's
 * entry from a list. Only the characters of changed values are inserted, replaced and removed. Pure.
 *
 * Invariants:
 * - A text that is not a configuration is not edited.
 * - Removing an entry that was added to a list with other entries restores the text exactly.
 */
import * as l10n from "@vscode/l10n";
import { isDeepStrictEqual } from "node:util";
import { getNodeValue, parseTree, type Node, type ParseError } from "jsonc-parser";
import { isObject, type JsonObject } from "../../rpc/json";
import { ConfigurationError, ENTRY } from "./symposium-entry";

const BOM = "\uFEFF";

/**
 * Returns undefined if the list has no entry of this name. Throws `ConfigurationError` if the text is not a
 * configuration.
 */
export function jsonEntry(text: string, list: string): unknown {
  const { entry } = placesIn(text, list);
  return entry && plain(valueOf(entry));
}

/**
 * Sets `values` and keeps everything else. An object is merged into an object of the text; any other value replaces the
 * text's value if it differs. Idempotent. Throws `ConfigurationError`.
 */
export function withJsonValues(text: string, values: JsonObject): string {
  const { bom, body, root } = parsed(text);
  const style: Style = {
    eol: /\r\n|\n/.exec(body)?.[0] ?? "\n",
    indent: /\n([ \t]+)"/.exec(body)?.[1] ?? "  ",
  };
  if (!root) return `${bom}${json(values, 0, style)}${style.eol}`;
  const edits = changes(body, root, values, 0, style).sort((one, two) => two.at - one.at);
  return bom + edits.reduce((edited, { at, length, by }) => edited.slice(0, at) + by + edited.slice(at + length), body);
}

interface Style {
  readonly eol: string;
  readonly indent: string;
}

interface Edit {
  readonly at: number;
  readonly length: number;
  readonly by: string;
}

/** `depth`: number of objects around `object`. */
function changes(body: string, object: Node, values: JsonObject, depth: number, style: Style): Edit[] {
  const added: string[] = [],
    inside: Edit[] = [];
  for (const [name, value] of Object.entries(values)) {
    const property = onlyProperty(object, name);
    if (!property) {
      added.push(`${JSON.stringify(name)}: ${json(value, depth + 1, style)}`);
      continue;
    }
    const given = valueOf(property);
    if (isObject(value)) {
      if (given.type !== "object") throw new ConfigurationError(l10n.t`“${name}” is not an object.`);
      inside.push(...changes(body, given, value, depth + 1, style));
    } else if (!isDeepStrictEqual(plain(given), value))
      inside.push({ at: given.offset, length: given.length, by: json(value, depth + 1, style) });
  }
  return added.length === 0 ? inside : [insertion(body, object, added, depth, style), ...inside];
}

/** New properties are the first ones, because the comment after the last property belongs to that property. */
function insertion(body: string, object: Node, added: readonly string[], depth: number, { eol, indent }: Style): Edit {
  const at = object.offset + 1,
    line = `${eol}${indent.repeat(depth + 1)}`,
    isEmpty = object.children?.length === 0;
  const end = isEmpty ? (isBlankLine(body, at) ? "" : `${eol}${indent.repeat(depth)}`) : ",";
  return { at, length: 0, by: `${line}${added.join(`,${line}`)}${end}` };
}

function json(value: unknown, depth: number, { eol, indent }: Style): string {
  return JSON.stringify(value, undefined, indent).replaceAll("\n", `${eol}${indent.repeat(depth)}`);
}

/** `text` must have an entry of this name. */
export function withoutJsonEntry(text: string, list: string): string {
  const { bom, body, entry, servers } = placesIn(text, list);
  if (!entry || !servers?.children) return text;
  const before = servers.children[servers.children.indexOf(entry) - 1],
    from = before ? before.offset + before.length : servers.offset + 1;
  const gap = body.slice(from, entry.offset),
    rest = body.slice(entry.offset + entry.length),
    hasComma = COMMA.test(rest);
  // Without a following property, the comma of the preceding property is removed. Comments are kept.
  const separator = hasComma ? gap : gap.replace(COMMA, "$1"),
    remaining = hasComma ? rest.replace(COMMA, "$1") : rest;
  const isOpenComment = separator.includes("//") && !/^[ \t]*\r?\n/.test(remaining);
  return `${bom}${body.slice(0, from)}${isOpenComment ? separator : separator.trimEnd()}${remaining}`;
}

/** A comma, with the white space and comments before it. */
const COMMA = /^((?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*),/;

interface Parsed {
  readonly bom: string;
  readonly body: string;
  /** Absent: the text is empty. */
  readonly root: Node | undefined;
}

function parsed(text: string): Parsed {
  const bom = text.startsWith(BOM) ? BOM : "",
    body = text.slice(bom.length);
  if (body.trim() === "") return { bom, body, root: undefined };
  const errors: ParseError[] = [],
    root = parseTree(body, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error)
    throw new ConfigurationError(l10n.t`line ${body.slice(0, error.offset).split("\n").length} is not valid JSON.`);
  if (root?.type !== "object") throw new ConfigurationError(l10n.t("it does not contain a JSON object."));
  return { bom, body, root };
}

interface Places extends Parsed {
  readonly servers: Node | undefined;
  readonly entry: Node | undefined;
}

function placesIn(text: string, list: string): Places {
  const all = parsed(text),
    property = all.root && onlyProperty(all.root, list),
    servers = property && valueOf(property);
  if (servers && servers.type !== "object") throw new ConfigurationError(l10n.t`“${list}” is not an object.`);
  return { ...all, servers, entry: servers && onlyProperty(servers, ENTRY) };
}

/** As an ordinary object. */
function plain(node: Node): unknown {
  return JSON.parse(JSON.stringify(getNodeValue(node)));
}

function onlyProperty(object: Node, name: string): Node | undefined {
  const [first, second] = (object.children ?? []).filter(({ children }) => children?.[0]?.value === name);
  if (second) throw new ConfigurationError(l10n.t`it has “${name}” twice.`);
  return first;
}

function valueOf(property: Node): Node {
  const value = property.children?.[1];
  if (!value) throw new ConfigurationError(l10n.t("it is not valid JSON."));
  return value;
}

function isBlankLine(body: string, at: number): boolean {
  return /^[ \t]*\r?\n/.test(body.slice(at));
}
