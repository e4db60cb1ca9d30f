/** Entry point of the chat page. Connects the page model to VS Code, the DOM and the clock; contains no logic. */
import * as l10n from "@vscode/l10n";
import "./translation";
import { v4 as uuid } from "uuid";
import type { PageToHost, TabId } from "../src/protocol/page/host-to-page";
import { makeAccessible } from "./a11y/a11y";
import { ChatUi } from "./mynah/chat-ui";
import { acceptDrops } from "./components/drop";
import { listenForFind } from "./components/find-keys";
import { FrameScheduler } from "./runtime/frame-scheduler";
import { takeImages } from "./components/image-intake";
import { createUserActionHandlers } from "./runtime/user-action-events";
import { pageClock } from "./page-clock";
import { browserStorage, PageStorage } from "./runtime/page-storage";
import { PageRuntime } from "./runtime/runtime";
import { mark } from "./runtime/page-marks";
import { MAX_TABS } from "./state/page-model";
import { openPage, saved } from "./state/page-state";
import { SaveSchedule } from "./state/save-schedule";
import { isHostToPage } from "./state/host-message";
import { styles } from "./mynah/styles";

declare function acquireVsCodeApi(): {
  postMessage(message: PageToHost): void;
  getState(): unknown;
  setState(state: unknown): void;
};

/** Nonce and address of the chunks that webpack loads. The content security policy requires the nonce. */
declare let __webpack_nonce__: string | undefined;
declare let __webpack_public_path__: string;
const script = document.currentScript instanceof HTMLScriptElement ? document.currentScript : undefined;
__webpack_nonce__ = script?.nonce;
__webpack_public_path__ = new URL(".", script?.src || location.href).href;

const TICK_MS = 500;

const vscode = acquireVsCodeApi();
const style = document.createElement("style");
style.textContent = styles;
document.head.append(style);
const root = document.querySelector<HTMLElement>("#symposium") ?? document.body;

const actions = createUserActionHandlers({
  loop: () => loop,
  messageId: uuid,
  takeImages,
  focusPrompt: tabId => ui.focusPrompt(tabId),
});
const ui = new ChatUi(root, actions, uuid, MAX_TABS, () => loop.complete());
const frames = new FrameScheduler(
  () => loop.draw(),
  pageClock,
  callback => {
    requestAnimationFrame(callback);
  },
);
const copy = new PageStorage({
  viewState: { get: () => vscode.getState(), set: state => vscode.setState(state) },
  storage: browserStorage(),
  workspace: root.dataset["workspace"],
  session: root.dataset["session"],
  opening: root.dataset["opening"],
  timeOfDay: () => Date.now(),
  onWarning: (message, error) =>
    vscode.postMessage({ type: "log", level: "warn", message, data: { error: String(error) } }),
});
const storageSchedule = new SaveSchedule(() => copy.store(), pageClock);
const saving = new SaveSchedule(() => {
  copy.save(saved(loop.page));
  storageSchedule.soon();
}, pageClock);
const surface = document.body.dataset["surface"] === "editor" ? "editor" : "view";
const initialStep = openPage(copy.load(), Date.now(), pageClock.now(), surface);
const loop: PageRuntime = new PageRuntime(
  {
    ui,
    frames,
    saving,
    accessibility: makeAccessible(root, pageClock),
    marks: marks => mark(document.body.dataset, marks),
    post: message => vscode.postMessage(message),
    now: () => pageClock.now(),
    tabId: uuid,
  },
  initialStep[0],
);
loop.enter(initialStep);

window.addEventListener("pagehide", () => {
  saving.flush();
  storageSchedule.flush();
});
window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  if (isHostToPage(data)) loop.happen({ kind: "received", message: data });
  else vscode.postMessage({ type: "log", level: "warn", message: l10n.t("Ignored an unknown message.") });
});
const withSelectedTab = (action: (tabId: TabId) => void): void => {
  if (loop.page.selected !== undefined) action(loop.page.selected);
};
acceptDrops(root, {
  uris: uris => withSelectedTab(tabId => actions.requestContext(tabId, { kind: "dropped", uris })),
  images: files => withSelectedTab(tabId => actions.imagesGiven(tabId, files)),
  notTaken: why => withSelectedTab(tabId => loop.happen({ kind: "notTaken", tabId, why })),
});
listenForFind(root, {
  open: () => withSelectedTab(tabId => ui.openFind(tabId)),
  step: by => withSelectedTab(tabId => actions.findStepped(tabId, by)),
});
for (const event of ["focus", "blur"])
  window.addEventListener(event, () => loop.happen({ kind: "pageFocused", hasFocus: event === "focus" }));
if (document.hasFocus()) loop.happen({ kind: "pageFocused", hasFocus: true });
setInterval(() => loop.happen({ kind: "ticked" }), TICK_MS);
