/**
 * Symposium's own parts of a tab: first screen, line about the start, dock, composer and pickers. Adds lines, diffs,
 * forms, terminals, attachments, additions, menus and markers for styles and tests to the cards.
 */
import type { Mention } from "../../src/protocol/chat/attachments";
import type { UserActionHandlers } from "../view-model/tab/user-action-handlers";
import type { Card } from "../view-model/cards/card";
import { CardAdditions } from "./card-additions";
import { CardAttachments } from "./card-attachments";
import { CardDiagrams } from "./card-diagrams";
import { CardCode } from "./card-code";
import { CardDiffs } from "./card-diffs";
import { CardForms } from "./card-forms";
import { CardFormulas } from "./card-formulas";
import { CardLines } from "./card-lines";
import { CardMenu } from "./card-menu";
import { CardTerminals } from "./card-terminals";
import type { ChangeLayout } from "../components/formula";
import { Composer, type PromptElements } from "../components/composer";
import { Pickers } from "../components/pickers";
import { Dock } from "../components/dock";
import { FindBar } from "../components/find-bar";
import { FirstScreen } from "../components/first-screen";
import { StartLine } from "../components/start-line";
import { markParts, scrollerOf } from "./elements";
import { selectors } from "./selectors";
import { FollowEnd } from "./follow-end";
import { FoundMarks } from "./found-marks";
import { pageClock } from "../page-clock";
import type { PromptInput } from "./prompt-input";
import type { ShownMatches } from "../view-model/tab/find-view";
import { VisibleQuestions } from "./visible-questions";
import type { TabView } from "../view-model/tab/tab-view";

export class TabParts {
  readonly pickers: Pickers;
  readonly #dock: Dock;
  readonly #lines: CardLines;
  readonly #diffs: CardDiffs;
  readonly #code: CardCode;
  readonly #terminals: CardTerminals;
  readonly #forms: CardForms;
  readonly #formulas: CardFormulas;
  readonly #diagrams: CardDiagrams;
  readonly #moreMenu: CardMenu;
  readonly #attachments = new CardAttachments();
  readonly #additions: CardAdditions;
  readonly #composer: Composer | undefined;
  readonly #followEnd: FollowEnd | undefined;
  readonly #find: FindBar;
  readonly #firstScreen: FirstScreen;
  readonly #startLine: StartLine;
  readonly #marks: FoundMarks | undefined;
  readonly #questions: VisibleQuestions | undefined;

  /** `wrapper` contains the whole tab. */
  constructor(
    private readonly wrapper: HTMLElement,
    mynahId: string,
    tabId: string,
    input: PromptInput,
    acts: UserActionHandlers,
    handlers: {
      /** The user has chosen a value in a picker. */
      readonly picked: (pickerId: string, value: string) => void;
      /** A button of a card that this module drew. */
      readonly pressed: (cardKey: string, buttonId: string) => void;
      /** The user has scrolled up to the first cards. */
      readonly startReached: () => void;
      /** Whether later cards exist that are not drawn. */
      readonly continues: () => boolean;
    },
  ) {
    this.pickers = new Pickers(handlers.picked);
    this.#dock = new Dock({
      followToggled: () => acts.followToggled(),
      settingsWanted: () => acts.buttonClicked(tabId, "", "action:openSettings"),
      withdrawn: (messageId, to) => acts.withdrawn(tabId, messageId, to),
      acted: action => acts.acted(tabId, action),
      reviewed: (action, entryId) => acts.reviewed(tabId, action, entryId),
    });
    this.#lines = new CardLines(handlers.pressed);
    this.#diffs = new CardDiffs(handlers.pressed);
    this.#code = new CardCode(wrapper.querySelector(selectors.conversation) ?? wrapper, {
      insert: code => acts.insertCode(tabId, code),
      apply: (code, files) => acts.applyCode(tabId, code, files),
      filesNamed: names => acts.filesNamed(tabId, names),
      openSymbol: name => acts.openSymbol(tabId, name),
    });
    this.#terminals = new CardTerminals(terminalId => acts.openTerminal(tabId, terminalId));
    this.#forms = new CardForms((cardKey, choice) => acts.elicitationAnswered(tabId, cardKey, choice));
    const changeLayout: ChangeLayout = change => {
      const follow = this.follow();
      change();
      follow(true);
    };
    this.#formulas = new CardFormulas(changeLayout);
    this.#diagrams = new CardDiagrams(changeLayout);
    this.#additions = new CardAdditions(extensionId => acts.extensionsDisabled([extensionId]));
    this.#moreMenu = new CardMenu((cardKey, buttonId) => acts.buttonClicked(tabId, cardKey, buttonId));
    this.#startLine = new StartLine(() => acts.acted(tabId, { kind: "cancelInstall" }));
    markParts(wrapper);
    wrapper.querySelector(selectors.banner)?.before(this.#startLine.element, this.#dock.element);
    const list = wrapper.querySelector<HTMLElement>(selectors.conversation);
    this.#find = new FindBar({
      queryTyped: query => acts.queryTyped(tabId, query),
      findStepped: by => acts.findStepped(tabId, by),
      findClosed: () => acts.findClosed(tabId),
    });
    this.#firstScreen = new FirstScreen({
      agentChosen: agentId => {
        acts.agentChosen(agentId);
        input.focus(mynahId);
      },
      moreAgentsWanted: () => acts.buttonClicked(tabId, "", "action:selectAgent"),
      demoStarted: () => {
        acts.demoStarted(tabId);
        input.focus(mynahId);
      },
      suggested: text => acts.suggested(tabId, text),
      extensionsDisabled: ids => acts.extensionsDisabled(ids),
      extensionsPreviewed: () => acts.extensionsPreviewed(),
    });
    if (list) {
      this.#questions = new VisibleQuestions(list, cardKeys => acts.questionsSeen(tabId, cardKeys));
      this.#followEnd = new FollowEnd(scrollerOf(list), pageClock, handlers.startReached, handlers.continues);
      this.#marks = new FoundMarks(list);
      list.before(this.#firstScreen.element, this.#find.element);
    }
    const prompt = input.element(mynahId);
    if (!prompt) return;
    this.#composer = new Composer(promptElements(prompt), tabId, acts, text => input.fill(mynahId, text));
    wrapper.querySelector(selectors.promptButtons)?.prepend(this.pickers.element, this.#composer.mentionButton);
  }

  /** Call after any possible change of the prompt's text. */
  typed(): void {
    this.#composer?.typed();
  }

  offer(query: string, mentions: readonly Mention[]): void {
    this.#composer?.offer(query, mentions);
  }

  show(view: TabView): void {
    this.#dock.show(view);
    this.#composer?.show(view);
    this.#find.show(view.find);
    this.#firstScreen.show(view.firstScreen);
    this.#startLine.show(view.start);
    // For styles: a `:has()` would be evaluated again after each change of an answer.
    this.wrapper.dataset["cards"] = view.cards.length === 0 ? "none" : "some";
    this.wrapper.dataset["starts"] = view.start !== undefined && view.firstScreen === undefined ? "prompt" : "";
  }

  focusFind(query: string): void {
    this.#find.focus(query);
  }

  /** Call after drawing the cards. */
  markFound(cards: readonly Card[], matches: ShownMatches): void {
    this.#marks?.show(cards, matches);
  }

  /** Scrolls to the shown match, where the list then stays. */
  scrollToFound(): void {
    if (this.#marks?.scrollTo()) this.#followEnd?.hold();
  }

  /** Follows the end again. */
  followNewest(): void {
    this.#followEnd?.toEnd();
  }

  /** Call after drawing the cards. */
  dress(cards: readonly Card[], files: TabView["files"]): void {
    this.#mark(cards);
    this.#lines.mount(this.wrapper, cards);
    this.#diffs.mount(this.wrapper, cards);
    this.#code.mount(cards, files);
    this.#terminals.mount(this.wrapper, cards);
    this.#forms.mount(this.wrapper, cards);
    this.#formulas.mount(this.wrapper, cards);
    this.#diagrams.mount(this.wrapper, cards);
    this.#attachments.mount(this.wrapper, cards);
    this.#additions.mount(this.wrapper, cards);
    this.#moreMenu.mount(this.wrapper, cards);
    this.#questions?.observe(cards);
  }

  /**
   * Marks new cards with their kind. Visits only cards, because their content can be very large and also has
   * `messageid` attributes.
   */
  #mark(cards: readonly Card[]): void {
    const kinds = new Map(cards.map(({ key, kind }) => [key, kind]));
    for (const group of this.wrapper.querySelector(selectors.conversation)?.children ?? [])
      for (const card of group.children) {
        if (card instanceof HTMLElement && card.matches(`${selectors.card}:not([data-kind])`))
          card.dataset["kind"] = kinds.get(card.getAttribute("messageid") ?? "") ?? "";
      }
  }

  /** Call before a drawing, and call the returned function after it. `isComplete`: no later drawing continues it. */
  follow(): (isComplete: boolean) => void {
    return this.#followEnd?.before() ?? (() => undefined);
  }
}

function promptElements(input: HTMLElement): PromptElements {
  const box = input.closest(selectors.promptBox);
  return {
    input,
    box,
    area: input.closest(selectors.promptArea),
    sendButton: box?.querySelector<HTMLElement>(selectors.sendButton) ?? null,
  };
}
