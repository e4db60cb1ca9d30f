/** Creates the view “Sessions” with its commands, and connects both with VS Code. */
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { ChatNotice, ChatSurfaces } from "../chat/chat-surfaces";
import { realClock } from "../clock";
import type { Log } from "../log";
import type { AgentChoice } from "../protocol/agents/agents";
import type { SidecarToHost } from "../protocol/sidecar";
import type { Handlers } from "../protocol/wire/wire";
import type { Configuration } from "../settings/store/configuration";
import type { SidecarPhase } from "../sidecar/restart-policy";
import type { SidecarSupervisor } from "../sidecar/supervisor";
import { sessionCommands, type SessionCommandDeps, type SessionCommands } from "./session-commands";
import { sessionDialogs } from "./session-dialogs";
import { isInWorkspace, type WorkspacePaths } from "./session-tree";
import { SessionsController } from "./sessions-controller";
import { SessionsView } from "./sessions-view";

export interface SessionsParts {
  readonly context: Pick<vscode.ExtensionContext, "workspaceState">;
  readonly log: Log;
  readonly configuration: Configuration;
  readonly supervisor: SidecarSupervisor;
  readonly chat: Pick<ChatSurfaces, "openSession" | "shownTabs" | "tabs" | "openBranch" | "closeTab">;
  readonly commands: {
    notify(notice: ChatNotice): Promise<void>;
    pickAgent(agents: readonly AgentChoice[]): Promise<AgentChoice | undefined>;
  };
  /** Workspace folders and the home folder. */
  readonly editor: { readonly folders: { folders(): readonly string[]; readonly home: string } };
  readonly cwd: () => string;
  readonly linkTo: SessionCommandDeps["linkTo"];
}

export interface SessionsPart extends vscode.Disposable {
  readonly controller: SessionsController;
  readonly commands: SessionCommands;
  readonly showBadge: SessionsView["showBadge"];
  phaseChanged(phase: SidecarPhase): void;
}

/** Handlers of the sidecar's messages about sessions. */
export function sessionListeners(sessions: () => SessionsPart): Pick<Handlers<SidecarToHost>, "sessions/changed"> {
  return { "sessions/changed": () => sessions().controller.listChanged() };
}

export function registerSessions(parts: SessionsParts): SessionsPart {
  const { log, configuration, supervisor, chat, editor, cwd } = parts,
    view = new SessionsView();
  const workspace = (): WorkspacePaths => ({ folders: editor.folders.folders(), home: editor.folders.home });
  const controller = new SessionsController({
    clock: realClock,
    log,
    sidecar: supervisor,
    memory: parts.context.workspaceState,
    settings: () => configuration.settings,
    workspace,
    cwd,
    isTrusted: () => vscode.workspace.isTrusted,
    isFocused: () => vscode.window.state.focused,
    isVisible: () => view.isVisible,
    shownConversations: () => chat.shownTabs,
    show: model => view.show(model),
  });
  const commands = sessionCommands({
    clock: realClock,
    view: controller,
    dialogs: sessionDialogs,
    client: () => supervisor.client(),
    focused: () => view.focused(),
    isTrusted: () => vscode.workspace.isTrusted,
    linkTo: parts.linkTo,
    isInWorkspace: folder => isInWorkspace(folder, workspace()),
    isOpen: conversation => chat.tabs.includes(conversation),
    closeTab: conversation => chat.closeTab(conversation),
    open: (session, entryId) => chat.openSession(session, entryId),
    openBranch: branch => chat.openBranch(branch),
    pickAgent: exceptId => parts.commands.pickAgent(configuration.settings.agents.filter(({ id }) => id !== exceptId)),
    newId: () => randomUUID(),
    notify: (message, actions) => parts.commands.notify({ tone: "error", message, actions }),
    now: () => Date.now(),
  });
  const owned = vscode.Disposable.from(
    controller,
    view,
    view.onVisibility(() => controller.visibilityChanged()),
    vscode.window.onDidChangeWindowState(() => controller.attentionChanged()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => controller.attentionChanged()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => controller.workspaceChanged()),
  );
  return {
    controller,
    commands,
    showBadge: badge => view.showBadge(badge),
    phaseChanged: phase => controller.phaseChanged(phase),
    dispose: () => {
      owned.dispose();
    },
  };
}
