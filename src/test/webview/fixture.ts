/**
 * The chat view in plain Chromium: the built page in the frames of VS Code, with the production host, the production
 * sidecar and a scripted agent. For tests that need no other part of VS Code; other tests open a window
 * (`src/test/page/harness.ts`).
 */
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import { census, webviewFrame, type Settings } from "../../../scripts/vscode-box/index.mjs";
import { freshNonce, pageHtml, workspaceKey } from "../../chat/page-html";
import type { ActiveFile } from "../../protocol/page/first-screen";
import type { HostToPage } from "../../protocol/page/host-to-page";
import type { Translation } from "../../translation";
import { opened, promptInput, ROOT, sharedBrowser, takeScreenshot, type ChatBox } from "../page/harness";
import { scripted } from "../page/scripted";
import { ExtensionHost } from "./host";
import { readCodeColors } from "./themes";
import { ORIGIN, VscodePage } from "./vscode-page";

/** As `scripts/vscode-box/workbench.mjs`. */
export const WINDOW = { width: 1280, height: 900 };
export const THEME = "Light 2026";
export const WAIT_MS = 60_000;
let count = 0;

export interface FixtureOptions {
  readonly settings?: Settings;
  /** Runs before the page is opened. */
  readonly onPage?: (page: ChatBox["page"]) => Promise<unknown>;
  /** For the page and the sidecar. */
  readonly translation?: Translation;
  /** Added to the environment of the sidecar and its agents. */
  readonly env?: Readonly<Record<string, string>>;
  /** Receives calls of VS Code that have no effect here. */
  readonly called?: (what: string, text: string) => void;
  readonly activeFile?: () => ActiveFile | undefined;
  /** Changes the host's messages to the page. */
  readonly onPost?: (message: HostToPage) => HostToPage;
  /** Changes the workspace before the page is opened. */
  readonly onWorkspace?: (folder: string) => void;
}

/** Opens a chat view with the scripted agent and without extensions, as `openScripted` of `../page/scripted`. */
export async function openScripted({
  settings: added = {},
  onPage,
  translation,
  env = {},
  called = () => undefined,
  activeFile = () => undefined,
  onPost = message => message,
  onWorkspace = () => undefined,
}: FixtureOptions = {}): Promise<ChatBox> {
  const mark = `${process.pid}-webview-${++count}`,
    home = mkdtempSync(path.join(tmpdir(), "webview-")),
    workspace = path.join(home, "workspace"),
    lines: string[] = [],
    memory = new Map<string, unknown>();
  cpSync(path.join(ROOT, "test-workspace"), workspace, { recursive: true });
  onWorkspace(workspace);
  mkdirSync(path.join(home, "storage"));
  const texts = path.join(home, "texts.json");
  writeFileSync(texts, JSON.stringify(translation?.texts ?? {}));
  let theme = THEME;
  let settings: Settings = { ...scripted(), ...added };

  const context = await (await sharedBrowser()).newContext({ viewport: WINDOW });
  context.setDefaultTimeout(timeLimit(WAIT_MS));
  const page = await context.newPage();
  await onPage?.(page);
  const view = await VscodePage.open(page, THEME, {
    html: () =>
      pageHtml({
        cspSource: ORIGIN,
        nonce: freshNonce(),
        title: "Symposium",
        root: "symposium",
        script: `${ORIGIN}/dist/webview.js`,
        ...workspaceKey(home),
        ...(translation === undefined ? {} : { translation }),
      }),
    received: message => host.page.receive(message),
  });
  const start = (): ExtensionHost =>
    new ExtensionHost({
      folders: [workspace],
      storage: path.join(home, "storage"),
      env: { ...process.env, ...env, SYMPOSIUM_TEST_SERVER: mark, SYMPOSIUM_L10N: texts },
      memory,
      settings: () => settings,
      updateSettings: changed => {
        settings = { ...settings, ...changed };
      },
      post: message => view.post(onPost(message)),
      ask: (question, buttons) => view.ask(question, buttons),
      called,
      activeFile,
      codeColors: () => readCodeColors()[theme],
      log: line => lines.push(line),
    });
  let host = start();

  const show = async (): Promise<void> => {
    await view.show();
    host.log.info("webview", "Webview visible");
  };
  const hide = async (): Promise<void> => {
    await view.hide();
    host.log.info("webview", "Webview hidden");
    host.page.hidden();
  };
  const reload = async (): Promise<void> => {
    await host.dispose();
    host = start();
    await view.reload();
  };
  /** The commands that the tests run, by their titles in the palette. */
  const commands: Readonly<Record<string, () => unknown>> = {
    "Symposium: New Tab": () => host.chat.requests.openTab(),
    "Symposium: Focus Prompt": () => host.chat.requests.run("focusPrompt"),
    "Symposium: Go to Next Question": () => host.chat.requests.run("nextQuestion"),
    "Symposium: Allow Once": () => host.chat.requests.run("allowOnce"),
    "Symposium: Reject Once": () => host.chat.requests.run("rejectOnce"),
    "Symposium: Stop Turn": () => host.chat.requests.run("stop"),
    "Symposium: Restart Sidecar": () => host.chat.restartSidecar(),
    "View: Toggle Secondary Side Bar Visibility": () => (view.isShown ? hide() : show()),
    "Developer: Reload Webviews": async () => {
      host.page.hidden();
      await view.show();
    },
    "Developer: Reload Window": reload,
  };
  const box: ChatBox = {
    page,
    get frame() {
      return webviewFrame(page);
    },
    folders: [workspace],
    open: async () => {
      if (!view.isShown) await show();
      await promptInput(box.frame);
      return box.frame;
    },
    command: async title => {
      const command = commands[title];
      if (command === undefined) throw new Error(`The fixture has no command ${title}.`);
      await command();
    },
    reload,
    selectTheme: async name => {
      theme = name;
      await view.selectTheme(name);
      host.chat.codeColorsChanged();
    },
    writeSettings: written => {
      settings = written;
      host.settingsChanged();
    },
    readSettings: () => [settings],
    readLog: () => lines.join("\n"),
    processes: () => census(`SYMPOSIUM_TEST_SERVER=${mark}`),
    screenshot: name => takeScreenshot(page, name),
    close: async () => {
      opened.delete(box);
      await context.close();
      await host.dispose();
    },
  };
  opened.add(box);
  return box;
}

/** As `openScripted`, with the chat view shown. */
export async function openChatBox(settings: Settings): Promise<ChatBox> {
  const box = await openScripted({ settings });
  await box.open();
  return box;
}
