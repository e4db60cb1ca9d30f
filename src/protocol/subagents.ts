/** Subagents: sessions that an agent opens and owns by itself (ACP schema v2, `SubagentUpdate`). */

/** `unknown`: the agent reports no state, or one that is not known here. `waiting`: for a person. */
export type SubagentStatus = "unknown" | "running" | "waiting" | "completed" | "failed" | "cancelled";

/** A subagent: `sessionId` is the agent's, `name` its title as the user knows it. */
export interface SubagentName {
  readonly sessionId: string;
  readonly name: string;
}
