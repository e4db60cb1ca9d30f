/** Subagents: sessions that an agent opens and owns itself (ACP schema v2, `SubagentUpdate`). */

/** `unknown`: the agent reports no state, or an unknown one. `waiting`: for the user. */
export type SubagentStatus = "unknown" | "running" | "waiting" | "completed" | "failed" | "cancelled";

/** `sessionId`: the agent's id of the subagent's session. `name`: its title as shown to the user. */
export interface SubagentName {
  readonly sessionId: string;
  readonly name: string;
}
