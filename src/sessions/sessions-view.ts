/** The view “Sessions” in VS Code: draws the tree of `sessions-controller.ts`. */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { COMMANDS, SESSION_CONTEXTS, SESSIONS_VIEW, type SessionCommandName } from "../names";
import { accessibleLabelOf, contextValueOf, descriptionOf, iconOf, titleOf, tooltipOf } from "./session-texts";
import { toggledNode, type GroupNode, type SessionNode, type TreeNode } from "./session-tree";
import type { SessionsViewModel } from "./sessions-controller";

const OPEN: SessionCommandName = "symposium.openSession";

const MAX_ATTEMPTS = 10;

export class SessionsView implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<TreeNode>;
  #nodes: readonly TreeNode[] = [];
  #ofChat: vscode.ViewBadge | undefined;
  #waiting: vscode.ViewBadge | undefined;

  constructor() {
    this.#view = vscode.window.createTreeView(SESSIONS_VIEW, { treeDataProvider: this, showCollapseAll: false });
  }

  get isVisible(): boolean {
    return this.#view.visible;
  }

  /**
   * The item with the keyboard focus. Arrow keys move the focus but not the selection, and VS Code only reports the
   * selection. So this toggles the selection of the focused item twice. While VS Code loads a changed list, it reports
   * an empty selection. So two attempts must have the same result.
   */
  async focused(): Promise<TreeNode | undefined> {
    let last: TreeNode | undefined;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const node = await this.#toggled();
      if (node !== undefined && node.id === last?.id) return node;
      last = node;
    }
    return undefined;
  }

  async #toggled(): Promise<TreeNode | undefined> {
    const before = this.#view.selection;
    await vscode.commands.executeCommand("list.toggleSelection");
    const after = this.#view.selection;
    await vscode.commands.executeCommand("list.toggleSelection");
    return toggledNode(before, after);
  }

  onVisibility(changed: () => void): vscode.Disposable {
    return this.#view.onDidChangeVisibility(changed);
  }

  show({ nodes, content, problem, waiting, options }: SessionsViewModel): void {
    this.#nodes = nodes;
    this.#view.message = problem ?? "";
    this.#waiting =
      waiting === 0
        ? undefined
        : {
            value: waiting,
            tooltip:
              waiting === 1
                ? l10n.t("1 session waits for your answer")
                : l10n.t`${waiting} sessions wait for your answer`,
          };
    this.#drawBadge();
    setContext(SESSION_CONTEXTS.content, content);
    setContext(SESSION_CONTEXTS.allWorkspaces, options.scope === "all");
    setContext(SESSION_CONTEXTS.archived, options.showsArchived);
    this.#changed.fire(undefined);
  }

  /** Sets the badge of the hidden chat, which wins over the sessions of the list that wait for an answer. */
  showBadge(badge: vscode.ViewBadge | undefined): void {
    this.#ofChat = badge;
    this.#drawBadge();
  }

  #drawBadge(): void {
    this.#view.badge = this.#ofChat ?? this.#waiting;
  }

  getChildren(node?: TreeNode): TreeNode[] {
    if (node === undefined) return [...this.#nodes];
    return node.kind === "group" ? [...node.sessions] : [];
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    return node.kind === "group" ? groupItem(node) : sessionItem(node);
  }

  dispose(): void {
    this.#view.dispose();
    this.#changed.dispose();
  }
}

function groupItem({ id, label, description, isArchive }: GroupNode): vscode.TreeItem {
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
  item.id = id;
  if (description !== "") item.description = description;
  item.iconPath = new vscode.ThemeIcon(isArchive ? "archive" : "folder");
  item.contextValue = "group";
  return item;
}

function sessionItem(node: SessionNode): vscode.TreeItem {
  const { id, session } = node,
    now = Date.now(),
    icon = iconOf(session),
    item = new vscode.TreeItem(titleOf(session));
  item.id = id;
  item.description = descriptionOf(session, now);
  item.tooltip = tooltipOf(session);
  item.iconPath = new vscode.ThemeIcon(
    icon.id,
    icon.color === undefined ? undefined : new vscode.ThemeColor(icon.color),
  );
  item.contextValue = contextValueOf(session);
  item.accessibilityInformation = { label: accessibleLabelOf(session, now) };
  item.command = { command: OPEN, title: COMMANDS[OPEN], arguments: [node] };
  return item;
}

function setContext(key: string, value: unknown): void {
  void vscode.commands.executeCommand("setContext", key, value);
}
