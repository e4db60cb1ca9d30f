/**
 * The chat on screen; the only module that uses mynah-ui (4.39). Tabs have Symposium's ids, cards have their keys.
 *
 * Invariants:
 * - The selected tab shows the view last passed to `show`, whatever mynah stores.
 * - Only the title of a hidden tab is drawn; the rest is drawn before the tab becomes visible.
 * - An unchanged card is not touched.
 * - `acts` receives only actions of the user, never changes made by this module.
 * - All text that mynah renders is sanitized before (`markdown-safe.ts`).
 * - Links open only through `acts.linkClicked`.
 */
import { ChatItemType, MynahUI, type ChatItem } from "@aws/mynah-ui";
import type { AgentChoice } from "../../src/protocol/agents/agents";
import type { Mention } from "../../src/protocol/chat/attachments";
import type { TabId } from "../../src/protocol/page/host-to-page";
import type { Acts } from "../view-model/tab/user-actions";
import { changeOf, pageChoice } from "../view-model/cards/buttons";
import type { Card } from "../view-model/cards/card";
import { bannerItem, itemContent } from "./card-item";
import { CardList, type CardScreen } from "../view-model/cards/card-list";
import { EARLIER } from "../view-model/cards/card-diff";
import { AGENT, pickersOf, type Picker } from "../view-model/tab/controls";
import { PersistedFocus } from "./persisted-focus";
import { cardElement, chatOf } from "./elements";
import { openLinksOnlyThrough } from "./links";
import { selectors } from "./selectors";
import { pageClock } from "../page-clock";
import { PromptInput } from "./prompt-input";
import { TabParts } from "./tab-parts";
import type { TabView } from "../view-model/tab/tab-view";
import { texts } from "../view-model/text/chat-texts";

export type { Acts } from "../view-model/tab/user-actions";

interface Place {
  readonly mynahId: string;
  /** The view last passed to `show`, and the view last drawn. */
  view: TabView | undefined;
  drawn: TabView | undefined;
  /** The last view whose cards are all on screen. */
  complete: TabView | undefined;
  title: string;
  readonly list: CardList;
  readonly parts: TabParts;
}

export class ChatUi {
  readonly #mynah: MynahUI;
  readonly #input: PromptInput;
  readonly #focus: PersistedFocus;
  readonly #places = new Map<TabId, Place>();
  readonly #tabIds = new Map<string, TabId>();
  /** Set while this module opens or selects a tab, because mynah reports that like an action of the user. */
  #doing:
    | { readonly kind: "nothing" }
    | { readonly kind: "opening"; readonly tabId: TabId }
    | { readonly kind: "selecting" } = { kind: "nothing" };
  #agents: readonly AgentChoice[] = [];
  /** Agent of a tab that shows nothing yet. */
  #newAgent: AgentChoice = { id: "", name: "" };

  /** `complete` is called when a drawing of several frames has finished. */
  constructor(
    private readonly root: HTMLElement,
    private readonly acts: Acts,
    private readonly newTabId: () => TabId,
    maxTabs: number,
    private readonly complete: () => void,
  ) {
    this.#input = new PromptInput(root, (mynahId, text) => {
      this.#place(mynahId)?.parts.typed();
      this.#withTab(mynahId, tabId => acts.typed(tabId, text));
    });
    this.#focus = new PersistedFocus(root, () => this.#input.focus(this.#mynah.getSelectedTabId() ?? ""));
    openLinksOnlyThrough(root, href => acts.linkClicked(href));
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
      },
      onTabAdd: mynahId => this.#added(mynahId),
      onTabChange: mynahId => {
        this.#drawLatest(this.#place(mynahId));
        if (this.#doing.kind === "nothing")
          this.#withTab(mynahId, tabId => {
            acts.selected(tabId);
            if (!document.activeElement?.matches("[role=tab]:focus-visible")) this.#input.focus(mynahId);
          });
      },
      onTabRemove: mynahId =>
        this.#withTab(mynahId, tabId => {
          this.#tabIds.delete(mynahId);
          this.#places.delete(tabId);
          acts.closed(tabId);
        }),
      onBeforeTabRemove: mynahId => (this.#place(mynahId)?.view?.turn ?? "idle") === "idle",
      onChatPrompt: (mynahId, { prompt }) => this.#withTab(mynahId, tabId => acts.submitted(tabId, prompt ?? "")),
      onStopChatResponse: mynahId => this.#withTab(mynahId, tabId => acts.stopped(tabId)),
      onInBodyButtonClicked: (mynahId, cardKey, { id }) =>
        this.#withTab(mynahId, tabId => this.#clicked(tabId, cardKey, id)),
      onPromptInputOptionChange: (mynahId, values) => this.#withTab(mynahId, tabId => this.#picked(tabId, values)),
    });
  }

  /** Opens the tab and selects it; `false` if mynah has no room. */
  open(tabId: TabId): boolean {
    if (this.#places.has(tabId)) return true;
    this.#doing = { kind: "opening", tabId };
    const mynahId = this.#mynah.updateStore("", {});
    this.#doing = { kind: "nothing" };
    return mynahId !== undefined;
  }

  select(tabId: TabId): void {
    const place = this.#places.get(tabId);
    if (!place || this.#mynah.getSelectedTabId() === place.mynahId) return;
    this.#doing = { kind: "selecting" };
    this.#mynah.selectTab(place.mynahId);
    this.#doing = { kind: "nothing" };
    this.#drawLatest(place);
  }

  fill(tabId: TabId, text: string): void {
    const place = this.#places.get(tabId);
    if (place) this.#input.fill(place.mynahId, text);
  }

  /** Immediately, or as soon as the page gets the focus. */
  focusPrompt(tabId: TabId): void {
    const place = this.#places.get(tabId);
    if (place) this.#input.focusWhenThere(place.mynahId);
  }

  /** Shows suggestions for the text after the `@`. */
  offer(tabId: TabId, query: string, mentions: readonly Mention[]): void {
    this.#places.get(tabId)?.parts.offer(query, mentions);
  }

  showAgents(agents: readonly AgentChoice[], currentAgentId: string): void {
    this.#agents = agents;
    this.#newAgent = agents.find(({ id }) => id === currentAgentId) ?? { id: currentAgentId, name: currentAgentId };
    for (const place of this.#places.values()) this.#showPickers(place, place.view);
  }

  show(tabId: TabId, view: TabView): void {
    const place = this.#places.get(tabId);
    if (!place) return;
    place.view = view;
    if (this.#mynah.getSelectedTabId() === place.mynahId) this.#draw(place, view);
    else this.#showTitle(place, view);
  }

  #drawLatest(place: Place | undefined): void {
    if (place?.view && place.view !== place.complete) this.#draw(place, place.view);
  }

  #draw(place: Place, view: TabView): void {
    const before = place.drawn;
    this.#inPlace(place, () => {
      this.#showTitle(place, view);
      this.#showAround(place, view);
      place.drawn = view;
      if (before?.controls !== view.controls || before.live !== view.live || before.agent !== view.agent)
        this.#showPickers(place, view);
      place.parts.show(view);
      this.#showCards(place, view);
    });
  }

  /** Wraps changes that remove or recreate cards: the scroll position is kept and the focus is never lost. */
  #inPlace({ parts }: Place, draw: () => void): void {
    this.#focus.around(() => {
      const follow = parts.follow();
      draw();
      follow();
    });
  }

  // --- around the cards

  #showTitle(place: Place, { title }: TabView): void {
    if (place.title !== title) this.#mynah.updateStore(place.mynahId, { tabTitle: title });
    place.title = title;
  }

  #showAround({ mynahId, drawn: before }: Place, view: TabView): void {
    const set = (changes: Parameters<MynahUI["updateStore"]>[1]) => this.#mynah.updateStore(mynahId, changes);
    if (before?.placeholder !== view.placeholder) set({ promptInputPlaceholder: view.placeholder });
    if (before?.turn !== view.turn) set({ loadingChat: view.turn === "starting" || view.turn === "running" });
    if ((before?.status ?? "") !== view.status) set({ promptInputInfo: view.status });
    if (JSON.stringify(before?.banner) !== JSON.stringify(view.banner))
      set({ promptInputStickyCard: view.banner ? bannerItem(view.banner) : null });
  }

  // --- pickers at the prompt

  #showPickers({ parts }: Place, view: TabView | undefined): void {
    parts.pickers.show(
      pickersOf(this.#agents, view?.agent ?? this.#newAgent, view?.controls ?? [], view?.live ?? false),
    );
  }

  #drawPickers(mynahId: string, pickers: readonly Picker[]): void {
    this.#mynah.updateStore(mynahId, {
      promptInputOptions: pickers.map(({ id, tooltip, value, choices, disabled }) => ({
        type: "select",
        id,
        title: id === AGENT ? texts.agentLabel : "",
        value,
        mandatory: true,
        hideMandatoryIcon: true,
        border: false,
        autoWidth: true,
        selectTooltip: tooltip,
        disabled,
        options: choices.map(({ value, label }) => ({ value, label })),
      })),
    });
  }

  #picked(tabId: TabId, values: Readonly<Record<string, unknown>>): void {
    const place = this.#places.get(tabId);
    const choice = place?.parts.pickers.changed(place.view?.controls ?? [], values);
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
      takeBody: key => change(key, { body: null }),
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

  #showCards(place: Place, view: TabView): void {
    const isWhole = place.list.draw(view.cards);
    place.parts.dress(place.list.cards);
    if (isWhole) place.complete = view;
    else this.#goOn(place);
  }

  /** A drawing that exceeds one frame continues in the next frames, so that key presses are handled between them. */
  #goOn(place: Place): void {
    requestAnimationFrame(() => {
      if (!this.isDrawing(place)) return;
      const { view } = place;
      if (view) this.#inPlace(place, () => this.#showCards(place, view));
      if (!this.isDrawing(place)) this.complete();
    });
  }

  /** Whether the tab is visible but not completely drawn. */
  isDrawing(which: Place | TabId): boolean {
    const place = typeof which === "string" ? this.#places.get(which) : which;
    return place !== undefined && place.view !== place.complete && this.#mynah.getSelectedTabId() === place.mynahId;
  }

  #clicked(tabId: TabId, cardKey: string, buttonId: string): void {
    const choice = pageChoice(buttonId);
    const change = changeOf(
      this.#places.get(tabId)?.list.cards.find(({ key }) => key === cardKey)?.changes ?? [],
      buttonId,
    );
    if (change) this.acts.openDiff(tabId, change);
    else if (cardKey === EARLIER) this.#showEarlier(tabId);
    else if (choice) this.acts.elicitationAnswered(tabId, cardKey, choice);
    else this.acts.buttonClicked(tabId, cardKey, buttonId);
  }

  #showEarlier(tabId: TabId): void {
    const place = this.#places.get(tabId);
    const view = place?.view;
    if (!view) return;
    this.#inPlace(place, () => {
      place.list.showEarlier(view.cards);
      this.#showCards(place, view);
    });
  }

  // --- tabs

  #added(mynahId: string): void {
    const byUser = this.#doing.kind !== "opening";
    const tabId = this.#doing.kind === "opening" ? this.#doing.tabId : this.newTabId();
    this.#tabIds.set(mynahId, tabId);
    const wrapper = chatOf(this.root, mynahId) ?? this.root;
    const place: Place = {
      mynahId,
      view: undefined,
      drawn: undefined,
      complete: undefined,
      title: "",
      list: new CardList(this.#cardScreen(mynahId, wrapper.querySelector(selectors.conversation)), pageClock),
      parts: new TabParts(wrapper, mynahId, tabId, this.#input, this.acts, pickers =>
        this.#drawPickers(mynahId, pickers),
      ),
    };
    this.#places.set(tabId, place);
    this.#input.watch(mynahId);
    this.#showPickers(place, undefined);
    if (!byUser) return;
    this.acts.opened(tabId);
    this.#input.focus(mynahId);
  }

  #place(mynahId: string): Place | undefined {
    const tabId = this.#tabIds.get(mynahId);
    return tabId === undefined ? undefined : this.#places.get(tabId);
  }

  #withTab(mynahId: string, act: (tabId: TabId) => void): void {
    const tabId = this.#tabIds.get(mynahId);
    if (tabId !== undefined) act(tabId);
  }
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
