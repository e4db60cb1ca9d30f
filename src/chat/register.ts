/** Creates the chat with its badge, and registers its view in VS Code. */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { realClock } from "../clock";
import { WorkingFolders } from "../editor/files/working-folders";
import { openLink, showPrintout } from "../editor/files/workspace";
import type { EditorPart } from "../editor/register";
import type { Log } from "../log";
import { CHAT_EDITOR, CHAT_FOCUSED, CHAT_VIEW } from "../names";
import type { AgentChoice } from "../protocol/agents/agents";
import type { ChatEvent } from "../protocol/chat/chat";
import type { TabId } from "../protocol/page/host-to-page";
import type { SidecarToHost } from "../protocol/sidecar";
import type { Handlers } from "../protocol/wire/wire";
import type { Configuration } from "../settings/store/configuration";
import type { SidecarPhase } from "../sidecar/restart-policy";
import type { SidecarSupervisor } from "../sidecar/supervisor";
import { AttentionBadge, type Badge } from "./attention-badge";
import { ChatStatus, type ShownStatus } from "./chat-status";
import { ChatController } from "./chat-controller";
import type { ChatDeps } from "./chat-deps";
import { ChatEditors } from "./chat-editors";
import { type ChatNotice, ChatSurfaces, type Surface } from "./chat-surfaces";
import { ChatView } from "./chat-view";
import type { PageChannel } from "./page-channel";
import { ResponseCapture } from "./response-capture";
import { SessionStarts } from "./session-start";

export interface ChatParts {
  readonly context: Pick<vscode.ExtensionContext, "extensionUri" | "storageUri" | "workspaceState">;
  readonly log: Log;
  readonly configuration: Configuration;
  readonly supervisor: SidecarSupervisor;
  readonly editor: EditorPart;
  readonly chosen: ChatDeps["chosen"];
  readonly commands: Pick<ChatDeps, "confirmBypass" | "perform"> & {
    notify(notice: ChatNotice): Promise<void>;
    invite(sentence: string, open: () => Promise<void>): Promise<void>;
    pickAgent(agents: readonly AgentChoice[]): Promise<AgentChoice | undefined>;
  };
  addToConfiguration(agentId: string): Promise<void>;
  readonly firstScreen: ChatDeps["firstScreen"];
  readonly review: ChatDeps["review"];
  outdatedChanged(): void;
  shownTabChanged(): void;
  /** Receives the badge of the chat view, whose own icon is hidden with the secondary side bar. */
  badgeChanged(badge: Badge | undefined): void;
  /** Receives each event that is forwarded to the page, with the id of the tab's agent. */
  onEvent(event: ChatEvent, agentId: string | undefined): void;
}

export interface ChatPart extends vscode.Disposable {
  readonly surfaces: ChatSurfaces;
  readonly capture: ResponseCapture;
  phaseChanged(phase: SidecarPhase): void;
}

/** Handlers of the sidecar's messages to the chat. */
export function chatListeners(
  chat: () => ChatPart,
): Pick<Handlers<SidecarToHost>, "chat/event" | "chat/snapshot" | "chat/attention"> {
  return {
    "chat/event": event => chat().surfaces.event(event),
    "chat/snapshot": snapshot => chat().surfaces.snapshot(snapshot),
    "chat/attention": request => chat().surfaces.attention(request),
  };
}

export function registerChat(parts: ChatParts): ChatPart {
  const { log, configuration, supervisor, commands } = parts,
    capture = new ResponseCapture();
  const item = vscode.window.createStatusBarItem("symposium.status", vscode.StatusBarAlignment.Right),
    status = new ChatStatus(
      shown => showStatus(item, shown),
      tabId => editors.activityChanged(tabId),
    );
  item.name = l10n.t("Symposium");
  item.show();
  const now = (): number => realClock.now(),
    activityOf = (tabId: TabId) => status.activityOf(tabId);
  const surfaces: ChatSurfaces = new ChatSurfaces({
    view: () => view,
    openEditor: (tabId, inNewWindow) => editors.open(tabId, inNewWindow),
    hasQuestion: tabId => activityOf(tabId) === "question",
    focusChanged: hasFocus => void vscode.commands.executeCommand("setContext", CHAT_FOCUSED, hasFocus),
    shownTabChanged: parts.shownTabChanged,
    sidecar: supervisor,
    notify: notice => void commands.notify(notice),
  });
  const shared = {
    ...sharedDeps(parts, surfaces),
    tabClosed: (tabId: TabId) => status.tabClosed(tabId),
    forwarded: (tabId: TabId, event: ChatEvent, agentId: string | undefined) => {
      capture.onEvent(tabId, event);
      status.onEvent(tabId, event);
      parts.onEvent(event, agentId);
    },
  };
  const starts = new SessionStarts(shared);
  const createController = (page: PageChannel, surface: () => Surface): ChatController =>
    new ChatController(
      {
        ...shared,
        page,
        others: surfaces.othersOf(surface),
        focusChanged: hasFocus => surfaces.focusChanged(surface(), hasFocus),
      },
      starts,
    );
  const pages = { extension: parts.context, restoresSessions: () => configuration.settings.restoresSessions };
  const editors = new ChatEditors({
    pages,
    memory: parts.context.workspaceState,
    log,
    surfaces,
    createController,
    notify: (sentence, editor) => void commands.invite(sentence, () => editor.reveal()),
    now,
    activityOf,
  });
  const reveal = async (): Promise<void> => {
    await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
  };
  const attention = new AttentionBadge({
    show: badge => {
      provider.show(badge);
      parts.badgeChanged(badge);
    },
    notify: sentence => void commands.invite(sentence, reveal),
    now,
  });
  const provider = new ChatView(
    pages,
    log,
    message => {
      view.controller.handle(message).catch(() => undefined); // shown in the tab and logged
    },
    isVisible => {
      attention.visible(isVisible);
      if (!isVisible) surfaces.focusChanged(view, false);
    },
  );
  const view: Surface = {
    controller: createController(provider.page, () => view),
    attention,
    page: provider.page,
    reveal,
  };
  const owned = vscode.Disposable.from(
    view.controller,
    editors,
    item,
    vscode.window.registerWebviewViewProvider(CHAT_VIEW, provider),
    vscode.window.registerWebviewPanelSerializer(CHAT_EDITOR, editors),
    vscode.workspace.onDidGrantWorkspaceTrust(() => surfaces.trustGranted()),
    configuration.onChange(() => surfaces.settingsChanged()),
    parts.editor.theme.onChange(() => surfaces.codeColorsChanged()),
  );
  return {
    surfaces,
    capture,
    phaseChanged: phase => {
      surfaces.phaseChanged(phase);
      if (phase.kind !== "running") status.clear();
    },
    dispose: () => {
      owned.dispose();
    },
  };
}

/** The dependencies that do not depend on the surface. */
function sharedDeps(
  { log, configuration, supervisor, editor, commands, ...parts }: ChatParts,
  surfaces: ChatSurfaces,
): Omit<ChatDeps, "page" | "others" | "focusChanged" | "tabClosed" | "forwarded"> {
  return {
    sidecar: supervisor,
    folders: new WorkingFolders({ ...editor.folders, report: message => void surfaces.report(message) }),
    chosen: parts.chosen,
    composer: editor.composer,
    log,
    settings: () => configuration.settings,
    isTrusted: () => vscode.workspace.isTrusted,
    selectAgent: agentId => configuration.selectAgent(agentId),
    confirmBypass: commands.confirmBypass,
    addToConfiguration: parts.addToConfiguration,
    firstScreen: parts.firstScreen,
    review: parts.review,
    pickAgent: exceptId => commands.pickAgent(configuration.settings.agents.filter(({ id }) => id !== exceptId)),
    perform: commands.perform,
    openLink: (href, preview) => openLink(href, preview, editor.folders),
    openDiff: (change, agent) => editor.proposals.show(change, agent),
    code: editor.code,
    names: editor.names,
    codeColors: () => editor.theme.codeColors(),
    showText: (title, text) => editor.proposals.showText(title, text),
    showPrintout,
    notify: (message, actions) => void surfaces.report(message, "error", actions),
    outdatedChanged: parts.outdatedChanged,
    shownTabChanged: parts.shownTabChanged,
  };
}

function showStatus(item: vscode.StatusBarItem, { text, tooltip, needsAnswer }: ShownStatus): void {
  item.text = text;
  item.tooltip = tooltip;
  item.accessibilityInformation = { label: tooltip };
  item.command = needsAnswer ? "symposium.nextQuestion" : "symposium.openChat";
  item.backgroundColor = needsAnswer ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
}
