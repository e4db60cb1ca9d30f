/** Messages of the page to the extension host; see `host-to-page.ts`. */
import * as v from "valibot";
import { attachment, attachments, contextSource } from "../chat/attachment-schema";
import { actionId } from "../chat/entry-schema";
import { count, filled, finite, json, list, text, whole, type Infer, type Schema } from "../wire/schema";
import { id, sessionActions, type ActionMessage } from "../chat/session-actions";

const MIB = 1024 * 1024;
const MAX_TABS = 100;
/** Maximum number of prompts or attachments in the drafts of a moved tab. */
const MAX_MOVED = 1_000;
const long = text(4 * MIB);
/** Text that opens in an editor or terminal beside the chat. */
const shownText = text(300_000);

/** Names of files in an answer, as the agent wrote them. */
const fileNames = list(filled(1_024), 10);
const codeFiles = { named: fileNames, mentioned: fileNames };
const codeFilesOf = v.object(codeFiles);
/**
 * The file that a block of code may belong to. `named`: names given to the code itself, best first; the file may be
 * new. `mentioned`: names near the code.
 */
export type CodeFiles = Infer<typeof codeFilesOf>;

const tabId = id;
export type TabId = string;
/** An agent may assign the id, for example to a prompt that it replays. */
const entryId = filled(4 * MIB);

const tabPosition = v.object({
  tabId,
  /** The last event that the page has handled; its `seq` is -1 before the first. */
  at: v.exactOptional(v.object({ bootId: id, seq: whole(-1) })),
  requestNumber: count,
  agentId: v.exactOptional(id),
  cwd: v.exactOptional(filled(4_096)),
});
/** Position of the page in one tab. `agentId` and `cwd` allow a tab of an earlier window to continue. */
export type TabPosition = Infer<typeof tabPosition>;

const change = { path: filled(4_096), oldText: v.exactOptional(shownText), newText: shownText };
const changeOf = v.object(change);
/** A change of a file, or of a part of it, that an agent made or proposes. Without `oldText`, the file is new. */
export type Change = Infer<typeof changeOf>;

const sentPrompt = v.object({ messageId: id, text: long, attachments: v.exactOptional(attachments) });
/** As the page stores it. A prompt returned to the draft can exceed the limit of a prompt's attachments. */
const drafts = v.object({
  text: long,
  attachments: list(attachment, MAX_MOVED),
  onTheWay: list(sentPrompt, MAX_MOVED),
  takenBack: list(sentPrompt, MAX_MOVED),
});

const movedTab = {
  tabId,
  /** Absent until they are known. */
  agent: v.exactOptional(v.object({ id, name: text(4_096) })),
  cwd: v.exactOptional(filled(4_096)),
  title: text(4_096),
  drafts,
};
const movedTabOf = v.object(movedTab);
/** A tab on its way between the chat view and an editor, with its unsent content. */
export type MovedTab = Infer<typeof movedTabOf>;

const reviewAction = v.picklist(["open", "keep", "undo"]);
export type ReviewAction = Infer<typeof reviewAction>;

const ownMessages = v.variant("type", [
  /**
   * Sent at start, when the page misses a message, and on `requestReplay`. Contains only the tabs that need an
   * answer.
   */
  v.object({
    type: v.literal("webviewReady"),
    tabs: list(tabPosition, MAX_TABS),
  }),
  /** `agentId`: the tab's agent; default: the agent of new tabs. */
  v.object({ type: v.literal("newTab"), tabId, agentId: v.exactOptional(id) }),
  /** Opens the conversation of another window in this tab, which is closed. */
  v.object({ type: v.literal("takeOver"), tabId, agentId: id, cwd: filled(4_096) }),
  v.object({ type: v.literal("closeTab"), tabId }),
  /**
   * Stores the beginning of the conversation as the new conversation `newId`; answered by `forked`, or by `failed` for
   * this tab. `before`: the entry at which the beginning ends. `choosesAgent`: the host asks the user for an agent.
   */
  v.object({
    type: v.literal("forkSession"),
    tabId,
    newId: tabId,
    before: v.exactOptional(entryId),
    choosesAgent: v.exactOptional(v.literal(true)),
  }),
  /** The user's action on the unreviewed changes of the conversation, or of the turn with this prompt. */
  v.object({ type: v.literal("review"), tabId, action: reviewAction, entryId: v.exactOptional(entryId) }),
  /**
   * Restores the files to before this prompt, after a confirmation. `newId`: then also creates the branch before the
   * prompt with this id, as `forkSession` does.
   */
  v.object({ type: v.literal("rewind"), tabId, entryId, newId: v.exactOptional(tabId) }),
  /** Opens the tab of a stored session; answered by `openTab`, or by `failed` for this tab. */
  v.object({ type: v.literal("openSession"), tabId, conversation: id }),
  /** Passes a tab to another surface. The page keeps the tab until `releaseTab`. */
  v.object({ type: v.literal("moveTab"), to: v.picklist(["view", "editor", "window"]), ...movedTab }),
  /** Opens a new tab in the chat view. Sent by editors, which show one tab each. */
  v.object({ type: v.literal("openInView"), agentId: v.exactOptional(id) }),
  /** The title of the page's tab, sent by editors. */
  v.object({ type: v.literal("titleChanged"), title: text(4_096) }),
  v.object({ type: v.literal("selectTab"), tabId }),
  /** The page has received or lost the keyboard focus. */
  v.object({ type: v.literal("focusChanged"), hasFocus: v.boolean() }),
  v.object({
    type: v.literal("prompt"),
    tabId,
    messageId: id,
    text: long,
    attachments: v.exactOptional(attachments),
  }),
  /**
   * Searches suggestions for the text after an `@`; answered by `mentionsFound` with the same `requestNumber`, unless a
   * newer search has arrived.
   */
  v.object({ type: v.literal("findMentions"), requestNumber: count, query: text(1_000) }),
  /** Answered by `attach` for this tab, or by `failed`. */
  v.object({ type: v.literal("requestContext"), tabId, source: contextSource }),
  /** The user selected Allow Everything. The host asks for confirmation and for the end of the bypass. */
  v.object({ type: v.literal("bypass"), tabId }),
  v.object({ type: v.literal("action"), tabId, action: actionId }),
  /** Makes it the agent for new tabs. A detected agent is added to the settings first. */
  v.object({ type: v.literal("selectAgent"), agentId: id }),
  /** Disables these agent extensions in the user's settings. */
  v.object({ type: v.literal("disableExtensions"), ids: list(id, MAX_TABS) }),
  /** Opens the text that the enabled extensions add to prompts, to be read only. */
  v.object({ type: v.literal("previewExtensions") }),
  /** `preview`: opens a file of follow mode without moving the focus. */
  v.object({ type: v.literal("openLink"), href: filled(8_192), preview: v.exactOptional(v.literal(true)) }),
  v.object({ type: v.literal("openDiff"), tabId, ...change }),
  /** Inserts the code of an answer at the cursor of the last active text editor. */
  v.object({ type: v.literal("insertCode"), tabId, code: long }),
  /**
   * Shows the code of an answer as a change of a file. Without a known file, that of the last active editor, or a file
   * that the user picks.
   */
  v.object({ type: v.literal("applyCode"), tabId, code: long, ...codeFiles }),
  /** Finds the files with names in an answer; answered by `filesFound`. */
  v.object({ type: v.literal("findFiles"), tabId, names: list(filled(1_024), 200) }),
  /** Opens the symbol of the workspace with this name. The user picks one of several. */
  v.object({ type: v.literal("openSymbol"), tabId, name: filled(200) }),
  /** Opens the text of an attachment, to be read only. */
  v.object({ type: v.literal("openText"), title: text(1_000), text: long }),
  /** Opens the terminal's content as the page shows it now. */
  v.object({
    type: v.literal("openTerminal"),
    tabId,
    command: text(10_000),
    output: shownText,
    exit: v.exactOptional(v.object({ code: v.exactOptional(finite), signal: v.exactOptional(text(100)) })),
  }),
  /**
   * Number of events and snapshots that the page has handled since its start. The host stops posting if too many are
   * unacknowledged.
   */
  v.object({ type: v.literal("ack"), handled: count }),
  v.object({
    type: v.literal("log"),
    level: v.picklist(["error", "warn", "info", "debug"]),
    message: text(4_096),
    data: v.exactOptional(json(16_384)),
  }),
]);

const actionMessages = Object.entries(sessionActions).map(([name, { entries }]) =>
  v.object({ type: v.literal(name), tabId, ...entries }),
);

export type PageToHost = Infer<typeof ownMessages> | ActionMessage;

export const pageToHost = v.variant("type", [...ownMessages.options, ...actionMessages]) as Schema<PageToHost>;
