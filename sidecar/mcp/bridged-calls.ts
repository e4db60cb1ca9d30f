/** Whether a call that an agent tells of is one of an MCP server that we gave it: by the names that agents make of a server's and a tool's. Pure. */
import { objectOr, type JsonObject } from "../rpc/json";

/** How agents write the name of a server before that of its tool. */
const PREFIXES: readonly ((server: string) => string)[] = [
  server => `mcp__${server}__`, server => `mcp_${server}_`, server => `${server}__`, server => `${server}_`, server => `${server}-`,
  server => `${server}.`, server => `${server}/`, server => `${server}:`,
];

/** The names of one server's tools as agents write them. */
export class QualifiedNames {
  readonly #prefixes: readonly string[];

  /** `tools.all`: may become more. */
  constructor(server: string, private readonly tools: { readonly all: Iterable<string> }) {
    this.#prefixes = PREFIXES.map(prefix => prefix(server));
  }

  /** `text` is one of them. */
  has(text: string): boolean { return this.#some(text, rest => rest === ""); }

  /** `toolCallId` is one of them with something behind it: so some agents name their calls. */
  begins(toolCallId: string): boolean { return this.#some(toolCallId, rest => /^[_-]/.test(rest)); }

  #some(text: string, isRight: (rest: string) => boolean): boolean {
    const rests = this.#prefixes.filter(prefix => text.startsWith(prefix)).map(prefix => text.slice(prefix.length));
    for (const name of this.tools.all) if (rests.some(rest => rest.startsWith(name) && isRight(rest.slice(name.length)))) return true;
    return false;
  }
}

export type BridgedNames = Pick<QualifiedNames, "has" | "begins">;

/**
 * Whether a call (of an update, or of a question) is one of a bridged tool; `announced`: what was said of it before. The name, where the agent
 * tells one, decides; else the call's id, where it begins with a name. Never its title, which may be any text.
 */
export function isBridgedCall(call: JsonObject, bridged: BridgedNames, announced?: JsonObject): boolean {
  const names = [call, objectOr(announced)].flatMap(each => [each.name, objectOr(objectOr(each._meta).claudeCode).toolName]).filter(name => typeof name === "string");
  if (names.length > 0) return names.every(name => bridged.has(name));
  return typeof call.toolCallId === "string" && bridged.begins(call.toolCallId);
}
