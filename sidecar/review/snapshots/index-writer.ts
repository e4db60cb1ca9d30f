/** Writes the index of this process with git, and its tree. */
import type { Oid } from "./file-state";
import { displayedPath, encodePath, type ByteString } from "./git-output";
import { GitError, type Git } from "./git-program";
import { HASH_BYTES } from "./index-file";
import { entryCount } from "./own-index";
import type { Root } from "./root";
import type { FileEdits } from "./tree-edit";

/** Files that disappear or become unreadable while git reads them are left out, up to this number per snapshot. */
const MAX_RETRIES = 50;

export class IndexWriter {
  constructor(
    private readonly root: Root,
    private readonly deps: { readonly git: Git; readonly pid: number },
  ) {}

  get file(): string {
    return this.root.store.index(this.deps.pid);
  }

  get env(): Readonly<Record<string, string>> {
    return recordingEnv(this.root, this.deps.pid);
  }

  /** Hashes and stores the added files. `unreadable`: files that git could not read. `count`: of all entries. */
  async update(
    removed: readonly ByteString[],
    added: readonly ByteString[],
  ): Promise<{ readonly unreadable: readonly ByteString[]; readonly count: number }> {
    const failed = new Set<ByteString>();
    for (let isDone = false; !isDone; ) {
      const input = [...removed, ...added].filter(file => !failed.has(file)).map(file => `${file}\0`);
      try {
        await this.git(["update-index", "-z", "--add", "--remove", "--replace", "--stdin"], {
          input: Buffer.from(input.join(""), "latin1"),
        });
        isDone = true;
      } catch (error) {
        const file = error instanceof GitError ? UNPROCESSED.exec(error.stderr)?.[1] : undefined;
        if (file === undefined || failed.has(encodePath(file)) || failed.size === MAX_RETRIES) throw error;
        failed.add(encodePath(file));
      }
    }
    return { unreadable: [...failed], count: await entryCount(this.file) };
  }

  /** Stores the states of these files without reading them. Returns the number of all entries. */
  async repeat(files: readonly ByteString[], states: FileEdits): Promise<number> {
    const absent = { mode: "0", oid: "0".repeat(HASH_BYTES[this.root.algorithm] * 2) },
      records = files.map(file => {
        const { mode, oid } = states.get(file.slice(this.root.prefix.length)) ?? absent;
        return `${mode} ${oid}\t${file}\0`;
      });
    await this.git(["update-index", "-z", "--replace", "--index-info"], {
      input: Buffer.from(records.join(""), "latin1"),
    });
    return entryCount(this.file);
  }

  /** `entries`: their number. */
  async writeTree(entries: number): Promise<Oid> {
    const { prefix } = this.root,
      // Git refuses a prefix without files.
      scope = prefix === "" || entries === 0 ? [] : [`--prefix=${displayedPath(prefix)}`];
    const { stdout } = await this.git(["write-tree", "--missing-ok", ...scope]);
    return stdout.toString().trim();
  }

  git(args: readonly string[], { input }: { readonly input?: Uint8Array } = {}): ReturnType<Git["run"]> {
    return this.deps.git.run({
      args,
      cwd: this.root.workTree,
      env: this.env,
      ...(input === undefined ? {} : { input }),
    });
  }
}

/** The environment of commands that read or write the index of this process. */
export function recordingEnv({ store, workTree }: Root, pid: number): Readonly<Record<string, string>> {
  return { GIT_DIR: store.path, GIT_WORK_TREE: workTree, GIT_INDEX_FILE: store.index(pid) };
}

const UNPROCESSED = /^fatal: Unable to process path (.*)$/m;
