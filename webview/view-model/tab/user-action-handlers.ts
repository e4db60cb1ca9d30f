/** The user's actions on the page: `chat-ui.ts` reports them, `user-action-events.ts` passes them to the page state. */
import type { Attachment, ContextSource } from "../../../src/protocol/chat/attachments";
import type { ControlValue } from "../../../src/protocol/chat/controls";
import type { ElicitationChoice } from "../../../src/protocol/chat/elicitation";
import type { CodeFiles, ReviewAction, TabId } from "../../../src/protocol/page/host-to-page";
import type { PlainAction } from "../../state/page-model";
import type { Change } from "../cards/card";

export interface UserActionHandlers {
  opened(tabId: TabId): void;
  closed(tabId: TabId): void;
  selected(tabId: TabId): void;
  typed(tabId: TabId, text: string): void;
  submitted(tabId: TabId, text: string): void;
  stopped(tabId: TabId): void;
  attached(tabId: TabId, attachments: readonly Attachment[]): void;
  /** Only for an attachment with a text. */
  attachmentOpened(tabId: TabId, attachment: Attachment): void;
  detached(tabId: TabId, attachment: Attachment): void;
  requestContext(tabId: TabId, source: ContextSource): void;
  searched(tabId: TabId, query: string): void;
  suggested(tabId: TabId, text: string): void;
  demoStarted(tabId: TabId): void;
  extensionsDisabled(ids: readonly string[]): void;
  extensionsPreviewed(): void;
  imagesGiven(tabId: TabId, files: readonly File[]): void;
  withdrawn(tabId: TabId, messageId: string, to: "edit" | "drop"): void;
  acted(tabId: TabId, action: PlainAction): void;
  /** Without `entryId`: on all changes of the conversation. */
  reviewed(tabId: TabId, action: ReviewAction, entryId: string | undefined): void;
  buttonClicked(tabId: TabId, cardKey: string, buttonId: string): void;
  agentChosen(agentId: string): void;
  controlChosen(tabId: TabId, controlId: string, value: ControlValue): void;
  /** The values are valid for the form. */
  elicitationAnswered(tabId: TabId, cardKey: string, choice: ElicitationChoice): void;
  linkClicked(href: string): void;
  /** `firstCard`: key of the first visible card. `selection`: the selected text of the conversation. */
  findOpened(tabId: TabId, firstCard: string | undefined, selection: string | undefined): void;
  queryTyped(tabId: TabId, query: string): void;
  findStepped(tabId: TabId, by: 1 | -1): void;
  findClosed(tabId: TabId): void;
  openTerminal(tabId: TabId, terminalId: string): void;
  insertCode(tabId: TabId, code: string): void;
  applyCode(tabId: TabId, code: string, files: CodeFiles): void;
  /** Names in inline code, in the order of the answer. */
  filesNamed(tabId: TabId, names: readonly string[]): void;
  openSymbol(tabId: TabId, name: string): void;
  openDiff(tabId: TabId, change: Change): void;
  followToggled(): void;
  /** `cardKeys`: all question cards of the tab that are on screen. */
  questionsSeen(tabId: TabId, cardKeys: readonly string[]): void;
  /** The focus has moved to this card, or away from all cards. */
  focusMoved(card: { readonly tabId: TabId; readonly key: string } | undefined): void;
}
