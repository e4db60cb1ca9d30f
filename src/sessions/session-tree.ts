/**
 * Tree of the view “Sessions”: sessions by folder, the last changed first. Pure.
 *
 * Invariants:
 * - A session occurs at most once.
 * - The scope `workspace` contains only sessions whose folder is a workspace folder, or is below one.
 * - Archived sessions are in the last group, or absent.
 */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import type { SessionSummary } from "../protocol/sessions/sessions";
import { readableLine } from "../protocol/text/visible-text";
import { sessionKey } from "./session-texts";

export interface SessionNode {
  readonly kind: "session";
  readonly id: string;
  readonly session: SessionSummary;
}

export interface GroupNode {
  readonly kind: "group";
  readonly id: string;
  readonly label: string;
  /** Empty for the archive. */
  readonly description: string;
  readonly isArchive: boolean;
  readonly sessions: readonly SessionNode[];
}

export type TreeNode = SessionNode | GroupNode;

export interface TreeOptions {
  readonly scope: "workspace" | "all";
  readonly showsArchived: boolean;
}

/** Absolute paths. Without a folder, agents work in the home folder. */
export interface WorkspacePaths {
  readonly folders: readonly string[];
  readonly home: string;
}

export function sessionTree(
  sessions: readonly SessionSummary[],
  workspace: WorkspacePaths,
  { scope, showsArchived }: TreeOptions,
): readonly TreeNode[] {
  const nodes = nodesOf(sessions).filter(
    ({ session }) => scope === "all" || workspaceFolder(session.cwd, workspace) !== undefined,
  );
  const groups = folderGroups(
      nodes.filter(({ session }) => session.isArchived !== true),
      workspace,
    ),
    archived = showsArchived ? nodes.filter(({ session }) => session.isArchived === true) : [];
  const [first, ...others] = groups;
  return [
    ...(scope === "workspace" && first !== undefined && others.length === 0 ? first.sessions : groups),
    ...(archived.length === 0 ? [] : [archiveGroup(archived)]),
  ];
}

/** The node that only one of two selections contains. */
export function toggledNode(before: readonly TreeNode[], after: readonly TreeNode[]): TreeNode | undefined {
  const isIn = (nodes: readonly TreeNode[], { id }: TreeNode): boolean => nodes.some(node => node.id === id);
  return after.find(node => !isIn(before, node)) ?? before.find(node => !isIn(after, node));
}

/** Without duplicates, the last changed first. */
function nodesOf(sessions: readonly SessionSummary[]): readonly SessionNode[] {
  const byKey = new Map(
    sessions.map((session): [string, SessionNode] => {
      const id = sessionKey(session.ref);
      return [id, { kind: "session", id, session }];
    }),
  );
  return [...byKey.values()].sort((a, b) => b.session.changedAt - a.session.changedAt);
}

/** Workspace folders in their order, then other folders in the order of their newest session. */
function folderGroups(nodes: readonly SessionNode[], workspace: WorkspacePaths): readonly GroupNode[] {
  const byFolder = new Map<string, SessionNode[]>(placesOf(workspace).map(folder => [folder, []]));
  for (const node of nodes) {
    const { cwd } = node.session,
      folder = workspaceFolder(cwd, workspace) ?? cwd,
      group = byFolder.get(folder);
    if (group) group.push(node);
    else byFolder.set(folder, [node]);
  }
  return [...byFolder].flatMap(([folder, sessions]): readonly GroupNode[] =>
    sessions.length === 0
      ? []
      : [
          {
            kind: "group",
            id: `folder:${folder}`,
            label: readableLine(path.basename(folder)) || readableLine(folder),
            description: readableLine(path.dirname(folder)),
            isArchive: false,
            sessions,
          },
        ],
  );
}

function archiveGroup(sessions: readonly SessionNode[]): GroupNode {
  return { kind: "group", id: "archive", label: l10n.t("Archived"), description: "", isArchive: true, sessions };
}

function placesOf({ folders, home }: WorkspacePaths): readonly string[] {
  return folders.length === 0 ? [home] : folders;
}

/** Whether the folder is a workspace folder, or is below one. */
export function isInWorkspace(cwd: string, workspace: WorkspacePaths): boolean {
  return workspaceFolder(cwd, workspace) !== undefined;
}

/** The innermost workspace folder that contains `cwd`. Folders below the home folder are other projects. */
function workspaceFolder(cwd: string, { folders, home }: WorkspacePaths): string | undefined {
  if (folders.length === 0) return path.relative(home, cwd) === "" ? home : undefined;
  return folders
    .filter(folder => isWithin(cwd, folder))
    .sort((a, b) => b.length - a.length)
    .at(0);
}

function isWithin(cwd: string, folder: string): boolean {
  const relative = path.relative(folder, cwd);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
