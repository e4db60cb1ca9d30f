/** Connects the settings pages, the update check and the walkthrough with VS Code. */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import type { ChatSurfaces } from "../../chat/chat-surfaces";
import { realClock } from "../../clock";
import type { Log } from "../../log";
import { SETTINGS_PAGE, SETTINGS_VIEW, WALKTHROUGH, type CommandName } from "../../names";
import { showError, showInformation, showModal, showWarning } from "../../notifications";
import type { RegistryView } from "../../protocol/agents/agent-service";
import type { ActiveFile } from "../../protocol/page/first-screen";
import type { Recommendation } from "../../protocol/agents/recommendations";
import type { Fields } from "../../protocol/wire/json";
import { KNOWN_PROGRAMS } from "../../protocol/agents/known-programs";
import type { SidecarToHost } from "../../protocol/sidecar";
import type { Handlers } from "../../protocol/wire/wire";
import { visibleLine, visibleText } from "../../protocol/text/visible-text";
import { addAgent } from "../store/add-agent";
import { addExtension } from "../store/add-extension";
import { addRecommended } from "../store/add-recommended";
import { AgentSecrets } from "../store/agent-secrets";
import type { Configuration } from "../store/configuration";
import { addFromRegistry, type AgentSources } from "../store/select-agent";
import { updatableIn } from "../store/update-policy";
import type { SidecarPhase } from "../../sidecar/restart-policy";
import type { SidecarSupervisor } from "../../sidecar/supervisor";
import { addQuestion } from "./recommendation-question";
import { Recommendations, type RecommendationsDeps } from "./recommendations";
import { FirstScreenController } from "./first-screen-controller";
import { SettingsController } from "./settings-controller";
import { SettingsPages } from "./settings-pages";
import type { Place, SettingsDeps } from "./settings-deps";
import { UpdateCheck, type UpdateDeps } from "./update-check";
import { Milestones } from "./walkthrough-progress";

export interface SettingsParts {
  readonly context: Pick<
    vscode.ExtensionContext,
    "extension" | "extensionUri" | "globalState" | "workspaceState" | "secrets"
  >;
  readonly configuration: Configuration;
  readonly supervisor: SidecarSupervisor;
  readonly chat: Pick<ChatSurfaces, "openTab" | "outdatedTabs" | "isLive" | "post">;
  readonly editor: {
    readonly folders: { folders(): readonly string[]; readonly home: string };
    readonly proposals: { showText(title: string, text: string): Promise<void> };
    /** Undefined without an editor of a file in the workspace. */
    activeFile(): ActiveFile | undefined;
    onActiveFileChange(changed: () => void): vscode.Disposable;
  };
  readonly cwd: () => string;
  readonly log: Log;
}

export interface SettingsPart extends vscode.Disposable {
  readonly controller: SettingsController;
  readonly firstScreen: FirstScreenController;
  readonly sources: AgentSources;
  readonly secrets: AgentSecrets;
  readonly milestones: Milestones;
  phaseChanged(phase: SidecarPhase): void;
  /** Opens the page as an editor. */
  open(): void;
}

/** Handlers of the sidecar's messages about agents. */
export function agentListeners(
  settings: () => Pick<SettingsPart, "controller" | "firstScreen">,
): Pick<Handlers<SidecarToHost>, "agents/changed" | "agents/installing"> {
  const all = () => [settings().controller, settings().firstScreen];
  return {
    "agents/changed": () => all().forEach(part => part.stateChanged()),
    "agents/installing": ({ of, id, progress }) => all().forEach(part => part.installing(of, id, progress)),
  };
}

export function registerSettings(parts: SettingsParts): SettingsPart {
  const { context, configuration, supervisor, log } = parts,
    milestones = followedMilestones(context.globalState, configuration),
    secrets = new AgentSecrets(context.secrets, log, () => milestones.keyStored()),
    sources = sourcesIn(configuration, supervisor);
  const updates = new UpdateCheck(updateDeps(parts, () => controller.changed()));
  const recommendations = new Recommendations(
    recommendationsDeps(parts, sources, {
      changed: () => controller.changed(),
      show: () => pages.open(),
    }),
  );
  const controller = new SettingsController({
    sidecar: supervisor,
    configuration,
    updates,
    recommendations,
    log,
    isTrusted,
    now,
    cwd: parts.cwd,
    outdatedTabs: () => parts.chat.outdatedTabs.length,
    hasKeys: async agentId => Object.keys(await secrets.environment(agentId)).length > 0,
    ...dialogs(parts.chat),
    go: to => go(to, context.extension.id),
    add: what => add(what, configuration, supervisor, sources),
  });
  const firstScreen = firstScreenOf(parts);
  const pages = new SettingsPages(context.extensionUri, controller, log, () => milestones.settingsOpened());
  const owned = vscode.Disposable.from(
    vscode.window.registerWebviewViewProvider(SETTINGS_VIEW, pages),
    vscode.window.registerWebviewPanelSerializer(SETTINGS_PAGE, pages),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      controller.settingsChanged();
      firstScreen.settingsChanged();
    }),
    parts.editor.onActiveFileChange(() => firstScreen.changed()),
    configuration.onChange(() => {
      followSettings(milestones, configuration);
      controller.settingsChanged();
      firstScreen.settingsChanged();
    }),
    ...projectChanges(() => {
      void firstScreen.projectChanged();
      recommendations.projectChanged();
    }),
    recommendations,
    milestones,
  );
  return {
    controller,
    firstScreen,
    sources,
    secrets,
    milestones,
    phaseChanged: phase => {
      controller.phaseChanged(phase);
      firstScreen.phaseChanged(phase);
      if (phase.kind !== "running") return;
      supervisor.notify("settings/languageModel", configuration.settings.languageModel);
      void updates.sidecarRuns();
      void recommendations.sidecarRuns();
    },
    open: () => pages.open(),
    dispose: () => {
      owned.dispose();
    },
  };
}

function firstScreenOf({ configuration, supervisor, log, cwd, chat, editor }: SettingsParts): FirstScreenController {
  const { folders, home } = editor.folders;
  return new FirstScreenController({
    sidecar: supervisor,
    configuration,
    log,
    isTrusted,
    cwd,
    home,
    hasPage: () => chat.isLive,
    post: screen => chat.post({ type: "firstScreen", screen }),
    hasFolder: () => folders().length > 0,
    activeFile: () => editor.activeFile(),
    isRust,
    showText: (title, text) => editor.proposals.showText(title, text),
  });
}

/** The workspace folders and their direct subfolders, as the sidecar's `rustFolders`. */
async function isRust(): Promise<boolean> {
  return (await vscode.workspace.findFiles("{Cargo.toml,*/Cargo.toml}", undefined, 1)).length > 0;
}

const isTrusted = (): boolean => vscode.workspace.isTrusted;
const now = (): number => Date.now();

function followedMilestones(memory: vscode.Memento, configuration: Configuration): Milestones {
  const milestones = new Milestones(
    (key, value) => void vscode.commands.executeCommand("setContext", key, value),
    memory,
    realClock,
  );
  followSettings(milestones, configuration);
  return milestones;
}

function followSettings(milestones: Milestones, configuration: Configuration): void {
  milestones.agent(configuration.settings.currentAgentId);
  milestones.settings(name => configuration.ownValue(name));
}

/** Agents that the user can select, from the registry and on this computer. */
function sourcesIn(configuration: Configuration, supervisor: SidecarSupervisor): AgentSources {
  const registryParams = (): { readonly url?: string } =>
    configuration.settings.registryUrl === "" ? {} : { url: configuration.settings.registryUrl };
  return {
    registry: async (): Promise<RegistryView> =>
      (await supervisor.client()).request("registry/agents", registryParams()),
    found: async () => {
      const client = await supervisor.client();
      return (await client.request("agents/find", { programs: KNOWN_PROGRAMS.map(({ program }) => program) })).found;
    },
  };
}

function updateDeps({ context, configuration, supervisor, log }: SettingsParts, changed: () => void): UpdateDeps {
  return {
    client: () => supervisor.client(),
    settings: () => configuration.settings,
    isTrusted,
    now,
    memory: context.globalState,
    log,
    updatable: () =>
      updatableIn(
        configuration.ownValue("symposium.agents"),
        configuration.ownValue("symposium.extensions"),
        configuration.settings.agents,
      ),
    replace: update => configuration.takeUpdate(update),
    ask: async sentence => (await showInformation(sentence, "Update", l10n.t("Not Now"))) === "Update",
    notify: sentence => void showError(sentence),
    changed,
  };
}

function recommendationsDeps(
  { context, configuration, supervisor, log }: SettingsParts,
  { registry }: AgentSources,
  { changed, show }: Pick<RecommendationsDeps, "changed" | "show">,
): RecommendationsDeps {
  return {
    clock: realClock,
    client: () => supervisor.client(),
    isSidecarRunning: () => supervisor.phase.kind === "running",
    settings: () => configuration.settings,
    folders: () =>
      (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath),
    isTrusted,
    shared: context.globalState,
    workspace: context.workspaceState,
    add: recommendation =>
      addRecommended(recommendation, {
        registry,
        entryAt: entryAt(supervisor, "extension"),
        confirm: confirmAddition,
        change: change => configuration.changeExtensions(change),
      }),
    ask: async sentence => (await showInformation(sentence, SHOW, l10n.t("Not Now"))) === SHOW,
    show,
    changed,
    log,
  };
}

async function confirmAddition(recommendation: Recommendation, entry: Fields): Promise<boolean> {
  const ask = addQuestion(recommendation, entry);
  if (!ask) return true;
  const { question, detail } = ask;
  return (await showModal({ question: visibleLine(question), detail: visibleText(detail) }, ADD)) === ADD;
}

/** Files that determine the recommendations for a workspace. Those that conditions name are read with these. */
const PROJECT_FILES = "**/{Cargo.lock,.symposium/recommendations.toml}";

function projectChanges(changed: () => void): readonly vscode.Disposable[] {
  const files = vscode.workspace.createFileSystemWatcher(PROJECT_FILES);
  return [
    files,
    files.onDidCreate(changed),
    files.onDidChange(changed),
    files.onDidDelete(changed),
    vscode.workspace.onDidChangeWorkspaceFolders(changed),
    vscode.workspace.onDidChangeConfiguration(change => {
      if (change.affectsConfiguration("symposium.recommendations")) changed();
    }),
  ];
}

type Dialogs = "openTab" | "confirm" | "offerTab" | "copy" | "openPage" | "notify";

/** Dialogs of VS Code that the settings page opens. */
function dialogs(chat: SettingsParts["chat"]): Pick<SettingsDeps, Dialogs> {
  const openTab = (agentId: string): Promise<void> => chat.openTab(agentId);
  return {
    openTab,
    confirm: async (question, detail, yes) =>
      (await showModal({ question: visibleLine(question), detail: visibleText(detail) }, yes)) === yes,
    offerTab: (sentence, agentId) => {
      void showInformation(sentence, NEW_TAB).then(async chosen => {
        if (chosen === NEW_TAB) await openTab(agentId);
      });
    },
    copy: async text => {
      await vscode.env.clipboard.writeText(text);
      vscode.window.setStatusBarMessage(`$(check) ${l10n.t("Report copied")}`, 3_000);
    },
    openPage: async url => {
      await vscode.env.openExternal(vscode.Uri.parse(url, true));
    },
    notify: sentence => void showError(sentence),
  };
}

/** Asks for an agent or an extension and adds it to the settings. */
async function add(
  what: Parameters<SettingsDeps["add"]>[0],
  configuration: Configuration,
  supervisor: SidecarSupervisor,
  sources: AgentSources,
): Promise<string | undefined> {
  switch (what) {
    case "agent":
      return addAgent(configuration, entryAt(supervisor, "agent"));
    case "registryAgent":
      return (await addFromRegistry(configuration, sources, sentence => void showWarning(sentence)))?.id;
    case "extension":
      return addExtension({
        all: configuration.settings.allExtensions,
        registry: sources.registry,
        entryAt: entryAt(supervisor, "extension"),
        change: change => configuration.changeExtensions(change),
      });
  }
}

/** Fetches the entry at a URL. */
function entryAt(supervisor: SidecarSupervisor, of: "agent" | "extension"): (url: string) => Promise<Fields> {
  return async url => (await (await supervisor.client()).request("registry/extension", { url, of })).entry;
}

const NEW_TAB = l10n.t("New Tab"),
  SHOW = l10n.t("Show"),
  ADD = l10n.t("Add");

/** In a remote window, machine settings are in a separate file. */
const OPEN_SETTINGS_FILE =
  vscode.env.remoteName === undefined ? "workbench.action.openSettingsJson" : "workbench.action.openRemoteSettingsFile";

async function go(to: Place, extensionId: string): Promise<void> {
  const run = (command: CommandName | `workbench.${string}`, ...args: readonly unknown[]): Thenable<unknown> =>
    vscode.commands.executeCommand(command, ...args);
  switch (to) {
    case "trust":
      await run("workbench.trust.manage");
      return;
    case "agentsFile":
      await run(OPEN_SETTINGS_FILE, { revealSetting: { key: "symposium.agents" } });
      return;
    case "extensionsFile":
      await run(OPEN_SETTINGS_FILE, { revealSetting: { key: "symposium.extensions" } });
      return;
    case "settings":
      await run("workbench.action.openSettings", `@ext:${extensionId}`);
      return;
    case "page":
      await run("symposium.openSettings");
      return;
    case "walkthrough":
      await run("workbench.action.openWalkthrough", `${extensionId}#${WALKTHROUGH}`);
      return;
    case "logs":
      await run("symposium.showLogs");
      return;
  }
}
