/**
 * Symposium's entry in a JSON configuration file, which may contain comments and trailing commas. Only the entry's
 * characters are inserted and removed. Pure.
 *
 * Invariant: removing an entry from a list with other entries restores the text exactly.
 */
import * as l10n from "@vscode/l10n";
import { getNodeValue, parseTree, type Node, type ParseError } from "jsonc-parser";
import type { JsonObject } from "../../rpc/json";
import { ConfigurationError, ENTRY } from "./symposium-entry";

const BOM = "\uFEFF";

/**
 * Returns undefined if the list has no entry of this name. Throws `ConfigurationError` if the text is not a
 * configuration.
 */
export function jsonEntry(text: string, list: string): unknown {
  const { entry } = placesIn(text, list);
  return entry && (JSON.parse(JSON.stringify(getNodeValue(valueOf(entry)))) as unknown); // as an ordinary object
}

/** `text` must not have an entry of this name. */
export function withJsonEntry(text: string, list: string, entry: JsonObject): string {
  const { bom, body, root, servers } = placesIn(text, list),
    eol = /\r\n|\n/.exec(body)?.[0] ?? "\n",
    indent = /\n([ \t]+)"/.exec(body)?.[1] ?? "  ";
  const property = (name: string, value: JsonObject, depth: number): string =>
    `${JSON.stringify(name)}: ${JSON.stringify(value, undefined, indent)}`
      .replaceAll("\n", `\n${indent.repeat(depth)}`)
      .replaceAll("\n", eol);
  if (!root) return `${bom}{${eol}${indent}${property(list, { [ENTRY]: entry }, 1)}${eol}}${eol}`;
  const [parent, inserted, depth] = servers
    ? ([servers, property(ENTRY, entry, 2), 2] as const)
    : ([root, property(list, { [ENTRY]: entry }, 1), 1] as const);
  const at = parent.offset + 1,
    isEmpty = parent.children?.length === 0;
  const end = isEmpty ? (isBlankLine(body, at) ? "" : `${eol}${indent.repeat(depth - 1)}`) : ",";
  return `${bom}${body.slice(0, at)}${eol}${indent.repeat(depth)}${inserted}${end}${body.slice(at)}`;
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

interface Places {
  readonly bom: string;
  readonly body: string;
  /** Absent: the text is empty. */
  readonly root: Node | undefined;
  readonly servers: Node | undefined;
  readonly entry: Node | undefined;
}

function placesIn(text: string, list: string): Places {
  const bom = text.startsWith(BOM) ? BOM : "",
    body = text.slice(bom.length);
  if (body.trim() === "") return { bom, body, root: undefined, servers: undefined, entry: undefined };
  const errors: ParseError[] = [],
    root = parseTree(body, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) throw new ConfigurationError(`line ${body.slice(0, error.offset).split("\n").length} is not valid JSON.`);
  if (root?.type !== "object") throw new ConfigurationError("it does not contain a JSON object.");
  const property = onlyProperty(root, list),
    servers = property && valueOf(property);
  if (servers && servers.type !== "object") throw new ConfigurationError(l10n.t`“${list}” is not an object.`);
  return { bom, body, root, servers, entry: servers && onlyProperty(servers, ENTRY) };
}

function onlyProperty(object: Node, name: string): Node | undefined {
  const [first, second] = (object.children ?? []).filter(({ children }) => children?.[0]?.value === name);
  if (second) throw new ConfigurationError(`it has “${name}” twice.`);
  return first;
}

function valueOf(property: Node): Node {
  const value = property.children?.[1];
  if (!value) throw new ConfigurationError("it is not valid JSON.");
  return value;
}

function isBlankLine(body: string, at: number): boolean {
  return /^[ \t]*\r?\n/.test(body.slice(at));
}
