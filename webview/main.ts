/** The page's entry: wires the pure page to VS Code, to the screen and to time. No logic. */
import { v4 as uuid } from "uuid";
import type { Entry } from "../src/protocol/chat";
import type { PageToHost, TabId } from "../src/protocol/webview";
import { makeAccessible } from "./a11y";
import { ChatUi, type Acts } from "./chat-ui";
import { drawTabs } from "./draw-tabs";
import { acceptDrops } from "./drop";
import { FrameScheduler } from "./frame-scheduler";
import { takeImages } from "./image-intake";
import { Intakes } from "./intakes";
import { pageClock } from "./page-clock";
import { MAX_TABS, turnOf, type Effect, type Happening, type Page, type Step } from "./page-model";
import { openPage, saved, step } from "./page-state";
import { keyOf, meaningOf } from "./render";
import { restored } from "./saved-page";
import { Saving } from "./saving";
import { isHostToPage } from "./shape";
import { styles } from "./styles";
import { viewOf } from "./tab-view";

declare function acquireVsCodeApi(): { postMessage(message: PageToHost): void; getState(): unknown; setState(state: unknown): void };

const TICK_MS = 500;

const vscode = acquireVsCodeApi();
const style = document.createElement("style");
style.textContent = styles;
document.head.append(style);
const root = document.querySelector<HTMLElement>("#symposium") ?? document.body;

const intakes = new Intakes();
const acts: Acts = {
  opened: tabId => happen({ kind: "opened", tabId }),
  closed: tabId => happen({ kind: "closed", tabId }),
  selected: tabId => happen({ kind: "selected", tabId }),
  typed: (tabId, text) => happen({ kind: "typed", tabId, text }),
  submitted: (tabId, text) => intakes.after(tabId, () => happen({ kind: "submitted", tabId, messageId: uuid(), text })),
  stopped: tabId => happen({ kind: "stopped", tabId }),
  attached: (tabId, attachments) => happen({ kind: "attached", tabId, attachments }),
  detached: (tabId, attachment) => happen({ kind: "detached", tabId, attachment }),
  wanted: (tabId, want) => happen({ kind: "wanted", tabId, want }),
  searched: (tabId, query) => happen({ kind: "searched", tabId, query }),
  imagesGiven: (tabId, files) => intakes.add(tabId, imagesGiven(tabId, files)),
  withdrawn: (tabId, messageId, to) => happen({ kind: "withdrawn", tabId, messageId, to }),
  queueSent: tabId => happen({ kind: "queueSent", tabId }),
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

const ui = new ChatUi(root, acts, uuid, MAX_TABS, () => { accessibility.drawn(page, true); mark(); });
const accessibility = makeAccessible(root, pageClock);
const toDraw = new Set<TabId>();
const frames = new FrameScheduler(draw, pageClock, callback => { requestAnimationFrame(callback); });
const saving = new Saving(() => vscode.setState(saved(page)), pageClock);
window.addEventListener("pagehide", () => saving.flush());

let page: Page;
/** The page before the first piece of text that nobody was told of: they are told together, with the drawing at the latest. */
let untold: Page | undefined;
enter(openPage(restored(vscode.getState()), Date.now(), pageClock.now()));

window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  if (isHostToPage(data)) happen({ kind: "received", message: data });
  else vscode.postMessage({ type: "log", level: "warn", message: "A message that is not known was ignored." });
});
acceptDrops(root, {
  uris: uris => onSelected(tabId => happen({ kind: "wanted", tabId, want: { kind: "dropped", uris } })),
  images: files => onSelected(tabId => acts.imagesGiven(tabId, files)),
  notTaken: why => onSelected(tabId => happen({ kind: "notTaken", tabId, why })),
});
setInterval(() => happen({ kind: "ticked" }), TICK_MS);

function happen(happening: Happening): void {
  const before = untold ?? page;
  enter(step(page, happening, pageClock.now()));
  untold = isText(happening) ? before : undefined;
  if (untold === undefined) accessibility.changed(before, page);
}

/** To look at each piece of a long answer, as it comes, would mean to look at all of the answer. */
function isText(happening: Happening): boolean {
  return happening.kind === "received" && happening.message.type === "event" && (happening.message.event.type === "append" || happening.message.event.type === "terminalOutput");
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
    case "focus": return ui.focusPrompt(effect.tabId);
    case "offer": return ui.offer(effect.tabId, effect.query, effect.mentions);
    case "fill": return ui.fill(effect.tabId, effect.text);
    case "showAgents": return ui.showAgents(page.agents, page.currentAgentId);
    case "save": return saving.now();
    case "saveSoon": return saving.soon();
    case "show": toDraw.add(effect.tabId); return frames.request();
  }
}

function onSelected(act: (tabId: TabId) => void): void {
  if (page.selected !== undefined) act(page.selected);
}

async function imagesGiven(tabId: TabId, files: readonly File[]): Promise<void> {
  const { attachments, refusals } = await takeImages(files);
  if (attachments.length > 0) happen({ kind: "attached", tabId, attachments });
  if (refusals.length > 0) happen({ kind: "notTaken", tabId, why: refusals.join(" ") });
  ui.focusPrompt(tabId);
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
  accessibility.drawn(page, page.selected === undefined || !ui.isDrawing(page.selected));
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

/** What tests and the smoke run wait for: the selected tab, its turn (idle when its end is drawn), and a first snapshot. */
function mark(): void {
  const { dataset } = document.body;
  // What is the same would be a change of the page all the same.
  const set = (name: string, value: string): void => { if (dataset[name] !== value) dataset[name] = value; };
  const tab = page.selected === undefined ? undefined : page.tabs.get(page.selected);
  set("tab", tab?.tabId ?? "");
  const turn = tab ? turnOf(tab) : "idle";
  const drawn = tab === undefined || !toDraw.has(tab.tabId) && !ui.isDrawing(tab.tabId);
  if (drawn || turn !== "idle") set("turn", turn);
  if (drawn && tab?.phase === "live") set("ready", "true");
}
