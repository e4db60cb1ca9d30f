/**
 * Finds the entries of an agent's replay that the tab does not show. `session/load` replays the whole conversation
 * (schema v1). The tab can lack the end of an answer that was lost with a process, and turns of another client. Pure.
 *
 * Invariants:
 * - The text of a shown entry is kept or extended.
 * - The operation is idempotent: the same replay adds nothing to its own result.
 * - A replay that contradicts the shown conversation adds nothing.
 */
import { applyEvent, emptyConversation, type Conversation, type Entry } from "../../../src/protocol/chat/chat";
import type { AcpVersion } from "../initialize";
import { arrayOr, objectOr } from "../../rpc/json";
import { UPDATE_KINDS } from "../methods";
import type { Adapted, MakeId } from "./common";
import { wordsOf } from "./content";
import { adaptUpdate } from "./v1";
import { adaptUpdateV2 } from "./v2";

/** Kinds of updates about the state of the session, which are not part of its conversation. */
const SESSION_STATE: ReadonlySet<unknown> = new Set([
  UPDATE_KINDS.available_commands_update,
  UPDATE_KINDS.current_mode_update,
  UPDATE_KINDS.config_option_update,
  UPDATE_KINDS.session_info_update,
  UPDATE_KINDS.usage_update,
  UPDATE_KINDS.state_update,
]);

/** Whether the update is part of a conversation. */
export function isConversation(update: unknown): boolean {
  return !SESSION_STATE.has(objectOr(update).sessionUpdate);
}

/** The events that add the missing end of the replayed conversation. */
export function missingPart(
  shown: Conversation,
  updates: readonly unknown[],
  version: AcpVersion,
  makeId: MakeId,
): Adapted {
  const { entries, made } = replayed(shown, updates, version, makeId);
  return { events: missingEntries(shown.entries, entries).map(entry => ({ type: "upsert", entry })), made };
}

function replayed(
  { agent, cwd }: Conversation,
  updates: readonly unknown[],
  version: AcpVersion,
  makeId: MakeId,
): { readonly entries: readonly Entry[]; readonly made: number } {
  const adapt = version === 2 ? adaptUpdateV2 : adaptUpdate;
  let made = 0,
    conversation = emptyConversation(agent, cwd);
  for (const update of updates) {
    const makeNext: MakeId = n => makeId(made + n),
      { events, made: count } = promptOf(conversation, update, makeNext) ?? adapt(conversation, update, makeNext);
    made += count;
    conversation = events.reduce(applyEvent, conversation);
  }
  return { entries: conversation.entries, made };
}

/** Consecutive parts of a prompt become one entry. `undefined`: the update is not part of a prompt. */
function promptOf({ entries }: Conversation, update: unknown, makeId: MakeId): Adapted | undefined {
  const { sessionUpdate, content } = objectOr(update);
  if (sessionUpdate !== UPDATE_KINDS.user_message_chunk && sessionUpdate !== UPDATE_KINDS.user_message)
    return undefined;
  const text = (Array.isArray(content) ? arrayOr(content) : [content]).map(block => wordsOf(block) ?? "").join(""),
    last = entries.at(-1);
  return last?.kind === "user"
    ? { events: [{ type: "append", id: last.id, offset: last.text.length, text }], made: 0 }
    : { events: [{ type: "upsert", entry: { kind: "user", id: makeId(0), text } }], made: 1 };
}

function missingEntries(shown: readonly Entry[], replay: readonly Entry[]): readonly Entry[] {
  const at = shown.findLastIndex(({ kind }) => kind === "user"),
    prompt = shown[at];
  if (prompt?.kind !== "user") return shown.some(({ kind }) => kind === "agent") ? [] : replay;
  const same = replay.findLastIndex(entry => entry.kind === "user" && isSamePrompt(prompt.text, entry.text));
  if (same === -1) return [];
  const next = replay.findIndex(({ kind }, i) => i > same && kind === "user"),
    end = next === -1 ? replay.length : next;
  const rest = restOfAnswer(shown.slice(at + 1), replay.slice(same + 1, end));
  return rest === undefined ? [] : [...rest, ...replay.slice(end)];
}

/** An agent may repeat a prompt with the texts of its attachments. */
function isSamePrompt(shown: string, replay: string): boolean {
  return shown.trim() !== "" && replay.includes(shown.trim());
}

/**
 * The replayed entries after the end of the shown answer. Answers are compared by their whole text, because a replay
 * can split it differently. `undefined`: the texts differ.
 */
function restOfAnswer(shown: readonly Entry[], replay: readonly Entry[]): readonly Entry[] | undefined {
  const text = shown.map(entry => (entry.kind === "agent" ? entry.text : "")).join(""),
    last = shown.findLast(entry => entry.kind === "agent");
  const rest: Entry[] = [];
  let compared = 0;
  for (const entry of replay) {
    if (entry.kind !== "agent") {
      if (compared === text.length && !shown.some(each => isSameEntry(each, entry))) rest.push(entry);
      continue;
    }
    const known = text.slice(compared, compared + entry.text.length);
    if (!entry.text.startsWith(known)) return undefined;
    compared += known.length;
    if (known.length === entry.text.length) continue;
    rest.push(known === "" || last === undefined ? entry : grown(last, entry.text.slice(known.length)));
  }
  return compared === text.length ? rest : undefined;
}

/** Appends the missing suffix, which ends the interruption. */
function grown({ interrupted: _, ...entry }: Extract<Entry, { readonly kind: "agent" }>, text: string): Entry {
  return { ...entry, text: entry.text + text };
}

function isSameEntry(shown: Entry, replay: Entry): boolean {
  if (shown.kind === "tool" && replay.kind === "tool") return shown.toolCallId === replay.toolCallId;
  if (shown.kind === "thought" && replay.kind === "thought") return shown.text === replay.text;
  if (shown.kind === "plan" || replay.kind === "plan") return shown.kind === replay.kind;
  return JSON.stringify({ ...shown, id: "" }) === JSON.stringify({ ...replay, id: "" });
}
