/**
 * The extension host without VS Code, connected as in `extension.ts`: the production chat, the page channel and the
 * built sidecar with the agents of the tests. Features that need an editor are omitted or scripted.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { ChatController } from "../../chat/chat-controller";
import { PageChannel } from "../../chat/page-channel";
import { realClock } from "../../clock";
import { WorkingFolders } from "../../editor/files/working-folders";
import { addressOf } from "../../editor/files/links";
import { NamedFiles } from "../../editor/files/named-files";
import { isFileWithin } from "../../editor/files/workspace-files";
import { FileList } from "../../editor/mentions/file-list";
import { Mentions } from "../../editor/mentions/mentions";
import { EditorRequestError } from "../../errors";
import { formatted, Log } from "../../log";
import { PROTOCOL } from "../../protocol/sidecar";
import type { ActiveFile } from "../../protocol/page/first-screen";
import type { CodeColors } from "../../protocol/page/code-colors";
import type { HostToPage } from "../../protocol/page/host-to-page";
import { withAgent, withBypass } from "../../settings/store/agents";
import { bypassQuestion } from "../../settings/store/bypass-question";
import { PersistedControls } from "../../settings/store/persisted-controls";
import { readSettings, type Settings } from "../../settings/store/settings";
import { FirstScreenController } from "../../settings/view/first-screen-controller";
import { ProcessLauncher } from "../../sidecar/process";
import { SidecarSupervisor } from "../../sidecar/supervisor";
import { listeners } from "../../testing/listeners";
import { onlySurface } from "../../testing/only-surface";
import { ROOT } from "../page/harness";

export interface HostDeps {
  /** The user's current settings. */
  settings(): Readonly<Record<string, unknown>>;
  updateSettings(changed: Readonly<Record<string, unknown>>): void;
  /** Workspace folders. */
  readonly folders: readonly string[];
  /** The extension's global storage. */
  readonly storage: string;
  /** Environment of the sidecar and its agents. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** State that the extension stores across windows. */
  readonly memory: Map<string, unknown>;
  post(message: HostToPage): Promise<boolean>;
  /** Shows VS Code's modal dialog and resolves to the label of the button that was pressed. */
  ask(question: string, buttons: readonly string[]): Promise<string>;
  /** Calls of VS Code that have no effect here, such as `show TITLE` with a text. */
  called(what: string, text: string): void;
  activeFile(): ActiveFile | undefined;
  /** Colors of code in the current theme. */
  codeColors(): CodeColors | undefined;
  log(line: string): void;
}

/** The built sidecar compares the version in the handshake. */
const { version: BUILD } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as { version: string };

export class ExtensionHost {
  readonly page: PageChannel;
  readonly chat: ChatController;
  readonly log = new Log();
  readonly firstScreen: FirstScreenController;
  readonly #names = new NamedFiles({
    folders: () => this.deps.folders,
    isFile: file => isFileWithin(file, this.deps.folders),
    listed: async () => [],
  });
  readonly #supervisor: SidecarSupervisor;

  constructor(private readonly deps: HostDeps) {
    this.log.onLog(event => deps.log(formatted(event)));
    const chosen = new PersistedControls(
      {
        get: key => deps.memory.get(key),
        update: async (key, value) => {
          deps.memory.set(key, value);
        },
      },
      this.log,
    );
    this.#supervisor = new SidecarSupervisor({
      clock: realClock,
      log: this.log,
      changed: phase => {
        this.chat.phaseChanged(phase);
        this.firstScreen.phaseChanged(phase);
      },
      launcher: sidecarLauncher(deps, this.log),
      listeners: {
        ...listeners(),
        "chat/event": event => this.chat.event(event),
        "chat/snapshot": snapshot => this.chat.snapshot(snapshot),
        "agents/changed": () => this.firstScreen.stateChanged(),
        "agents/installing": ({ of, id, progress }) => this.firstScreen.installing(of, id, progress),
        "settings/setBypass": ({ agentId }) =>
          this.#update({ "symposium.agents": withBypass(deps.settings()["symposium.agents"], agentId, true) }),
        "settings/setControl": ({ agentId, controlId, value }) => chosen.keep(agentId, controlId, value),
        "editor/readTextFile": async ({ path: file }) => ({
          text: await readFile(file, "utf8").catch(() => {
            throw EditorRequestError.noFile(file);
          }),
        }),
        "editor/writeTextFile": async ({ path: file, text }) => {
          await mkdir(path.dirname(file), { recursive: true });
          await writeFile(file, text);
          return {};
        },
        log: line => this.log.emit({ ...line, timestamp: new Date(line.timestamp) }),
      },
    });
    this.page = new PageChannel({
      log: this.log,
      send: message => deps.post(message),
      onMessage: message => {
        this.chat.handle(message).catch(() => undefined); // shown in the tab, and logged
      },
    });
    this.chat = this.#chat(chosen);
    this.firstScreen = this.#firstScreen();
  }

  get settings(): Settings {
    const values = this.deps.settings();
    return readSettings(name => values[name]);
  }

  /** As `Configuration.onChange`. */
  settingsChanged(): void {
    const { bypass, extensions, logLevel, agentLogLevel } = this.settings;
    this.#supervisor.notify("settings/bypass", { agentIds: bypass });
    this.#supervisor.notify("settings/logLevels", { logLevel, agentLogLevel });
    this.#supervisor.notify("settings/extensions", { extensions });
    this.chat.postState();
    this.firstScreen.settingsChanged();
  }

  /** Resolves when the sidecar and its agents have ended. */
  async dispose(): Promise<void> {
    this.chat.dispose();
    await this.#supervisor.dispose();
  }

  #update(changed: Readonly<Record<string, unknown>>): void {
    this.deps.updateSettings(changed);
    this.settingsChanged();
  }

  #firstScreen(): FirstScreenController {
    const { deps } = this,
      host = this;
    return new FirstScreenController({
      sidecar: this.#supervisor,
      configuration: {
        get settings() {
          return host.settings;
        },
        addAgent: async entry =>
          this.#update({ "symposium.agents": withAgent(deps.settings()["symposium.agents"], entry) }),
        changeExtensions: async change =>
          this.#update({ "symposium.extensions": change(deps.settings()["symposium.extensions"]) }),
      },
      log: this.log,
      isTrusted: () => true,
      cwd: () => deps.folders[0] ?? homedir(),
      home: homedir(),
      hasPage: () => this.page.isLive,
      post: screen => this.page.post({ type: "firstScreen", screen }),
      hasFolder: () => deps.folders.length > 0,
      activeFile: () => deps.activeFile(),
      isRust: async () => deps.folders.some(folder => existsSync(path.join(folder, "Cargo.toml"))),
      showText: async (title, text) => deps.called(`show ${title}`, text),
    });
  }

  #chat(chosen: PersistedControls): ChatController {
    const { folders, ask } = this.deps,
      mentions = this.#mentions();
    return new ChatController({
      page: this.page,
      sidecar: this.#supervisor,
      chosen,
      log: this.log,
      settings: () => this.settings,
      isTrusted: () => true,
      folders: new WorkingFolders({
        folders: () => folders,
        pick: async () => undefined,
        report: () => undefined,
        home: homedir(),
        log: this.log,
      }),
      selectAgent: async agentId => this.#update({ "symposium.currentAgentId": agentId }),
      confirmBypass: async agent => {
        const { question, choices } = bypassQuestion(agent),
          labels = choices.map(({ label }) => label),
          pressed = await ask(question, [...labels, "Cancel"]);
        return choices.find(({ label }) => label === pressed)?.until;
      },
      others: { ...onlySurface, openSession: session => this.chat.requests.openSession(session) },
      composer: {
        find: (query, found, signal) => mentions.find(query, found, signal),
        gather: async () => ({ attachments: [] }),
      },
      firstScreen: {
        refresh: () => this.firstScreen.refresh(),
        addFound: agentId => this.firstScreen.addFound(agentId),
        disable: ids => this.firstScreen.disable(ids),
        preview: () => this.firstScreen.preview(),
      },
      pickAgent: async () => undefined,
      perform: async action => {
        if (action === "selectAgent") this.deps.called("select an agent", "");
      },
      openLink: async href => this.deps.called("open", href),
      openDiff: async () => undefined,
      names: {
        files: async names => {
          const places = await this.#names.find(names);
          return [...places].map(([name, place]) => ({ name, href: addressOf(place), place: name }));
        },
        openSymbol: async name => this.deps.called(`symbol ${name}`, ""),
      },
      codeColors: async () => this.deps.codeColors(),
      code: {
        insert: async code => this.deps.called("insert", code),
        propose: async (code, { named, mentioned }) =>
          this.deps.called(`propose ${[...named, "|", ...mentioned].join(" ")}`, code),
      },
      review: {
        open: async (_, entryId) => this.deps.called("review", entryId ?? "all"),
        keep: async (_, entryId) => this.deps.called("keep", entryId ?? "all"),
        undo: async (_, entryId) => this.deps.called("undo", entryId ?? "all"),
        rewind: async (_, entryId, alsoConversation) => {
          this.deps.called(alsoConversation ? "rewind both" : "rewind files", entryId);
          return true;
        },
      },
      showText: async () => undefined,
      showPrintout: () => undefined,
      notify: () => undefined,
      addToConfiguration: async () => undefined,
      forwarded: () => undefined,
    });
  }

  /** Files and folders of the workspace. */
  #mentions(): Mentions {
    const lists = this.deps.folders.map(folder => {
      const list = new FileList(folder, "");
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
        if (entry.isFile()) list.add(path.relative(folder, path.join(entry.parentPath, entry.name)));
      return list;
    });
    return new Mentions({
      clock: realClock,
      log: this.log,
      files: async () => lists.flatMap(list => [...list.all()]),
      symbols: async () => [],
      now: () => ({ offers: [], opened: [] }),
    });
  }
}

/** Starts the built sidecar. */
export function sidecarLauncher(
  { settings, storage, env }: Pick<HostDeps, "settings" | "storage" | "env">,
  log: Log,
): ProcessLauncher {
  return new ProcessLauncher({
    bundled: path.join(ROOT, "dist/sidecar.js"),
    custom: () => "",
    hello: () => {
      const values = settings(),
        { logLevel, agentLogLevel, traceDir, bypass, extensions, history } = readSettings(name => values[name]);
      const settled = { logLevel, agentLogLevel, traceDir, bypass, extensions, history };
      return { ...settled, protocol: PROTOCOL, build: BUILD, proxy: "", storage, httpArchives: true };
    },
    env,
    clock: realClock,
    log,
  });
}
