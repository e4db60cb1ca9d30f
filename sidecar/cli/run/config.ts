/**
 * Reads the text of `~/.symposium/config.jsonc`: JSON with comments and trailing commas. Pure.
 *
 * Invariants:
 * - Every text is a configuration or a problem. The position of a problem is in the text.
 * - A message does not contain the value of `agent`, which can contain secrets.
 */
import type { Node } from "jsonc-parser";
import { BUILT_IN_EXTENSIONS } from "../../../src/protocol/agents/extensions";
import { readAgent, readProxies } from "../component-argument";
import { OWN_PROXIES, UnreadableComponent, type ComponentSpec, type ProxySpec } from "../component-spec";
import { positionIn, propertiesOf, readTree, withoutMark } from "../json-tree";

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
  const body = withoutMark(text);
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

function treeOf(body: string): Node {
  if (body.trim() === "")
    throw new Problem(0, "The file is empty. Add “agent”, or delete the file to choose an agent again.");
  const read = readTree(body, { allowTrailingComma: true });
  if ("message" in read) throw new Problem(read.offset, read.message);
  return read;
}
