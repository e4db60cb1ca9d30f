/**
 * VS Code for page tests. Suites with the same environment share a server, and all suites share a browser. Each box has
 * a separate window (browser context). Servers and browser are closed when mocha ends.
 *
 * Boxes on one server share its user settings and the extension's global storage. Boxes with different `env`, `vsix` or
 * `restricted` use separate servers.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser, FrameLocator, Locator, Page } from "playwright-core";
import { errorMessage } from "../../protocol/wire/errors";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import {
  boundActions,
  census,
  launchBrowser,
  openChat,
  openWorkbench,
  runCommand,
  startServer,
  webviewFrame,
  type Found,
  type Server,
  type Settings,
} from "../../../scripts/vscode-box/index.mjs";

export {
  allowOnce,
  lastExchange,
  leftovers,
  promptInput,
  readCards,
  sending,
  sendPrompt,
  turnEnded,
  turnState,
  until,
} from "../../../scripts/vscode-box/index.mjs";

/** The checkout; set when the tests are compiled. */
export const ROOT = process.env.SYMPOSIUM_ROOT ?? "";

export interface BoxOptions {
  readonly settings?: Settings;
  /** Added to the environment of server, extension host, sidecar and agents. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Names of workspace folders, each a copy of test-workspace. Default: one folder. Several folders form a multi-root
   * workspace.
   */
  readonly folders?: readonly string[];
  /** Load the extension from this folder instead of the checkout. */
  readonly extension?: string;
  /** Also load these extensions. */
  readonly others?: readonly string[];
  /** Install this package instead of loading the extension from the checkout. */
  readonly vsix?: string;
  /** Workspace trust is enabled and the folder is untrusted. */
  readonly restricted?: boolean;
}

/** A chat view that tests operate as a user does: in a window of VS Code, or in plain Chromium (`src/test/webview`). */
export interface ChatBox {
  readonly page: Page;
  /** The content of the chat view; follows reloads. */
  readonly frame: FrameLocator;
  /** The workspace folders on disk. */
  readonly folders: readonly string[];
  /** Shows the chat view and waits until a prompt can be typed. */
  open(): Promise<FrameLocator>;
  /** Runs a command by its title in the palette, for example `Symposium: New Tab`. */
  command(title: string): Promise<void>;
  /** Reloads the window. */
  reload(): Promise<void>;
  /** Selects a color theme by its name. */
  selectTheme(name: string): Promise<void>;
  /** Replaces the user settings. */
  writeSettings(settings: Settings): void;
  /** The user settings and the machine settings, which VS Code in a browser stores separately. */
  readSettings(): readonly unknown[];
  /** The text of the extension's output channel. */
  readLog(): string;
  /** Living processes of this box: extension hosts, sidecars, agents. Linux only. */
  processes(): readonly Found[];
  screenshot(name: string): Promise<string>;
  close(): Promise<void>;
}

/** A window of VS Code. */
export interface Box extends ChatBox {
  readonly server: Server;
  /** Closes the window gracefully and opens a new one with an empty browser storage. */
  openFresh(): Promise<void>;
}

interface Shared {
  readonly server: Server;
  readonly mark: string;
}

const servers = new Map<string, Promise<Shared>>();
/** Boxes that are open now. */
export const opened = new Set<ChatBox>();
let browser: Promise<Browser> | undefined;
let count = 0;

/** Number and total milliseconds of each kind of start; printed when mocha ends. */
const starts = new Map<string, { count: number; ms: number }>();

async function timed<T>(kind: string, start: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await start();
  } finally {
    const { count, ms } = starts.get(kind) ?? { count: 0, ms: 0 };
    starts.set(kind, { count: count + 1, ms: ms + performance.now() - began });
  }
}

/** One browser for all boxes, closed when mocha ends. */
export const sharedBrowser = (): Promise<Browser> => (browser ??= timed("browsers", launchBrowser));

async function sharedServer({ env = {}, vsix, restricted = false }: BoxOptions): Promise<Shared> {
  const key = JSON.stringify([env, vsix, restricted]);
  const running = servers.get(key);
  if (running !== undefined) return running;
  const mark = `${process.pid}-${++count}`;
  const starting = timed("servers", async () => {
    const server = await startServer({ env: { ...env, SYMPOSIUM_TEST_SERVER: mark }, restricted });
    if (vsix !== undefined) server.install(vsix);
    return { server, mark };
  });
  servers.set(key, starting);
  return starting;
}

/** The documents of all open windows and of their chats. */
export const documents = (): readonly Locator[] =>
  [...opened].flatMap(({ page, frame }) => [page.locator(":root"), frame.locator(":root")]);

/** Opens a window. Its chat view is not shown yet, and no sidecar runs. */
export async function openBox(options: BoxOptions = {}): Promise<Box> {
  const [{ server, mark }] = await Promise.all([sharedServer(options), sharedBrowser()]);
  // Excludes the built-in extensions by default. Tests of them set null, which enables the default ones.
  server.writeSettings({
    "symposium.extensions": [],
    ...(options.restricted
      ? { "security.workspace.trust.enabled": true, "security.workspace.trust.startupPrompt": "never" }
      : {}),
    ...options.settings,
  });
  const workspace = makeWorkspace(server, options.folders ?? ["workspace"]);
  const open = async (): Promise<Page> => {
    const page = await openWorkbench(await sharedBrowser(), server, {
      ...workspace.where,
      extensions: [...(options.vsix === undefined ? [options.extension ?? ROOT] : []), ...(options.others ?? [])],
    });
    if (workspace.folders.length > 1) await withFolders(page);
    // The palette does not list commands that are contributed after it was opened.
    await page
      .locator('.activitybar .action-label[aria-label^="Symposium"]')
      .waitFor({ state: "attached", timeout: timeLimit(60_000) });
    return page;
  };
  const openTimed = (): Promise<Page> => timed("windows", open);
  let page = await openTimed();
  const box: Box = {
    get page() {
      return page;
    },
    get frame() {
      return webviewFrame(page);
    },
    server,
    folders: workspace.folders,
    open: () => timed("shown chats", () => openChat(page)),
    command: title => runCommand(page, title),
    reload: () => timed("reloads", () => reloadWindow(page)),
    openFresh: async () => {
      await closePage(page);
      page = await openTimed();
    },
    selectTheme: name => selectTheme(page, name),
    writeSettings: settings => server.writeSettings(settings),
    readSettings: () =>
      [server.settingsFile, path.join(server.userData, "Machine", "settings.json")]
        .filter(file => existsSync(file))
        .map(file => parsed(readFileSync(file, "utf8"))),
    readLog: () => {
      const logs = path.join(server.userData, "logs");
      const files = readdirSync(logs, { recursive: true, encoding: "utf8" });
      return files
        .filter(name => name.endsWith("Symposium.log"))
        .map(name => readFileSync(path.join(logs, name), "utf8"))
        .join("\n");
    },
    processes: () => census(`SYMPOSIUM_TEST_SERVER=${mark}`),
    screenshot: name => takeScreenshot(page, name),
    close: () => {
      opened.delete(box);
      return closePage(page);
    },
  };
  opened.add(box);
  return box;
}

/**
 * In a browser, VS Code sometimes opens a multi-root workspace without folders, because it reads the workspace file
 * before it is connected. A reload fixes it.
 */
async function withFolders(page: Page): Promise<void> {
  for (let attempt = 1; attempt < 6; attempt++) {
    const found = await page
      .locator(".explorer-folders-view .monaco-list-row")
      .first()
      .waitFor({ timeout: timeLimit(20_000) })
      .then(
        () => true,
        () => false,
      );
    if (found) return;
    await reload(page);
  }
  throw new Error("VS Code shows none of the workspace's folders.");
}

/**
 * Reloads as a user does. A reload of the browser's page loses what VS Code has not yet flushed, for example an editor
 * that was opened in the last seconds.
 */
async function reloadWindow(page: Page): Promise<void> {
  const reloaded = page.waitForEvent("domcontentloaded", { timeout: timeLimit(60_000) });
  await runCommand(page, "Developer: Reload Window");
  await reloaded;
  await page.locator(".monaco-workbench").waitFor({ timeout: timeLimit(60_000) });
}

async function reload(page: Page): Promise<void> {
  await page.reload({ waitUntil: "domcontentloaded" });
  await page.locator(".monaco-workbench").waitFor({ timeout: timeLimit(60_000) });
}

/** Selects the theme in the picker, because VS Code in a browser does not watch its settings file. */
async function selectTheme(page: Page, name: string): Promise<void> {
  await runCommand(page, "Preferences: Color Theme");
  const pick = page.locator(".quick-input-widget:visible");
  await pick.locator("input.input").fill(name);
  await pick.locator(".monaco-list-row.focused", { hasText: name }).waitFor();
  await page.keyboard.press("Enter");
}

/** `undefined` for a file that is being written. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Resolves to the file, below out/screenshots. */
export async function takeScreenshot(page: Page, name: string): Promise<string> {
  const file = path.join(ROOT, "out/screenshots", `${name}.png`);
  mkdirSync(path.dirname(file), { recursive: true });
  await page.screenshot({ path: file });
  return file;
}

/** Adapts the time limits of open windows to the current load. */
setup(() => {
  for (const { page } of opened) boundActions(page.context());
});

/**
 * When a test fails, saves the screen and the log of each open box: `out/screenshots/failed-…`. Also prints their ends,
 * because a CI job may keep only its output.
 */
teardown(async function () {
  if (this.currentTest?.state !== "failed") return;
  const name = `failed-${this.currentTest.fullTitle().replaceAll(/\W+/g, "-").slice(0, 100)}`;
  for (const [i, box] of [...opened].entries()) {
    await box.screenshot(`${name}-${i}`).catch(() => undefined);
    writeFileSync(path.join(ROOT, "out/screenshots", `${name}-${i}.log`), box.readLog());
    process.stdout.write(`${await visibleText(box)}\n`);
  }
});

/** The ends of the texts that the user sees, and of the log. */
async function visibleText({ page, frame, readLog }: ChatBox): Promise<string> {
  const textOf = async (locator: Locator): Promise<string> =>
    locator.innerText({ timeout: 2000 }).catch((error: unknown) => errorMessage(error).split("\n", 1)[0] ?? "");
  const texts = {
    chat: await textOf(frame.locator("body")),
    notifications: await textOf(page.locator(".notifications-toasts")),
    log: readLog(),
  };
  return Object.entries(texts)
    .map(([of, text]) => `[${of}]\n${text.replaceAll(/\n\s*\n/g, "\n").slice(-SHOWN_CHARACTERS)}`)
    .join("\n");
}
const SHOWN_CHARACTERS = 2000;

function makeWorkspace(
  server: Server,
  names: readonly string[],
): { readonly folders: readonly string[]; readonly where: { readonly folder?: string; readonly workspace?: string } } {
  const parent = mkdtempSync(path.join(server.home, "w-"));
  const folders = names.map(name => path.join(parent, name));
  for (const folder of folders) cpSync(path.join(ROOT, "test-workspace"), folder, { recursive: true });
  const [only] = folders;
  if (folders.length === 1 && only !== undefined) return { folders, where: { folder: only } };
  const workspace = path.join(parent, "several.code-workspace");
  writeFileSync(workspace, JSON.stringify({ folders: names.map(name => ({ path: name })) }));
  return { folders, where: { workspace } };
}

/** Leaves the page first, so that the workbench shuts down its extension host immediately. */
async function closePage(page: Page): Promise<void> {
  await page.goto("about:blank").catch(() => {});
  await page.context().close();
}

suiteTeardown(async function () {
  this.timeout(timeLimit(120_000));
  await browser?.then(running => running.close());
  for (const { server } of await Promise.all(servers.values())) await server.stop();
  const each = [...starts].map(([kind, { count: n, ms }]) => `${kind} ${n} (${(ms / 1000).toFixed(1)} s)`);
  if (each.length > 0) process.stdout.write(`  Starts with their total time: ${each.join(", ")}\n`);
});
