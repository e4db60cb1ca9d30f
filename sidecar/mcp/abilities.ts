/** What an agent says about the MCP servers that it can reach, in its answer to `initialize`. Pure. */
import { isObject, numberOr, objectOr } from "../rpc/json";

/** `version`: of ACP. */
export interface McpAbilities { readonly http: boolean; readonly acp: boolean; readonly version: number }

/** ACP v1: `agentCapabilities.mcpCapabilities.http: true`; v2: `capabilities.session.mcp.http: {}`. */
export function readMcpAbilities(answer: unknown): McpAbilities {
  const { protocolVersion, agentCapabilities, capabilities } = objectOr(answer);
  const first = objectOr(objectOr(agentCapabilities).mcpCapabilities), second = objectOr(objectOr(objectOr(capabilities).session).mcp);
  const can = (name: string): boolean => first[name] === true || isObject(second[name]);
  return { http: can("http"), acp: can("acp"), version: numberOr(protocolVersion, 1) };
}
