/**
 * The page's tabs, drafts and options, as stored by `page-storage.ts`. VS Code destroys the page of a hidden view. The
 * conversations are in the sidecar's journal.
 *
 * Invariant: unsent content is always kept. It is bounded when it is attached (`UNSENT_LIMIT`).
 */
import type { AgentChoice } from "../../src/protocol/agents/agents";
import type { Attachment } from "../../src/protocol/chat/attachments";
import { isObject, type Fields } from "../../src/protocol/wire/json";
import type { TabId } from "../../src/protocol/page/host-to-page";
import { noDrafts, type Drafts, type Sent } from "./drafts";

export interface SavedTab {
  readonly tabId: TabId;
  readonly agent: AgentChoice;
  readonly cwd: string;
  /** Empty if there is none. */
  readonly title: string;
  readonly drafts: Drafts;
  /** The end of the conversation that the user has seen. */
  readonly read?: string;
}

export interface SavedPage {
  /** Milliseconds since 1970, see `page-storage.ts`; absent in copies of earlier versions. */
  readonly savedAt?: number;
  readonly version: 1;
  /** Session of VS Code in which the page was saved; absent if all sessions restore it. */
  readonly session?: string;
  /** The editor to which the tab was moved, see `page-storage.ts`. */
  readonly opening?: string;
  /** Highest `requestNumber` of all tabs: the next page starts above it. */
  readonly asked: number;
  readonly selected: TabId;
  readonly following?: boolean;
  /** The host's last value, which applies until its next `state` message. */
  readonly requireModifier?: boolean;
  readonly tabs: readonly SavedTab[];
}

export const emptyPage: SavedPage = { version: 1, asked: 0, selected: "", tabs: [] };

/**
 * Validates the result of `vscode.getState`; returns an empty page if it is invalid. Invalid tabs are omitted. Checks
 * only the members that the page uses.
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
  return {
    ...(isCount(state["savedAt"]) ? { savedAt: state["savedAt"] } : {}),
    ...(isText(state["session"]) ? { session: state["session"] } : {}),
    ...(isText(state["opening"]) ? { opening: state["opening"] } : {}),
    version: 1,
    asked: state["asked"],
    selected: state["selected"],
    ...(state["following"] === true ? { following: true } : {}),
    ...(state["requireModifier"] === true ? { requireModifier: true } : {}),
    tabs: state["tabs"].flatMap(tabIn),
  };
}

/** A tab of an earlier version may have more members, and no attachments. */
function tabIn(value: unknown): readonly SavedTab[] {
  if (!isObject(value)) return [];
  const { tabId, agent, cwd, title, drafts, read } = value;
  return isText(tabId) && isAgentChoice(agent) && isText(cwd) && isText(title) && isObject(drafts) && areDrafts(drafts)
    ? [{ tabId, agent, cwd, title, drafts: { ...noDrafts, ...drafts }, ...(isText(read) ? { read } : {}) }]
    : [];
}

const isText = (value: unknown): value is string => typeof value === "string";
const isCount = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value);
const isOptionalText = (value: unknown): boolean => value === undefined || isText(value);
const isAgentChoice = (value: unknown): value is AgentChoice =>
  isObject(value) && isText(value["id"]) && isText(value["name"]);
const texts = (value: Fields, ...keys: readonly string[]): boolean => keys.every(key => isText(value[key]));
const hasLines = (value: Fields): boolean => isCount(value["startLine"]) && isCount(value["endLine"]);

const ATTACHMENT: Readonly<Record<Attachment["kind"], (attachment: Fields) => boolean>> = {
  file: attachment => isText(attachment["path"]),
  folder: attachment => isText(attachment["path"]),
  symbol: attachment => texts(attachment, "name", "path") && hasLines(attachment),
  selection: attachment =>
    texts(attachment, "name", "text") && isOptionalText(attachment["path"]) && hasLines(attachment),
  problems: attachment => isCount(attachment["count"]) && isText(attachment["text"]),
  terminal: attachment => texts(attachment, "name", "text"),
  transcript: attachment => isText(attachment["text"]),
  image: attachment => texts(attachment, "name", "mimeType", "data"),
};
const isAttachment = (value: unknown): boolean => {
  const kind = isObject(value) ? value["kind"] : undefined;
  return (
    isObject(value) && isText(kind) && Object.hasOwn(ATTACHMENT, kind) && ATTACHMENT[kind as Attachment["kind"]](value)
  );
};
const areAttachments = (value: unknown): boolean => Array.isArray(value) && value.every(isAttachment);

/** A prompt in flight. */
const isPrompt = (value: unknown): value is Sent =>
  isObject(value) &&
  texts(value, "messageId", "text") &&
  (value["attachments"] === undefined || areAttachments(value["attachments"]));
const arePrompts = (value: unknown): boolean => Array.isArray(value) && value.every(isPrompt);

function areDrafts(value: Fields): value is Fields & Pick<Drafts, "text" | "onTheWay"> & Partial<Drafts> {
  const { text, onTheWay, attachments = [], takenBack = [] } = value;
  return isText(text) && arePrompts(onTheWay) && areAttachments(attachments) && arePrompts(takenBack);
}
