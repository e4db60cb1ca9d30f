/** Converts the user's actions to events of the page. */
import type { Entry } from "../../src/protocol/chat/chat";
import type { TabId } from "../../src/protocol/page/host-to-page";
import type { UserActionHandlers } from "../view-model/tab/user-action-handlers";
import type { IntakeResult } from "../components/image-intake";
import { PendingImages } from "../components/pending-images";
import type { UiEvent, Page } from "../state/page-model";
import { keyOf, meaningOf } from "../view-model/cards/render";
import { entryKeyOf } from "../view-model/tab/find-view";

export interface Acted {
  happen(event: UiEvent): void;
  readonly page: Page;
}

export interface UserActionDeps {
  /** Available when the first action arrives. */
  loop(): Acted;
  messageId(): string;
  takeImages(files: readonly File[]): Promise<IntakeResult>;
  focusPrompt(tabId: TabId): void;
}

export function createUserActionHandlers({
  loop,
  messageId,
  takeImages,
  focusPrompt,
}: UserActionDeps): UserActionHandlers {
  const happen = (event: UiEvent): void => loop().happen(event);
  const intakes = new PendingImages();
  const entryOf = (tabId: TabId, cardKey: string): Entry | undefined =>
    loop()
      .page.tabs.get(tabId)
      ?.conversation.entries.find(({ id }) => keyOf(id) === cardKey);

  async function taken(tabId: TabId, files: readonly File[]): Promise<void> {
    const { attachments, refusals } = await takeImages(files);
    if (attachments.length > 0) happen({ kind: "attached", tabId, attachments });
    if (refusals.length > 0) happen({ kind: "notTaken", tabId, why: refusals.join(" ") });
    focusPrompt(tabId);
  }

  return {
    opened: tabId => happen({ kind: "opened", tabId }),
    closed: tabId => happen({ kind: "closed", tabId }),
    selected: tabId => happen({ kind: "selected", tabId }),
    typed: (tabId, text) => happen({ kind: "typed", tabId, text }),
    submitted: (tabId, text) =>
      intakes.after(tabId, () => happen({ kind: "submitted", tabId, messageId: messageId(), text })),
    stopped: tabId => happen({ kind: "stopped", tabId }),
    attached: (tabId, attachments) => happen({ kind: "attached", tabId, attachments }),
    attachmentOpened: (tabId, attachment) => happen({ kind: "attachmentOpened", tabId, attachment }),
    detached: (tabId, attachment) => happen({ kind: "detached", tabId, attachment }),
    requestContext: (tabId, source) => happen({ kind: "contextRequested", tabId, source }),
    searched: (tabId, query) => happen({ kind: "searched", tabId, query }),
    suggested: (tabId, text) => happen({ kind: "suggested", tabId, text }),
    demoStarted: tabId => happen({ kind: "demoStarted", tabId }),
    extensionsDisabled: ids => happen({ kind: "extensionsDisabled", ids }),
    extensionsPreviewed: () => happen({ kind: "extensionsPreviewed" }),
    imagesGiven: (tabId, files) => intakes.add(tabId, taken(tabId, files)),
    withdrawn: (tabId, messageId, to) => happen({ kind: "withdrawn", tabId, messageId, to }),
    acted: (tabId, action) => happen({ kind: "acted", tabId, action }),
    reviewed: (tabId, action, entryId) =>
      happen({ kind: "reviewed", tabId, action, ...(entryId === undefined ? {} : { entryId }) }),
    agentChosen: agentId => happen({ kind: "agentChosen", agentId }),
    linkClicked: href => happen({ kind: "linkClicked", href }),
    openDiff: (tabId, change) => happen({ kind: "diffWanted", tabId, ...change }),
    insertCode: (tabId, code) => happen({ kind: "codeInserted", tabId, code }),
    applyCode: (tabId, code, files) => happen({ kind: "codeApplied", tabId, code, ...files }),
    filesNamed: (tabId, names) => happen({ kind: "filesNamed", tabId, names }),
    openSymbol: (tabId, name) => happen({ kind: "symbolWanted", tabId, name }),
    openTerminal: (tabId, terminalId) => happen({ kind: "terminalWanted", tabId, terminalId }),
    findOpened(tabId, firstCard, selection) {
      const origin = firstCard === undefined ? undefined : entryOf(tabId, entryKeyOf(firstCard))?.id;
      happen({
        kind: "findOpened",
        tabId,
        ...(origin === undefined ? {} : { origin }),
        ...(selection === undefined ? {} : { selection }),
      });
    },
    queryTyped: (tabId, query) => happen({ kind: "queryTyped", tabId, query }),
    findStepped: (tabId, by) => happen({ kind: "findStepped", tabId, by }),
    findClosed: tabId => happen({ kind: "findClosed", tabId }),
    followToggled: () => happen({ kind: "followToggled" }),
    controlChosen: (tabId, controlId, value) => happen({ kind: "controlChosen", tabId, controlId, value }),
    questionsSeen: (tabId, cardKeys) =>
      happen({
        kind: "questionsSeen",
        tabId,
        entryIds: cardKeys.flatMap(key => entryOf(tabId, key)?.id ?? []),
      }),
    focusMoved(card) {
      const entry = card && entryOf(card.tabId, card.key);
      happen({ kind: "focusMoved", to: card && entry ? { tabId: card.tabId, entryId: entry.id } : undefined });
    },
    elicitationAnswered(tabId, cardKey, choice) {
      const question = entryOf(tabId, cardKey);
      if (question) happen({ kind: "elicitationAnswered", tabId, elicitationId: question.id, choice });
    },
    buttonClicked(tabId, cardKey, buttonId) {
      const meaning = meaningOf(buttonId);
      if (meaning?.kind === "action")
        return happen({ kind: "actionChosen", tabId, action: meaning.action, messageId: messageId() });
      if (meaning?.kind === "bypass") return happen({ kind: "bypassWanted", tabId });
      if (meaning?.kind === "branch") {
        const prompt = entryOf(tabId, cardKey);
        return (
          prompt && happen({ kind: "branched", tabId, entryId: prompt.id, branch: meaning.branch, newId: messageId() })
        );
      }
      if (meaning?.kind === "rewind") {
        const prompt = entryOf(tabId, cardKey),
          branch = meaning.what === "both" ? { newId: messageId() } : {};
        return prompt && happen({ kind: "rewound", tabId, entryId: prompt.id, ...branch });
      }
      if (meaning?.kind === "newTab")
        return happen({
          kind: "newTabWanted",
          tabId,
          ...(meaning.agentId === undefined ? {} : { agentId: meaning.agentId }),
        });
      const question = entryOf(tabId, cardKey);
      if (meaning?.kind === "permission" && question)
        happen({ kind: "answered", tabId, permissionId: question.id, choice: meaning.choice });
    },
  };
}
