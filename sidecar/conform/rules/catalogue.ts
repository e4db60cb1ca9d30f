/** All rules of the kit. */
import type { Rule } from "../rule";
import { AGENT_INITIALIZE_RULES } from "./agent-initialize-rules";
import { AGENT_SESSION_RULES } from "./agent-session-rules";
import { AGENT_TOOL_RULES } from "./agent-tool-rules";
import { AGENT_TURN_RULES } from "./agent-turn-rules";
import { CLIENT_RULES } from "./client-rules";
import { PROXY_FORWARDING_RULES } from "./proxy-forwarding-rules";
import { PROXY_INITIALIZE_RULES } from "./proxy-initialize-rules";
import { PROXY_MCP_RULES } from "./proxy-mcp-rules";
import { wireRules } from "./wire-rules";

export const RULES: readonly Rule[] = [
  ...wireRules("agent"),
  ...AGENT_INITIALIZE_RULES,
  ...AGENT_TURN_RULES,
  ...AGENT_TOOL_RULES,
  ...AGENT_SESSION_RULES,
  ...wireRules("proxy"),
  ...PROXY_INITIALIZE_RULES,
  ...PROXY_FORWARDING_RULES,
  ...PROXY_MCP_RULES,
  ...wireRules("client"),
  ...CLIENT_RULES,
];
