/** A repository and a folder with many files, and a snapshot store in this process. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openLedger } from "../../sidecar/process/process-ledger";
import { newRun } from "../../sidecar/process/run-id";
import type { RootSnapshot } from "../../sidecar/review/snapshots/snapshot-store";
import { SnapshotStore } from "../../sidecar/review/snapshots/snapshot-store";
import { realClock } from "../../sidecar/rpc/clock";

const FILES_PER_FOLDER = 50;

export class Corpus implements Disposable {
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), "symposium-bench-")));
  readonly #run = newRun();
  readonly #ledger = openLedger(path.join(this.folder, "ledger"), this.#run);
  #version = 0;

  /** A repository with one commit, packed as after a clone. */
  async repository(name: string, files: number): Promise<string> {
    const folder = path.join(this.folder, name);
    mkdirSync(folder);
    execFileSync("git", ["init", "-q"], { cwd: folder });
    const child = spawn("git", ["fast-import", "--quiet"], { cwd: folder, stdio: ["pipe", "inherit", "inherit"] }),
      ended = once(child, "exit");
    const text = "A commit\n",
      parts = [`commit refs/heads/bench\ncommitter A <a@example.com> 0 +0000\ndata ${text.length}\n${text}`];
    for (let i = 0; i < files; i++) {
      const content = contentOf(i, 0);
      parts.push(`M 100644 inline ${nameOf(i)}\ndata ${content.length}\n${content}\n`);
    }
    child.stdin.end(parts.join(""));
    await ended;
    execFileSync("git", ["symbolic-ref", "HEAD", "refs/heads/bench"], { cwd: folder });
    execFileSync("git", ["reset", "-q", "--hard"], { cwd: folder });
    // The files are older than the index then, as in a repository in use.
    execFileSync("git", ["update-index", "--refresh"], { cwd: folder });
    return folder;
  }

  plainFolder(name: string, files: number): string {
    const folder = path.join(this.folder, name);
    for (let i = 0; i < files; i++) {
      mkdirSync(path.dirname(path.join(folder, nameOf(i))), { recursive: true });
      writeFileSync(path.join(folder, nameOf(i)), contentOf(i, 0));
    }
    return folder;
  }

  /** Changes ten files. Returns the bytes written. */
  change(folder: string): number {
    this.#version++;
    let bytes = 0;
    for (let i = 0; i < 10; i++) {
      const content = contentOf(i, this.#version);
      writeFileSync(path.join(folder, nameOf(i * 97)), content);
      bytes += content.length;
    }
    return bytes;
  }

  /** `storage`: a name, new for each first session. `pid`: of a process without a store. */
  open(storage: string, pid = process.pid): SnapshotStore {
    return new SnapshotStore({
      processes: {
        clock: realClock,
        ledger: this.#ledger,
        log: () => undefined,
        report: { started: () => undefined, ended: () => undefined },
      },
      env: async () => process.env,
      storage: path.join(this.folder, "storage", storage),
      isRestricted: false,
      date: () => Date.now(),
      pid,
    });
  }

  /** Size of all files below a folder of the storage. */
  bytesOf(storage: string): number {
    const folder = path.join(this.folder, "storage", storage, "review");
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter(name => name.includes(`objects${path.sep}`) || name.includes(`pins${path.sep}`))
      .map(name => statSync(path.join(folder, name)))
      .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);
  }

  [Symbol.dispose](): void {
    this.#ledger.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function take(store: SnapshotStore, folder: string): Promise<RootSnapshot> {
  const snapshot = await store.snapshot([folder], "turn"),
    root = snapshot.kind === "recorded" ? snapshot.roots[0] : undefined;
  if (root === undefined) throw new Error(JSON.stringify(snapshot));
  return root;
}

/** Runs git as a user does. */
export async function git(folder: string, ...args: readonly string[]): Promise<void> {
  const child = spawn("git", args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.resume();
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${String(code)}`);
}

function nameOf(i: number): string {
  const folder = Math.floor(i / FILES_PER_FOLDER);
  return `package${folder % 40}/module${Math.floor(folder / 40)}/file${i}.ts`;
}

/** About 1 kB of a text that differs from file to file. */
function contentOf(i: number, version: number): string {
  return Array.from(
    { length: 5 + (i % 30) },
    (_, line) => `export const value${line} = ${(i * 7919 + line * 104_729 + version) % 999_983};\n`,
  ).join("");
}
