/**
 * Entry point of the extension: creates, connects and registers the components. Contains no logic. No process starts
 * before a page or a command needs it.
 */
import { sidecarTranslation } from "./translation";
import path from "node:path";
import * as vscode from "vscode";
import { AttentionBadge } from "./chat/attention-badge";
import { ChatController } from "./chat/chat-controller";
import { ChatView } from "./chat/chat-view";
import { ResponseCapture } from "./chat/response-capture";
import { realClock } from "./clock";
import {
  act,
  chooseAgent,
  confirmBypass,
  invite,
  registerCommands,
  registerTestCommands,
  notify,
  warn,
} from "./commands";
import { EditorComposer } from "./editor/composer";
import { registerDiscussAction } from "./editor/discuss-action";
import { IdeOperations } from "./editor/ide/operations";
import { Proposals } from "./editor/files/diff-views";
import { ripgrep } from "./editor/files/find-ripgrep";
import { runInTerminal } from "./editor/terminal-program";
import { TextFiles } from "./editor/files/text-files";
import { WorkingFolders } from "./editor/files/working-folders";
import { openLink, openPage, showPrintout, workspaceFolders } from "./editor/files/workspace";
import { lazyLauncher } from "./sidecar/lazy-launcher";
import { PersistedSessions } from "./lm/persisted-sessions";
import { CapabilityCache } from "./lm/capability-cache";
import { LmProvider } from "./lm/provider";
import { lmErrors, partClasses, partsTaken, registerLm, toolParts } from "./lm/register";
import { ToolGroups } from "./lm/tool-groups";
import { channelListener, Log } from "./log";
import { CHAT_VIEW, COMMANDS } from "./names";
import { PROTOCOL, type HelloFromHost } from "./protocol/sidecar";
import { Milestones } from "./settings/view/walkthrough-progress";
import { registerSettings, type SettingsPart } from "./settings/view/register";
import { AgentSecrets } from "./settings/store/agent-secrets";
import { PersistedControls } from "./settings/store/persisted-controls";
import { Configuration } from "./settings/store/configuration";
import { SidecarSupervisor } from "./sidecar/supervisor";

const BUILD = process.env.SYMPOSIUM_BUILD ?? "development";

/** API for tests in the extension host; absent in production. */
export interface TestApi {
  readonly onLog: Log["onLog"];
}

let sidecar: SidecarSupervisor | undefined;
let persistedSessions: PersistedSessions | undefined;

export function activate(context: vscode.ExtensionContext): TestApi | undefined {
  const own = <T extends vscode.Disposable>(disposable: T): T => {
    context.subscriptions.push(disposable);
    return disposable;
  };
  const log = new Log();
  const configuration = own(new Configuration(log, message => void notify(message, ["showLogs"])));
  const { channel, listener } = outputChannel(own, configuration);
  own(log.onLog(listener));
  configuration.report();

  const folders = workspaceFolders(log);
  const files = new TextFiles();
  const ide = own(new IdeOperations(realClock, file => files.read(file)));
  const proposals = own(new Proposals(files, folders.folders));
  const composer = own(new EditorComposer(realClock, log));
  const chosen = new PersistedControls(context.globalState, log);
  const capabilities = new CapabilityCache(context.globalState, log, () =>
    models.changed(configuration.settings.languageModel.isEnabled),
  );
  const milestones = new Milestones(
    (key, value) => void vscode.commands.executeCommand("setContext", key, value),
    context.globalState,
  );
  const secrets = new AgentSecrets(context.secrets, log, () => milestones.keyStored());
  const sessions = (persistedSessions = new PersistedSessions(context.workspaceState, log, realClock));
  const capture = new ResponseCapture();
  const supervisor = (sidecar = new SidecarSupervisor({
    clock: realClock,
    log,
    changed: phase => {
      chat.phaseChanged(phase);
      settingsPart.controller.phaseChanged(phase);
      if (phase.kind === "running") {
        supervisor.notify("settings/languageModel", configuration.settings.languageModel);
        void settingsPart.updates.sidecarRuns();
      }
      if (phase.kind !== "running") attention.clear();
    },
    launcher: lazyLauncher(
      async () =>
        new (await import(/* webpackMode: "eager" */ "./sidecar/process")).ProcessLauncher({
          bundled: path.join(context.extensionPath, "dist", "sidecar.js"),
          custom: () => configuration.settings.acpAgentPath,
          hello: () => hello(configuration, context),
          env: { ...process.env, ...(await ripgrep(vscode.env.appRoot)), ...sidecarTranslation() },
          clock: realClock,
          log,
        }),
    ),
    listeners: {
      "chat/event": event => chat.event(event),
      "chat/snapshot": snapshot => chat.snapshot(snapshot),
      "chat/attention": wanted => attention.onEvent(wanted),
      "settings/setBypass": ({ agentId }) => void configuration.setBypass(agentId, true),
      "settings/setControl": ({ agentId, controlId, value }) => chosen.keep(agentId, controlId, value),
      "lm/responsePart": ({ requestId, part }) => provider.part(requestId, part),
      "lm/responseComplete": () => undefined, // the response follows immediately
      "lm/agentFacts": facts => capabilities.learn(facts),
      "lm/persistedSessions": async () => ({ sessions: sessions.all() }),
      "lm/keepSession": ({ id, session, turns }) => sessions.keep(id, session, turns),
      "lm/forgetSessions": ({ ids }) => sessions.forget(ids),
      "agents/changed": () => settingsPart.controller.stateChanged(),
      "agents/installing": ({ of, id, progress }) => settingsPart.controller.installing(of, id, progress),
      "editor/readTextFile": async ({ path: file }) => ({ text: await files.read(file) }),
      "editor/writeTextFile": async ({ path: file, text }) => {
        await files.write(file, text);
        return {};
      },
      "editor/runInTerminal": program => runInTerminal(program),
      "editor/ideOperation": (request, signal) => ide.operate(request, signal),
      "secrets/environment": async ({ agentId }) => ({ env: await secrets.environment(agentId) }),
      "secrets/keepEnvironment": async ({ agentId, env }) => {
        await secrets.keep(agentId, env);
        return {};
      },
      "editor/showWarning": ({ message }) => void warn(message, ["showLogs"]),
      "editor/openPage": ({ url }) => void openPage(url, folders),
      log: line => log.emit({ ...line, timestamp: new Date(line.timestamp) }),
    },
  }));
  const attention = new AttentionBadge({
    show: badge => view.show(badge),
    notify: sentence => void invite(sentence),
    now: () => realClock.now(),
  });
  const view = new ChatView(
    context,
    log,
    message => {
      chat.handle(message).catch(() => undefined);
    },
    isVisible => attention.visible(isVisible),
  ); // shown in the tab and logged
  const chat: ChatController = own(
    new ChatController({
      page: view.page,
      sidecar: supervisor,
      folders: new WorkingFolders(folders),
      chosen,
      composer,
      log,
      settings: () => configuration.settings,
      isTrusted: () => vscode.workspace.isTrusted,
      selectAgent: agentId => configuration.selectAgent(agentId),
      confirmBypass,
      addToConfiguration: agentId => settingsPart.controller.addToConfiguration(agentId),
      chooseAgent,
      act,
      openLink: (href, preview) => openLink(href, preview, folders),
      openDiff: (change, agent) => proposals.show(change, agent),
      showPrintout,
      notify: (message, actions) => void notify(message, actions),
      forwarded: (tabId, event, agentId) => {
        capture.onEvent(tabId, event);
        milestones.event(event, agentId);
      },
      outdatedChanged: () => settingsPart.controller.changed(),
    }),
  );
  const settingsPart: SettingsPart = own(
    registerSettings({
      extension: { id: context.extension.id, extensionUri: context.extensionUri, globalState: context.globalState },
      configuration,
      supervisor,
      chat,
      secrets,
      cwd: () => folders.folders()[0] ?? folders.home,
      log,
      opened: () => milestones.settingsOpened(),
    }),
  );

  const toolGroups = new ToolGroups(context.globalState, context.workspaceState, log),
    permissionGroup = (agentId: string) => toolGroups.groupOf(agentId);
  const provider = new LmProvider({
    client: () => supervisor.client(),
    settings: () => configuration.settings,
    capabilities,
    isTrusted: () => vscode.workspace.isTrusted,
    permissionGroup,
    cwd: () => folders.folders()[0] ?? folders.home,
    classes: partClasses,
    errors: lmErrors,
    partsTaken,
    leftOut: part => log.debug("lm", "VS Code does not have this API", { part }),
  });
  const models = own(registerLm(provider, { running: () => supervisor.running, ...toolParts }, permissionGroup, log));
  models.changed(configuration.settings.languageModel.isEnabled);

  own(vscode.window.registerWebviewViewProvider(CHAT_VIEW, view));
  own(registerDiscussAction("symposium.discussSelection", COMMANDS["symposium.discussSelection"]));
  own(
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      chat.trustGranted();
      settingsPart.controller.settingsChanged();
    }),
  );
  milestones.agent(configuration.settings.currentAgentId);
  milestones.settings(name => configuration.ownValue(name));
  own(
    configuration.onChange(({ bypass, logLevel, languageModel, extensions, currentAgentId }) => {
      milestones.agent(currentAgentId);
      milestones.settings(name => configuration.ownValue(name));
      models.changed(languageModel.isEnabled);
      supervisor.notify("settings/languageModel", languageModel);
      supervisor.notify("settings/bypass", { agentIds: bypass });
      supervisor.notify("settings/logLevel", { level: logLevel });
      supervisor.notify("settings/extensions", { extensions });
      chat.postState();
      settingsPart.controller.settingsChanged();
    }),
  );
  own(
    registerCommands({
      chat,
      configuration,
      context: composer.context,
      sources: settingsPart.sources,
      openSettings: () => settingsPart.open(),
      showLogs: () => channel().show(),
    }),
  );
  if (context.extensionMode === vscode.ExtensionMode.Production) return undefined;
  own(registerTestCommands(chat, capture));
  return { onLog: log.onLog };
}

/** Resolves when the sidecar and its agents have exited and their last records are being written to the storage. */
export async function deactivate(): Promise<void> {
  await sidecar?.dispose();
  persistedSessions?.dispose();
}

function hello(
  configuration: Configuration,
  { globalStorageUri, extensionMode }: vscode.ExtensionContext,
): HelloFromHost {
  const { logLevel, traceDir, bypass, extensions } = configuration.settings;
  return {
    protocol: PROTOCOL,
    build: BUILD,
    logLevel,
    traceDir,
    bypass,
    extensions,
    proxy: configuration.proxy,
    storage: globalStorageUri.fsPath,
    ...(extensionMode === vscode.ExtensionMode.Production ? {} : { httpArchives: true }),
  };
}

/**
 * Creates the channel with the first line. A plain channel: the log level of a VS Code log channel would hide lines
 * that `symposium.logLevel` lets through.
 */
function outputChannel(own: <T extends vscode.Disposable>(disposable: T) => T, configuration: Configuration) {
  let made: vscode.OutputChannel | undefined;
  const channel = (): vscode.OutputChannel => (made ??= own(vscode.window.createOutputChannel("Symposium", "log")));
  return { channel, listener: channelListener(channel, () => configuration.settings.logLevel) };
}
