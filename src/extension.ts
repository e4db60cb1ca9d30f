/**
 * Entry point of the extension: creates, connects and registers the components. Contains no logic. VS Code activates it
 * when a window has started. No process starts before a page, a command or a recorded review needs it.
 */
import { sidecarTranslation } from "./translation";
import * as vscode from "vscode";
import { chatListeners, registerChat, type ChatPart } from "./chat/register";
import { realClock } from "./clock";
import * as commands from "./commands";
import { ripgrep } from "./editor/files/find-ripgrep";
import { registerDiagnostics } from "./diagnostics/register";
import { registerEditor } from "./editor/register";
import { LanguageModels } from "./lm/language-models";
import { openLink, sessionLink, type LinkDeps } from "./links";
import { Log } from "./log";
import { COMMANDS } from "./names";
import { showLogOf } from "./output-channel";
import { Configuration } from "./settings/store/configuration";
import { PersistedControls } from "./settings/store/persisted-controls";
import { helloOf, sendSettings, settingsListeners } from "./settings/store/sidecar-settings";
import { agentListeners, registerSettings, type SettingsPart } from "./settings/view/register";
import { registerReview, reviewListeners, type ReviewPart } from "./review/register";
import { registerSessions, sessionListeners, type SessionsPart } from "./sessions/register";
import { bundledLauncher } from "./sidecar/lazy-launcher";
import { SidecarSupervisor } from "./sidecar/supervisor";

/** API for tests in the extension host; absent in production. */
export interface TestApi {
  readonly onLog: Log["onLog"];
}

let started: { readonly supervisor: SidecarSupervisor; readonly models: LanguageModels } | undefined;

export function activate(context: vscode.ExtensionContext): TestApi | undefined {
  const own = <T extends vscode.Disposable>(disposable: T): T => {
    context.subscriptions.push(disposable);
    return disposable;
  };
  const isProduction = context.extensionMode === vscode.ExtensionMode.Production,
    log = new Log();
  const configuration = own(new Configuration(log, message => void surfaces.report(message, "error", ["showLogs"])));
  const showLogs = showLogOf(log, () => configuration.settings, own);

  const chosen = new PersistedControls(context.globalState, log);
  const warn = (message: string): void => void surfaces.report(message, "warning", ["showLogs"]);
  const discuss = { command: "symposium.discussSelection", title: COMMANDS["symposium.discussSelection"] };
  const editor = own(registerEditor({ log, discuss, warn, asUser: (file, write) => review.asUser(file, write) }));
  const supervisor = new SidecarSupervisor({
    clock: realClock,
    log,
    changed: phase => {
      chat.phaseChanged(phase);
      settings.phaseChanged(phase);
      sessions.phaseChanged(phase);
      review.phaseChanged(phase);
    },
    launcher: bundledLauncher({
      extensionPath: context.extensionPath,
      custom: () => configuration.settings.acpAgentPath,
      hello: () =>
        helloOf(configuration, {
          storage: context.globalStorageUri.fsPath,
          isProduction,
          isTrusted: vscode.workspace.isTrusted,
        }),
      env: async () => ({ ...process.env, ...(await ripgrep(vscode.env.appRoot)), ...sidecarTranslation() }),
      log,
    }),
    listeners: {
      ...chatListeners(() => chat),
      ...settingsListeners(configuration, chosen, () => settings.secrets),
      ...agentListeners(() => settings),
      ...sessionListeners(() => sessions),
      ...reviewListeners(() => review),
      ...LanguageModels.listeners(() => models),
      ...editor.listeners,
      log: line => log.emit({ ...line, timestamp: new Date(line.timestamp) }),
    },
  });
  own(configuration.onChange(changed => sendSettings(supervisor, changed)));
  const shared = { context, log, configuration, supervisor, cwd: editor.cwd };
  const diagnostics = own(registerDiagnostics(shared));
  configuration.report();
  const chat: ChatPart = own(
    registerChat({
      ...shared,
      ...{ editor, chosen, commands },
      addToConfiguration: agentId => settings.controller.addToConfiguration(agentId),
      firstScreen: {
        refresh: () => settings.firstScreen.refresh(),
        addFound: agentId => settings.firstScreen.addFound(agentId),
        disable: ids => settings.firstScreen.disable(ids),
        preview: () => settings.firstScreen.preview(),
      },
      review: {
        open: (conversation, entryId) => review.actions.open(conversation, entryId),
        keep: (conversation, entryId) => review.actions.keep(conversation, entryId),
        undo: (conversation, entryId) => review.actions.undo(conversation, entryId),
        rewind: (...request) => review.actions.rewind(...request),
      },
      outdatedChanged: () => settings.controller.changed(),
      badgeChanged: badge => sessions.showBadge(badge),
      shownTabChanged: () => sessions.controller.shownConversationsChanged(),
      onEvent: (event, agentId) => settings.milestones.event(event, agentId),
    }),
  );
  const settings: SettingsPart = own(registerSettings({ ...shared, editor, chat: chat.surfaces }));
  const sessions: SessionsPart = own(
    registerSessions({
      ...shared,
      ...{ editor, commands },
      chat: chat.surfaces,
      linkTo: conversation => sessionLink(vscode.env.uriScheme, context.extension.id, conversation),
    }),
  );
  const listedSessions = async () => (await (await supervisor.client()).request("sessions/list", {})).sessions;
  const review: ReviewPart = own(
    registerReview({
      ...shared,
      editor,
      addToPrompt: commands.reviewPrompt(chat.surfaces, sessions.commands, listedSessions),
    }),
  );
  const models: LanguageModels = own(
    new LanguageModels({
      ...shared,
      client: () => supervisor.client(),
      running: () => supervisor.running,
      folders: () => editor.folders.folders(),
    }),
  );
  started = { supervisor, models };
  const { surfaces, capture } = chat,
    { sources, open: openSettings } = settings;
  const { context: editorContext } = editor.composer;
  own(
    commands.registerCommands({
      chat: surfaces,
      configuration,
      context: editorContext,
      sources,
      sessions: sessions.commands,
      review: review.commands,
      code: editor.code,
      openSettings,
      showLogs,
      copyDiagnostics: diagnostics.copy,
    }),
  );
  const links: LinkDeps = {
    isTrusted: () => vscode.workspace.isTrusted,
    sessions: listedSessions,
    openSession: session => sessions.commands["symposium.openSession"]({ kind: "session", session }),
    openDraft: draft => surfaces.openDraft(draft),
    notify: (message, actions) => surfaces.report(message, "error", actions),
  };
  own(vscode.window.registerUriHandler({ handleUri: ({ path, query }) => openLink(links, path, query) }));
  void review.showRecorded();
  if (isProduction) return undefined;
  own(commands.registerTestCommands(surfaces, capture));
  return { onLog: log.onLog };
}

/** Resolves when the sidecar and its agents have exited and their last records are being written to the storage. */
export async function deactivate(): Promise<void> {
  await started?.supervisor.dispose();
  started?.models.close();
}
