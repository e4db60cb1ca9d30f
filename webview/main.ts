/** The page's entry: wires the pure page to VS Code, to the screen and to time. No logic. */
import { v4 as uuid } from "uuid";
import type { PageToHost, TabId } from "../src/protocol/webview";
import { makeAccessible } from "./a11y";
import { ChatUi } from "./chat-ui";
import { acceptDrops } from "./drop";
import { FrameScheduler } from "./frame-scheduler";
import { takeImages } from "./image-intake";
import { pageActs } from "./page-acts";
import { pageClock } from "./page-clock";
import { PageLoop } from "./page-loop";
import { mark } from "./page-marks";
import { MAX_TABS } from "./page-model";
import { openPage, saved } from "./page-state";
import { restored } from "./saved-page";
import { Saving } from "./saving";
import { isHostToPage } from "./shape";
import { styles } from "./styles";

declare function acquireVsCodeApi(): { postMessage(message: PageToHost): void; getState(): unknown; setState(state: unknown): void };

const TICK_MS = 500;

const vscode = acquireVsCodeApi();
const style = document.createElement("style");
style.textContent = styles;
document.head.append(style);
const root = document.querySelector<HTMLElement>("#symposium") ?? document.body;

const acts = pageActs({ loop: () => loop, messageId: uuid, takeImages, focusPrompt: tabId => ui.focusPrompt(tabId) });
const ui = new ChatUi(root, acts, uuid, MAX_TABS, () => loop.complete());
const frames = new FrameScheduler(() => loop.draw(), pageClock, callback => { requestAnimationFrame(callback); });
const saving = new Saving(() => vscode.setState(saved(loop.page)), pageClock);
const opened = openPage(restored(vscode.getState()), Date.now(), pageClock.now());
const loop: PageLoop = new PageLoop({
  ui, frames, saving, told: makeAccessible(root, pageClock), marks: marks => mark(document.body.dataset, marks),
  post: message => vscode.postMessage(message), now: () => pageClock.now(), tabId: uuid,
}, opened[0]);
loop.enter(opened);

window.addEventListener("pagehide", () => saving.flush());
window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  if (isHostToPage(data)) loop.happen({ kind: "received", message: data });
  else vscode.postMessage({ type: "log", level: "warn", message: "A message that is not known was ignored." });
});
const onSelected = (act: (tabId: TabId) => void): void => { if (loop.page.selected !== undefined) act(loop.page.selected); };
acceptDrops(root, {
  uris: uris => onSelected(tabId => acts.wanted(tabId, { kind: "dropped", uris })),
  images: files => onSelected(tabId => acts.imagesGiven(tabId, files)),
  notTaken: why => onSelected(tabId => loop.happen({ kind: "notTaken", tabId, why })),
});
setInterval(() => loop.happen({ kind: "ticked" }), TICK_MS);
