/** In which folder a tab works: the workspace's only one, the one that the user picks, or the home folder. */
import type { Log } from "../log";

export interface FolderWorld {
  /** Absolute paths. */
  folders(): readonly string[];
  /** Asks the user; `undefined`: no choice was made. */
  pick(): Promise<string | undefined>;
  readonly home: string;
  readonly log: Log;
}

export class WorkingFolders {
  #picking: Promise<string | undefined> | undefined;

  constructor(private readonly world: FolderWorld) {}

  /** The folder of a new tab. Tabs that open while the user is asked share the answer. */
  async choose(): Promise<string> {
    const [first, ...others] = this.world.folders();
    if (first === undefined) {
      this.world.log.info("agent", "No folder is open: the agent works in the home folder", { cwd: this.world.home });
      return this.world.home;
    }
    if (others.length === 0) return first;
    this.#picking ??= this.world.pick().finally(() => { this.#picking = undefined; });
    return await this.#picking ?? first;
  }

  /** A page says where its tab worked; only a folder that we would choose ourselves counts. */
  isOurs(folder: string): boolean {
    const folders = this.world.folders();
    return folders.includes(folder) || (folders.length === 0 && folder === this.world.home);
  }
}
