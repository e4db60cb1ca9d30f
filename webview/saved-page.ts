/**
 * The copy of itself that a page leaves behind (`vscode.setState`): VS Code destroys a page whose view is hidden, and
 * the sidecar may die before the view is shown again. Bounded: the newest entries, up to so many characters.
 *
 * Invariants: a saved page is never larger than `LIMIT` characters and its drafts; of each tab the newest entry is
 * kept, cut if need be; images take no more than half of the room, so that they never are in the way of words; ids, drafts,
 * prompts on their way and the selected tab are always kept.
 */
import type { Entry, Notice } from "../src/protocol/chat";
import { isObject } from "../src/protocol/json";
import type { TabId } from "../src/protocol/webview";
import type { Drafts, Sent } from "./drafts";
import { shortened, withoutImages } from "./shortened";
import { isAgentChoice, isCount, isEntry, isListOf, isText } from "./shape";

export interface SavedTab {
  readonly tabId: TabId;
  /** The boot that `entries` came from; empty when none has answered yet. */
  readonly bootId: string;
  readonly agent: { readonly id: string; readonly name: string };
  readonly cwd: string;
  readonly title: string;
  readonly entries: readonly Entry[];
  readonly drafts: Drafts;
}

export interface SavedPage {
  readonly version: 1;
  /** The highest `asked` of all tabs: the next page starts above it. */
  readonly asked: number;
  readonly selected: TabId;
  readonly following?: boolean;
  readonly tabs: readonly SavedTab[];
}

export const emptyPage: SavedPage = { version: 1, asked: 0, selected: "", tabs: [] };

/** Characters of all entries together, and of one tab's. */
export const LIMIT = 400_000;
export const TAB_LIMIT = 200_000;

/** The newest entries, as JSON no longer than `limit` characters. Where some are left out, the first says so. */
export function newest(entries: readonly Entry[], limit: number): readonly Entry[] {
  let room = limit;
  let pictures = limit / 2;
  let first = entries.length;
  const backwards: Entry[] = [];
  while (first > 0) {
    const whole = entries[first - 1];
    if (whole === undefined) break;
    const entry = sizeOf(whole) > room || weightOfImages(whole) > pictures ? withoutImages(whole) : whole;
    if (sizeOf(entry) > room) break;
    room -= sizeOf(entry);
    pictures -= weightOfImages(entry);
    backwards.push(entry);
    first--;
  }
  const fitting = backwards.reverse();
  if (first === 0) return fitting.every((entry, i) => entry === entries[i]) ? entries : fitting;
  const last = entries.at(-1);
  const kept = fitting.length > 0 ? fitting : last ? [shortened(last, limit)] : [];
  return kept[0]?.id === LEFT_OUT.id ? kept : [LEFT_OUT, ...kept];
}

const LEFT_OUT: Notice = { kind: "notice", id: "symposium-left-out", severity: "info", text: "What came before this is no longer kept.", actions: [] };

function weightOfImages(entry: Entry): number { return sizeOf(entry) - sizeOf(withoutImages(entry)); }

/** Entries are never changed, only replaced: each is measured once. */
const sizes = new WeakMap<Entry, number>();
function sizeOf(entry: Entry): number {
  const known = sizes.get(entry);
  if (known !== undefined) return known;
  const size = JSON.stringify(entry).length + 1;
  sizes.set(entry, size);
  return size;
}

/** What `vscode.getState` gave: the saved page, or an empty one for anything else. A tab that is not whole is left out. */
export function restored(state: unknown): SavedPage {
  if (!isObject(state) || state["version"] !== 1 || !isCount(state["asked"]) || !isText(state["selected"]) || !Array.isArray(state["tabs"])) return emptyPage;
  return { version: 1, asked: state["asked"], selected: state["selected"], ...(state["following"] === true ? { following: true } : {}), tabs: state["tabs"].filter(isSavedTab) };
}

const isSent = (value: unknown): value is Sent => isObject(value) && isText(value["messageId"]) && isText(value["text"]);

function isSavedTab(value: unknown): value is SavedTab {
  return isObject(value) && isText(value["tabId"]) && isText(value["bootId"]) && isAgentChoice(value["agent"]) && isText(value["cwd"]) && isText(value["title"])
    && isListOf(isEntry)(value["entries"])
    && isObject(value["drafts"]) && isText(value["drafts"]["text"]) && isListOf(isSent)(value["drafts"]["onTheWay"]);
}
