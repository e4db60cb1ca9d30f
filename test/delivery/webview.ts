/**
 * VS Code's side of a webview view, as far as messages are concerned:
 *
 *   hidden ──show──▶ starting ──load──▶ running ──hide──▶ hidden
 *                       ▲────────reload────┘
 *
 * Hidden, there is no page, and what is posted is dropped, with `false`. While the page is starting what is posted
 * waits for it, but what reaches it before its script listens is lost, although `postMessage` says `true`; so is what
 * is on its way when a page is reloaded. Otherwise order is kept, in either direction. What a page wrote with
 * `setState` is there for the next one of the same window. VS Code writes it to its database from time to time
 * (`flush`): a window that is loaded again restores the state of the last flush.
 */
import type { HostToPage, PageToHost } from "../../src/protocol/webview";
import { Line } from "./line";
import { memoryStorage } from "../../webview/testing/memory-storage";
import { TestPage, type Browser } from "./page";

const BUILDING_MS = 50;

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
    this.#page?.hear(message);
  });
  readonly toHost = new Line<PageToHost>(message => this.extension.received(message));
  #state: "hidden" | "starting" | "running" = "hidden";
  #page: TestPage | undefined;
  /** How often pages asked. */
  asked = 0;
  #pages = 0;
  #saved: unknown;
  /** The view state in VS Code's database. */
  #flushed: unknown;
  /** Of the browser. */
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

  /** The page's script runs. The first `lost` of what waited for it came too early. */
  load(lost: number): void {
    if (this.#state !== "starting") return;
    this.#state = "running";
    for (const { settle } of this.toPage.lose(0, lost, () => true)) settle(true);
    this.#page = new TestPage({
      ...this.browser,
      timeOfDay: () => this.browser.clock.now() + BUILDING_MS * ++this.#pages,
      post: message => {
        if (message.type === "webview-ready") this.asked++;
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
   * `handed` of what was under way had reached the page. The first `heard` of what the page said arrive, and before the
   * extension learns that the view is hidden or that something was not delivered: all three come on one wire.
   */
  async hide(handed: number, heard: number): Promise<void> {
    if (this.#state === "hidden") return;
    this.#destroyPage(heard);
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

  /** F5 in the browser: everything of this window is gone, but for its database. */
  reloadWindow(): void {
    this.#destroyPage(0);
    this.toPage.cut(0);
    this.#saved = this.#flushed;
    this.#state = "starting";
  }

  /** Another extension host has registered the view: VS Code builds it anew, with the view state of this window. */
  rebuild(): void {
    this.#destroyPage(0);
    this.toPage.cut(0);
    if (this.#state === "running") this.#state = "starting";
  }

  /**
   * The command “Developer: Reload Webviews”; the extension is not told. All but the last `kept` under way are lost.
   */
  reload(kept: number, heard: number): void {
    if (this.#state === "hidden") return;
    this.#state = "starting";
    this.#destroyPage(heard);
    for (const { settle } of this.toPage.lose(0, Math.max(0, this.toPage.length - kept), () => true)) settle(true);
  }

  #destroyPage(heard: number): void {
    this.#page?.destroy();
    this.#page = undefined;
    this.toHost.cut(heard);
  }
}
