/**
 * The settings page in plain Chromium: the built page in the frames of VS Code, with the production controller and
 * sidecar behind it. VS Code's clipboard and navigation are recorded. Its lists are scripted: *From the Registry* adds
 * the first agent.
 */
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { FrameLocator } from "playwright-core";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import { census, webviewFrame, type Settings } from "../../../scripts/vscode-box/index.mjs";
import { freshNonce, pageHtml } from "../../chat/page-html";
import { formatted, Log } from "../../log";
import { validated } from "../../protocol/wire/schema";
import { settingsToHost } from "../../protocol/settings/settings-to-host";
import { BypassWrites } from "../../settings/store/bypass-writes";
import { SerialWrites } from "../../settings/store/serial-writes";
import { readSettings } from "../../settings/store/settings";
import { withAgent, withoutAgent } from "../../settings/store/agents";
import { updatableIn, withUpdate } from "../../settings/store/update-policy";
import { SettingsController } from "../../settings/view/settings-controller";
import type { Place, SettingsDeps } from "../../settings/view/settings-deps";
import { Recommendations } from "../../settings/view/recommendations";
import { addRecommended } from "../../settings/store/add-recommended";
import { UpdateCheck } from "../../settings/view/update-check";
import { SidecarSupervisor } from "../../sidecar/supervisor";
import { realClock } from "../../clock";
import { listeners } from "../../testing/listeners";
import { shows } from "../page/settings-box";
import { opened, sharedBrowser, takeScreenshot, type ChatBox } from "../page/harness";
import { THEME, WAIT_MS, WINDOW } from "./fixture";
import { sidecarLauncher } from "./host";
import { ORIGIN, VscodePage } from "./vscode-page";

/** A settings page with the steps of a chat that it shares. */
export interface SettingsBox extends ChatBox {
  /** The home folder of the sidecar. */
  readonly home: string;
  /** Navigation targets, in the order of the clicks. */
  readonly visited: readonly Place[];
  /** Copied texts. */
  readonly copied: readonly string[];
}

let count = 0;

/** Opens a page in the size of the settings view. `env`: added to the environment of the sidecar. */
export async function openSettingsPage({
  settings: initial,
  env = {},
}: {
  readonly settings: Settings;
  readonly env?: Readonly<Record<string, string>>;
}): Promise<SettingsBox> {
  const mark = `${process.pid}-settings-${++count}`,
    home = mkdtempSync(path.join(tmpdir(), "settings-")),
    storage = path.join(home, "storage"),
    lines: string[] = [],
    visited: Place[] = [],
    copied: string[] = [],
    log = new Log();
  mkdirSync(storage);
  log.onLog(event => lines.push(formatted(event)));
  let values: Settings = { "symposium.extensions": [], ...initial };

  const context = await (await sharedBrowser()).newContext({ viewport: WINDOW });
  context.setDefaultTimeout(timeLimit(WAIT_MS));
  const page = await context.newPage();
  const view = await VscodePage.open(page, THEME, {
    html: () =>
      pageHtml({
        cspSource: ORIGIN,
        nonce: freshNonce(),
        title: "Symposium Settings",
        root: "symposium-settings",
        script: `${ORIGIN}/dist/settings.js`,
      }),
    received: message => {
      const validation = validated(settingsToHost, message);
      if (validation.ok) void attached.onMessage(validation.message);
      else log.warn("webview", "Ignored an invalid settings page message", { why: validation.why });
    },
  });

  const read = () => readSettings(name => values[name]),
    set = (name: string, value: unknown): void => {
      values = { ...values, [name]: value };
      const { bypass, extensions } = read();
      supervisor.notify("settings/bypass", { agentIds: bypass });
      supervisor.notify("settings/extensions", { extensions });
      controller.settingsChanged();
    };
  const writes = new SerialWrites({ value: name => values[name], write: async (name, value) => set(name, value) }),
    bypasses = new BypassWrites({
      change: change => writes.change("symposium.agents", change),
      failed: (agentId, isOn, error) => log.error("approval", "Could not save the bypass", { agentId, isOn, error }),
    });
  const configuration: SettingsDeps["configuration"] = {
    get settings() {
      const settings = read();
      return { ...settings, bypass: bypasses.with(settings.bypass) };
    },
    selectAgent: async agentId => set("symposium.currentAgentId", agentId),
    addAgent: entry => writes.change("symposium.agents", value => withAgent(value, entry)),
    removeAgent: agentId => writes.change("symposium.agents", value => withoutAgent(value, agentId)),
    setBypass: (agentId, isOn) => bypasses.set(agentId, isOn),
    changeExtensions: change => writes.change("symposium.extensions", change),
    set: async (name, value) => set(name, value),
  };

  const supervisor = new SidecarSupervisor({
    clock: realClock,
    log,
    changed: phase => controller.phaseChanged(phase),
    launcher: sidecarLauncher(
      {
        settings: () => values,
        storage,
        env: { ...process.env, HOME: home, USERPROFILE: home, ...env, SYMPOSIUM_TEST_SERVER: mark },
      },
      log,
    ),
    listeners: {
      ...listeners(),
      "agents/changed": () => controller.stateChanged(),
      "agents/installing": ({ of, id, progress }) => controller.installing(of, id, progress),
      log: line => log.emit({ ...line, timestamp: new Date(line.timestamp) }),
    },
  });
  const memory = new Map<string, unknown>();
  const store = {
    get: (key: string) => memory.get(key),
    update: async (key: string, value: unknown) => {
      memory.set(key, value);
    },
  };
  const updates = new UpdateCheck({
    client: () => supervisor.client(),
    settings: read,
    updatable: () => updatableIn(values["symposium.agents"], values["symposium.extensions"], read().agents),
    isTrusted: () => true,
    now: Date.now,
    memory: store,
    replace: async update => {
      let isTaken = false;
      await writes.change(update.of === "agent" ? "symposium.agents" : "symposium.extensions", value => {
        const after = withUpdate(value, update);
        isTaken = after !== value;
        return after;
      });
      return isTaken;
    },
    ask: async () => false,
    notify: () => undefined,
    changed: () => controller.changed(),
    log,
  });
  const recommendations = new Recommendations({
    clock: realClock,
    client: () => supervisor.client(),
    isSidecarRunning: () => supervisor.phase.kind === "running",
    settings: read,
    folders: () => [],
    isTrusted: () => true,
    shared: store,
    workspace: {
      get: key => store.get(`workspace.${key}`),
      update: (key, value) => store.update(`workspace.${key}`, value),
    },
    add: recommendation =>
      addRecommended(recommendation, {
        registry: async () => (await supervisor.client()).request("registry/agents", { url: read().registryUrl }),
        entryAt: async url =>
          (await (await supervisor.client()).request("registry/extension", { url, of: "extension" })).entry,
        change: change => writes.change("symposium.extensions", change),
        confirm: async () => true,
      }),
    ask: async () => false,
    show: () => undefined,
    changed: () => controller.changed(),
    log,
  });
  const controller = new SettingsController({
    sidecar: supervisor,
    configuration,
    updates,
    recommendations,
    log,
    isTrusted: () => true,
    now: Date.now,
    cwd: () => home,
    outdatedTabs: () => 0,
    hasKeys: async () => false,
    openTab: async () => undefined,
    confirm: async (question, _, yes) => (await view.ask(question, [yes, "Cancel"])) === yes,
    offerTab: () => undefined,
    copy: async text => {
      copied.push(text);
    },
    openPage: async () => undefined,
    go: async to => {
      visited.push(to);
    },
    add: async what => {
      if (what !== "registryAgent") return undefined;
      const url = read().registryUrl,
        [agent] = (await (await supervisor.client()).request("registry/agents", { url })).agents;
      if (agent === undefined) return undefined;
      await configuration.addAgent(agent.entry);
      return agent.id;
    },
    notify: sentence => log.warn("webview", sentence),
  });
  const attached = controller.attach({ isPage: false, post: message => void view.post(message) });

  const toggle = async (): Promise<void> => {
    if (!view.isShown) return view.show();
    await view.hide();
    attached.hidden();
  };
  const box: SettingsBox = {
    page,
    get frame() {
      return webviewFrame(page);
    },
    home,
    visited,
    copied,
    folders: [],
    open: async () => {
      if (!view.isShown) await view.show();
      await box.frame.locator(".row").first().waitFor();
      return box.frame;
    },
    command: async title => {
      if (title !== "View: Toggle Primary Side Bar Visibility") throw new Error(`The fixture has no command ${title}.`);
      await toggle();
    },
    reload: async () => {
      throw new Error("The fixture cannot reload the window.");
    },
    selectTheme: name => view.selectTheme(name),
    writeSettings: written => {
      values = written;
      controller.settingsChanged();
    },
    readSettings: () => [values],
    readLog: () => lines.join("\n"),
    processes: () => census(`SYMPOSIUM_TEST_SERVER=${mark}`),
    screenshot: name => takeScreenshot(page, name),
    close: async () => {
      opened.delete(box);
      await context.close();
      await supervisor.dispose();
    },
  };
  opened.add(box);
  return box;
}

/** Sets the minimum width of a view in VS Code, and waits until the page fits into it. */
export async function narrow({ page }: SettingsBox, view: FrameLocator): Promise<void> {
  await page.locator("iframe.webview").evaluate(frame => {
    frame.style.width = "200px";
  });
  await shows(
    view,
    () =>
      view
        .locator("body")
        .evaluate(() => window.innerWidth <= 210 && document.documentElement.scrollWidth <= window.innerWidth),
    "a page that is no wider than its window",
  );
}

/** Starts of the elements that the window shows in part only. */
export function outside(view: FrameLocator): Promise<readonly string[]> {
  return view
    .locator("body")
    .evaluate(() =>
      [...document.querySelectorAll(".page *")]
        .filter(each => each.getClientRects().length > 0 && each.getBoundingClientRect().right > window.innerWidth + 1)
        .map(each => each.outerHTML.slice(0, 80)),
    );
}
