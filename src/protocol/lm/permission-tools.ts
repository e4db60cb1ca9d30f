/**
 * Names of the language-model tools that request an agent's permissions in VS Code's chat.
 *
 * VS Code stores a standing approval ("Allow in this Session", "Always Allow") under the tool's id, for the window, the
 * workspace or the profile. Tools must be declared in package.json. Each built-in agent therefore has its own group of
 * tools, one per kind of permission. A fixed number of further groups is assigned permanently to other agents
 * (`src/lm/tool-groups.ts`).
 *
 * `ASK_EACH_TIME` is for questions that no standing approval may answer: those of agents without a group, and calls
 * that refer to VS Code's own tools. VS Code runs this tool without confirmation, and the tool itself asks each time.
 */
export const PERMISSION_PREFIX = "symposium-agent-";

export const ASK_EACH_TIME = `${PERMISSION_PREFIX}action`;

/** Kinds of permissions, each with its own standing approval. */
export const PERMISSION_KINDS = ["read", "edit", "execute", "fetch", "other"] as const;
export type PermissionKind = (typeof PERMISSION_KINDS)[number];

/** Groups of the built-in agents, by agent id, with the agent's name. */
export const BUILT_IN_GROUPS: ReadonlyMap<string, { readonly group: string; readonly name: string }> = new Map([
  ["elizacp", { group: "eliza", name: "Eliza" }],
  ["zed-claude-code", { group: "claude", name: "Claude" }],
  ["codex", { group: "codex", name: "Codex" }],
  ["gemini", { group: "gemini", name: "Gemini CLI" }],
  ["kiro-cli", { group: "kiro", name: "Kiro CLI" }],
]);

/** Groups for other agents. */
export const ASSIGNED_GROUPS: readonly string[] = [
  "custom1",
  "custom2",
  "custom3",
  "custom4",
  "custom5",
  "custom6",
  "custom7",
  "custom8",
];

export const TOOL_GROUPS: readonly string[] = [
  ...[...BUILT_IN_GROUPS.values()].map(({ group }) => group),
  ...ASSIGNED_GROUPS,
];

export function permissionTool(group: string, kind: PermissionKind): string {
  return `${PERMISSION_PREFIX}${group}-${kind}`;
}

/** All tools of the manifest, in its order. */
export const PERMISSION_TOOLS: readonly string[] = [
  ASK_EACH_TIME,
  ...TOOL_GROUPS.flatMap(group => PERMISSION_KINDS.map(kind => permissionTool(group, kind))),
];

/** VS Code's context key that is true while agents with this group are in the model picker. */
export function groupContext(group: string): string {
  return `symposium.permissionTools.${group}`;
}
