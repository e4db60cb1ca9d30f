/**
 * Cards of subagents and of messages between sessions of an agent. Pure.
 *
 * Invariant: the content of a card is bounded, regardless of the subagent's run time. It shows the newest entries, each
 * shortened.
 */
import * as l10n from "@vscode/l10n";
import type { Entry, SessionMessage, Subagent, SubagentStatus } from "../../../src/protocol/chat/chat";
import { card, type Card, type CardHeader } from "./card";
import { closed } from "../text/code-fence";
import { literal, safeMarkdown } from "../text/markdown-safe";
import { TOOL_STATUS } from "./render-tool";
import { contentName, textBlock } from "./tool-content";

const STATUS: Readonly<Record<SubagentStatus, CardHeader["status"]>> = {
  unknown: undefined,
  running: { text: l10n.t("running"), tone: "info" },
  waiting: { text: l10n.t("waiting for you"), tone: "warning" },
  completed: { text: l10n.t("done"), tone: "success" },
  failed: { text: l10n.t("failed"), tone: "error" },
  cancelled: { text: l10n.t("cancelled"), tone: "warning" },
};

/** Suffix of a nested subagent's line; empty if the state is unknown. */
function stateOf(status: SubagentStatus): string {
  const shown = STATUS[status];
  return shown === undefined ? "" : ` · ${shown.text}`;
}

/** Maximum number of a subagent's entries in its card, and of characters of a text among them. */
const MAX_ENTRIES = 40,
  MAX_TEXT = 2_000;
/** Maximum depth of nested subagents within a card. */
const MAX_DEPTH = 8;

export function subagentCard({ id, name, description, status, error, entries }: Subagent): Card {
  const shown = STATUS[status];
  return card(id, "subagent", {
    header: {
      icon: "subagent",
      text: l10n.t`Subagent **${literal(name)}**`,
      tone: status === "failed" ? "error" : "plain",
      ...(shown === undefined ? {} : { status: shown }),
    },
    folded: [
      ...(description === undefined ? [] : [`*${literal(description)}*`]),
      ...linesOf(entries, 1),
      ...(error === undefined ? [] : [literal(error)]),
    ],
  });
}

export function messageCard({ id, from, to, text }: SessionMessage): Card {
  const names = [from, to]
    .filter(name => name !== "")
    .map(name => `**${literal(name)}**`)
    .join(" → ");
  return card(id, "message", {
    header: {
      icon: "message",
      text: names === "" ? l10n.t("Message between agents") : l10n.t`Message ${names}`,
      tone: "plain",
    },
    folded: text.trim() === "" ? [] : [proseOf(text)],
  });
}

/** Cache by entry, because entries are immutable. */
const cache = new WeakMap<Entry, readonly string[]>();

function linesOf(entries: readonly Entry[], depth: number): readonly string[] {
  const omitted = entries.length - MAX_ENTRIES;
  const lines = entries.slice(-MAX_ENTRIES).flatMap(entry => {
    const before = cache.get(entry) ?? partsOf(entry, depth);
    cache.set(entry, before);
    return before;
  });
  return omitted > 0 ? [l10n.t`*${omitted} earlier entries of this subagent are not shown.*`, ...lines] : lines;
}

function partsOf(entry: Entry, depth: number): readonly string[] {
  switch (entry.kind) {
    case "user":
    case "agent":
      return entry.text.trim() === "" ? [] : [proseOf(entry.text)];
    case "thought":
      return entry.text.trim() === "" ? [] : [l10n.t("*Thought*")];
    case "tool":
      return [`${literal(entry.title) || l10n.t("Tool call")} · ${TOOL_STATUS[entry.status].text}`];
    case "plan":
      return entry.steps.length === 0
        ? []
        : [
            entry.steps
              .map(({ content, status }) => `${status === "completed" ? "✓" : "○"} ${literal(content)}`)
              .join("\n\n"),
          ];
    case "message":
      return [
        `**${
          [entry.from, entry.to]
            .filter(name => name !== "")
            .map(literal)
            .join(" → ") || "Message"
        }**${entry.text.trim() === "" ? "" : `\n\n${proseOf(entry.text)}`}`,
      ];
    case "subagent":
      return depth >= MAX_DEPTH
        ? []
        : [
            `${l10n.t`Subagent **${literal(entry.name)}**`}${stateOf(entry.status)}`,
            ...linesOf(entry.entries, depth + 1),
          ];
    case "media":
      return [
        entry.content.kind === "audio" || entry.content.kind === "resource"
          ? contentName(entry.content)
          : `*${literal(entry.content.kind)}*`,
      ];
    case "notice":
      return [literal(entry.text)];
    case "compaction":
      return [l10n.t("*The conversation of the subagent was compacted*")];
    case "unknown":
      return [l10n.t`*Unsupported: ${literal(entry.what)}*`, textBlock(entry.json.slice(0, MAX_TEXT), "json")];
    case "permission":
    case "elicitation":
      return [];
  }
}

function proseOf(text: string): string {
  return safeMarkdown(closed(text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`));
}
