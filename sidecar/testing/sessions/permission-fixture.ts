/** Permission requests of agents behind VS Code's chat, with the tools of a session, and their verdicts in short. */
import { PERMISSION_KINDS } from "../../../src/protocol/lm/permission-tools";
import { questionOf, type PermissionDeps, type PermissionVerdict } from "../../lm/session/permission";
import { ToolNames } from "../../lm/tools/tool-names";
import { questionedCall } from "../../permissions/announced-calls";
import { bridgedClaim, QualifiedNames } from "../../permissions/bridged-calls";
import { isObject, type JsonObject } from "../../rpc/json";

const names = new ToolNames();
for (const name of ["rename", "find_usages"]) names.given(name);
export const OURS = new QualifiedNames("vsctools", names);
export const OFFERED = new Set(
  ["action", ...PERMISSION_KINDS.map(kind => `codex-${kind}`)].map(end => `symposium-agent-${end}`),
);
export const OPTIONS = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];
export const permissionDeps = (overrides: Partial<PermissionDeps> = {}): PermissionDeps => ({
  agent: "Ada",
  offered: OFFERED,
  grouped: new Map(),
  group: "codex",
  claim: { kind: "none" },
  announced: undefined,
  policy: "ask",
  isForeign: false,
  ...overrides,
});
export const chosen = (optionId: string): JsonObject => ({ outcome: { outcome: "selected", optionId } });

export function ask(
  toolCall: unknown,
  overrides: Partial<PermissionDeps> = {},
  options: unknown = OPTIONS,
): PermissionVerdict {
  return judged({ sessionId: "s", toolCall, options }, overrides);
}
export function judged(params: JsonObject, overrides: Partial<PermissionDeps> = {}): PermissionVerdict {
  return questionOf(
    params,
    permissionDeps({
      claim: bridgedClaim([overrides.announced, questionedCall(params)].filter(isObject), OURS),
      ...overrides,
    }),
  );
}
export function inShort(verdict: PermissionVerdict): string {
  switch (verdict.kind) {
    case "allow":
      return `allow (${verdict.why})`;
    case "reject":
      return "reject";
    case "ask":
    case "uncover":
      return `${verdict.kind} ${verdict.toolName.replace("symposium-agent-", "")}`;
  }
}
export function asked(verdict: PermissionVerdict) {
  if (verdict.kind !== "ask") throw new Error(inShort(verdict));
  return verdict;
}
/**
 * Requests of two published agents (reference/real-agents). One agent first announces its call, with the tool's name in
 * `_meta`. The other agent announces nothing and derives its ids from the name.
 */
export const CLAUDE = (toolName: string) => ({
  title: toolName,
  kind: "other",
  rawInput: {},
  _meta: { claudeCode: { toolName } },
});
export const CODEX = (tool: string, server = "vsctools") => ({
  kind: "execute",
  title: `mcp.${server}.${tool}`,
  rawInput: { server, tool, arguments: {} },
  _meta: { is_mcp_tool_call: true },
});
export const GEMINI = (name: string) => ({
  toolCallId: `${name}-1763770000000-1`,
  status: "pending",
  title: `rename (vsctools MCP Server)`,
  content: [],
  locations: [],
  kind: "other",
});
