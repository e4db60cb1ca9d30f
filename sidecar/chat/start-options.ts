/** Start options of a session that continues an earlier session of its conversation (issue 16 item 1). Pure. */
import * as l10n from "@vscode/l10n";
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import type { NewChat } from "../../src/protocol/sidecar";
import type { StoredSession } from "../journal/journal";
import type { SessionRecord } from "../journal/session-record";
import { restored } from "../journal/stored-conversation";
import type { SessionStart } from "./session-deps";

/**
 * Continues the recorded session if agent and folder are unchanged. Restores the recorded extensions with their current
 * settings, because the user may have withdrawn consent since then. `current`: extensions of new sessions.
 */
export function startOf(
  sessionId: string,
  given: NewChat,
  { record, text }: StoredSession,
  current: readonly ExtensionConfig[],
): SessionStart {
  const { entries, ...stored } = restored(text, given.why ?? exited()),
    // The page has a part of it. Only a journal that could not be written contains nothing.
    chat = entries.length === 0 ? given : { ...given, ...stored, shown: entries };
  if (record?.agentId !== chat.agent.id || record.cwd !== chat.cwd) return { sessionId, ...chat, extensions: current };
  const found = record.extensions.map(id => current.find(extension => extension.id === id) ?? id);
  return {
    sessionId,
    ...chat,
    protocol: record.protocol,
    agentSession: record.agentSession,
    extensions: found.filter(extension => typeof extension !== "string"),
    missingExtensions: found.filter(extension => typeof extension === "string").map(missingSentence),
  };
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

/** The reason why the earlier session has ended, if the host knows none. */
export function exited(): string {
  return l10n.t("The agent process of this tab has exited.");
}

function missingSentence(id: string): string {
  return l10n.t`The agent extension “${id}” is no longer available.`;
}
