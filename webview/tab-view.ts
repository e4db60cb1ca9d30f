/** A tab as the user sees it, from what the page knows of it. Pure; `chat-ui.ts` draws it. */
import type { Entry } from "../src/protocol/chat";
import { escapeHtml, literal } from "./markdown-safe";
import { turnOf, type Page, type Tab } from "./page-model";
import { actionButton, cardsOf, type Card, type CardButton, type Tone } from "./render";

export interface Banner { readonly tone: Tone; readonly text: string; readonly buttons: readonly CardButton[] }

export interface TabView {
  /** HTML, because that is what a tab's title is to the renderer. */
  readonly title: string;
  readonly cards: readonly Card[];
  readonly turn: ReturnType<typeof turnOf>;
  /** What goes on, in a few words of Markdown; empty when nothing does. */
  readonly status: string;
  readonly banner: Banner | undefined;
  readonly placeholder: string;
}

export function viewOf(page: Page, tab: Tab): TabView {
  const { conversation } = tab;
  const turn = turnOf(tab);
  const agent = conversation.agent.name || "the agent";
  const entries: readonly Entry[] = [...conversation.entries, ...unconfirmed(tab)];
  const live = tab.phase === "live" && page.sidecar.state === "running";
  const answering = new Set(tab.answering.map(({ permissionId }) => permissionId));
  return {
    title: escapeHtml(conversation.title ?? (conversation.agent.name || "Chat")),
    cards: entries.flatMap((entry, i) => cardsOf(entry, {
      growing: turn !== "idle" && i === entries.length - 1, answerable: live && entry.kind === "permission", answering: answering.has(entry.id),
    })),
    turn,
    status: statusOf(turn, literal(agent)),
    banner: bannerOf(page, tab),
    placeholder: `Ask ${agent}`,
  };
}

function statusOf(turn: TabView["turn"], agent: string): string {
  switch (turn) {
    case "idle": return "";
    case "starting": return `Starting ${agent}…`;
    case "running": return `${agent} is working…`;
    case "cancelling": return `Stopping… ${agent} has yet to end its turn.`;
  }
}

/** A prompt that is on its way is shown as it will be: same id, same card. */
function unconfirmed(tab: Tab): readonly Entry[] {
  return tab.drafts.onTheWay.map(({ messageId, text }) => ({ kind: "user", id: messageId, text }));
}

function bannerOf({ sidecar }: Page, { remark }: Tab): Banner | undefined {
  switch (sidecar.state) {
    case "restarting": return { tone: "warning", text: literal(`${sidecar.message}${kept(remark)}`), buttons: [] };
    // A workspace that is not trusted is not a fault.
    case "failed": return { tone: sidecar.actions.includes("manageTrust") ? "info" : "error", text: literal(`${sidecar.message}${kept(remark)}`), buttons: sidecar.actions.map(actionButton) };
    case "running": return remark && { tone: remark.tone, text: literal(remark.text), buttons: [] };
  }
}

const kept = (remark: Tab["remark"]): string => remark?.until === "sidecar" ? ` ${remark.text}` : "";

/** What a screen reader says of a change: a finished answer, a question, a sentence of ours; not each piece of text. */
export function announcement(before: Tab | undefined, after: Tab): string | undefined {
  if (before === undefined || before.phase !== after.phase) return undefined;
  const had = new Set(before.conversation.entries.map(({ id }) => id));
  const fresh = after.conversation.entries.filter(({ id }) => !had.has(id));
  const question = fresh.find(entry => entry.kind === "permission" && !entry.answered);
  if (question?.kind === "permission") return `${question.agent} asks for your permission: ${question.title}`;
  const notice = fresh.find(entry => entry.kind === "notice");
  if (notice?.kind === "notice") return notice.text;
  if (turnOf(before) === "idle" || turnOf(after) !== "idle") return undefined;
  const answer = after.conversation.entries.findLast(entry => entry.kind === "agent");
  return answer?.kind === "agent" ? `${after.conversation.agent.name}: ${answer.text.slice(0, ANNOUNCED)}` : undefined;
}
const ANNOUNCED = 1_000;

/** A question that was not there before, for the focus. */
export function newQuestion(before: Tab | undefined, after: Tab): string | undefined {
  const had = new Set(before?.conversation.entries.map(({ id }) => id));
  return after.conversation.entries.findLast(entry => entry.kind === "permission" && !entry.answered && !had.has(entry.id))?.id;
}
