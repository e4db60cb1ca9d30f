/**
 * Follow mode: the editor opens the files that the agent of the selected tab works on. Pure.
 *
 * Invariants:
 * - At most one location is opened per second: the newest.
 * - Nothing is opened while the user types, or for a tab that is not selected.
 */
import type { ChatEvent, Entry, ToolCall } from "../../src/protocol/chat/chat";
import type { HostToPage } from "../../src/protocol/page/host-to-page";
import { post, type Page, type Step } from "./page-model";

const MIN_INTERVAL_MS = 1_000;
/** Milliseconds without typing before a file is opened, so that it does not disturb the user. */
const TYPING_PAUSE_MS = 3_000;

/** Stores the newest location of a message as the pending one, and opens it if allowed. */
export function followed(before: Page, page: Page, message: HostToPage, now: number): Step {
  if (!page.following || message.type !== "event" || message.tabId !== page.selected) return [page, []];
  const location = locationOf(message.event, before.tabs.get(message.tabId)?.conversation.entries ?? []);
  return location === undefined ? [page, []] : follow({ ...page, follow: { ...page.follow, wanted: location } }, now);
}

/** Opens the pending location if the invariants allow it. */
export function follow(page: Page, now: number): Step {
  const { wanted, opened, typed } = page.follow;
  if (wanted === undefined || now - opened < MIN_INTERVAL_MS || now - typed < TYPING_PAUSE_MS) return [page, []];
  return [
    { ...page, follow: { ...page.follow, wanted: undefined, opened: now } },
    [post({ type: "openLink", href: wanted, preview: true })],
  ];
}

/** The last location of a tool call that starts or changes its location. */
function locationOf(event: ChatEvent, before: readonly Entry[]): string | undefined {
  if (event.type !== "upsert" || event.entry.kind !== "tool" || event.entry.status !== "in_progress") return undefined;
  const { id } = event.entry;
  const previous = before.findLast((entry): entry is ToolCall => entry.kind === "tool" && entry.id === id);
  const location = hrefOf(event.entry);
  return previous?.status === "in_progress" && hrefOf(previous) === location ? undefined : location;
}

function hrefOf({ locations }: ToolCall): string | undefined {
  const last = locations.at(-1);
  if (last === undefined || last.path === "") return undefined;
  const path = last.path.replaceAll("\\", "/").replace(/\p{Surrogate}/gu, "\ufffd");
  return `file://${path.startsWith("/") ? "" : "/"}${encodeURIComponent(path).replaceAll("%2F", "/")}${last.line === undefined ? "" : `#L${last.line}`}`;
}
