/** Start options of a session that continues an earlier session of its conversation (issue 16 item 1). Pure. */
import * as l10n from "@vscode/l10n";
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import type { Origin } from "../../src/protocol/chat/chat";
import type { NewChat } from "../../src/protocol/sidecar";
import type { StoredSession } from "../journal/journal";
import type { SessionRecord } from "../journal/session-record";
import { agentReplaced, REOPENED, RESTARTED } from "../errors";
import { restored } from "../journal/stored-conversation";
import type { SessionStart } from "./session-deps";

/**
 * Continues the recorded session if agent and folder are unchanged. Restores the recorded extensions with their current
 * settings, because the user may have withdrawn consent since then. `current`: extensions of new sessions.
 */
export function startOf(
  sessionId: string,
  { start: kind, ...chat }: NewChat,
  { record, text }: StoredSession,
  current: readonly ExtensionConfig[],
): SessionStart {
  if (kind === "empty") return { sessionId, ...chat, extensions: current };
  const earlier = restored(text, RESTARTED),
    why = earlier.isInterrupted ? RESTARTED : REOPENED,
    replaced =
      earlier.agent && earlier.agent.id !== chat.agent.id ? [agentReplaced(earlier.agent.name, chat.agent.name)] : [],
    start: SessionStart = {
      sessionId,
      ...chat,
      ...(earlier.agent === undefined
        ? {}
        : { earlier, interruption: { kind: "ended", sentence: [why, ...replaced].join(" ") } }),
      extensions: current,
    };
  // Nothing was prompted in this branch yet.
  if (earlier.origin && (record === undefined || record.isFork))
    return { ...withoutUsage(start), ...branchOf(earlier.origin, record, chat.agent.id) };
  if (record?.agentId !== chat.agent.id || record.cwd !== chat.cwd) return withoutUsage(start);
  const found = record.extensions.map(id => current.find(extension => extension.id === id) ?? id);
  return {
    ...start,
    protocol: record.protocol,
    agentSession: record.agentSession,
    ...(record.title === undefined || earlier.agent !== undefined ? {} : { title: record.title }),
    extensions: found.filter(extension => typeof extension !== "string"),
    missingExtensions: found.filter(extension => typeof extension === "string").map(missingSentence),
  };
}

function branchOf(
  { title }: Origin,
  record: SessionRecord | undefined,
  agentId: string,
): Pick<SessionStart, "interruption" | "bringsTranscript" | "agentSession" | "isFork" | "protocol"> {
  return {
    interruption: { kind: "branched", sentence: l10n.t`This is a branch of “${title}”.` },
    ...(record?.agentId === agentId
      ? { agentSession: record.agentSession, isFork: true, protocol: record.protocol }
      : { bringsTranscript: true }),
  };
}

/** A new session of the agent uses none of its context yet. */
function withoutUsage({ earlier, ...start }: SessionStart): SessionStart {
  if (earlier === undefined) return start;
  const { usage: _, ...restored } = earlier;
  return { ...start, earlier: restored };
}

export function recordOf(
  { agent, cwd, protocol = 1, extensions = [] }: SessionStart,
  agentSession: string,
): SessionRecord {
  return {
    type: "session",
    format: 1,
    agentId: agent.id,
    cwd,
    protocol,
    extensions: extensions.map(({ id }) => id),
    agentSession,
  };
}

function missingSentence(id: string): string {
  return l10n.t`The agent extension “${id}” is no longer available.`;
}
