/** Parses the mention being typed after an `@`, and filters the host's results for it. Pure. */
import type { Mention } from "../../../src/protocol/chat/attachments";
import { visibleLine } from "../../../src/protocol/text/visible-text";
export interface TypedMention {
  /** Offset of the `@`. */
  readonly from: number;
  readonly query: string;
}

const MAX_QUERY_LENGTH = 200;

/** Finds the mention at the caret: an `@` at the start of a word, without white space up to the caret. */
export function mentionAt(text: string, caret: number): TypedMention | undefined {
  const [, query] = /(?:^|\s)@([^\s@]*)$/.exec(text.slice(Math.max(0, caret - MAX_QUERY_LENGTH - 2), caret)) ?? [];
  return query === undefined || query.length > MAX_QUERY_LENGTH ? undefined : { from: caret - query.length - 1, query };
}

/**
 * Filters the results for `foundQuery` by `query` while newer results are pending: a name matches if it contains the
 * letters of the query in order.
 */
export function filterMentions(mentions: readonly Mention[], foundQuery: string, query: string): readonly Mention[] {
  return foundQuery === query
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

/** The key contains the added item, because the same name can occur in several folders. */
export function optionOf({ name, about, adds }: Mention): {
  readonly key: string;
  readonly text: string;
  readonly about: string;
} {
  const added =
    adds.kind === "context"
      ? adds.source.kind
      : adds.attachment.kind === "symbol"
        ? `${adds.attachment.path}:${adds.attachment.startLine}`
        : "";
  return { key: JSON.stringify([name, about, added]), text: visibleLine(name), about: visibleLine(about) };
}
