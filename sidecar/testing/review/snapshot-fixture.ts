/** A snapshot store, and folders and repositories that the user's git creates. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import type { ProcessDeps } from "../../process/child";
import { findOnPath } from "../../process/find-program";
import { openLedger } from "../../process/process-ledger";
import { newRun } from "../../process/run-id";
import { runTool } from "../../process/tool-run";
import type { Oid } from "../../review/snapshots/file-state";
import { objectId } from "../../review/snapshots/loose-objects";
import { SnapshotStore, type RootChanges, type SnapshotDeps } from "../../review/snapshots/snapshot-store";
import { temporaryFolder } from "../drive";
import { hurriedClock } from "../accelerated-clock";

const EMPTY_TREE = objectId("tree", new Uint8Array(), "sha1");

export class SnapshotFixture implements AsyncDisposable {
  readonly #temporary = temporaryFolder();
  /** Real path of the temporary folder. */
  readonly folder = realpathSync(this.#temporary.path);
  readonly #ledger = openLedger(this.at("ledger"), newRun());
  readonly processes: ProcessDeps = {
    clock: hurriedClock(1),
    ledger: this.#ledger,
    log: () => undefined,
    report: { started: record => this.commands.push(record.command), ended: () => undefined },
  };
  /** Each program that was started. */
  readonly commands: string[] = [];
  readonly #stores: SnapshotStore[] = [];
  readonly store: SnapshotStore;
  /** Milliseconds since 1970. */
  now = Date.now();

  constructor(deps: Partial<SnapshotDeps> = {}) {
    mkdirSync(this.at("home"));
    this.write("home/.gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n");
    this.store = this.open(deps);
  }

  /** Another window has another process id. */
  open(deps: Partial<SnapshotDeps> = {}): SnapshotStore {
    const store = new SnapshotStore({
      processes: this.processes,
      env: async () => this.#env,
      storage: this.at("storage"),
      isRestricted: false,
      date: () => this.now,
      ...deps,
    });
    this.#stores.push(store);
    return store;
  }

  at(name: string): string {
    return path.join(this.folder, ...name.split("/"));
  }

  write(name: string, content: string | Uint8Array): void {
    mkdirSync(path.dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), content);
  }

  exists(name: string): boolean {
    return existsSync(this.at(name));
  }

  read(name: string): string {
    return readFileSync(this.at(name), "latin1");
  }

  link(name: string, target: string): void {
    mkdirSync(path.dirname(this.at(name)), { recursive: true });
    symlinkSync(target, this.at(name));
  }

  remove(name: string): void {
    rmSync(this.at(name), { recursive: true });
  }

  move(from: string, to: string): void {
    mkdirSync(path.dirname(this.at(to)), { recursive: true });
    renameSync(this.at(from), this.at(to));
  }

  chmod(name: string, mode: number): void {
    chmodSync(this.at(name), mode);
  }

  /** The user's git. Throws if it fails. */
  async git(folder: string, ...args: string[]): Promise<string> {
    const { exit, stdout, stderr } = await runTool(
      { name: "git", command: findOnPath("git") ?? "git", args, env: {}, cwd: this.at(folder) },
      { signal: new AbortController().signal },
      { ...this.processes, report: { started: () => undefined, ended: () => undefined }, environment: () => this.#env },
    );
    if (exit.code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  /** A repository with these files in one commit. */
  async repository(folder: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
    mkdirSync(this.at(folder), { recursive: true });
    await this.git(folder, "init", "-q");
    for (const [name, content] of Object.entries(files)) this.write(`${folder}/${name}`, content);
    await this.commit(folder);
  }

  async commit(folder: string): Promise<void> {
    await this.git(folder, "add", "-A");
    await this.git(folder, "commit", "-q", "-m", "Change", "--allow-empty");
  }

  /** The tree of each recorded root, by its path relative to the temporary folder. */
  async trees(...folders: string[]): Promise<Readonly<Record<string, Oid>>> {
    const snapshot = await this.store.snapshot(folders.map(folder => this.at(folder)));
    if (snapshot.kind === "unavailable") throw new Error(`unavailable: ${snapshot.why} ${snapshot.detail ?? ""}`);
    for (const { root, why, detail } of snapshot.skipped) throw new Error(`${root}: ${why} ${detail ?? ""}`);
    return Object.fromEntries(snapshot.roots.map(({ root, tree }) => [path.relative(this.folder, root), tree]));
  }

  async tree(folder: string): Promise<Oid> {
    const tree = (await this.trees(folder))[folder];
    if (tree === undefined) throw new Error(`no tree of ${folder}`);
    return tree;
  }

  changes(folder: string, before: Oid, after: Oid): Promise<RootChanges> {
    return this.store.changes(this.at(folder), before, after);
  }

  /** Mode and bytes of each file of a tree. */
  async content(folder: string, tree: Oid): Promise<Readonly<Record<string, string>>> {
    const content: Record<string, string> = {};
    for (const { path: name, after } of (await this.changes(folder, EMPTY_TREE, tree)).files) {
      const bytes = after && (await this.store.read(this.at(folder), after.oid));
      content[name] = `${after?.mode} ${bytes ? Buffer.from(bytes).toString("latin1") : "missing"}`;
    }
    return content;
  }

  /** Bytes and times of all files of a `.git` folder. Git renews the time of an object that it would store again. */
  fingerprint(folder: string): Readonly<Record<string, string>> {
    return Object.fromEntries(
      readdirSync(this.at(folder), { recursive: true, encoding: "utf8" })
        .sort()
        .map(name => {
          const file = path.join(this.at(folder), name),
            stats = lstatSync(file);
          const content = stats.isFile() ? objectId("blob", readFileSync(file), "sha1") : "";
          const time = stats.isFile() && name.startsWith(`objects${path.sep}`) ? "" : stats.mtimeMs;
          return [name, `${stats.mode} ${stats.size} ${time} ${content}`];
        }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const store of this.#stores) await store[Symbol.asyncDispose]();
    this.#ledger.close();
    this.#temporary[Symbol.dispose]();
  }

  get #env(): Readonly<Record<string, string | undefined>> {
    return {
      ...process.env,
      HOME: this.at("home"),
      XDG_CONFIG_HOME: undefined,
      GIT_CONFIG_GLOBAL: undefined,
      GIT_ALLOW_PROTOCOL: "file",
    };
  }
}
