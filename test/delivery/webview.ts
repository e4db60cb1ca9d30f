/**
 * VS Code's handling of a webview view's messages:
 *
 *   hidden ──show──▶ starting ──load──▶ running ──hide──▶ hidden
 *                       ▲────────reload────┘
 *
 * While hidden, no page exists, and posted messages are dropped with the result `false`. While the page is starting,
 * posted messages wait for it. Messages that reach the page before its script listens are lost, although `postMessage`
 * returns `true`. Messages in flight during a reload are lost, too. Otherwise messages keep their order in both
 * directions. State written with `setState` is available to the next page of the same window. VS Code writes the state
 * to its database from time to time (`flush`). A reloaded window restores the state of the last flush.
 */
import type { HostToPage, PageToHost } from "../../src/protocol/page/host-to-page";
import { Line } from "./message-queue";
import { memoryStorage } from "../../webview/testing/memory-storage";
import { TestPage, type Browser } from "./page";

const PAGE_START_MS = 50;

interface Posted {
  readonly message: HostToPage;
  readonly settle: (delivered: boolean) => void;
}

export interface Extension {
  received(message: PageToHost): void;
  /** `onDidChangeVisibility`, to hidden. */
  hidden(): void;
}

export class TestWebview {
  readonly toPage = new Line<Posted>(({ message, settle }) => {
    settle(true);
    this.#page?.receive(message);
  });
  readonly toHost = new Line<PageToHost>(message => this.extension.received(message));
  #state: "hidden" | "starting" | "running" = "hidden";
  #page: TestPage | undefined;
  /** Number of `webviewReady` messages. */
  asked = 0;
  #pages = 0;
  #saved: unknown;
  /** The view state in VS Code's database. */
  #flushed: unknown;
  /** The browser's storage. */
  readonly #storage = memoryStorage();

  constructor(
    private readonly extension: Extension,
    private readonly browser: Omit<Browser, "post" | "viewState" | "storage" | "timeOfDay">,
  ) {}

  get page(): TestPage | undefined {
    return this.#page;
  }
  get state(): "hidden" | "starting" | "running" {
    return this.#state;
  }

  postMessage(message: HostToPage): Promise<boolean> {
    if (this.#state === "hidden") return Promise.resolve(false);
    return new Promise(settle => this.toPage.send({ message, settle }));
  }

  show(): void {
    if (this.#state === "hidden") this.#state = "starting";
  }

  /** Runs the page's script. The first `lost` waiting messages arrived too early and are lost. */
  load(lost: number): void {
    if (this.#state !== "starting") return;
    this.#state = "running";
    for (const { settle } of this.toPage.lose(0, lost, () => true)) settle(true);
    this.#page = new TestPage({
      ...this.browser,
      timeOfDay: () => this.browser.clock.now() + PAGE_START_MS * ++this.#pages,
      post: message => {
        if (message.type === "webviewReady") this.asked++;
        this.toHost.send(message);
      },
      viewState: {
        get: () => (this.#saved === undefined ? undefined : JSON.parse(JSON.stringify(this.#saved))),
        set: state => {
          this.#saved = state;
        },
      },
      storage: this.#storage,
    });
  }

  /**
   * `handed` messages in flight have reached the page. The first `received` messages of the page arrive before the
   * notifications of the hidden view and of failed deliveries, because all use one connection.
   */
  async hide(handed: number, received: number): Promise<void> {
    if (this.#state === "hidden") return;
    this.#destroyPage(received);
    await this.toHost.deliverAll();
    this.#state = "hidden";
    for (const { settle } of this.toPage.lose(0, handed, () => true)) settle(true);
    for (const { settle } of this.toPage.cut(0)) settle(false);
    this.extension.hidden();
  }

  /** VS Code writes the view state to its database. */
  flush(): void {
    this.#flushed = this.#saved;
  }

  /** F5 in the browser: the window loses all state except its database. */
  reloadWindow(): void {
    this.#destroyPage(0);
    this.toPage.cut(0);
    this.#saved = this.#flushed;
    this.#state = "starting";
  }

  /** Another extension host has registered the view. VS Code recreates it with the view state of this window. */
  rebuild(): void {
    this.#destroyPage(0);
    this.toPage.cut(0);
    if (this.#state === "running") this.#state = "starting";
  }

  /**
   * The command “Developer: Reload Webviews”, without a notification to the extension. All but the last `kept` messages
   * in flight are lost.
   */
  reload(kept: number, received: number): void {
    if (this.#state === "hidden") return;
    this.#state = "starting";
    this.#destroyPage(received);
    for (const { settle } of this.toPage.lose(0, Math.max(0, this.toPage.length - kept), () => true)) settle(true);
  }

  #destroyPage(received: number): void {
    this.#page?.destroy();
    this.#page = undefined;
    this.toHost.cut(received);
  }
}
