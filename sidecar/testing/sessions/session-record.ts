/** The record of an agent's session in a journal. */
import type { SessionRecord } from "../../journal/session-record";

export const RECORD: SessionRecord = {
  type: "session",
  format: 1,
  agentId: "ada",
  cwd: "/w",
  protocol: 1,
  extensions: [],
  agentSession: "s1",
};
