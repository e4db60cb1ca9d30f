/**
 * Determines whether a tool call that an agent reports is a call of an MCP server that Symposium provided. Pure.
 *
 * A claim is *proved* only by members that the agent's program writes, not its model:
 * - the qualified name by which the model uses the tool,
 * - Codex's marked `rawInput`,
 * - or, for a call without a specific kind, an id that starts with the name.
 *
 * All reports of a call must agree, and none may show the agent's own action. A title proves nothing, because it may be
 * any text. A claim that is not proved but names the server is a *reference*. A call that is marked as an MCP call
 * without naming its server is *unnamed*.
 *
 * Invariants:
 * - A call that carries a diff or a terminal is never proved. A call that carries a command is proved only if the named
 *   tool takes a command.
 * - No call is proved before the agent has listed the server's tools. Until then, the name can belong to another server
 *   in the agent's own configuration.
 */
import { carriesCommand, ownActionIn } from "./call-input";
import { isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";

/** The prefixes that agents put before the tool names of a server. */
const PREFIXES: readonly ((server: string) => string)[] = [
  server => `mcp__${server}__`,
  server => `mcp_${server}_`,
  server => `mcp.${server}.`,
  server => `${server}__`,
  server => `${server}_`,
  server => `${server}-`,
  server => `${server}.`,
  server => `${server}/`,
  server => `${server}::`,
  server => `${server}:`,
];

export interface ServerTools {
  /** The tool names given to the agent. Names may be added later. */
  readonly all: Iterable<string>;
  /** Whether a tool takes a command as an argument. If absent, no tool does. */
  takesCommand?(tool: string): boolean;
  /** Whether the agent has requested the list of these tools. If absent, it has. */
  isListed?(): boolean;
}

/** The names of one server's tools in the agents' spellings. */
export class QualifiedNames {
  readonly #prefixes: readonly string[];

  constructor(
    readonly server: string,
    private readonly tools: ServerTools,
  ) {
    this.#prefixes = PREFIXES.map(prefix => prefix(server));
  }

  /** The tool whose qualified name is `text`. */
  toolNamed(text: string): string | undefined {
    return this.#find(text, suffix => suffix === "");
  }

  /** The tool whose qualified name is a prefix of `toolCallId`. Some agents derive their ids from it. */
  toolOfId(toolCallId: string): string | undefined {
    return this.#find(toolCallId, suffix => /^[_-]/.test(suffix));
  }

  hasTool(name: string): boolean {
    return [...this.tools.all].includes(name);
  }

  takesCommand(tool: string): boolean {
    return this.tools.takesCommand?.(tool) ?? false;
  }

  get isListed(): boolean {
    return this.tools.isListed?.() ?? true;
  }

  /** Whether `text` contains the server's name and no letter or digit follows it. */
  isNamedIn(text: string): boolean {
    const { server } = this;
    for (let at = text.indexOf(server); at >= 0; at = text.indexOf(server, at + 1))
      if (!/[A-Za-z0-9]/.test(text[at + server.length] ?? "")) return true;
    return false;
  }

  #find(text: string, isMatch: (suffix: string) => boolean): string | undefined {
    const names = this.#prefixes.filter(prefix => text.startsWith(prefix)).map(prefix => text.slice(prefix.length));
    for (const name of this.tools.all)
      if (names.some(each => each.startsWith(name) && isMatch(each.slice(name.length)))) return name;
    return undefined;
  }
}

export type BridgedClaim =
  /** `args` are the arguments, as far as the agent reports them. */
  | { readonly kind: "proved"; readonly tool: string; readonly args: unknown }
  /** The call names the server without proof. `tool`: the server's tool whose qualified name is a title of the call. */
  | { readonly kind: "reference"; readonly tool: string | undefined; readonly args: unknown }
  | { readonly kind: "unnamed" }
  | { readonly kind: "none" };

const NONE: BridgedClaim = { kind: "none" },
  UNNAMED: BridgedClaim = { kind: "unnamed" };

/**
 * `reports` are all reports of the agent about one call, the oldest first. The report of a permission request includes
 * the request's own `_meta`.
 */
export function bridgedClaim(reports: readonly JsonObject[], names: QualifiedNames): BridgedClaim {
  const identities = reports.flatMap(report => identitiesIn(report, names)),
    tools = new Set(identities);
  const byId = reports
    .map(({ toolCallId }) => (typeof toolCallId === "string" ? names.toolOfId(toolCallId) : undefined))
    .find(tool => tool !== undefined);
  const [tool] = identities.length > 0 ? tools : [byId];
  const args = reports.map(argumentsIn).findLast(given => given !== undefined);
  const isOneTool =
    identities.length > 0
      ? tools.size === 1
      : reports.every(({ kind }) => kind === undefined || kind === null || kind === "other");
  const isProved = isOneTool && typeof tool === "string" && !reports.some(report => contradicts(report, tool, names));
  if (isProved && names.isListed) return { kind: "proved", tool, args };
  if (typeof tool !== "string" && !reports.some(report => refers(report, names)))
    return reports.some(isMarked) && !reports.some(report => markedCallIn(report)) ? UNNAMED : NONE;
  const titled = reports
    .map(({ title }) => (typeof title === "string" ? names.toolNamed(title) : undefined))
    .findLast(each => each !== undefined);
  return { kind: "reference", tool: isProved ? tool : titled, args };
}

/** Returns one item for each member that identifies the tool: the tool's name, or `false` for another server's tool. */
function identitiesIn(report: JsonObject, names: QualifiedNames): readonly (string | false)[] {
  const { name, _meta } = report,
    named = [name, objectOr(objectOr(_meta).claudeCode).toolName].filter(each => typeof each === "string");
  const call = markedCallIn(report);
  return [
    ...named.map(each => names.toolNamed(each) ?? false),
    ...(call ? [call.server === names.server && names.hasTool(call.tool) ? call.tool : (false as const)] : []),
  ];
}

/** Whether the agent marks the call as an MCP call, as Codex does. */
function isMarked({ _meta }: JsonObject): boolean {
  const { is_mcp_tool_call: isCall, is_mcp_tool_approval: isApproval } = objectOr(_meta);
  return isCall === true || isApproval === true;
}

function markedCallIn(report: JsonObject): ReturnType<typeof mcpCallIn> {
  return isMarked(report) ? mcpCallIn(report.rawInput) : undefined;
}

/** Parses exactly `{server, tool, arguments}`, Codex's format of an MCP call. */
function mcpCallIn(
  rawInput: unknown,
): { readonly server: string; readonly tool: string; readonly args: unknown } | undefined {
  if (!isObject(rawInput)) return undefined;
  const { server, tool, arguments: args, ...others } = rawInput;
  return typeof server === "string" && typeof tool === "string" && Object.keys(others).length === 0
    ? { server, tool, args }
    : undefined;
}

function argumentsIn({ rawInput }: JsonObject): unknown {
  const call = mcpCallIn(rawInput);
  return call ? (call.args ?? {}) : (rawInput ?? undefined);
}

const ACTING: ReadonlySet<unknown> = new Set(["execute", "edit", "delete", "move"]);

/** Whether the report shows the agent's own action. Some agents report a command only in the title. */
function contradicts(report: JsonObject, tool: string, names: QualifiedNames): boolean {
  const { kind, title } = report;
  return (
    (ACTING.has(kind) && typeof title === "string" && names.toolNamed(title) !== tool) ||
    ownActionIn(report) !== undefined ||
    (carriesCommand(argumentsIn(report)) && !names.takesCommand(tool))
  );
}

function refers({ title, name, toolCallId, rawInput, _meta }: JsonObject, names: QualifiedNames): boolean {
  const { server, tool } = objectOr(rawInput);
  return [title, name, toolCallId, server, tool, objectOr(objectOr(_meta).claudeCode).toolName].some(each =>
    names.isNamedIn(stringOr(each, "")),
  );
}
