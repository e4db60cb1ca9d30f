/**
 * The folder in which cargo runs: the `cwd` of the call, else the folder set with `set_cwd`, else the project's folder.
 *
 * Invariant: the folder is inside the session's folders after links are resolved.
 */
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { errorMessage } from "../../../src/protocol/wire/errors";
import { contains, resolveInWorkspace } from "../../permissions/workspace-boundary";
import { rustFolders } from "../rust-projects";
import { ToolFailure } from "../tool";

export class WorkingFolder {
  #set: string | undefined;

  /** `folders`: the session's. The first is its working folder and the base of relative paths. */
  constructor(
    private readonly folders: readonly [string, ...(readonly string[])],
    private readonly home: string,
  ) {}

  /** Sets the default for later calls without `cwd`. Undefined resets it to the project's folder. */
  async set(cwd: string | undefined): Promise<string> {
    this.#set = cwd === undefined ? undefined : await this.inside(cwd);
    return this.of(undefined);
  }

  async of(cwd: string | undefined): Promise<string> {
    if (cwd !== undefined) return this.inside(cwd);
    if (this.#set !== undefined) return this.inside(this.#set);
    const [best = this.folders[0], ...others] = await rustFolders(this.folders, this.home);
    if (others.length === 0 || best === this.folders[0]) return this.inside(best);
    const names = await Promise.all([best, ...others].map(folder => this.shown(folder)));
    throw new ToolFailure(
      `The session has several Rust projects: ${names.join(", ")}. Select one with “cwd”, or for all calls with set_cwd.`,
    );
  }

  /** The real path of a folder. `base`: base of a relative path. */
  async inside(given: string, base: string = this.folders[0]): Promise<string> {
    const place = await resolveInWorkspace(path.resolve(base, given), this.folders).catch((error: unknown) => {
      throw new ToolFailure(`“${given}” cannot be accessed: ${errorMessage(error)}.`);
    });
    if (!place.isInside)
      throw new ToolFailure(
        `“${given}” is outside of this session's folders (${this.folders.join(", ")}). Name a folder in one of them, relative to ${this.folders[0]}.`,
      );
    if (
      !(await stat(place.real).then(
        found => found.isDirectory(),
        () => false,
      ))
    )
      throw new ToolFailure(`Folder “${given}” does not exist in ${base}.`);
    return place.real;
  }

  /** For display: relative to the session's folder if it is inside it. */
  async shown(folder: string): Promise<string> {
    const root = await realpath(this.folders[0]).catch(() => this.folders[0]),
      real = await realpath(folder).catch(() => folder);
    return contains(root, real) ? path.relative(root, real).replaceAll(path.sep, "/") || "." : real;
  }
}
