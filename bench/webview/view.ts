/**
 * The view in a real Chromium: dist/webview.js (or `SYMPOSIUM_BENCH_WEBVIEW`) with a host beside it. Measures the CPU
 * time of its main thread.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Browser, CDPSession, Page } from "playwright-core";
import { launchBrowser } from "../../scripts/vscode-box/index.mjs";
import type { Command } from "./commands";
import type { BenchPage } from "./page.browser";

const ADDRESS = "http://symposium.test/";
const HTML = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><style>
html, body { height: 100%; margin: 0; padding: 0; background: #1f1f1f; color: #ccc; font: 13px sans-serif;
  --vscode-foreground: #ccc; --vscode-editor-background: #1f1f1f; --vscode-sideBar-background: #181818; --vscode-input-background: #313131; --vscode-editor-font-family: monospace; --vscode-font-family: sans-serif; --vscode-font-size: 13px; }
</style></head><body class="vscode-dark"><div id="symposium"></div></body></html>`;
/** The width of a side bar. */
const VIEWPORT = { width: 420, height: 860 };

declare global {
  var symposiumBench: BenchPage;
}

/** Milliseconds of CPU time of the page's main thread since an arbitrary start. */
export interface Cpu {
  readonly all: number;
  readonly script: number;
  readonly layout: number;
  readonly style: number;
}

/** Starts the browser for `work` and closes it. */
export async function inBrowser<T>(work: (browser: Browser) => Promise<T>): Promise<T> {
  const browser = await launchBrowser();
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

export class View implements AsyncDisposable {
  private constructor(
    readonly page: Page,
    readonly cdp: CDPSession,
  ) {}

  /** Milliseconds until the tabs were on screen. */
  opened = 0;

  /** Opens the view with this number of tabs; the first is selected. `entries`: of each restored conversation. */
  static async open(browser: Browser, tabs = 1, entries?: number): Promise<View> {
    const context = await browser.newContext({ viewport: VIEWPORT });
    const page = await context.newPage();
    await page.route(`${ADDRESS}**`, route => route.fulfill({ contentType: "text/html", body: HTML }));
    page.on("pageerror", error => {
      throw error;
    });
    await page.goto(ADDRESS);
    const cdp = await context.newCDPSession(page);
    await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.addScriptTag({ content: program("page") });
    await page.evaluate(script => symposiumBench.start(script), program("host"));
    await page.addScriptTag({
      content: readFileSync(process.env.SYMPOSIUM_BENCH_WEBVIEW ?? "dist/webview.js", "utf8"),
    });
    const view = new View(page, cdp);
    view.opened = await view.command({ do: "open", tabs, ...(entries === undefined ? {} : { entries }) });
    await page.locator("body[data-ready=true]").waitFor();
    return view;
  }

  /** Milliseconds until the command was complete and on screen. */
  command(command: Command): Promise<number> {
    return this.page.evaluate(given => symposiumBench.command(given), command);
  }

  longTasks(): Promise<readonly number[]> {
    return this.page.evaluate(() => symposiumBench.longTasks());
  }
  keys(): Promise<readonly number[]> {
    return this.page.evaluate(() => symposiumBench.keys());
  }
  /** Resolves when the text is in a conversation. */
  async shows(text: string): Promise<void> {
    await this.page.waitForFunction(expected => symposiumBench.text().includes(expected), text, { polling: "raf" });
  }

  async cpu(): Promise<Cpu> {
    const { metrics } = await this.cdp.send("Performance.getMetrics");
    const ms = (name: string): number => 1000 * (metrics.find(metric => metric.name === name)?.value ?? Number.NaN);
    return {
      all: ms("TaskDuration"),
      script: ms("ScriptDuration"),
      layout: ms("LayoutDuration"),
      style: ms("RecalcStyleDuration"),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
  }
}

/** Source of a program for the browser, as scripts/bench.mjs builds it. */
function program(name: "host" | "page"): string {
  const folder = process.env.SYMPOSIUM_BENCH_PROGRAMS;
  if (!folder) throw new Error("SYMPOSIUM_BENCH_PROGRAMS is not set: run the bench with scripts/bench.mjs");
  return readFileSync(path.join(folder, "webview", `${name}.browser.mjs`), "utf8");
}
