/** MCP capabilities that an agent declares in its `initialize` response. Pure. */
import { isObject, numberOr, objectOr, stringOr } from "../rpc/json";

/** `version`: ACP protocol version. `onDemand`: the agent lists a server's tools when it first needs one of them. */
export interface McpCapabilities {
  readonly http: boolean;
  readonly acp: boolean;
  readonly onDemand: boolean;
  readonly version: number;
}

/**
 * Set to `true` in `_meta` of `agentCapabilities` (v1) or `capabilities` (v2). Sessions of such an agent report no
 * missing tools (issue 14 item 1).
 */
export const LISTS_ON_DEMAND = "symposium.dev/listsToolsOnDemand";

/** Default until the agent responds to `initialize`. */
export const NO_ABILITIES: McpCapabilities = { http: false, acp: false, onDemand: false, version: 1 };

/** ACP v1: `agentCapabilities.mcpCapabilities.http: true`; v2: `capabilities.session.mcp.http: {}`. */
export function readMcpAbilities(answer: unknown): McpCapabilities {
  const { protocolVersion, agentCapabilities, capabilities } = objectOr(answer);
  const first = objectOr(objectOr(agentCapabilities).mcpCapabilities),
    second = objectOr(objectOr(objectOr(capabilities).session).mcp);
  const can = (name: string): boolean => first[name] === true || isObject(second[name]);
  const onDemand = [agentCapabilities, capabilities].some(
    each => objectOr(objectOr(each)._meta)[LISTS_ON_DEMAND] === true,
  );
  return { onDemand, http: can("http"), acp: can("acp"), version: numberOr(protocolVersion, 1) };
}

/**
 * Name and version of the agent's program, from `agentInfo` (v1) or `info` (v2) of its `initialize` response. Empty if
 * the agent sends neither.
 */
export function programOf(answer: unknown): string {
  const { agentInfo, info } = objectOr(answer),
    { name, version } = objectOr(agentInfo ?? info);
  return `${stringOr(name, "")} ${stringOr(version, "")}`.trim();
}
