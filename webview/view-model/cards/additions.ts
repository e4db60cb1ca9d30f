/** Texts of a prompt's additions by agent extensions. Pure. */
import * as l10n from "@vscode/l10n";
import type { Addition } from "../../../src/protocol/chat/chat";
import { readableText, visibleLine } from "../../../src/protocol/text/visible-text";
import { textSize } from "../text/format-numbers";

/** All strings are plain text. */
export interface AdditionView {
  readonly extensionId: string;
  readonly summary: string;
  readonly text: string;
}

export function additionView({ id, name, to, text, bytes }: Addition): AdditionView {
  const shownName = visibleLine(name),
    amount = textSize(bytes);
  return {
    extensionId: id,
    summary:
      to === "system"
        ? l10n.t`${shownName} added ${amount} to the system prompt`
        : l10n.t`${shownName} added ${amount}`,
    text: readableText(text),
  };
}
