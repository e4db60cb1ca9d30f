/**
 * The cards of questions: a permission, a form, a page to visit. Pure.
 *
 * Invariants: who asks is named first; the parameters of a permission and the address of a page are shown whole; the
 * buttons of a permission are the agent's own options, in its order, and ours last; an answered question has no buttons.
 */
import type { Permission, PermissionAnswered, PermissionOptionKind } from "../src/protocol/chat";
import type { Elicitation, ElicitationAnswered, UrlAsk } from "../src/protocol/elicitation";
import { changesOf, DECLINE_PAGE, OPEN_PAGE } from "./buttons";
import { card, type Card, type CardButton, type Circumstances, type Picture } from "./card";
import { closed } from "./code-fence";
import { literal, oneLine, safeMarkdown } from "./markdown-safe";
import { wants } from "./question-text";
import { contentPart, parameterBlock, textBlock } from "./tool-content";

export function permissionCard(permission: Permission, circumstances: Circumstances): Card {
  const { agent, toolKind, title, input, content, options, answered } = permission;
  const parts = content.map(each => contentPart(each, "whole"));
  const diffs = changesOf(content);
  return card(permission.id, "permission", {
    header: { icon: "question", text: `**${literal(agent)}** ${wants(toolKind)}`, tone: answered ? "plain" : "warning" },
    body: [
      `**${literal(title)}**`,
      ...(input === undefined ? [] : [parameterBlock(input)]),
      ...parts.filter(part => typeof part === "string"),
      ...state(answered && permissionOutcome(answered), circumstances),
    ].join("\n\n"),
    pictures: parts.filter((part): part is Picture => typeof part !== "string"),
    changes: diffs.changes,
    buttons: answered || !isOpen(circumstances) ? diffs.buttons : [
      ...options.map(({ optionId, name, kind }) => ({ id: `option:${optionId}`, label: literal(name), weight: WEIGHT[kind] ?? "plain" })),
      ...diffs.buttons,
      ...(!permission.isOurs && options.some(({ kind }) => kind === "allow_once" || kind === "allow_always") ? [bypassButton(agent)] : []),
    ],
  });
}

const isOpen = ({ answerable, answering }: Circumstances): boolean => answerable && !answering;

/** What became of the question, or why it cannot be answered now. */
function state(outcome: string | undefined, { answerable, answering }: Circumstances): readonly string[] {
  if (outcome !== undefined) return [outcome];
  return answering ? ["*Your answer is on its way…*"] : answerable ? [] : ["*This cannot be answered at the moment.*"];
}

/** Only beside a way to allow: the sidecar takes that of the agent's own options. */
function bypassButton(agent: string): CardButton {
  return { id: "bypass", label: "Bypass permissions for this agent", weight: "quiet", hint: `Allows this, and whatever ${literal(agent)} asks from now on.` };
}

const WEIGHT: Readonly<Record<PermissionOptionKind, CardButton["weight"]>> = { allow_once: "main", allow_always: "plain", reject_once: "plain", reject_always: "plain" };

function permissionOutcome(answered: PermissionAnswered): string {
  if (answered.kind === "cancelled") return `**Not answered**: ${literal(answered.why)}`;
  const verdict = answered.optionKind.startsWith("allow") ? "✓ **Allowed**" : "✗ **Rejected**";
  const who = answered.by === "bypass" ? "without asking, because permissions of this agent are bypassed" : "by you";
  return `${verdict} ${who}: “${literal(answered.name)}”`;
}

// --- forms, and pages to visit

export function elicitationCard({ id, agent, message, ask, answered }: Elicitation, circumstances: Circumstances): Card {
  const open = answered === undefined && isOpen(circumstances);
  return card(id, "elicitation", {
    header: { icon: "question", text: `**${literal(agent)}** ${ask.mode === "form" ? "has a question" : "asks you to visit a page"}`, tone: answered ? "plain" : "warning" },
    body: [
      ...(message.trim() === "" ? [] : [safeMarkdown(closed(message))]),
      ...(ask.mode === "url" ? pageLines(ask, answered === undefined) : []),
      ...state(answered && elicitationOutcome(answered, agent, ask.mode), circumstances),
    ].join("\n\n"),
    form: answered === undefined && ask.mode === "form" ? { ask, asks: `${oneLine(agent)} asks: ${oneLine(message)}`, open } : undefined,
    buttons: open && ask.mode === "url" ? [OPEN_PAGE, DECLINE_PAGE] : [],
  });
}

/** The host as the browser will see it, so that letters of other scripts cannot pose as Latin ones. */
function pageLines({ url }: UrlAsk, open: boolean): readonly string[] {
  const page = URL.canParse(url) ? new URL(url) : undefined;
  return [
    `Page on **${literal(page?.host ?? "an address that cannot be read")}**:`,
    textBlock(url, "text", "whole"),
    ...(open && page !== undefined && (page.username !== "" || page.password !== "") ? ["What stands before the “@” in this address is not where it leads."] : []),
    ...(open && page?.protocol === "http:" ? ["What you send to this page is not encrypted."] : []),
  ];
}

function elicitationOutcome(answered: ElicitationAnswered, agent: string, mode: Elicitation["ask"]["mode"]): string {
  switch (answered.kind) {
    case "accepted": return mode === "form" ? "✓ **Answered** by you" : "✓ **Opened in the browser** by you";
    case "declined": return "✗ **Declined** by you";
    case "completed": return `✓ **Completed**: ${literal(agent)} says that this is done.`;
    case "cancelled": return `**Not answered**: ${literal(answered.why)}`;
  }
}
