/**
 * Reads the text of `~/.symposium/config.jsonc`: JSON with comments and trailing commas. Pure.
 *
 * Invariants:
 * - Every text is a configuration or a problem. The position of a problem is in the text.
 * - A message does not contain the value of `agent`, which can contain secrets.
 */
import { createScanner, parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";
import { BUILT_IN_EXTENSIONS } from "../../../src/protocol/agents/extensions";
import { readAgent, readProxies } from "../component-argument";
import { OWN_PROXIES, UnreadableComponent, type ComponentSpec, type ProxySpec } from "../component-spec";

export interface RunConfig {
  readonly agent: ComponentSpec;
  /** The enabled proxies. The first one is next to the client. */
  readonly proxies: readonly ProxySpec[];
  /** Parts of the file that have no effect. */
  readonly ignored: readonly ConfigMessage[];
}

/** `line` and `column` start at 1. A column is one UTF-16 code unit, as in VS Code. */
export interface ConfigMessage {
  readonly line: number;
  readonly column: number;
  /** A sentence. */
  readonly message: string;
}

export type ConfigText =
  | { readonly kind: "config"; readonly config: RunConfig }
  | { readonly kind: "problem"; readonly problem: ConfigMessage };

/** `platform` determines the meaning of a backslash in `agent`. */
export async function readConfig(text: string, platform: string = process.platform): Promise<ConfigText> {
  // The byte order mark is not part of the first line.
  const body = text.startsWith(BOM) ? text.slice(1) : text;
  const at = (offset: number, message: string): ConfigMessage => ({ ...positionIn(body, offset), message });
  try {
    return { kind: "config", config: await configIn(body, platform, at) };
  } catch (error) {
    if (error instanceof Problem) return { kind: "problem", problem: at(error.offset, error.message) };
    throw error;
  }
}

class Problem extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

type At = (offset: number, message: string) => ConfigMessage;

async function configIn(body: string, platform: string, at: At): Promise<RunConfig> {
  const root = objectAt(treeOf(body), 'The configuration must be an object: { "agent": "…", "proxies": […] }.'),
    { agent, proxies } = membersOf(root),
    names = new Set<string>(),
    ignored = unknownMembers(root, ["agent", "proxies", "$schema"], at);
  if (!agent) throw new Problem(root.offset, "“agent” is missing. Add the command that starts the agent.");
  const spec = await agentIn(agent, platform),
    enabled: ProxySpec[] = [];
  for (const entry of entriesOf(proxies)) {
    const { name, isEnabled } = proxyIn(entry),
      id = String(name.value);
    ignored.push(...unknownMembers(entry, ["name", "enabled"], at));
    if (!BUILT_IN_EXTENSIONS.some(config => config.id === id))
      ignored.push(at(name.offset, `The proxy “${id}” is unknown and is left out. Known proxies: ${OWN_PROXIES}.`));
    else if (names.has(id))
      ignored.push(at(name.offset, `The proxy “${id}” is listed twice. Its first entry applies.`));
    else if (isEnabled) enabled.push(...(await readProxies(id, platform)));
    names.add(id);
  }
  return { agent: spec, proxies: enabled, ignored };
}

async function agentIn(node: Node, platform: string): Promise<ComponentSpec> {
  if (typeof node.value !== "string" || node.value.trim() === "")
    throw new Problem(node.offset, "“agent” must be text: the command that starts the agent.");
  try {
    return await readAgent(node.value, platform);
  } catch (error) {
    if (error instanceof UnreadableComponent) throw new Problem(node.offset, `“agent” ${error.message}`);
    throw error;
  }
}

/** A configuration without `proxies` has none. */
function entriesOf(proxies: Node | undefined): readonly Node[] {
  if (proxies && proxies.type !== "array")
    throw new Problem(proxies.offset, '“proxies” must be a list: [{ "name": "…", "enabled": true }].');
  return proxies?.children ?? [];
}

function proxyIn(entry: Node): { readonly name: Node; readonly isEnabled: boolean } {
  const { name, enabled } = membersOf(objectAt(entry, 'A proxy must be an object: { "name": "…", "enabled": true }.'));
  if (!name) throw new Problem(entry.offset, "“name” of the proxy is missing.");
  if (typeof name.value !== "string") throw new Problem(name.offset, "“name” of the proxy must be text.");
  if (enabled && typeof enabled.value !== "boolean")
    throw new Problem(enabled.offset, "“enabled” must be true or false.");
  return { name, isEnabled: enabled?.value !== false };
}

function objectAt(node: Node, message: string): Node {
  if (node.type !== "object") throw new Problem(node.offset, message);
  return node;
}

/** The values of an object's members. */
function membersOf(object: Node): Readonly<Record<string, Node | undefined>> {
  const members = new Map<string, Node>();
  for (const { key, value } of propertiesOf(object)) {
    if (members.has(String(key.value))) throw new Problem(key.offset, `“${String(key.value)}” is set twice.`);
    members.set(String(key.value), value);
  }
  return Object.fromEntries(members);
}

function unknownMembers(object: Node, known: readonly string[], at: At): ConfigMessage[] {
  return propertiesOf(object)
    .map(({ key }) => key)
    .filter(({ value }) => !known.includes(String(value)))
    .map(key =>
      at(
        key.offset,
        `“${String(key.value)}” is unknown and has no effect. Known names: ${known.slice(0, 2).join(", ")}.`,
      ),
    );
}

function propertiesOf(object: Node): readonly { readonly key: Node; readonly value: Node }[] {
  return (object.children ?? []).flatMap(({ children: [key, value] = [] }) => (key && value ? [{ key, value }] : []));
}

const BOM = "\uFEFF";
/** The parser is recursive. */
const MAX_DEPTH = 100;

function treeOf(body: string): Node {
  const deep = offsetOfDepth(body, MAX_DEPTH);
  if (deep !== undefined) throw new Problem(deep, "The configuration is nested too deep.");
  const errors: ParseError[] = [],
    root = parseTree(body, errors, { allowTrailingComma: true }),
    [error] = errors;
  if (body.trim() === "")
    throw new Problem(0, "The file is empty. Add “agent”, or delete the file to choose an agent again.");
  if (error) throw new Problem(error.offset, SYNTAX[printParseErrorCode(error.error)] ?? "This is not valid JSON.");
  if (!root) throw new Problem(body.length, "A value is missing.");
  return root;
}

/** By the names of the parser. */
const SYNTAX: Readonly<Record<string, string>> = {
  PropertyNameExpected: "A name in double quotes is missing.",
  ValueExpected: "A value is missing.",
  ColonExpected: "A colon is missing.",
  CommaExpected: "A comma is missing.",
  CloseBraceExpected: "A closing brace “}” is missing.",
  CloseBracketExpected: "A closing bracket “]” is missing.",
  EndOfFileExpected: "The file must end after the closing brace.",
  InvalidCommentToken: "This is not a comment: a comment starts with // or /*.",
  UnexpectedEndOfComment: "This comment is not closed: it ends with */.",
  UnexpectedEndOfString: "This text is not closed: it ends with a double quote on the same line.",
  UnexpectedEndOfNumber: "This number is incomplete.",
  InvalidNumberFormat: "This number is not valid.",
  InvalidUnicode: "This \\u escape is not valid.",
  InvalidEscapeCharacter: "This escape is not valid: write a backslash as two backslashes.",
  InvalidCharacter: "This character is not valid in text: write it as an escape.",
  InvalidSymbol: "This word is not valid: write text in double quotes.",
};

/** The offset of the first bracket below `limit` open ones. */
function offsetOfDepth(body: string, limit: number): number | undefined {
  const scanner = createScanner(body, true);
  let depth = 0;
  for (let token = scanner.scan(); token !== END_OF_FILE; token = scanner.scan()) {
    if (token === OPEN_BRACE || token === OPEN_BRACKET) depth++;
    else if (token === CLOSE_BRACE || token === CLOSE_BRACKET) depth--;
    if (depth > limit) return scanner.getTokenOffset();
  }
  return undefined;
}

/** `SyntaxKind` of the parser, whose constants exist only in its declarations. */
const OPEN_BRACE = 1,
  CLOSE_BRACE = 2,
  OPEN_BRACKET = 3,
  CLOSE_BRACKET = 4,
  END_OF_FILE = 17;

function positionIn(body: string, offset: number): { readonly line: number; readonly column: number } {
  const lines = body.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}
