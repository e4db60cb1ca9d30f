/**
 * Draws the chat. The only module that imports mynah-ui (4.39). Callers address tabs and cards by Symposium's ids and
 * keys. The cards of a tab: `tab-cards.ts`.
 *
 * Invariants:
 * - The selected tab shows the view last passed to `show`, regardless of mynah's store.
 * - A hidden tab draws only its title. Its other parts are drawn when it is selected.
 * - `acts` receives only actions of the user, never changes made by this module.
 * - All text is sanitized before mynah renders it (`markdown-safe.ts`).
 * - Links open only through `acts.linkClicked`.
 */
import { ChatItemType, MynahUI, type ChatItem } from "@aws/mynah-ui";
import type { AgentChoice } from "../../src/protocol/agents/agents";
import type { Mention } from "../../src/protocol/chat/attachments";
import type { CodeColors } from "../../src/protocol/page/code-colors";
import type { TabId } from "../../src/protocol/page/host-to-page";
import type { UserActionHandlers } from "../view-model/tab/user-action-handlers";
import { changeOf, pageChoice } from "../view-model/cards/buttons";
import type { Card } from "../view-model/cards/card";
import { bannerItem, itemContent } from "./card-item";
import type { CardScreen } from "../view-model/cards/card-list";
import { EARLIER, LATER, NEWEST } from "../view-model/cards/card-diff";
import { picked, pickersOf } from "../view-model/tab/controls";
import { FocusKeeper } from "./focus-keeper";
import { cardElement, chatOf, closeButtonOf, firstVisibleCard } from "./elements";
import { zoomPictures } from "../components/lightbox";
import { openLinksOnlyThrough } from "./links";
import { selectors } from "./selectors";
import { PromptInput } from "./prompt-input";
import { TabCards } from "./tab-cards";
import { TabParts } from "./tab-parts";
import type { TabView } from "../view-model/tab/tab-view";
import { codeStyles } from "../view-model/text/code-styles";
import { texts } from "../view-model/text/chat-texts";

export type { UserActionHandlers as Acts } from "../view-model/tab/user-action-handlers";

interface OpenTab {
  readonly mynahId: string;
  /** The view last passed to `show`, and the view last drawn. */
  view: TabView | undefined;
  drawn: TabView | undefined;
  title: string;
  readonly parts: TabParts;
  readonly cards: TabCards;
}

export class ChatUi {
  readonly #mynah: MynahUI;
  readonly #input: PromptInput;
  readonly #focus: FocusKeeper;
  readonly #codeStyle = document.createElement("style");
  readonly #openTabs = new Map<TabId, OpenTab>();
  readonly #tabIds = new Map<string, TabId>();
  /** Set while this module changes the tabs, because mynah reports such a change like an action of the user. */
  #ownAction:
    | { readonly kind: "nothing" }
    | { readonly kind: "opening"; readonly tabId: TabId }
    | { readonly kind: "selecting" | "closing" } = { kind: "nothing" };
  #agents: readonly AgentChoice[] = [];
  /** Agent of a tab without a view. */
  #newAgent: AgentChoice = { id: "", name: "" };

  /** `complete` is called when a drawing of several frames has finished. */
  constructor(
    private readonly root: HTMLElement,
    private readonly acts: UserActionHandlers,
    private readonly newTabId: () => TabId,
    maxTabs: number,
    private readonly complete: () => void,
  ) {
    document.head.append(this.#codeStyle);
    this.#input = new PromptInput(root, (mynahId, text) => {
      this.#openTab(mynahId)?.parts.typed();
      this.#withTab(mynahId, tabId => acts.typed(tabId, text));
    });
    this.#focus = new FocusKeeper(root, () => this.#input.focus(this.#mynah.getSelectedTabId() ?? ""));
    zoomPictures(root, selectors.picture);
    openLinksOnlyThrough(root, href => acts.linkClicked(href));
    root.addEventListener("focusin", ({ target }) => {
      if (target instanceof Element) acts.focusMoved(this.#cardAround(target));
    });
    this.#mynah = new MynahUI({
      rootSelector: `#${root.id}`,
      tabs: {},
      defaults: { store: { tabTitle: "Chat", cancelButtonWhenLoading: true, chatItems: [] } },
      config: {
        texts,
        maxTabs,
        maxUserInput: 500_096,
        userInputLengthWarningThreshold: 490_000,
        autoFocus: false,
        disableTypewriterAnimation: true,
        test: true,
        codeInsertToCursorEnabled: false,
        codeCopyToClipboardEnabled: false,
      },
      onTabAdd: mynahId => this.#added(mynahId),
      onTabChange: mynahId => {
        this.#drawLatest(this.#openTab(mynahId));
        if (this.#ownAction.kind === "nothing")
          this.#withTab(mynahId, tabId => {
            acts.selected(tabId);
            if (!document.activeElement?.matches("[role=tab]:focus-visible")) this.#input.focus(mynahId);
          });
      },
      onTabRemove: mynahId =>
        this.#withTab(mynahId, tabId => {
          this.#tabIds.delete(mynahId);
          this.#openTabs.delete(tabId);
          acts.closed(tabId);
        }),
      onBeforeTabRemove: mynahId =>
        this.#ownAction.kind === "closing" || (this.#openTab(mynahId)?.view?.turn ?? "idle") === "idle",
      onChatPrompt: (mynahId, { prompt }) =>
        this.#withTab(mynahId, tabId => {
          const tab = this.#openTabs.get(tabId);
          tab?.parts.followNewest();
          tab?.cards.showNewest();
          acts.submitted(tabId, prompt ?? "");
        }),
      onStopChatResponse: mynahId => this.#withTab(mynahId, tabId => acts.stopped(tabId)),
      onInBodyButtonClicked: (mynahId, cardKey, { id }) =>
        this.#withTab(mynahId, tabId => this.#clicked(tabId, cardKey, id)),
    });
  }

  /** Opens the tab and selects it. Returns `false` at mynah's tab limit. */
  open(tabId: TabId): boolean {
    if (this.#openTabs.has(tabId)) return true;
    this.#ownAction = { kind: "opening", tabId };
    const mynahId = this.#mynah.updateStore("", {});
    this.#ownAction = { kind: "nothing" };
    return mynahId !== undefined;
  }

  select(tabId: TabId): void {
    const tab = this.#openTabs.get(tabId);
    if (!tab || this.#mynah.getSelectedTabId() === tab.mynahId) return;
    this.#ownAction = { kind: "selecting" };
    this.#mynah.selectTab(tab.mynahId);
    this.#ownAction = { kind: "nothing" };
    this.#drawLatest(tab);
  }

  /**
   * Closes the tab, also during a turn. mynah's own method requires the id of an event. The page then receives
   * `closed`, as after an action of the user.
   */
  close(tabId: TabId): void {
    const tab = this.#openTabs.get(tabId);
    if (!tab) return;
    this.#ownAction = { kind: "closing" };
    closeButtonOf(this.root, tab.mynahId)?.click();
    this.#ownAction = { kind: "nothing" };
  }

  fill(tabId: TabId, text: string): void {
    const tab = this.#openTabs.get(tabId);
    if (tab) this.#input.fill(tab.mynahId, text);
  }

  /** Focuses the prompt now, or when the page gets the focus shortly afterwards. */
  focusPrompt(tabId: TabId): void {
    const tab = this.#openTabs.get(tabId);
    if (tab) this.#input.focusOrDefer(tab.mynahId);
  }

  /** Focuses the card of a question, also if the newest cards are not drawn. */
  focusQuestion(tabId: TabId, key: string): void {
    const tab = this.#openTabs.get(tabId),
      chat = tab && chatOf(this.root, tab.mynahId);
    tab?.cards.showNewest();
    if (chat) cardElement(chat, key)?.focus();
  }

  focusFind(tabId: TabId, query: string): void {
    this.#openTabs.get(tabId)?.parts.focusFind(query);
  }

  /** Opens find in this tab, with the selected text of its conversation. */
  openFind(tabId: TabId): void {
    const tab = this.#openTabs.get(tabId),
      list = tab && chatOf(this.root, tab.mynahId)?.querySelector(selectors.conversation);
    if (list) this.acts.findOpened(tabId, firstVisibleCard(list), selectedLine(list));
  }

  /** Shows suggestions for the text after the `@`. */
  offer(tabId: TabId, query: string, mentions: readonly Mention[]): void {
    this.#openTabs.get(tabId)?.parts.offer(query, mentions);
  }

  showAgents(agents: readonly AgentChoice[], currentAgentId: string): void {
    this.#agents = agents;
    this.#newAgent = agents.find(({ id }) => id === currentAgentId) ?? { id: currentAgentId, name: currentAgentId };
    for (const tab of this.#openTabs.values()) this.#showPickers(tab, tab.view);
  }

  /** Colors code like the editor; without colors, in the page's own. */
  colorCode(colors: CodeColors | undefined): void {
    this.root.dataset["codeColors"] = colors === undefined ? "own" : "theme";
    this.#codeStyle.textContent = colors === undefined ? "" : codeStyles(colors, "#symposium .hljs");
  }

  show(tabId: TabId, view: TabView): void {
    const tab = this.#openTabs.get(tabId);
    if (!tab) return;
    tab.view = view;
    if (this.#mynah.getSelectedTabId() === tab.mynahId) this.#draw(tab, view);
    else this.#showTitle(tab, view);
  }

  #drawLatest(tab: OpenTab | undefined): void {
    if (tab?.view && !tab.cards.isComplete) this.#draw(tab, tab.view);
  }

  #draw(tab: OpenTab, view: TabView): void {
    const before = tab.drawn;
    tab.cards.draw(view, () => {
      this.#showTitle(tab, view);
      this.#showAround(tab, view);
      tab.drawn = view;
      if (before?.controls !== view.controls || before.live !== view.live || before.agent !== view.agent)
        this.#showPickers(tab, view);
      tab.parts.show(view);
    });
  }

  /** Whether the tab is visible but not completely drawn. */
  isDrawing(tabId: TabId): boolean {
    return this.#openTabs.get(tabId)?.cards.isDrawing === true;
  }

  // --- around the cards

  #showTitle(tab: OpenTab, { title }: TabView): void {
    if (tab.title !== title) this.#mynah.updateStore(tab.mynahId, { tabTitle: title });
    tab.title = title;
  }

  #showAround({ mynahId, drawn: before }: OpenTab, view: TabView): void {
    const set = (changes: Parameters<MynahUI["updateStore"]>[1]) => this.#mynah.updateStore(mynahId, changes);
    if (before?.placeholder !== view.placeholder) set({ promptInputPlaceholder: view.placeholder });
    if (before?.turn !== view.turn) set({ loadingChat: view.turn === "starting" || view.turn === "running" });
    if (JSON.stringify(before?.banner) !== JSON.stringify(view.banner))
      set({ promptInputStickyCard: view.banner ? bannerItem(view.banner) : null });
  }

  // --- pickers at the prompt

  #showPickers({ parts }: OpenTab, view: TabView | undefined): void {
    parts.pickers.show(
      pickersOf(this.#agents, view?.agent ?? this.#newAgent, view?.controls ?? [], view?.live ?? false),
      view?.picture,
    );
  }

  #picked(tabId: TabId, pickerId: string, value: string): void {
    const choice = picked(pickerId, value, this.#openTabs.get(tabId)?.view?.controls ?? []);
    if (choice?.kind === "agent") this.acts.agentChosen(choice.agentId);
    else if (choice) this.acts.controlChosen(tabId, choice.controlId, choice.value);
  }

  // --- cards

  #cardScreen(mynahId: string, list: Element | null): CardScreen {
    const element = (key: string) => list && cardElement(list, key);
    const change = (key: string, item: Partial<ChatItem>) =>
      this.#mynah.updateChatAnswerWithMessageId(mynahId, key, item);
    return {
      clear: () => this.#mynah.updateStore(mynahId, { chatItems: [] }),
      add: card => this.#mynah.addChatItem(mynahId, itemOf(card, "new")),
      change: card => change(card.key, itemOf(card, "update")),
      end: card => this.#mynah.endMessageStream(mynahId, card.key, itemOf(card, "update")),
      clearBody: key => change(key, { body: null }),
      // mynah discards empty elements when it adds the next card.
      remove: key => {
        const card = element(key),
          group = card?.parentElement;
        change(key, NOTHING);
        card?.remove();
        if (group && group !== list?.lastElementChild && !group.querySelector(`:scope > ${selectors.card}`))
          group.remove();
      },
      putFirst: key => {
        const card = element(key);
        if (card) list?.firstElementChild?.prepend(card);
      },
    };
  }

  #clicked(tabId: TabId, cardKey: string, buttonId: string): void {
    const cards = this.#openTabs.get(tabId)?.cards,
      choice = pageChoice(buttonId),
      change = changeOf(cards?.drawn.find(({ key }) => key === cardKey)?.changes ?? [], buttonId);
    if (change) this.acts.openDiff(tabId, change);
    else if (cardKey === EARLIER) cards?.showEarlier();
    else if (buttonId === NEWEST) cards?.showNewest();
    else if (cardKey === LATER) cards?.showLater();
    else if (choice) this.acts.elicitationAnswered(tabId, cardKey, choice);
    else this.acts.buttonClicked(tabId, cardKey, buttonId);
  }

  #cardAround(element: Element): { readonly tabId: TabId; readonly key: string } | undefined {
    const key = element.closest(selectors.outerCard)?.getAttribute("messageid"),
      tabId = this.#tabIds.get(element.closest(selectors.chat)?.getAttribute("mynah-tab-id") ?? "");
    return key && tabId !== undefined ? { tabId, key } : undefined;
  }

  // --- tabs

  #added(mynahId: string): void {
    const byUser = this.#ownAction.kind !== "opening";
    const tabId = this.#ownAction.kind === "opening" ? this.#ownAction.tabId : this.newTabId();
    this.#tabIds.set(mynahId, tabId);
    const wrapper = chatOf(this.root, mynahId) ?? this.root;
    const parts = new TabParts(wrapper, mynahId, tabId, this.#input, this.acts, {
      picked: (pickerId, value) => this.#picked(tabId, pickerId, value),
      pressed: (cardKey, buttonId) => this.#clicked(tabId, cardKey, buttonId),
      startReached: () => tab.cards.extendUp(),
      continues: () => tab.cards.isBeforeEnd,
    });
    const tab: OpenTab = {
      mynahId,
      view: undefined,
      drawn: undefined,
      title: "",
      parts,
      cards: new TabCards({
        screen: this.#cardScreen(mynahId, wrapper.querySelector(selectors.conversation)),
        parts,
        focus: this.#focus,
        view: () => tab.view,
        isSelected: () => this.#mynah.getSelectedTabId() === mynahId,
        earlierWanted: () => this.acts.acted(tabId, { kind: "showEarlier" }),
        completed: this.complete,
      }),
    };
    this.#openTabs.set(tabId, tab);
    this.#input.watch(mynahId);
    this.#showPickers(tab, undefined);
    if (!byUser) return;
    this.acts.opened(tabId);
    this.#input.focus(mynahId);
  }

  #openTab(mynahId: string): OpenTab | undefined {
    const tabId = this.#tabIds.get(mynahId);
    return tabId === undefined ? undefined : this.#openTabs.get(tabId);
  }

  #withTab(mynahId: string, act: (tabId: TabId) => void): void {
    const tabId = this.#tabIds.get(mynahId);
    if (tabId !== undefined) act(tabId);
  }
}

/** The text selected in this list, if it is a part of one line. */
function selectedLine(list: Element): string | undefined {
  const selection = document.getSelection(),
    text = selection?.toString().trim() ?? "";
  return list.contains(selection?.anchorNode ?? null) && text !== "" && text.length <= 200 && !text.includes("\n")
    ? text
    : undefined;
}

/** Clears all content of a card. */
const NOTHING: Partial<ChatItem> = { header: null, body: null, customRenderer: null, summary: null, buttons: null };

function itemOf(card: Card, how: "new" | "update"): ChatItem {
  const messageId = card.key;
  if (card.kind === "prompt") return { type: ChatItemType.PROMPT, messageId, body: card.body };
  if (card.kind === "answer")
    return { type: card.growing ? ChatItemType.ANSWER_STREAM : ChatItemType.ANSWER, messageId, body: card.body };
  return { type: ChatItemType.ANSWER, messageId, ...itemContent(card, how) };
}
