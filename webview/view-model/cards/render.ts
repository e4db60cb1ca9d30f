/**
 * Converts an entry to cards (`card.ts`). Pure.
 *
 * Invariants:
 * - An entry yields the same card objects while it and its circumstances are unchanged.
 * - An unknown or invalid entry yields a card as well.
 */
import * as l10n from "@vscode/l10n";
import type { Addition, Compaction, Entry, Notice, PlanStep, ToolContent } from "../../../src/protocol/chat/chat";
import { actionButton, PROMPT_BUTTONS } from "./buttons";
import { card, keyOf, type Card, type CardHeader, type EntryPlace, type RenderContext } from "./card";
import { StreamingTexts } from "./streaming-text";
import { literal, literalProse } from "../text/markdown-safe";
import { elicitationCard, permissionCard } from "./render-question";
import { messageCard, subagentCard } from "./render-subagent";
import { toolCard } from "./render-tool";
import { texts } from "../text/chat-texts";
import { contentName, contentPart, resourceAbout, textBlock, PLAIN } from "./tool-content";
import { duration } from "../text/format-numbers";

export { keyOf } from "./card";
export { meaningOf } from "./buttons";

const longTexts = new StreamingTexts();
const cache = new WeakMap<Entry, { readonly when: RenderContext; readonly cards: readonly Card[] }>();

export function cardsOf(entry: Entry, circumstances: RenderContext): readonly Card[] {
  const before = cache.get(entry);
  if (before !== undefined && isSame(before.when, circumstances)) return before.cards;
  const cards = describeSafely(entry, circumstances).map(shown => placed(shown, circumstances.place));
  cache.set(entry, { when: circumstances, cards });
  return cards;
}

/** Terminals are immutable and compared by identity. */
function isSame(a: RenderContext, b: RenderContext): boolean {
  return (
    a.growing === b.growing &&
    a.answerable === b.answerable &&
    a.answering === b.answering &&
    a.waiting === b.waiting &&
    a.cwd === b.cwd &&
    isSamePlace(a.place, b.place) &&
    a.terminals.length === b.terminals.length &&
    a.terminals.every(
      ({ terminal, where }, i) => b.terminals[i]?.terminal === terminal && b.terminals[i]?.where === where,
    )
  );
}

function isSamePlace(a: EntryPlace, b: EntryPlace): boolean {
  return (
    a === b ||
    (a.isHidden === b.isHidden &&
      a.question === b.question &&
      a.call === b.call &&
      a.group?.key === b.group?.key &&
      a.group?.head?.text === b.group?.head?.text &&
      a.group?.head?.isRunning === b.group?.head?.isRunning)
  );
}

/** Adds the place of its entry to a card. */
function placed(shown: Card, { isHidden, group }: EntryPlace): Card {
  return isHidden || group !== undefined ? { ...shown, isHidden, group } : shown;
}

/**
 * Returns an error card for an invalid entry, such as one of an earlier version, so that other entries are still shown.
 */
function describeSafely(entry: Entry, circumstances: RenderContext): readonly Card[] {
  try {
    return describe(entry, circumstances);
  } catch {
    return [
      card(entry.id, "unknown", {
        header: { icon: "warning", text: l10n.t("This entry cannot be displayed."), tone: "warning" },
      }),
    ];
  }
}

function describe(entry: Entry, circumstances: RenderContext): readonly Card[] {
  switch (entry.kind) {
    case "user":
      return promptCards(entry);
    case "agent":
      return [
        ...longTexts.cards(entry.id, "answer", entry.text, circumstances.growing),
        ...(entry.interrupted ? [interruption(entry.id)] : []),
      ];
    case "thought":
      return entry.text.trim() === ""
        ? []
        : [
            card(entry.id, "thought", {
              header: {
                icon: "think",
                text: entry.ms !== undefined ? thoughtFor(entry.ms) : circumstances.growing ? "Thinking…" : "Thought",
                tone: "plain",
              },
              folded: lastOf(longTexts.blocks(entry.id, entry.text), entry.ms === undefined && circumstances.growing),
            }),
          ];
    case "media":
      return [mediaCard(entry.id, entry.content)];
    case "plan":
      return entry.steps.length === 0 && (entry.text ?? "").trim() === ""
        ? []
        : [
            card(entry.id, "plan", {
              header: { icon: "plan", text: "Plan", tone: "plain" },
              body: entry.steps
                .map(({ content, status }) => `${stepMark(status)} ${literalProse(content)}`)
                .join("\n\n"),
              folded: entry.text === undefined ? [] : longTexts.blocks(entry.id, entry.text),
            }),
          ];
    case "tool":
      return [toolCard(entry, circumstances)];
    case "permission":
      return [permissionCard(entry, circumstances)];
    case "elicitation":
      return [elicitationCard(entry, circumstances)];
    case "notice":
      return [noticeCard(entry)];
    case "compaction":
      return [compactionCard(entry)];
    case "subagent":
      return [subagentCard(entry)];
    case "message":
      return [messageCard(entry)];
    case "unknown": {
      const { count = 1 } = entry;
      const what = literal(entry.what);
      return [
        card(entry.id, "unknown", {
          header: {
            icon: "info",
            text:
              count > 1
                ? l10n.t`The agent sent unsupported content: ${what} (${count} times)`
                : l10n.t`The agent sent unsupported content: ${what}`,
            tone: "plain",
          },
          folded: [textBlock(entry.json, "json")],
        }),
      ];
    }
  }
}

/** Mark of a step in a plan. */
export function stepMark(status: PlanStep["status"]): string {
  return Object.hasOwn(STEP, status) ? (STEP[status] ?? "○") : "○";
}
const STEP: Readonly<Record<string, string>> = { completed: "✓", in_progress: "◐", pending: "○" };

function thoughtFor(ms: number): string {
  return ms < 1_000 ? l10n.t("Thought for less than 1 s") : l10n.t`Thought for ${duration(ms)}`;
}

/** Includes the attachments, even of a prompt without text. */
function promptCards({
  id,
  text,
  attachments = [],
  additions = [],
}: Extract<Entry, { kind: "user" }>): readonly Card[] {
  if (text === "" && attachments.length === 0) return [];
  // The renderer does not draw an empty card.
  const [first = card(id, "prompt", { body: `${texts.attached}:` }), ...rest] = longTexts.cards(
    id,
    "prompt",
    text,
    false,
  );
  return withAdditions([{ ...first, attached: attachments, menuButtons: PROMPT_BUTTONS }, ...rest], additions);
}

/** Below the last part of a long prompt. */
function withAdditions(cards: readonly Card[], additions: readonly Addition[]): readonly Card[] {
  return additions.length === 0
    ? cards
    : cards.map((each, i) => (i === cards.length - 1 ? { ...each, additions } : each));
}

function interruption(id: string): Card {
  return {
    ...card(id, "answer", { body: l10n.t("*The answer was interrupted here.*") }),
    key: `${keyOf(id)}#interrupted`,
  };
}

/** Shows only the last parts of a growing thought, because the renderer redraws all parts with each update. */
function lastOf(blocks: readonly string[], grows: boolean): readonly string[] {
  return grows && blocks.length > MAX_GROWING_PARTS
    ? [l10n.t("*The beginning is shown when the thought is complete.*"), ...blocks.slice(-MAX_GROWING_PARTS)]
    : blocks;
}
const MAX_GROWING_PARTS = 2;

function mediaCard(id: string, content: ToolContent): Card {
  switch (content.kind) {
    case "image": {
      const part = contentPart(content);
      return card(id, "media", typeof part === "string" ? { body: part } : { pictures: [part] });
    }
    case "audio":
      return card(id, "media", { header: { icon: "sound", text: contentName(content), tone: "plain" } });
    case "resource":
      return card(id, "media", {
        header: { icon: "file", text: contentName(content), tone: "plain" },
        body: content.text === undefined ? resourceAbout(content).join("\n\n") : "",
        folded: content.text === undefined ? [] : [...resourceAbout(content), textBlock(content.text, PLAIN)],
      });
    default: {
      const part = contentPart(content);
      return card(id, "media", { body: typeof part === "string" ? part : "" });
    }
  }
}

/** Maximum characters of the last line of a failed program, which its notice quotes. */
const MAX_QUOTED = 200;

function noticeCard({ id, severity, text, from, detail = "", actions }: Notice): Card {
  const lines = severity === "error" && from === undefined ? detail.split("\n").filter(line => line.trim() !== "") : [],
    quoted = lines.at(-1)?.trim() ?? "",
    isQuoted = quoted !== "" && quoted.length <= MAX_QUOTED;
  return card(id, "notice", {
    header: {
      icon: severity,
      text:
        from === undefined
          ? [literalProse(text), ...(isQuoted ? [`“${literal(quoted)}”`] : [])].join("\n\n")
          : `**${literal(from)}**: ${literalProse(text)}`,
      tone: severity,
    },
    folded: detail.trim() === "" || (isQuoted && lines.length === 1) ? [] : [textBlock(detail, PLAIN)],
    buttons: actions.map(actionButton),
  });
}

function compactionCard({ id, status, text, error }: Compaction): Card {
  return card(id, "compaction", {
    header: compactionHeader(status),
    body: status === "failed" && error !== undefined && text.trim() === "" ? literal(error) : "",
    folded:
      text.trim() === ""
        ? []
        : [...(status === "failed" && error !== undefined ? [literal(error)] : []), ...longTexts.blocks(id, text)],
  });
}

function compactionHeader(status: string): CardHeader {
  switch (status) {
    case "in_progress":
      return { icon: "compact", text: l10n.t("Compacting the conversation…"), tone: "plain" };
    case "completed":
      return { icon: "compact", text: l10n.t("The conversation was compacted"), tone: "plain" };
    case "failed":
      return { icon: "error", text: l10n.t("The conversation could not be compacted"), tone: "error" };
    case "cancelled":
      return { icon: "compact", text: l10n.t("The compaction of the conversation was cancelled"), tone: "plain" };
    default:
      return { icon: "compact", text: l10n.t`Compacting the conversation: ${literal(status)}`, tone: "plain" };
  }
}
