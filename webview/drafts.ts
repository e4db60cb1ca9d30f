/**
 * What a user has typed in one tab, until the conversation has it. Invariant: a text is the draft, or on its way, or
 * an entry of the conversation; a prompt that fails comes back as the draft, so that nothing typed is ever lost.
 */
import type { Entry } from "../src/protocol/chat";

/** A prompt that was sent and is not in the conversation yet. The sidecar ignores a repeated id. */
export interface Sent { readonly messageId: string; readonly text: string }

export interface Drafts { readonly text: string; readonly onTheWay: readonly Sent[] }

export const noDrafts: Drafts = { text: "", onTheWay: [] };

export function typed(drafts: Drafts, text: string): Drafts {
  return { ...drafts, text };
}

export function sent(drafts: Drafts, prompt: Sent): Drafts {
  return { text: "", onTheWay: [...drafts.onTheWay, prompt] };
}

/** Forgets what the conversation has. */
export function arrived(drafts: Drafts, entries: readonly Entry[]): Drafts {
  if (drafts.onTheWay.length === 0) return drafts;
  const has = new Set(entries.filter(entry => entry.kind === "user").map(entry => entry.id));
  const onTheWay = drafts.onTheWay.filter(({ messageId }) => !has.has(messageId));
  return onTheWay.length === drafts.onTheWay.length ? drafts : { ...drafts, onTheWay };
}

/** The prompts on their way that `failed` picks become the draft again, before what was typed since. */
export function cameBack(drafts: Drafts, failed: (prompt: Sent) => boolean): Drafts {
  const back = drafts.onTheWay.filter(failed);
  if (back.length === 0) return drafts;
  return { text: [...back.map(({ text }) => text), drafts.text].filter(text => text !== "").join("\n"), onTheWay: drafts.onTheWay.filter(prompt => !failed(prompt)) };
}
