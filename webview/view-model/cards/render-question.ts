/**
 * Cards of questions: permission requests, forms and pages to visit. Pure.
 *
 * Invariants:
 * - A permission request starts with the question. A subagent, and the requester of a form or a page, is named first.
 * - The parameters of a permission request and the address of a page are shown in full (`permission-content.ts`).
 * - An answered question has no buttons.
 */
import * as l10n from "@vscode/l10n";
import type { Permission, SubagentName } from "../../../src/protocol/chat/chat";
import type { Elicitation, ElicitationAnswered, UrlAsk } from "../../../src/protocol/chat/elicitation";
import { visibleLine, visibleText } from "../../../src/protocol/text/visible-text";
import { changesOf, DECLINE_PAGE, OPEN_PAGE } from "./buttons";
import { card, type Card, type RenderContext, type Picture } from "./card";
import { closed } from "../text/code-fence";
import { literal, safeMarkdown } from "../text/markdown-safe";
import { permissionButtons } from "./permission-buttons";
import { permissionBody } from "./permission-content";
import { permissionOutcome } from "./permission-outcome";
import { elicitationText, permissionQuestion, subagentText } from "./question-text";
import { shownDiffs } from "./render-tool";
import { contentPart, textBlock } from "./tool-content";

export function permissionCard(permission: Permission, circumstances: RenderContext): Card {
  const { content, answered } = permission,
    { cwd, place } = circumstances,
    parts = content.filter(({ kind }) => kind !== "diff").map(each => contentPart(each, "whole"));
  return card(permission.id, "permission", {
    header: { icon: "question", text: headingOf(permission), tone: answered ? "plain" : "warning" },
    body: [
      ...permissionBody(permission, cwd),
      ...parts.filter(part => typeof part === "string"),
      ...state(answered && permissionOutcome(answered), circumstances),
    ].join("\n\n"),
    pictures: parts.filter((part): part is Picture => typeof part !== "string"),
    diffs: shownDiffs({ content, locations: place.call?.locations ?? [] }, cwd, false, "whole"),
    changes: changesOf(content),
    ...(answered || !isOpen(circumstances) ? {} : permissionButtons(permission)),
  });
}

/** The question; a subagent is named before it. */
function headingOf({ toolKind, subagent, agent }: Permission): string {
  const question = `**${permissionQuestion(toolKind)}**`;
  return subagent === undefined ? question : `${asker({ agent, subagent })}\u2003${question}`;
}

/** The agent chooses the names of its subagents, so the agent's own name is shown as well. */
function asker({
  agent,
  subagent,
}: Pick<Permission, "agent"> & { readonly subagent?: SubagentName | undefined }): string {
  return subagent === undefined
    ? `**${literal(agent)}**`
    : subagentText(`**${literal(subagent.name)}**`, `**${literal(agent)}**`);
}

const isOpen = ({ answerable, answering }: RenderContext): boolean => answerable && !answering;

/** Outcome of the question, or the reason why it cannot be answered now. */
function state(outcome: string | undefined, { answerable, answering, waiting = 0 }: RenderContext): readonly string[] {
  if (outcome !== undefined) return [outcome];
  const others =
    waiting === 0
      ? []
      : [
          waiting === 1
            ? l10n.t("*1 more question waits. Answer this one to see the next.*")
            : l10n.t`*${waiting} more questions wait. Answer this one to see the next.*`,
        ];
  return [...others, ...stateOf(answerable, answering)];
}

function stateOf(answerable: boolean, answering: boolean): readonly string[] {
  return answering
    ? [l10n.t("*Sending your answer…*")]
    : answerable
      ? []
      : [l10n.t("*This cannot be answered at the moment.*")];
}

// --- forms and pages to visit

export function elicitationCard(
  { id, agent, subagent, message, ask, answered }: Elicitation,
  circumstances: RenderContext,
): Card {
  const open = answered === undefined && isOpen(circumstances);
  return card(id, "elicitation", {
    header: {
      icon: "question",
      text: elicitationText(asker({ agent, subagent }), ask),
      tone: answered ? "plain" : "warning",
    },
    body: [
      ...(message.trim() === "" ? [] : [safeMarkdown(closed(visibleText(message)))]),
      ...(ask.mode === "url" ? pageLines(ask, answered === undefined) : []),
      ...state(answered && elicitationOutcome(answered, agent, ask.mode), circumstances),
    ].join("\n\n"),
    form:
      answered === undefined && ask.mode === "form"
        ? { ask, asks: l10n.t`${visibleLine(agent)} asks: ${visibleLine(message)}`, open }
        : undefined,
    buttons: open && ask.mode === "url" ? [OPEN_PAGE, DECLINE_PAGE] : [],
  });
}

/** Shows the host in its ASCII form (Punycode), so that lookalike letters of other scripts are recognizable. */
function pageLines({ url }: UrlAsk, open: boolean): readonly string[] {
  const page = URL.canParse(url) ? new URL(url) : undefined;
  return [
    page === undefined ? l10n.t("Page on an invalid URL:") : l10n.t`Page on **${literal(page.host)}**:`,
    textBlock(url, "text", "whole"),
    ...(open && page !== undefined && (page.username !== "" || page.password !== "")
      ? [l10n.t("The part before the “@” in this URL is not its destination.")]
      : []),
    ...(open && page?.protocol === "http:" ? [l10n.t("Data that you send to this page is not encrypted.")] : []),
  ];
}

function elicitationOutcome(answered: ElicitationAnswered, agent: string, mode: Elicitation["ask"]["mode"]): string {
  switch (answered.kind) {
    case "accepted":
      return mode === "form" ? l10n.t("✓ **Answered** by you") : l10n.t("✓ **Opened in the browser** by you");
    case "declined":
      return l10n.t("✗ **Declined** by you");
    case "completed":
      return l10n.t`✓ **Completed**: ${literal(agent)} reports that this is complete.`;
    case "cancelled":
      return l10n.t`**Not answered**: ${literal(answered.why)}`;
  }
}
