/** Connects the settings pages and the update check with VS Code. */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import type { ChatController } from "../../chat/chat-controller";
import type { Log } from "../../log";
import { CHAT_VIEW, SETTINGS_PAGE, SETTINGS_VIEW, WALKTHROUGH, type CommandName } from "../../names";
import type { RegistryView } from "../../protocol/agents/agent-service";
import type { Fields } from "../../protocol/wire/json";
import { KNOWN_PROGRAMS } from "../../protocol/agents/known-programs";
import { visibleLine, visibleText } from "../../protocol/text/visible-text";
import { addAgent } from "../store/add-agent";
import { addExtension } from "../store/add-extension";
import type { AgentSecrets } from "../store/agent-secrets";
import type { Configuration } from "../store/configuration";
import { addFromRegistry, type AgentSources } from "../store/select-agent";
import { importsIn } from "../store/update-policy";
import type { SidecarSupervisor } from "../../sidecar/supervisor";
import { SettingsController } from "./settings-controller";
import { SettingsPages } from "./settings-pages";
import type { Place } from "./settings-deps";
import { UpdateCheck } from "./update-check";

export interface SettingsParts {
  readonly extension: { readonly id: string; readonly extensionUri: vscode.Uri; readonly globalState: vscode.Memento };
  readonly configuration: Configuration;
  readonly supervisor: SidecarSupervisor;
  readonly chat: Pick<ChatController, "openTab" | "outdatedTabs">;
  readonly secrets: AgentSecrets;
  readonly cwd: () => string;
  readonly log: Log;
  /** Fires when a settings page or the settings view opens. */
  readonly opened: () => void;
}

export interface SettingsPart extends vscode.Disposable {
  readonly controller: SettingsController;
  readonly updates: UpdateCheck;
  readonly sources: AgentSources;
  /** Opens the page as an editor. */
  open(): void;
}

export function registerSettings({
  extension,
  configuration,
  supervisor,
  chat,
  secrets,
  cwd,
  log,
  opened,
}: SettingsParts): SettingsPart {
  const isTrusted = (): boolean => vscode.workspace.isTrusted,
    now = (): number => Date.now();
  const ofRegistry = (): { readonly url?: string } =>
    configuration.settings.registryUrl === "" ? {} : { url: configuration.settings.registryUrl };
  const sources: AgentSources = {
    registry: async (): Promise<RegistryView> => (await supervisor.client()).request("registry/agents", ofRegistry()),
    found: async () =>
      (
        await (
          await supervisor.client()
        ).request("agents/find", { programs: KNOWN_PROGRAMS.map(({ program }) => program) })
      ).found,
  };
  const entryAt =
    (of: "agent" | "extension") =>
    async (url: string): Promise<Fields> =>
      (await (await supervisor.client()).request("registry/extension", { url, of })).entry;
  const updates = new UpdateCheck({
    client: () => supervisor.client(),
    settings: () => configuration.settings,
    isTrusted,
    now,
    memory: extension.globalState,
    log,
    imports: () =>
      importsIn(configuration.ownValue("symposium.agents"), configuration.ownValue("symposium.extensions")),
    replace: update => configuration.takeUpdate(update),
    ask: async sentence =>
      (await vscode.window.showInformationMessage(sentence, "Update", l10n.t("Not Now"))) === "Update",
    notify: sentence => void vscode.window.showErrorMessage(sentence),
    changed: () => controller.changed(),
  });
  const controller = new SettingsController({
    sidecar: supervisor,
    configuration,
    updates,
    log,
    isTrusted,
    now,
    cwd,
    outdatedTabs: () => chat.outdatedTabs.length,
    hasKeys: async agentId => Object.keys(await secrets.environment(agentId)).length > 0,
    openTab: async agentId => {
      await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
      chat.openTab(agentId);
    },
    confirm: async (question, detail, yes) =>
      (await vscode.window.showWarningMessage(
        visibleLine(question),
        { modal: true, detail: visibleText(detail) },
        yes,
      )) === yes,
    offerTab: (sentence, agentId) => {
      void vscode.window.showInformationMessage(visibleLine(sentence), NEW_TAB).then(async chosen => {
        if (chosen !== NEW_TAB) return;
        await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
        chat.openTab(agentId);
      });
    },
    copy: async text => {
      await vscode.env.clipboard.writeText(text);
      vscode.window.setStatusBarMessage("$(check) Report copied", 3_000);
    },
    openPage: async url => {
      await vscode.env.openExternal(vscode.Uri.parse(url, true));
    },
    go: to => go(to, extension.id),
    add: async what => {
      switch (what) {
        case "agent":
          return addAgent(configuration, entryAt("agent"));
        case "registryAgent":
          return (await addFromRegistry(configuration, sources))?.id;
        case "extension":
          return addExtension({
            all: configuration.settings.allExtensions,
            registry: sources.registry,
            entryAt: entryAt("extension"),
            change: change => configuration.changeExtensions(change),
          });
      }
    },
    notify: sentence => void vscode.window.showErrorMessage(sentence),
  });
  const pages = new SettingsPages(extension.extensionUri, controller, log, opened);
  const registered = vscode.Disposable.from(
    vscode.window.registerWebviewViewProvider(SETTINGS_VIEW, pages),
    vscode.window.registerWebviewPanelSerializer(SETTINGS_PAGE, pages),
  );
  return {
    controller,
    updates,
    sources,
    open: () => pages.open(),
    dispose: () => {
      registered.dispose();
    },
  };
}

const NEW_TAB = l10n.t("New Tab");

/** In a remote window, machine settings are in a separate file. */
const FILE =
  vscode.env.remoteName === undefined ? "workbench.action.openSettingsJson" : "workbench.action.openRemoteSettingsFile";

async function go(to: Place, extensionId: string): Promise<void> {
  const run = (command: CommandName | `workbench.${string}`, ...args: readonly unknown[]): Thenable<unknown> =>
    vscode.commands.executeCommand(command, ...args);
  switch (to) {
    case "trust":
      await run("workbench.trust.manage");
      return;
    case "agentsFile":
      await run(FILE, { revealSetting: { key: "symposium.agents" } });
      return;
    case "extensionsFile":
      await run(FILE, { revealSetting: { key: "symposium.extensions" } });
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
