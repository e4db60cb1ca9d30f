/** Texts that agent extensions added to a prompt, or to the system prompt of its session. Pure. */
import type { Addition, Conversation, Entry } from "../../src/protocol/chat/chat";
import type { AddedText, ExtensionDetails, SessionDetails } from "../../src/protocol/chat/session-details";

/** The additions to the prompt that the extensions changed between two states of a session. */
export function promptAdditions(before: SessionDetails | undefined, after: SessionDetails): readonly Addition[] {
  const counts = new Map(before?.extensions.map(({ id, prompts }) => [id, prompts?.count ?? 0]));
  return after.extensions.flatMap(extension =>
    (extension.prompts?.count ?? 0) > (counts.get(extension.id) ?? 0)
      ? additionOf(extension, extension.prompts?.last, "prompt")
      : [],
  );
}

/** The additions to the system prompt that no prompt of the conversation shows yet. */
export function setupAdditions({ details, entries }: Pick<Conversation, "details" | "entries">): readonly Addition[] {
  const all = (details?.extensions ?? []).flatMap(extension => additionOf(extension, extension.setup, "system"));
  if (all.length === 0) return all;
  const shown = entries.flatMap(entry => (entry.kind === "user" ? (entry.additions ?? []) : []));
  return all.filter(
    ({ id, to, text }) => !shown.some(addition => addition.id === id && addition.to === to && addition.text === text),
  );
}

/** Adds the additions to a prompt. Returns the same object without any. */
export function withAdditions(
  prompt: Extract<Entry, { readonly kind: "user" }>,
  additions: readonly Addition[],
): Extract<Entry, { readonly kind: "user" }> {
  return additions.length === 0 ? prompt : { ...prompt, additions: [...(prompt.additions ?? []), ...additions] };
}

function additionOf(
  { id, name }: ExtensionDetails,
  change: Partial<AddedText> | undefined,
  to: Addition["to"],
): readonly Addition[] {
  if (change?.text === undefined) return [];
  return [{ id, name, to, text: change.text, bytes: change.cutFrom ?? Buffer.byteLength(change.text) }];
}
