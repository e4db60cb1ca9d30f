/**
 * The copy of itself that a page leaves behind (where: `page-copy.ts`): VS Code destroys a page whose view is hidden,
 * and the sidecar may die before the view is shown again. Bounded: the newest entries, up to so many characters.
 *
 * Invariants: a saved page is never larger than `LIMIT` characters and what the user has not sent, which is bounded
 * when it is attached (`UNSENT_LIMIT`); of each tab the newest entry is kept, cut if need be; images, and texts that
 * are attached, take no more than half of the room, so that they never are in the way of words; ids, drafts, prompts
 * on their way and in the queue, and the selected tab are always kept.
 */
import type { Entry, Notice } from "../../src/protocol/chat";
import { isObject, type Fields } from "../../src/protocol/json";
import type { TabId } from "../../src/protocol/webview";
import { noDrafts, type Drafts, type Sent } from "./drafts";
import { bare, shortened } from "./shorten-entry";
import { areAttachments, isAgentChoice, isCount, isEntry, isListOf, isPrompt, isText } from "./message-guards";

export interface SavedTab {
  readonly tabId: TabId;
  /** The boot that `entries` came from; empty when none has answered yet. */
  readonly bootId: string;
  readonly agent: { readonly id: string; readonly name: string };
  readonly cwd: string;
  readonly title: string;
  readonly entries: readonly Entry[];
  readonly drafts: Drafts;
  /** What waited; absent: nothing. */
  readonly queue?: readonly Sent[];
}

export interface SavedPage {
  /** Milliseconds since 1970, see `page-copy.ts`; absent in copies of earlier versions. */
  readonly savedAt?: number;
  readonly version: 1;
  /** The highest `asked` of all tabs: the next page starts above it. */
  readonly asked: number;
  readonly selected: TabId;
  readonly following?: boolean;
  /** As the host last said: a prompt that is typed before it says so again is not sent by Enter. */
  readonly requireModifier?: boolean;
  readonly tabs: readonly SavedTab[];
}

export const emptyPage: SavedPage = { version: 1, asked: 0, selected: "", tabs: [] };

/** Characters of all entries together, and of one tab's. */
export const LIMIT = 400_000;
export const TAB_LIMIT = 200_000;

/** The newest entries, as JSON no longer than `limit` characters. Where some are left out, the first says so. */
export function newest(entries: readonly Entry[], limit: number): readonly Entry[] {
  let room = limit;
  let heavy = limit / 2;
  let first = entries.length;
  const backwards: Entry[] = [];
  while (first > 0) {
    const whole = entries[first - 1];
    if (whole === undefined) break;
    const entry = sizeOf(whole) > room || weightOf(whole) > heavy ? bare(whole) : whole;
    if (sizeOf(entry) > room) break;
    room -= sizeOf(entry);
    heavy -= weightOf(entry);
    backwards.push(entry);
    first--;
  }
  const fitting = backwards.reverse();
  if (first === 0) return fitting.every((entry, i) => entry === entries[i]) ? entries : fitting;
  const last = entries.at(-1);
  const kept = fitting.length > 0 ? fitting : last ? [shortened(last, limit)] : [];
  return kept[0]?.id === LEFT_OUT.id ? kept : [LEFT_OUT, ...kept];
}

const LEFT_OUT: Notice = {
  kind: "notice",
  id: "symposium-left-out",
  severity: "info",
  text: "What came before this is no longer kept.",
  actions: [],
};

/** Of its images, and of what was attached. */
function weightOf(entry: Entry): number {
  return sizeOf(entry) - sizeOf(bare(entry));
}

/** Entries are never changed, only replaced: each is measured once. */
const sizes = new WeakMap<Entry, number>();
function sizeOf(entry: Entry): number {
  const known = sizes.get(entry);
  if (known !== undefined) return known;
  const size = JSON.stringify(entry).length + 1;
  sizes.set(entry, size);
  return size;
}

/**
 * What `vscode.getState` gave: the saved page, or an empty one for anything else. A tab that is not whole is left out.
 */
export function restored(state: unknown): SavedPage {
  if (
    !isObject(state) ||
    state["version"] !== 1 ||
    !isCount(state["asked"]) ||
    !isText(state["selected"]) ||
    !Array.isArray(state["tabs"])
  )
    return emptyPage;
  const tabs = state["tabs"].flatMap((tab): readonly SavedTab[] =>
    isSavedTab(tab) ? [{ ...tab, drafts: { ...noDrafts, ...tab.drafts } }] : [],
  );
  return {
    ...(isCount(state["savedAt"]) ? { savedAt: state["savedAt"] } : {}),
    version: 1,
    asked: state["asked"],
    selected: state["selected"],
    ...(state["following"] === true ? { following: true } : {}),
    ...(state["requireModifier"] === true ? { requireModifier: true } : {}),
    tabs,
  };
}

const arePrompts = isListOf(isPrompt);

/** The page before it may have been of a version that knew no attachments. */
type SavedBefore = Omit<SavedTab, "drafts"> & { readonly drafts: Pick<Drafts, "text" | "onTheWay"> & Partial<Drafts> };

function isSavedTab(value: unknown): value is SavedBefore {
  return (
    isObject(value) &&
    isText(value["tabId"]) &&
    isText(value["bootId"]) &&
    isAgentChoice(value["agent"]) &&
    isText(value["cwd"]) &&
    isText(value["title"]) &&
    isListOf(isEntry)(value["entries"]) &&
    isObject(value["drafts"]) &&
    areDrafts(value["drafts"]) &&
    (value["queue"] === undefined || arePrompts(value["queue"]))
  );
}

function areDrafts({ text, onTheWay, attachments = [], takenBack = [] }: Fields): boolean {
  return isText(text) && arePrompts(onTheWay) && areAttachments(attachments) && arePrompts(takenBack);
}
