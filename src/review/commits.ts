/**
 * Notices commits of the user, by VS Code's git extension: what a commit contains counts as kept.
 *
 * Invariant: a changed branch or commit is reported once. The first known state of a repository is not a commit.
 */
import * as vscode from "vscode";
import { CommitLog } from "./commit-log";

/** The used part of the API of `vscode.git`. */
interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly state: { readonly HEAD: { readonly commit?: string } | undefined; readonly onDidChange: vscode.Event<void> };
}
interface GitApi {
  readonly repositories: readonly GitRepository[];
  readonly onDidOpenRepository: vscode.Event<GitRepository>;
  readonly onDidCloseRepository: vscode.Event<GitRepository>;
}
interface GitExtension {
  readonly enabled: boolean;
  /** Throws if git is disabled. */
  getAPI(version: 1): GitApi;
}

/** `committed`: called with the work tree of a repository that has another commit. */
export function watchCommits(committed: (folder: string) => void): vscode.Disposable {
  const log = new CommitLog(committed),
    watched = new Map<GitRepository, vscode.Disposable>(),
    owned: vscode.Disposable[] = [];
  const watch = (repository: GitRepository): void => {
    const { rootUri, state } = repository,
      // Undefined until the extension has read the repository.
      look = (): void => state.HEAD && log.seen(rootUri.fsPath, state.HEAD.commit);
    look();
    watched.set(repository, state.onDidChange(look));
  };
  const start = async (): Promise<void> => {
    const extension = vscode.extensions.getExtension<GitExtension>("vscode.git"),
      git = await extension?.activate();
    if (git?.enabled !== true) return;
    const api = git.getAPI(1);
    api.repositories.forEach(watch);
    owned.push(
      api.onDidOpenRepository(watch),
      api.onDidCloseRepository(repository => {
        watched.get(repository)?.dispose();
        watched.delete(repository);
      }),
    );
  };
  // Without git, nothing is committed.
  void start().catch(() => undefined);
  return new vscode.Disposable(() => {
    for (const each of [...owned, ...watched.values()]) each.dispose();
  });
}
