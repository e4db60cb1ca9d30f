/** Chooses the working folder of a tab: the only workspace folder, the user's choice, or the home folder. */
import * as l10n from "@vscode/l10n";
import type { Log } from "../../log";

export interface WorkspaceFolders {
  /** Absolute paths. */
  folders(): readonly string[];
  /** Asks the user; `undefined`: the user cancelled. */
  pick(): Promise<string | undefined>;
  readonly home: string;
  readonly log: Log;
}

export interface FolderDeps extends WorkspaceFolders {
  /** Shows a message to the user. */
  report(message: string): void;
}

export class WorkingFolders {
  #picking: Promise<string> | undefined;

  constructor(private readonly deps: FolderDeps) {}

  /** Absolute paths of the workspace folders. */
  get all(): readonly string[] {
    return this.deps.folders();
  }

  /** The folder of a new tab. Tabs that open during the question share its answer. */
  async choose(): Promise<string> {
    const [first, ...others] = this.deps.folders();
    if (first === undefined) {
      this.deps.log.info("agent", "No folder is open; the agent works in the home folder", { cwd: this.deps.home });
      return this.deps.home;
    }
    if (others.length === 0) return first;
    this.#picking ??= this.#pick(first).finally(() => {
      this.#picking = undefined;
    });
    return this.#picking;
  }

  /** Without a choice, uses and reports the first folder, because a prompt may already be waiting. */
  async #pick(first: string): Promise<string> {
    const picked = await this.deps.pick();
    if (picked !== undefined) return picked;
    this.deps.log.info("agent", "No folder was selected; the agent works in the first folder", { cwd: first });
    this.deps.report(
      l10n.t`No folder was selected. The agent works in ${first}. Open a new tab to select another folder.`,
    );
    return first;
  }

  /** Validates a folder from the page. Accepts only folders that this class can choose. */
  isOurs(folder: string): boolean {
    const folders = this.deps.folders();
    return folders.includes(folder) || (folders.length === 0 && folder === this.deps.home);
  }
}
