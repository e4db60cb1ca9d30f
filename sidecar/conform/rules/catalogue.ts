/** All rules of the kit. */
import type { Rule } from "../rule";
import { AGENT_INITIALIZE_RULES } from "./agent-initialize-rules";
import { AGENT_SESSION_RULES } from "./agent-session-rules";
import { AGENT_TOOL_RULES } from "./agent-tool-rules";
import { AGENT_TURN_RULES } from "./agent-turn-rules";
import { CLIENT_RULES } from "./client-rules";
import { PROXY_RULES } from "./proxy-rules";
import { wireRules } from "./wire-rules";

export const RULES: readonly Rule[] = [
  ...wireRules("agent"),
  ...AGENT_INITIALIZE_RULES,
  ...AGENT_TURN_RULES,
  ...AGENT_TOOL_RULES,
  ...AGENT_SESSION_RULES,
  ...wireRules("proxy"),
  ...PROXY_RULES,
  ...wireRules("client"),
  ...CLIENT_RULES,
];
