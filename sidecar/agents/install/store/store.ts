/**
 * The store of installed agents: `ROOT/ID/VERSION/`, shared by all windows.
 *
 *   prepare ──▶ .new-RANDOM (locked by us) ── keep ──▶ VERSION, installed.json ── newer version, unused ──▶ removed
 *                        └─ discard, or crash ──▶ removed
 *
 * Invariants:
 * - A folder is an installed version if and only if it has a readable `installed.json` and its program.
 * - A version appears atomically, by one rename.
 * - A kept version is never changed or replaced, so running processes are not affected.
 * - The newest version and versions in use are never removed.
 *
 * A version is identified by its manifest, not by its folder's name. A name that is already used gets the suffix `~2`.
 * Python tools, which cannot be moved, are built in place.
 */
import * as l10n from "@vscode/l10n";
import { randomBytes } from "node:crypto";
import path from "node:path";
import type { Clock } from "../../../rpc/clock";
import { isSegment, UNVERSIONED } from "../../distributions/folder-name";
import type { ProcessTable } from "../../../process/process-list";
import { BuildFolders } from "./build-folders";
import { absent, programSize, sizeOf, writeWhole, type Files } from "./files";
import { badName, busy } from "./install-error";
import { UsageLocks, USES, type Holder, type Lease } from "./usage-locks";
import { Locks, pause, type TryLock } from "./locks";
import { MANIFEST, readManifest, satisfies, type Built, type Manifest, type Source } from "./manifest";

export interface StoreDeps {
  readonly clock: Clock;
  readonly files: Files;
  readonly table: ProcessTable;
  /** Identity of this process. */
  readonly self: Holder;
  readonly tryLock?: TryLock;
}

export interface Installed extends Manifest {
  readonly id: string;
  /** Absolute path. */
  readonly folder: string;
}

/** A folder for an installation in progress. The folder is not listed, and not removed while this process lives. */
export interface Staging {
  readonly folder: string;
  /** Makes the folder the newest version. */
  keep(built: Built): Promise<Installed>;
  discard(): Promise<void>;
}

const CHANGE_LIMIT_MS = 30_000;
const INSTALL_LIMIT_MS = 20 * 60_000;

export class Store {
  readonly #root: string;
  readonly #deps: StoreDeps;
  readonly #usageLocks: UsageLocks;
  readonly #locks: Locks;
  readonly #builds: BuildFolders;

  constructor(root: string, deps: StoreDeps) {
    this.#root = root;
    this.#deps = deps;
    this.#usageLocks = new UsageLocks(deps.files, deps.table, deps.self);
    this.#locks = new Locks(path.join(root, ".locks"), deps.clock, deps.files, deps.tryLock);
    this.#builds = new BuildFolders(root, deps.files, () => Date.now());
  }

  /** Returns the ids that have a folder. */
  async ids(): Promise<readonly string[]> {
    return (await this.#deps.files.readdir(this.#root).catch(absent<string[]>([]))).filter(isSegment);
  }

  /** Newest first. */
  async list(id: string): Promise<readonly Installed[]> {
    const home = this.#home(id);
    const found = await Promise.all(
      (await this.#folders(home)).map(name => this.#installed(id, path.join(home, name))),
    );
    return found.flatMap(item => item ?? []).sort((a, b) => b.order - a.order);
  }

  async newest(id: string): Promise<Installed | undefined> {
    return (await this.list(id))[0];
  }

  async find(id: string, source: Source): Promise<Installed | undefined> {
    return (await this.list(id)).find(installed => satisfies(source, installed));
  }

  async prepare(id: string): Promise<Staging> {
    return this.#stage(id, `.new-${randomBytes(6).toString("hex")}`, true);
  }

  /** `name`: the version, if known. */
  async prepareInPlace(id: string, name: string): Promise<Staging> {
    return this.#changing(id, async () => this.#stage(id, await this.#freeName(this.#home(id), name), false));
  }

  /** The version is kept while the lease is held and this process lives. Undefined: the version no longer exists. */
  use({ id, folder }: Installed): Promise<Lease | undefined> {
    return this.#changing(
      id,
      async () => (await this.#installed(id, folder)) && this.#usageLocks.take(this.#home(id), path.basename(folder)),
    );
  }

  /** Runs `build` with a build folder, which is kept for the next attempt if it fails. Call within `exclusively`. */
  building<T>(id: string, build: (folder: string) => Promise<T>): Promise<T> {
    this.#home(id);
    return this.#builds.using(id, build);
  }

  /** Removes older versions and incomplete installations that are not in use. */
  async cleanUp(id: string): Promise<void> {
    if (!(await this.#exists(this.#home(id)))) return;
    await this.#clear(id, async keep => {
      const newest = await this.newest(id);
      if (newest) keep.add(path.basename(newest.folder));
    });
  }

  /** Uninstalls all versions. Files that are in use or cannot be deleted now are deleted later. */
  async remove(id: string): Promise<void> {
    const home = this.#home(id),
      { files } = this.#deps;
    await this.#builds.remove(id);
    if (!(await this.#exists(home))) return;
    await this.#clear(id, async () => {
      for (const name of await this.#folders(home)) await files.rm(path.join(home, name, MANIFEST), { force: true });
    });
    await this.#deps.files.rmdir(path.join(home, USES)).catch(() => undefined); // not empty: a version is in use
    await this.#deps.files.rmdir(home).catch(() => undefined);
  }

  /**
   * Removes leftovers of earlier runs, for all ids, until `signal` aborts. `failed` receives the error of an id. The
   * other ids are still cleaned up.
   */
  async cleanUpAll(signal: AbortSignal, failed: (error: unknown) => void): Promise<void> {
    for (const id of await this.ids()) {
      if (signal.aborted) return;
      await this.cleanUp(id).catch(failed);
    }
    await this.#builds.cleanUp().catch(failed);
  }

  /** Serialises installations of an id across all windows. `waiting`: called if another installation runs. */
  exclusively<T>(id: string, signal: AbortSignal, waiting: () => void, work: () => Promise<T>): Promise<T> {
    this.#home(id);
    return this.#locks.holding(
      `${id}.install`,
      { signal, waiting, busy: () => busy(id), limitMs: INSTALL_LIMIT_MS },
      work,
    );
  }

  #home(id: string): string {
    if (!isSegment(id)) throw badName(l10n.t`The id ${JSON.stringify(id.slice(0, 100))} is not a valid folder name.`);
    return path.join(this.#root, id);
  }

  #changing<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.#locks.holding(`${id}.change`, { busy: () => busy(id), limitMs: CHANGE_LIMIT_MS }, work);
  }

  async #stage(id: string, name: string, isMoved: boolean): Promise<Staging> {
    const home = this.#home(id),
      folder = path.join(home, name),
      { files } = this.#deps;
    await files.mkdir(home, { recursive: true });
    const lease = await this.#usageLocks.take(home, name);
    await files.mkdir(folder);
    return {
      folder,
      keep: built =>
        this.#changing(id, async () => {
          const stored = await this.#keep(id, folder, built, isMoved);
          await lease.release().catch(() => undefined); // the lease is obsolete
          return stored;
        }),
      discard: async () => {
        // The next cleanup retries a failed removal.
        await files.rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
        await lease.release().catch(() => undefined);
      },
    };
  }

  async #keep(id: string, folder: string, built: Built, isMoved: boolean): Promise<Installed> {
    const { files } = this.#deps,
      home = this.#home(id);
    const manifest: Manifest = {
      version: 1,
      ...built,
      order: ((await this.newest(id))?.order ?? 0) + 1,
      installedAt: new Date().toISOString(),
      bytes: await sizeOf(folder, files),
    };
    const target = isMoved ? path.join(home, await this.#freeName(home, built.release)) : folder;
    await writeWhole(path.join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, files);
    if (isMoved) await this.#rename(folder, target);
    return { id, folder: target, ...manifest };
  }

  /** Returns an unused folder name. Removes an abandoned installation of that name. */
  async #freeName(home: string, wanted: string): Promise<string> {
    const name = isSegment(wanted) ? wanted : UNVERSIONED;
    const [existing, used] = [await this.#folders(home), await this.#usageLocks.used(home)];
    for (let n = 1; ; n++) {
      const candidate = n === 1 ? name : `${name.slice(0, 90)}~${n}`;
      if (!existing.includes(candidate)) return candidate;
      const folder = path.join(home, candidate);
      if (used.has(candidate) || (await this.#installed(path.basename(home), folder))) continue;
      await this.#delete(home, candidate);
      return candidate;
    }
  }

  async #clear(id: string, choose: (keep: Set<string>) => Promise<void>): Promise<void> {
    const home = this.#home(id);
    await this.#changing(id, async () => {
      // Folders are listed before the leases, because a lease is taken before its folder is created.
      const folders = await this.#folders(home, true),
        keep = new Set(await this.#usageLocks.used(home));
      await choose(keep);
      // a failed deletion is retried by the next cleanup
      for (const name of folders) if (!keep.has(name)) await this.#delete(home, name).catch(() => undefined);
    });
  }

  /** Renames the folder first, so that a partly deleted folder is not a version. */
  async #delete(home: string, name: string): Promise<void> {
    const { files } = this.#deps,
      old = name.startsWith(".") ? name : `.old-${randomBytes(6).toString("hex")}`;
    if (old !== name) await files.rename(path.join(home, name), path.join(home, old));
    await files.rm(path.join(home, old), { recursive: true, force: true, maxRetries: 3 });
  }

  async #folders(home: string, all = false): Promise<string[]> {
    const entries = await this.#deps.files.readdir(home, { withFileTypes: true }).catch(absent([]));
    return entries.flatMap(entry =>
      entry.isDirectory() && entry.name !== USES && (all || !entry.name.startsWith(".")) ? [entry.name] : [],
    );
  }

  async #installed(id: string, folder: string): Promise<Installed | undefined> {
    const manifest = await this.#manifest(folder);
    if (!manifest || (await programSize(path.join(folder, manifest.program), this.#deps.files)) === undefined)
      return undefined;
    return { id, folder, ...manifest };
  }

  async #manifest(folder: string): Promise<Manifest | undefined> {
    return readManifest(await this.#deps.files.readFile(path.join(folder, MANIFEST), "utf8").catch(absent("")));
  }

  async #exists(folder: string): Promise<boolean> {
    return await this.#deps.files.stat(folder).then(found => found.isDirectory(), absent(false));
  }

  /** Retries on Windows errors, because a virus scanner may lock new files. */
  async #rename(from: string, to: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#deps.files.rename(from, to);
      } catch (error) {
        const isLocked =
          error instanceof Error && "code" in error && ["EPERM", "EACCES", "EBUSY"].includes(String(error.code));
        if (!isLocked || attempt === 8) throw error;
        await pause(attempt * 100, this.#deps.clock);
      }
    }
  }
}
