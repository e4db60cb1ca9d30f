/**
 * Entry → cards: what a card says, not how it is drawn. Pure.
 *
 * Invariants: everything in `Card` that is rendered as Markdown has been through `markdown-safe`; an entry gives the same
 * card objects as long as it and its circumstances are the same; an entry that we do not know, or cannot describe, gives a
 * card all the same; the buttons of a permission are the agent's own options, in its order, and ours last.
 */
import type { ActionId, Entry, Permission, PermissionAnswered, PermissionOptionKind, ToolCall, ToolStatus } from "../src/protocol/chat";
import type { PermissionChoice } from "../src/protocol/sidecar";
import { literal, safeMarkdown } from "./markdown-safe";
import { splitBlocks } from "./split";
import { contentMarkdown, fileLink, languageOf, parameterBlock, textBlock } from "./tool-content";

export type Tone = "plain" | "info" | "success" | "warning" | "error";
export type CardIcon = "tool" | "read" | "edit" | "delete" | "execute" | "search" | "fetch" | "think" | "question" | "plan" | "info" | "warning" | "error";

export interface CardButton {
  /** See `meaningOf`. */
  readonly id: string;
  readonly label: string;
  readonly weight: "main" | "plain" | "quiet";
  readonly hint?: string;
}

export interface CardHeader {
  readonly icon: CardIcon;
  readonly text: string;
  readonly tone: Tone;
  readonly status?: { readonly text: string; readonly tone: Tone };
}

export interface Card {
  /** The entry's id; further parts of one entry have `#2`, `#3`… after it. */
  readonly key: string;
  readonly kind: "prompt" | "answer" | "thought" | "tool" | "permission" | "plan" | "notice" | "unknown";
  /** Text is still being added. */
  readonly growing: boolean;
  readonly header: CardHeader | undefined;
  readonly body: string;
  /** Shown below the header when unfolded. */
  readonly folded: readonly string[];
  readonly startsUnfolded: boolean;
  readonly buttons: readonly CardButton[];
}

export interface Circumstances {
  /** The entry is the last, and its turn runs. */
  readonly growing: boolean;
  /** Its question can be answered now: the sidecar lives, and no answer is under way. */
  readonly answerable: boolean;
  readonly answering: boolean;
}

const known = new WeakMap<Entry, { readonly when: string; readonly cards: readonly Card[] }>();

export function cardsOf(entry: Entry, circumstances: Circumstances): readonly Card[] {
  const when = JSON.stringify(circumstances);
  const before = known.get(entry);
  if (before?.when === when) return before.cards;
  const cards = describedOrNot(entry, circumstances);
  known.set(entry, { when, cards });
  return cards;
}

/** An entry may come from an earlier version, or hold what nobody thought of: the others are shown all the same. */
function describedOrNot(entry: Entry, circumstances: Circumstances): readonly Card[] {
  try { return describe(entry, circumstances); }
  catch { return [card(entry.id, "unknown", { header: { icon: "warning", text: "This entry cannot be shown.", tone: "warning" } })]; }
}

function describe(entry: Entry, circumstances: Circumstances): readonly Card[] {
  switch (entry.kind) {
    case "user": return parts(entry.id, "prompt", entry.text, false);
    case "agent": return [...parts(entry.id, "answer", entry.text, circumstances.growing), ...(entry.interrupted ? [interruption(entry.id)] : [])];
    case "thought": return entry.text.trim() === "" ? [] : [card(entry.id, "thought", {
      header: { icon: "think", text: circumstances.growing ? "Thinking…" : "Thought", tone: "plain" },
      folded: splitBlocks(entry.text).map(part => safeMarkdown(part.before + part.text + part.after)),
    })];
    case "plan": return [card(entry.id, "plan", {
      header: { icon: "plan", text: "Plan", tone: "plain" },
      body: entry.steps.map(({ content, status }) => `${STEP[status] ?? "○"} ${literal(content)}`).join("\n\n"),
    })];
    case "tool": return [toolCard(entry)];
    case "permission": return [permissionCard(entry, circumstances)];
    case "notice": return [card(entry.id, "notice", {
      header: { icon: entry.severity, text: literal(entry.text), tone: entry.severity },
      buttons: entry.actions.map(actionButton),
    })];
    case "unknown": return [card(entry.id, "unknown", {
      header: { icon: "info", text: `The agent sent something that is not known yet: ${literal(entry.what)}`, tone: "plain" },
      folded: [textBlock(entry.json, "json")],
    })];
  }
}

const STEP: Readonly<Record<string, string>> = { completed: "✓", in_progress: "◐", pending: "○" };

function card(id: string, kind: Card["kind"], rest: Partial<Card>): Card {
  return { key: keyOf(id), kind, growing: false, header: undefined, body: "", folded: [], startsUnfolded: false, buttons: [], ...rest };
}

/** An id may be any text of an agent's; a few would be taken for something that every object has. */
export function keyOf(id: string): string {
  return id in Object.prototype ? `~${id}` : id;
}

function parts(id: string, kind: "prompt" | "answer", text: string, growing: boolean): readonly Card[] {
  if (text.trim() === "") return [];
  const all = splitBlocks(text);
  return all.map((part, i) => ({
    ...card(id, kind, { body: safeMarkdown(part.before + part.text + part.after), growing: growing && i === all.length - 1 }),
    key: i === 0 ? keyOf(id) : `${keyOf(id)}#${i + 1}`,
  }));
}

function interruption(id: string): Card {
  return { ...card(id, "answer", { body: "*The answer was interrupted here.*" }), key: `${keyOf(id)}#interrupted` };
}

// --- tools

function iconOf(toolKind: string): CardIcon {
  switch (toolKind) {
    case "read": case "edit": case "delete": case "execute": case "search": case "fetch": case "think": return toolKind;
    case "move": return "edit";
    default: return "tool";
  }
}

const STATUS: Readonly<Record<ToolStatus, NonNullable<CardHeader["status"]>>> = {
  pending: { text: "waiting", tone: "plain" },
  in_progress: { text: "running", tone: "info" },
  completed: { text: "done", tone: "success" },
  failed: { text: "failed", tone: "error" },
  cancelled: { text: "cancelled", tone: "warning" },
};

function toolCard(tool: ToolCall): Card {
  const kind = tool.toolKind === "other" || tool.toolKind === "" ? "" : ` · ${literal(tool.toolKind)}`;
  return card(tool.id, "tool", {
    header: { icon: iconOf(tool.toolKind), text: `${literal(tool.title) || "Tool call"}${kind}`, tone: "plain", status: STATUS[tool.status] },
    folded: [
      ...(tool.locations.length > 0 ? [tool.locations.map(fileLink).join("\n\n")] : []),
      ...(tool.input === undefined ? [] : [`**Input**\n\n${parameterBlock(tool.input)}`]),
      ...tool.content.map(content => contentMarkdown(content)),
      ...(tool.output === undefined ? [] : [`**Output**\n\n${textBlock(tool.output, languageOf(tool.output))}`]),
    ],
    startsUnfolded: tool.content.some(({ kind }) => kind === "diff"),
  });
}

// --- permissions

const ASKS: Readonly<Record<string, string>> = {
  read: "wants to read", edit: "wants to change a file", delete: "wants to delete", move: "wants to move a file",
  execute: "wants to run a command", search: "wants to search", fetch: "wants to fetch from the network", switch_mode: "wants to change its mode",
};

function permissionCard(permission: Permission, { answerable, answering }: Circumstances): Card {
  const { agent, toolKind, title, input, content, options, answered } = permission;
  const asks = Object.hasOwn(ASKS, toolKind) ? ASKS[toolKind] : "asks for your permission";
  return card(permission.id, "permission", {
    header: { icon: "question", text: `**${literal(agent)}** ${asks}`, tone: answered ? "plain" : "warning" },
    body: [
      `**${literal(title)}**`,
      ...(input === undefined ? [] : [parameterBlock(input)]),
      ...content.map(each => contentMarkdown(each, "whole")),
      ...(answered ? [outcome(answered)] : answering ? ["*Your answer is on its way…*"] : answerable ? [] : ["*This cannot be answered at the moment.*"]),
    ].join("\n\n"),
    buttons: answered || !answerable || answering ? [] : [
      ...options.map(({ optionId, name, kind }) => ({ id: `option:${optionId}`, label: literal(name), weight: WEIGHT[kind] ?? "plain" })),
      ...(options.some(({ kind }) => kind === "allow_once" || kind === "allow_always") ? [bypassButton(agent)] : []),
    ],
  });
}

/** Only beside a way to allow: the sidecar takes that of the agent's own options. */
function bypassButton(agent: string): CardButton {
  return { id: "bypass", label: "Bypass permissions for this agent", weight: "quiet", hint: `Allows this, and whatever ${literal(agent)} asks from now on.` };
}

const WEIGHT: Readonly<Record<PermissionOptionKind, CardButton["weight"]>> = { allow_once: "main", allow_always: "plain", reject_once: "plain", reject_always: "plain" };

function outcome(answered: PermissionAnswered): string {
  if (answered.kind === "cancelled") return `**Not answered**: ${literal(answered.why)}`;
  const verdict = answered.optionKind.startsWith("allow") ? "✓ **Allowed**" : "✗ **Rejected**";
  const who = answered.by === "bypass" ? "without asking, because permissions of this agent are bypassed" : "by you";
  return `${verdict} ${who}: “${literal(answered.name)}”`;
}

// --- buttons

const ACTION: Readonly<Record<ActionId, string>> = {
  showLogs: "Show Logs", restartAgent: "Restart Agent", restartSidecar: "Restart Sidecar", selectAgent: "Select Agent", manageTrust: "Manage Workspace Trust",
};

export function actionButton(action: ActionId, index: number): CardButton {
  return { id: `action:${action}`, label: ACTION[action] ?? literal(action), weight: index === 0 ? "main" : "plain" };
}

export type ButtonMeaning = { readonly kind: "permission"; readonly choice: PermissionChoice } | { readonly kind: "action"; readonly action: ActionId };

/** What a button of a card means; `undefined` for one that is none of ours. */
export function meaningOf(buttonId: string): ButtonMeaning | undefined {
  if (buttonId === "bypass") return { kind: "permission", choice: { kind: "bypass" } };
  const [, what, rest] = /^(option|action):(.*)$/s.exec(buttonId) ?? [];
  if (what === "option" && rest !== undefined) return { kind: "permission", choice: { kind: "option", optionId: rest } };
  return what === "action" && rest !== undefined && isAction(rest) ? { kind: "action", action: rest } : undefined;
}

function isAction(text: string): text is ActionId {
  return Object.hasOwn(ACTION, text);
}
