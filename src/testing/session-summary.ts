import type { SessionSummary } from "../protocol/sessions/sessions";

/** A stored session with the title `id`. */
export function summary(id: string, rest: Partial<SessionSummary> = {}): SessionSummary {
  return {
    ref: { kind: "stored", conversation: id },
    agent: { id: "mine", name: "Mine" },
    title: id,
    cwd: "/w",
    changedAt: 0,
    ...rest,
  };
}
