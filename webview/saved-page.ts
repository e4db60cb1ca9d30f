/**
 * The copy of itself that a page leaves behind (`vscode.setState`): VS Code destroys a page whose view is hidden, and
 * the sidecar may die before the view is shown again. Bounded: the newest entries, up to so many characters.
 *
 * Invariants: a saved page is never larger than `LIMIT` characters and its drafts; of each tab the newest entry is
 * kept, cut if need be; ids, drafts, prompts on their way and the selected tab are always kept.
 */
import type { Entry, Notice } from "../src/protocol/chat";
import { isObject } from "../src/protocol/json";
import type { TabId } from "../src/protocol/webview";
import type { Drafts, Sent } from "./drafts";
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
  readonly tabs: readonly SavedTab[];
}

export const emptyPage: SavedPage = { version: 1, asked: 0, selected: "", tabs: [] };

/** Characters of all entries together, and of one tab's. */
export const LIMIT = 400_000;
export const TAB_LIMIT = 200_000;

/** The newest entries, as JSON no longer than `limit` characters. Where some are left out, the first says so. */
export function newest(entries: readonly Entry[], limit: number): readonly Entry[] {
  let room = limit;
  let first = entries.length;
  while (first > 0) {
    const size = sizeOf(entries[first - 1]);
    if (size > room) break;
    room -= size;
    first--;
  }
  if (first === 0) return entries;
  const last = entries.at(-1);
  const kept = first < entries.length ? entries.slice(first) : last ? [shortened(last, limit)] : [];
  return kept[0]?.id === LEFT_OUT.id ? kept : [LEFT_OUT, ...kept];
}

const LEFT_OUT: Notice = { kind: "notice", id: "symposium-left-out", severity: "info", text: "What came before this is no longer kept.", actions: [] };

/** Entries are never changed, only replaced: each is measured once. */
const sizes = new WeakMap<Entry, number>();
function sizeOf(entry: Entry | undefined): number {
  if (entry === undefined) return 0;
  const known = sizes.get(entry);
  if (known !== undefined) return known;
  const size = JSON.stringify(entry).length + 1;
  sizes.set(entry, size);
  return size;
}

/** JSON spells a character with up to six. */
function shortened(entry: Entry, limit: number): Entry {
  const most = Math.floor(limit / 12);
  switch (entry.kind) {
    case "user": case "agent": case "thought": case "notice": return { ...entry, text: entry.text.slice(0, most) };
    case "tool": { const { input: _input, output: _output, ...tool } = entry; return { ...tool, title: entry.title.slice(0, most), content: [], locations: [] }; }
    case "permission": return { ...entry, title: entry.title.slice(0, most), input: (entry.input ?? "").slice(0, most), content: [] };
    case "plan": return { ...entry, steps: entry.steps.slice(0, 20).map(step => ({ ...step, content: step.content.slice(0, most / 40) })) };
    case "unknown": return { ...entry, json: entry.json.slice(0, most) };
  }
}

/** What `vscode.getState` gave: the saved page, or an empty one for anything else. A tab that is not whole is left out. */
export function restored(state: unknown): SavedPage {
  if (!isObject(state) || state["version"] !== 1 || !isCount(state["asked"]) || !isText(state["selected"]) || !Array.isArray(state["tabs"])) return emptyPage;
  return { version: 1, asked: state["asked"], selected: state["selected"], tabs: state["tabs"].filter(isSavedTab) };
}

const isSent = (value: unknown): value is Sent => isObject(value) && isText(value["messageId"]) && isText(value["text"]);

function isSavedTab(value: unknown): value is SavedTab {
  return isObject(value) && isText(value["tabId"]) && isText(value["bootId"]) && isAgentChoice(value["agent"]) && isText(value["cwd"]) && isText(value["title"])
    && isListOf(isEntry)(value["entries"])
    && isObject(value["drafts"]) && isText(value["drafts"]["text"]) && isListOf(isSent)(value["drafts"]["onTheWay"]);
}
