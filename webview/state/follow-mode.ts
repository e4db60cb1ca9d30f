/**
 * Follow mode: the editor shows where the agent of the selected tab works. Pure.
 *
 * Invariants:
 * - At most one location per second, the newest.
 * - Nothing is opened while the user types, or for a tab that is not selected.
 */
import type { ChatEvent, Entry, ToolCall } from "../../src/protocol/chat/chat";
import type { HostToPage } from "../../src/protocol/page/host-to-page";
import { post, type Page, type Step } from "./page-model";

const BETWEEN_MS = 1_000;
/** Milliseconds without typing after which opening a file does not disturb the user. */
const TYPING_MS = 3_000;

/** Processes the locations in a message. */
export function followed(before: Page, page: Page, message: HostToPage, now: number): Step {
  if (!page.following || message.type !== "event" || message.tabId !== page.selected) return [page, []];
  const place = placeOf(message.event, before.tabs.get(message.tabId)?.conversation.entries ?? []);
  return place === undefined ? [page, []] : follow({ ...page, follow: { ...page.follow, wanted: place } }, now);
}

/** Opens the wanted location as soon as the invariants allow it. */
export function follow(page: Page, now: number): Step {
  const { wanted, opened, typed } = page.follow;
  if (wanted === undefined || now - opened < BETWEEN_MS || now - typed < TYPING_MS) return [page, []];
  return [
    { ...page, follow: { ...page.follow, wanted: undefined, opened: now } },
    [post({ type: "openLink", href: wanted, preview: true })],
  ];
}

/** The last location of a tool call that starts or moves to another location. */
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
