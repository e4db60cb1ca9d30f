/**
 * Follow mode: the editor shows where the agent of the selected tab works. Pure.
 *
 * Invariants: at most one place a second, the newest; nothing is opened while the user types, nor for a tab that is not
 * on show.
 */
import type { ChatEvent, Entry, ToolCall } from "../../src/protocol/chat";
import type { HostToPage } from "../../src/protocol/webview";
import { post, type Page, type Step } from "./page-model";

const BETWEEN_MS = 1_000;
/** Who has not typed for so long may be disturbed. */
const TYPING_MS = 3_000;

/** After a message: what it says of where the agent works. */
export function followed(before: Page, page: Page, message: HostToPage, now: number): Step {
  if (!page.following || message.type !== "event" || message.tabId !== page.selected) return [page, []];
  const place = placeOf(message.event, before.tabs.get(message.tabId)?.conversation.entries ?? []);
  return place === undefined ? [page, []] : follow({ ...page, follow: { ...page.follow, wanted: place } }, now);
}

/** Opens what is wanted, as soon as that is right. */
export function follow(page: Page, now: number): Step {
  const { wanted, opened, typed } = page.follow;
  if (wanted === undefined || now - opened < BETWEEN_MS || now - typed < TYPING_MS) return [page, []];
  return [
    { ...page, follow: { ...page.follow, wanted: undefined, opened: now } },
    [post({ type: "open-link", href: wanted, preview: true })],
  ];
}

/** The newest place of a tool call that begins, or goes on elsewhere. */
function placeOf(event: ChatEvent, before: readonly Entry[]): string | undefined {
  if (event.type !== "upsert" || event.entry.kind !== "tool" || event.entry.status !== "in_progress") return undefined;
  const { id } = event.entry;
  const known = before.findLast((entry): entry is ToolCall => entry.kind === "tool" && entry.id === id);
  const place = hrefOf(event.entry);
  return known?.status === "in_progress" && hrefOf(known) === place ? undefined : place;
}

function hrefOf({ locations }: ToolCall): string | undefined {
  const last = locations.at(-1);
  if (last === undefined || last.path === "") return undefined;
  const path = last.path.replaceAll("\\", "/").replace(/\p{Surrogate}/gu, "\ufffd");
  return `file://${path.startsWith("/") ? "" : "/"}${encodeURIComponent(path).replaceAll("%2F", "/")}${last.line === undefined ? "" : `#L${last.line}`}`;
}
