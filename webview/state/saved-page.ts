/**
 * The page's saved copy (stored by `page-storage.ts`). VS Code destroys the page of a hidden view, and the sidecar may
 * exit before the view is shown again.
 *
 * Invariants:
 * - A saved page has at most `LIMIT` characters plus unsent content, which is bounded when it is attached
 *   (`UNSENT_LIMIT`).
 * - The newest entry of each tab is kept, shortened if necessary.
 * - Images and attached texts take at most half of the limit, so that they do not displace text.
 * - Ids, drafts, prompts in flight, queued prompts and the selected tab are always kept.
 */
import * as l10n from "@vscode/l10n";
import type { Entry, Notice } from "../../src/protocol/chat/chat";
import { isObject, type Fields } from "../../src/protocol/wire/json";
import type { TabId } from "../../src/protocol/page/host-to-page";
import { noDrafts, type Drafts, type Sent } from "./drafts";
import { bare, shortened } from "./shorten-entry";
import { areAttachments, isAgentChoice, isCount, isEntry, isListOf, isPrompt, isText } from "./saved-page-guards";

export interface SavedTab {
  readonly tabId: TabId;
  /** Boot id of the sidecar that sent `entries`; empty before the first answer. */
  readonly bootId: string;
  readonly agent: { readonly id: string; readonly name: string };
  readonly cwd: string;
  readonly title: string;
  readonly entries: readonly Entry[];
  readonly drafts: Drafts;
  /** Absent if the queue is empty. */
  readonly queue?: readonly Sent[];
}

export interface SavedPage {
  /** Milliseconds since 1970, see `page-storage.ts`; absent in copies of earlier versions. */
  readonly savedAt?: number;
  readonly version: 1;
  /** Highest `requestNumber` of all tabs: the next page starts above it. */
  readonly asked: number;
  readonly selected: TabId;
  readonly following?: boolean;
  /** The host's last value, which applies until its next `state` message. */
  readonly requireModifier?: boolean;
  readonly tabs: readonly SavedTab[];
}

export const emptyPage: SavedPage = { version: 1, asked: 0, selected: "", tabs: [] };

/** Maximum number of characters of all entries, and of one tab's entries. */
export const LIMIT = 400_000;
export const TAB_LIMIT = 200_000;

/**
 * Returns the newest entries, as JSON at most `limit` characters. If entries are omitted, the first one is a notice.
 */
export function newest(entries: readonly Entry[], limit: number): readonly Entry[] {
  let remaining = limit;
  let remainingContent = limit / 2;
  let first = entries.length;
  const backwards: Entry[] = [];
  while (first > 0) {
    const whole = entries[first - 1];
    if (whole === undefined) break;
    const entry = sizeOf(whole) > remaining || weightOf(whole) > remainingContent ? bare(whole) : whole;
    if (sizeOf(entry) > remaining) break;
    remaining -= sizeOf(entry);
    remainingContent -= weightOf(entry);
    backwards.push(entry);
    first--;
  }
  const fitting = backwards.reverse();
  if (first === 0) return fitting.every((entry, i) => entry === entries[i]) ? entries : fitting;
  const last = entries.at(-1);
  const retained = fitting.length > 0 ? fitting : last ? [shortened(last, limit)] : [];
  return retained[0]?.id === LEFT_OUT.id ? retained : [LEFT_OUT, ...retained];
}

const LEFT_OUT: Notice = {
  kind: "notice",
  id: "symposium-left-out",
  severity: "info",
  text: l10n.t("Earlier content is no longer stored."),
  actions: [],
};

/** Size of the entry's images and attachments. */
function weightOf(entry: Entry): number {
  return sizeOf(entry) - sizeOf(bare(entry));
}

/** Cache by entry, because entries are immutable. */
const sizes = new WeakMap<Entry, number>();
function sizeOf(entry: Entry): number {
  const cached = sizes.get(entry);
  if (cached !== undefined) return cached;
  const size = JSON.stringify(entry).length + 1;
  sizes.set(entry, size);
  return size;
}

/** Validates the result of `vscode.getState`; returns an empty page if it is invalid. Invalid tabs are omitted. */
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

/** Copies of earlier versions have no attachments. */
type EarlierSavedTab = Omit<SavedTab, "drafts"> & {
  readonly drafts: Pick<Drafts, "text" | "onTheWay"> & Partial<Drafts>;
};

function isSavedTab(value: unknown): value is EarlierSavedTab {
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
