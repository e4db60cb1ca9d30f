/** Creates the chat with its badge, and registers its view in VS Code. */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { realClock } from "../clock";
import { WorkingFolders } from "../editor/files/working-folders";
import { openLink, showPrintout } from "../editor/files/workspace";
import type { EditorPart } from "../editor/register";
import type { Log } from "../log";
import { CHAT_FOCUSED, CHAT_VIEW } from "../names";
import type { AgentChoice } from "../protocol/agents/agents";
import type { ChatEvent } from "../protocol/chat/chat";
import type { SidecarToHost } from "../protocol/sidecar";
import type { Handlers } from "../protocol/wire/wire";
import type { Configuration } from "../settings/store/configuration";
import type { SidecarPhase } from "../sidecar/restart-policy";
import type { SidecarSupervisor } from "../sidecar/supervisor";
import { AttentionBadge } from "./attention-badge";
import { ChatStatus, type ShownStatus } from "./chat-status";
import { ChatController } from "./chat-controller";
import type { ChatDeps } from "./chat-deps";
import { ChatView } from "./chat-view";
import { ResponseCapture } from "./response-capture";

export interface ChatParts {
  readonly context: Pick<vscode.ExtensionContext, "extensionUri" | "storageUri">;
  readonly log: Log;
  readonly configuration: Configuration;
  readonly supervisor: SidecarSupervisor;
  readonly editor: EditorPart;
  readonly chosen: ChatDeps["chosen"];
  readonly commands: Pick<ChatDeps, "chooseAgent" | "confirmBypass" | "perform"> & {
    notify(message: string, actions: Parameters<ChatDeps["notify"]>[1]): Promise<void>;
    invite(sentence: string): Promise<void>;
    pickAgent(agents: readonly AgentChoice[]): Promise<AgentChoice | undefined>;
  };
  addToConfiguration(agentId: string): Promise<void>;
  readonly firstScreen: ChatDeps["firstScreen"];
  outdatedChanged(): void;
  shownTabChanged(): void;
  /** Receives each event that is forwarded to the page, with the id of the tab's agent. */
  onEvent(event: ChatEvent, agentId: string | undefined): void;
}

export interface ChatPart extends vscode.Disposable {
  readonly page: ChatDeps["page"];
  readonly controller: ChatController;
  readonly attention: AttentionBadge;
  readonly capture: ResponseCapture;
  phaseChanged(phase: SidecarPhase): void;
}

/** Handlers of the sidecar's messages to the chat. */
export function chatListeners(
  chat: () => ChatPart,
): Pick<Handlers<SidecarToHost>, "chat/event" | "chat/snapshot" | "chat/attention"> {
  return {
    "chat/event": event => chat().controller.event(event),
    "chat/snapshot": snapshot => chat().controller.snapshot(snapshot),
    "chat/attention": request => chat().attention.onEvent(request),
  };
}

export function registerChat(parts: ChatParts): ChatPart {
  const { log, configuration, supervisor, editor, commands } = parts,
    capture = new ResponseCapture();
  const focusChanged = (hasFocus: boolean): void =>
    void vscode.commands.executeCommand("setContext", CHAT_FOCUSED, hasFocus);
  const attention = new AttentionBadge({
    show: badge => view.show(badge),
    notify: sentence => void commands.invite(sentence),
    now: () => realClock.now(),
  });
  const item = vscode.window.createStatusBarItem("symposium.status", vscode.StatusBarAlignment.Right),
    status = new ChatStatus(shown => showStatus(item, shown));
  item.name = l10n.t("Symposium");
  item.show();
  const view = new ChatView(
    parts.context,
    log,
    message => {
      controller.handle(message).catch(() => undefined); // shown in the tab and logged
    },
    isVisible => {
      attention.visible(isVisible);
      if (!isVisible) focusChanged(false);
    },
    () => configuration.settings.restoresSessions,
  );
  const controller: ChatController = new ChatController({
    page: view.page,
    sidecar: supervisor,
    folders: new WorkingFolders(editor.folders),
    chosen: parts.chosen,
    composer: editor.composer,
    log,
    settings: () => configuration.settings,
    isTrusted: () => vscode.workspace.isTrusted,
    selectAgent: agentId => configuration.selectAgent(agentId),
    confirmBypass: commands.confirmBypass,
    addToConfiguration: parts.addToConfiguration,
    firstScreen: parts.firstScreen,
    chooseAgent: commands.chooseAgent,
    pickAgent: exceptId => commands.pickAgent(configuration.settings.agents.filter(({ id }) => id !== exceptId)),
    perform: commands.perform,
    openLink: (href, preview) => openLink(href, preview, editor.folders),
    openDiff: (change, agent) => editor.proposals.show(change, agent),
    showText: (title, text) => editor.proposals.showText(title, text),
    showPrintout,
    notify: (message, actions) => void commands.notify(message, actions),
    focusChanged,
    tabClosed: tabId => status.tabClosed(tabId),
    forwarded: (tabId, event, agentId) => {
      capture.onEvent(tabId, event);
      status.onEvent(tabId, event);
      parts.onEvent(event, agentId);
    },
    outdatedChanged: parts.outdatedChanged,
    shownTabChanged: parts.shownTabChanged,
  });
  const owned = vscode.Disposable.from(
    controller,
    item,
    vscode.window.registerWebviewViewProvider(CHAT_VIEW, view),
    vscode.workspace.onDidGrantWorkspaceTrust(() => controller.trustGranted()),
    configuration.onChange(() => controller.postState()),
  );
  return {
    page: view.page,
    controller,
    attention,
    capture,
    phaseChanged: phase => {
      controller.phaseChanged(phase);
      if (phase.kind === "running") return;
      attention.clear();
      status.clear();
    },
    dispose: () => {
      owned.dispose();
    },
  };
}

function showStatus(item: vscode.StatusBarItem, { text, tooltip, needsAnswer }: ShownStatus): void {
  item.text = text;
  item.tooltip = tooltip;
  item.accessibilityInformation = { label: tooltip };
  item.command = needsAnswer ? "symposium.nextQuestion" : "symposium.openChat";
  item.backgroundColor = needsAnswer ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
}
