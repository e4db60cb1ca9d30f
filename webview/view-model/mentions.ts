/** What is typed behind an `@`, and what of the host's answer fits it. Pure. */
import type { Mention } from "../../src/protocol/attachments";
import { visibleLine } from "../../src/protocol/visible-text";
export interface Mentioning {
  /** Where the `@` is. */
  readonly from: number;
  readonly query: string;
}

const LONGEST_QUERY = 200;

/** The `@` that the caret stands behind, at the start of the text or of a word; without white space between them. */
export function mentionAt(text: string, caret: number): Mentioning | undefined {
  const [, query] = /(?:^|\s)@([^\s@]*)$/.exec(text.slice(Math.max(0, caret - LONGEST_QUERY - 2), caret)) ?? [];
  return query === undefined || query.length > LONGEST_QUERY ? undefined : { from: caret - query.length - 1, query };
}

/**
 * Of the host's answer to `asked`, what could be meant by `query`: its letters in this order. The newest answer is
 * still to come.
 */
export function stillFitting(mentions: readonly Mention[], asked: string, query: string): readonly Mention[] {
  return asked === query
    ? mentions
    : mentions.filter(({ name }) => hasInOrder(name.toLowerCase(), query.toLowerCase()));
}

function hasInOrder(text: string, letters: string): boolean {
  let at = 0;
  for (const letter of letters) {
    const found = text.indexOf(letter, at);
    if (found === -1) return false;
    at = found + letter.length;
  }
  return true;
}

/** Told apart by what it adds: a name may be there twice, of two folders. */
export function optionOf({ name, about, adds }: Mention): {
  readonly key: string;
  readonly text: string;
  readonly about: string;
} {
  const added =
    adds.kind === "want"
      ? adds.want.kind
      : adds.attachment.kind === "symbol"
        ? `${adds.attachment.path}:${adds.attachment.startLine}`
        : "";
  return { key: JSON.stringify([name, about, added]), text: visibleLine(name), about: visibleLine(about) };
}
