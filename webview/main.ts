/** The page's entry: wires the pure page to VS Code, to the screen and to time. No logic. */
import { v4 as uuid } from "uuid";
import type { Entry } from "../src/protocol/chat";
import type { PageToHost, TabId } from "../src/protocol/webview";
import { makeAccessible } from "./a11y";
import { ChatUi, type Acts } from "./chat-ui";
import { drawTabs } from "./draw-tabs";
import { FrameScheduler } from "./frame-scheduler";
import { pageClock } from "./page-clock";
import { MAX_TABS, turnOf, type Effect, type Happening, type Page, type Step } from "./page-model";
import { openPage, saved, step } from "./page-state";
import { keyOf, meaningOf } from "./render";
import { restored } from "./saved-page";
import { isHostToPage } from "./shape";
import { styles } from "./styles";
import { announcement, newQuestion, viewOf } from "./tab-view";

declare function acquireVsCodeApi(): { postMessage(message: PageToHost): void; getState(): unknown; setState(state: unknown): void };

const TICK_MS = 500;

const vscode = acquireVsCodeApi();
const style = document.createElement("style");
style.textContent = styles;
document.head.append(style);
const root = document.querySelector<HTMLElement>("#symposium") ?? document.body;

const acts: Acts = {
  opened: tabId => happen({ kind: "opened", tabId }),
  closed: tabId => happen({ kind: "closed", tabId }),
  selected: tabId => happen({ kind: "selected", tabId }),
  typed: (tabId, text) => happen({ kind: "typed", tabId, text }),
  submitted: (tabId, text) => happen({ kind: "submitted", tabId, messageId: uuid(), text }),
  stopped: tabId => happen({ kind: "stopped", tabId }),
  agentChosen: agentId => happen({ kind: "agentChosen", agentId }),
  linkClicked: href => happen({ kind: "linkClicked", href }),
  buttonClicked: clicked,
  openDiff: (tabId, change) => happen({ kind: "diffWanted", tabId, ...change }),
  openTerminal: (tabId, terminalId) => happen({ kind: "terminalWanted", tabId, terminalId }),
  followToggled: () => happen({ kind: "followToggled" }),
  controlChosen: (tabId, controlId, value) => happen({ kind: "controlChosen", tabId, controlId, value }),
  elicitationAnswered: (tabId, cardKey, choice) => {
    const asked = entryOf(tabId, cardKey);
    if (asked) happen({ kind: "elicitationAnswered", tabId, elicitationId: asked.id, choice });
  },
};

const ui = new ChatUi(root, acts, uuid, MAX_TABS);
const accessibility = makeAccessible(root);
const toDraw = new Set<TabId>();
const frames = new FrameScheduler(draw, pageClock, callback => { requestAnimationFrame(callback); });

/** The newest question, until the focus has been there. */
let question: string | undefined;
let page: Page;
enter(openPage(restored(vscode.getState()), Date.now(), pageClock.now()));

window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  if (isHostToPage(data)) happen({ kind: "received", message: data });
  else vscode.postMessage({ type: "log", level: "warn", message: "A message that is not known was ignored." });
});
setInterval(() => happen({ kind: "ticked" }), TICK_MS);

function happen(happening: Happening): void {
  const before = page;
  enter(step(page, happening, pageClock.now()));
  if (happening.kind === "received" && "tabId" in happening.message) tell(before, happening.message.tabId);
}

function enter([next, effects]: Step): void {
  page = next;
  effects.forEach(carryOut);
  mark();
}

function carryOut(effect: Effect): void {
  switch (effect.kind) {
    case "post": return vscode.postMessage(effect.message);
    case "open": return void ui.open(effect.tabId);
    case "openOne": return openOne();
    case "select": return ui.select(effect.tabId);
    case "fill": return ui.fill(effect.tabId, effect.text);
    case "showAgents": return ui.showAgents(page.agents, page.currentAgentId);
    case "save": return vscode.setState(saved(page));
    case "show": toDraw.add(effect.tabId); return frames.request();
  }
}

function openOne(): void {
  const tabId = uuid();
  if (ui.open(tabId)) happen({ kind: "opened", tabId });
}

function draw(): void {
  drawTabs(toDraw, tabId => {
    const tab = page.tabs.get(tabId);
    if (tab) ui.show(tabId, viewOf(page, tab));
  }, (tabId, error) => vscode.postMessage({ type: "log", level: "error", message: "A tab could not be drawn.", data: { tabId, why: String(error).slice(0, 1_000) } }));
  happen({ kind: "drawn" });
  if (question !== undefined) accessibility.focusCard(keyOf(question));
  question = undefined;
}

function clicked(tabId: TabId, cardKey: string, buttonId: string): void {
  const meaning = meaningOf(buttonId);
  if (meaning?.kind === "action") return happen({ kind: "actionChosen", tabId, action: meaning.action, messageId: uuid() });
  const asked = entryOf(tabId, cardKey);
  if (meaning?.kind === "permission" && asked) happen({ kind: "answered", tabId, permissionId: asked.id, choice: meaning.choice });
}

function entryOf(tabId: TabId, cardKey: string): Entry | undefined {
  return page.tabs.get(tabId)?.conversation.entries.find(({ id }) => keyOf(id) === cardKey);
}

function tell(before: Page, tabId: TabId): void {
  const tab = page.tabs.get(tabId);
  if (!tab || tabId !== page.selected) return;
  const sentence = announcement(before.tabs.get(tabId), tab);
  if (sentence !== undefined) accessibility.announce(sentence);
  question = newQuestion(before.tabs.get(tabId), tab) ?? question;
}

/** What tests and the smoke run wait for: the selected tab, its turn (idle when its end is drawn), and a first snapshot. */
function mark(): void {
  const { dataset } = document.body;
  const tab = page.selected === undefined ? undefined : page.tabs.get(page.selected);
  dataset["tab"] = tab?.tabId ?? "";
  const turn = tab ? turnOf(tab) : "idle";
  const drawn = tab === undefined || !toDraw.has(tab.tabId);
  if (drawn || turn !== "idle") dataset["turn"] = turn;
  if (drawn && tab?.phase === "live") dataset["ready"] = "true";
}
