/** Notices about the memory, the capabilities and the extensions of a chat session's agent. Pure. */
import * as l10n from "@vscode/l10n";
import { chain } from "../agent-session/state-machine";
import { listedLate } from "../agents/extensions/missing-tools";
import type { Accepts, ActionId, Notice } from "../../src/protocol/chat/chat";
import type { Addition } from "../../src/protocol/chat/chat";
import { promptAdditions, setupAdditions, withAdditions } from "./prompt-additions";
import { isMissing, type SessionDetails } from "../../src/protocol/chat/session-details";
import { addNotice, emitEvent, type ReadOnly, type SessionStep, type State } from "./session-model";

/**
 * Stores changed details. Missing tools add one notice. Another follows when the agent lists the tools later, because
 * an agent that lists on demand need not announce that (issue 14 item 1).
 */
export function detailed(state: State, details: SessionDetails): SessionStep {
  const { details: before = { extensions: [] } } = state.conversation,
    { missingTools, canConfigure } = details;
  if (JSON.stringify(before) === JSON.stringify(details)) return [state, []];
  const wasMissing = before.missingTools !== undefined,
    { name } = state.conversation.agent;
  return chain(emitEvent(state, { type: "details", details }), showAdditions(promptAdditions(before, details)), s => {
    const actions: readonly ActionId[] = canConfigure ? ["addToConfiguration", "showLogs"] : ["showLogs"];
    if (missingTools !== undefined) return wasMissing ? [s, []] : addNotice(s, "warning", missingTools, actions);
    return wasMissing && areAllListed(details) ? addNotice(s, "info", listedLate(name), []) : [s, []];
  });
}

/** Adds the additions to the prompt of the running turn. */
function showAdditions(additions: readonly Addition[]): (state: State) => SessionStep {
  return state => {
    const { turn, entries } = state.conversation,
      prompt = turn.state === "idle" ? undefined : entries.findLast(({ id }) => id === turn.messageId),
      all = [...setupAdditions(state.conversation), ...additions];
    return prompt?.kind === "user" && all.length > 0
      ? emitEvent(state, { type: "upsert", entry: withAdditions(prompt, all) })
      : [state, []];
  };
}

/** No servers: the session was set up again and the agent has not listed tools yet. */
function areAllListed({ extensions }: SessionDetails): boolean {
  const servers = extensions.flatMap(({ tools = [] }) => tools);
  return servers.length > 0 && !servers.some(isMissing);
}

/**
 * Reports after an interruption whether the agent's session contains the conversation. A session that is opened several
 * times without a prompt has one such notice.
 */
export function memory(before: State, isContinued: boolean): SessionStep {
  const { interruption, bringsTranscript, ...state } = before,
    { entries, agent } = state.conversation;
  const origin: readonly ActionId[] = interruption?.kind === "branched" ? ["openOrigin"] : [];
  const add = (severity: Notice["severity"], sentence: string, actions: readonly ActionId[]): SessionStep => {
    const text = interruption === undefined ? sentence : `${interruption.sentence} ${sentence}`.trimEnd(),
      last = entries.at(-1);
    return last?.kind === "notice" && last.text === text
      ? [state, []]
      : addNotice(state, severity, text, [...actions, ...origin]);
  };
  if (!entries.some(({ kind }) => kind === "agent")) return origin.length === 0 ? [state, []] : add("info", "", []);
  if (!isContinued && bringsTranscript)
    return add("info", l10n.t`${agent.name} gets the transcript with your first prompt.`, []);
  return isContinued
    ? add("info", l10n.t`${agent.name} continues this conversation.`, [])
    : add("warning", l10n.t`${agent.name} does not remember the conversation above.`, ["sendTranscript"]);
}

export function accepts(state: State, accepts: Accepts): SessionStep {
  return state.conversation.accepts?.images === accepts.images
    ? [state, []]
    : emitEvent(state, { type: "accepts", accepts });
}

/** Why a session accepts no prompts. */
export const READ_ONLY: Readonly<Record<ReadOnly, string>> = {
  elsewhere: l10n.t("This conversation is open in another window. Take it over to continue here."),
  newer: l10n.t(
    "A newer version of Symposium has stored this conversation. Update the extension to continue it. Parts of it may be missing here.",
  ),
  // The page shows a sentence with a button for the whole window.
  untrusted: l10n.t("Trust this workspace to continue the conversation."),
};

export function noticeElsewhere(state: State): SessionStep {
  return addNotice(state, "warning", READ_ONLY.elsewhere, ["takeOver"]);
}
