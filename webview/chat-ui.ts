/**
 * The chat on screen: the only file that knows mynah-ui (4.39). Tabs by our ids, cards by their keys.
 *
 * Invariants: what is drawn is what was last given to `show`, whatever mynah keeps; a card that did not change is not
 * touched; only acts of the user reach `acts`, never what this file does itself. Everything that mynah renders has been
 * made safe before (`markdown-safe.ts`); a click on a link never leaves the page but through `acts.linkClicked`.
 */
import { ChatItemType, MynahIcons, MynahUI, type ChatItem, type ChatItemButton, type ChatItemContent } from "@aws/mynah-ui";
import type { AgentChoice } from "../src/protocol/agents";
import type { TabId } from "../src/protocol/webview";
import { showEarlier, slide, wholeWindow, type CardWindow } from "./card-window";
import { openLinksOnlyThrough } from "./links";
import { literal } from "./markdown-safe";
import { PromptInput } from "./prompt-input";
import type { Card, CardButton, CardHeader, CardIcon } from "./render";
import type { Banner, TabView } from "./tab-view";
import { texts } from "./texts";

/** What the user did. */
export interface Acts {
  opened(tabId: TabId): void;
  closed(tabId: TabId): void;
  selected(tabId: TabId): void;
  typed(tabId: TabId, text: string): void;
  submitted(tabId: TabId, text: string): void;
  stopped(tabId: TabId): void;
  buttonClicked(tabId: TabId, cardKey: string, buttonId: string): void;
  agentChosen(agentId: string): void;
  linkClicked(href: string): void;
}

interface Place {
  readonly mynahId: string;
  view: TabView | undefined;
  cards: readonly Card[];
  window: CardWindow;
}

const EARLIER = "symposium-earlier";

export class ChatUi {
  readonly #mynah: MynahUI;
  readonly #input: PromptInput;
  readonly #places = new Map<TabId, Place>();
  readonly #tabIds = new Map<string, TabId>();
  /** Set while this file opens or selects a tab, because mynah reports that as if the user had. */
  #doing: { readonly kind: "nothing" } | { readonly kind: "opening"; readonly tabId: TabId } | { readonly kind: "selecting" } = { kind: "nothing" };
  #agents: readonly AgentChoice[] = [];
  #currentAgentId = "";

  constructor(private readonly root: HTMLElement, private readonly acts: Acts, private readonly newTabId: () => TabId, maxTabs: number) {
    this.#input = new PromptInput(root, (mynahId, text) => this.#withTab(mynahId, tabId => acts.typed(tabId, text)));
    openLinksOnlyThrough(root, href => acts.linkClicked(href));
    this.#mynah = new MynahUI({
      rootSelector: `#${root.id}`,
      tabs: {},
      defaults: { store: { tabTitle: "Chat", cancelButtonWhenLoading: true, chatItems: [] } },
      config: { texts, maxTabs, maxUserInput: 500_096, userInputLengthWarningThreshold: 490_000, autoFocus: false, disableTypewriterAnimation: true, test: true, codeInsertToCursorEnabled: false },
      onTabAdd: mynahId => this.#added(mynahId),
      onTabChange: mynahId => { if (this.#doing.kind === "nothing") this.#withTab(mynahId, tabId => { acts.selected(tabId); this.#input.focus(mynahId); }); },
      onTabRemove: mynahId => this.#withTab(mynahId, tabId => { this.#tabIds.delete(mynahId); this.#places.delete(tabId); acts.closed(tabId); }),
      onBeforeTabRemove: mynahId => (this.#place(mynahId)?.view?.turn ?? "idle") === "idle",
      onChatPrompt: (mynahId, { prompt }) => this.#withTab(mynahId, tabId => acts.submitted(tabId, prompt ?? "")),
      onStopChatResponse: mynahId => this.#withTab(mynahId, tabId => acts.stopped(tabId)),
      onInBodyButtonClicked: (mynahId, cardKey, { id }) => this.#withTab(mynahId, tabId => cardKey === EARLIER ? this.#showEarlier(tabId) : acts.buttonClicked(tabId, cardKey, id)),
      onPromptInputOptionChange: (_, options) => {
        const agentId = options["agent"];
        if (agentId !== undefined && agentId !== this.#currentAgentId) acts.agentChosen(agentId);
      },
    });
  }

  /** Opens the tab and selects it; `false` when mynah has no room. */
  open(tabId: TabId): boolean {
    if (this.#places.has(tabId)) return true;
    this.#doing = { kind: "opening", tabId };
    const mynahId = this.#mynah.updateStore("", { promptInputOptions: this.#agentOptions() });
    this.#doing = { kind: "nothing" };
    return mynahId !== undefined;
  }

  select(tabId: TabId): void {
    const place = this.#places.get(tabId);
    if (!place || this.#mynah.getSelectedTabId() === place.mynahId) return;
    this.#doing = { kind: "selecting" };
    this.#mynah.selectTab(place.mynahId);
    this.#doing = { kind: "nothing" };
  }

  fill(tabId: TabId, text: string): void {
    const place = this.#places.get(tabId);
    if (place) this.#input.fill(place.mynahId, text);
  }

  showAgents(agents: readonly AgentChoice[], currentAgentId: string): void {
    const same = this.#currentAgentId === currentAgentId && JSON.stringify(agents) === JSON.stringify(this.#agents);
    this.#agents = agents;
    this.#currentAgentId = currentAgentId;
    if (!same) for (const { mynahId } of this.#places.values()) this.#mynah.updateStore(mynahId, { promptInputOptions: this.#agentOptions() });
  }

  show(tabId: TabId, view: TabView): void {
    const place = this.#places.get(tabId);
    if (!place) return;
    const focused = document.activeElement;
    this.#showAround(place, view);
    place.view = view;
    this.#showCards(place, view.cards);
    // A button that was pressed may be gone, and would leave the focus nowhere.
    if (focused?.isConnected === false) this.#input.focus(place.mynahId);
  }

  // --- around the cards

  #showAround({ mynahId, view: before }: Place, view: TabView): void {
    const set = (changes: Parameters<MynahUI["updateStore"]>[1]) => this.#mynah.updateStore(mynahId, changes);
    if (before?.title !== view.title) set({ tabTitle: view.title });
    if (before?.placeholder !== view.placeholder) set({ promptInputPlaceholder: view.placeholder });
    if (before?.turn !== view.turn) set({ loadingChat: view.turn === "starting" || view.turn === "running" });
    if ((before?.status ?? "") !== view.status) set({ promptInputInfo: view.status });
    if (JSON.stringify(before?.banner) !== JSON.stringify(view.banner)) set({ promptInputStickyCard: view.banner ? bannerItem(view.banner) : null });
  }

  #agentOptions(): NonNullable<Parameters<MynahUI["updateStore"]>[1]["promptInputOptions"]> {
    if (this.#agents.length === 0) return [];
    return [{
      type: "select", id: "agent", title: texts.agentLabel, value: this.#currentAgentId, mandatory: true, hideMandatoryIcon: true, border: false, autoWidth: true,
      selectTooltip: texts.agentTooltip, options: this.#agents.map(({ id, name }) => ({ value: id, label: name })),
    }];
  }

  // --- cards

  #showCards(place: Place, all: readonly Card[]): void {
    place.window = slide(place.window, all.length);
    const { first } = place.window;
    const cards = first === 0 ? all : [earlier(first), ...all.slice(first)];
    const before = place.cards;
    place.cards = cards;
    const follow = this.#scroll(place.mynahId);
    if (before.length > cards.length || before.some(({ key }, i) => cards[i]?.key !== key)) this.#drawAnew(place, cards);
    else cards.forEach((card, i) => {
      const old = before[i];
      if (old === undefined) this.#mynah.addChatItem(place.mynahId, itemOf(card, "new"));
      else if (!isSame(old, card)) this.#update(place.mynahId, old, card);
    });
    this.#mark(place);
    follow();
  }

  /** What styles and tests find a card by; mynah itself writes `messageid` on the card and on all within it. */
  #mark({ mynahId, cards }: Place): void {
    const kinds = new Map(cards.map(({ key, kind }) => [key, kind]));
    for (const card of this.root.querySelectorAll<HTMLElement>(`[mynah-tab-id="${mynahId}"] .mynah-chat-items-conversation-container > .mynah-chat-item-card:not([data-kind])`)) {
      card.dataset["kind"] = kinds.get(card.getAttribute("messageid") ?? "") ?? "";
    }
  }

  #update(mynahId: string, before: Card, card: Card): void {
    if (before.growing && !card.growing) this.#mynah.endMessageStream(mynahId, card.key, itemOf(card, "update"));
    else this.#mynah.updateChatAnswerWithMessageId(mynahId, card.key, itemOf(card, "update"));
  }

  /** mynah can only add at the end: whatever else changed in the order of cards begins again. */
  #drawAnew({ mynahId }: Place, cards: readonly Card[]): void {
    this.#mynah.updateStore(mynahId, { chatItems: [] });
    if (cards.length > 0) this.#mynah.updateStore(mynahId, { chatItems: cards.map(card => itemOf(card, "new")) });
  }

  #showEarlier(tabId: TabId): void {
    const place = this.#places.get(tabId);
    if (!place?.view) return;
    place.window = showEarlier(place.window);
    this.#showCards(place, place.view.cards);
  }

  /** A reader at the end stays at the end; one who has scrolled away stays there. */
  #scroll(mynahId: string): () => void {
    const list = this.root.querySelector(`.mynah-chat-wrapper[mynah-tab-id="${mynahId}"] .mynah-chat-items-container`);
    if (!list) return () => undefined;
    const { scrollTop } = list;
    const atEnd = list.scrollHeight - scrollTop - list.clientHeight < 40;
    return () => { list.scrollTop = atEnd ? list.scrollHeight : scrollTop; };
  }

  // --- tabs

  #added(mynahId: string): void {
    const byUser = this.#doing.kind !== "opening";
    const tabId = this.#doing.kind === "opening" ? this.#doing.tabId : this.newTabId();
    this.#tabIds.set(mynahId, tabId);
    this.#places.set(tabId, { mynahId, view: undefined, cards: [], window: wholeWindow });
    this.#input.watch(mynahId);
    if (!byUser) return;
    this.#mynah.updateStore(mynahId, { promptInputOptions: this.#agentOptions() });
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

function earlier(count: number): Card {
  return {
    key: EARLIER, kind: "notice", growing: false, header: { icon: "info", text: `${count} earlier cards`, tone: "plain" }, body: "", folded: [], startsUnfolded: false,
    buttons: [{ id: EARLIER, label: literal(texts.showEarlier), weight: "plain" }],
  };
}

function isSame(a: Card, b: Card): boolean {
  return a === b || (a.body === b.body && a.growing === b.growing && JSON.stringify(a) === JSON.stringify(b));
}

// --- Card → ChatItem

/** An update names what is gone, because mynah merges it into what it has, and leaves alone what the user unfolded. */
function itemOf(card: Card, how: "new" | "update"): ChatItem {
  const messageId = card.key;
  if (card.kind === "prompt") return { type: ChatItemType.PROMPT, messageId, body: card.body };
  if (card.kind === "answer") return { type: card.growing ? ChatItemType.ANSWER_STREAM : ChatItemType.ANSWER, messageId, body: card.body };
  const content = headed(card);
  return {
    type: ChatItemType.ANSWER, messageId, fullWidth: true, padding: true, wrapCodes: true,
    ...(card.folded.length === 0 ? { ...content, ...(how === "update" ? { summary: null } : {}) } : {
      header: null, body: null,
      summary: { ...(how === "new" ? { isCollapsed: !card.startsUnfolded } : {}), content, collapsedContent: card.folded.map(body => ({ body, wrapCodes: true })) },
    }),
    buttons: card.buttons.length === 0 ? null : card.buttons.map(buttonItem),
  };
}

function headed({ header, body }: Card): ChatItemContent {
  return { header: header ? headerItem(header) : null, body: body === "" ? null : body };
}

function headerItem({ icon, text, tone, status }: CardHeader): NonNullable<ChatItemContent["header"]> {
  return {
    icon: ICON[icon], body: text, padding: false, ...(tone === "plain" ? {} : { iconForegroundStatus: tone }),
    status: { position: "right", text: status?.text ?? "", ...(status === undefined || status.tone === "plain" ? {} : { status: status.tone }) },
  };
}

function bannerItem({ tone, text, buttons }: Banner): Partial<ChatItem> {
  return {
    messageId: "symposium-banner", fullWidth: true, header: headerItem({ icon: tone === "error" || tone === "warning" ? tone : "info", text, tone }),
    ...(buttons.length > 0 ? { buttons: buttons.map(buttonItem) } : {}),
  };
}

function buttonItem({ id, label, weight, hint }: CardButton): ChatItemButton {
  return { id, text: label, keepCardAfterClick: true, status: WEIGHT[weight], ...(hint === undefined ? {} : { description: hint }) };
}

const WEIGHT: Readonly<Record<CardButton["weight"], NonNullable<ChatItemButton["status"]>>> = { main: "primary", plain: "clear", quiet: "dimmed-clear" };

const ICON: Readonly<Record<CardIcon, MynahIcons>> = {
  tool: MynahIcons.TOOLS, read: MynahIcons.EYE, edit: MynahIcons.PENCIL, delete: MynahIcons.TRASH, execute: MynahIcons.SHELL, search: MynahIcons.SEARCH, fetch: MynahIcons.GLOBE,
  think: MynahIcons.LIGHT_BULB, question: MynahIcons.HELP, plan: MynahIcons.CHECK_LIST, info: MynahIcons.INFO, warning: MynahIcons.WARNING, error: MynahIcons.ERROR,
};

