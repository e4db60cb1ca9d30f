/** What an agent says about the MCP servers that it can reach, in its answer to `initialize`. Pure. */
import { isObject, numberOr, objectOr, stringOr } from "../rpc/json";

/** `version`: of ACP. `onDemand`: lists the tools of a server when it first needs one of them. */
export interface McpAbilities {
  readonly http: boolean;
  readonly acp: boolean;
  readonly onDemand: boolean;
  readonly version: number;
}

/**
 * In `_meta` of `agentCapabilities` (v1) or `capabilities` (v2): `true`. Such an agent's sessions report no missing
 * tools (issue 14 item 1).
 */
export const LISTS_ON_DEMAND = "symposium.dev/listsToolsOnDemand";

/** What holds before an answer. */
export const NO_ABILITIES: McpAbilities = { http: false, acp: false, onDemand: false, version: 1 };

/** ACP v1: `agentCapabilities.mcpCapabilities.http: true`; v2: `capabilities.session.mcp.http: {}`. */
export function readMcpAbilities(answer: unknown): McpAbilities {
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
 * The agent's program: its name and version, from `agentInfo` (v1) or `info` (v2) of its answer to `initialize`. Empty:
 * it names neither.
 */
export function programOf(answer: unknown): string {
  const { agentInfo, info } = objectOr(answer),
    { name, version } = objectOr(agentInfo ?? info);
  return `${stringOr(name, "")} ${stringOr(version, "")}`.trim();
}
