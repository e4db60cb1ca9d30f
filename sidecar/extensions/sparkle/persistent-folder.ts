/**
 * A folder of files that a person reads and edits and that several windows write. Reads are lenient, and writes are
 * atomic.
 *
 * Invariants:
 * - Reads create no files and never reject. An unreadable file is logged and treated as absent.
 * - The first write creates the folder.
 * - `older` retains replaced files byte for byte.
 * - Writers hold an exclusive lock.
 * - Access never leaves a workspace's folder through links, because a cloned repository may contain them.
 */
import { randomBytes } from "node:crypto";
import path from "node:path";
import { errorMessage } from "../../../src/protocol/wire/errors";
import { type Files, absent, writeAll } from "../../agents/install/store/files";
import { InstallError } from "../../agents/install/store/install-error";
import type { Locks } from "../../agents/install/store/locks";
import { contains, resolveInWorkspace } from "../../permissions/workspace-boundary";
import type { Clock } from "../../rpc/clock";
import type { JsonObject } from "../../rpc/json";
import { ToolFailure } from "../tool";

export interface PersistentFolderDeps {
  readonly clock: Clock;
  readonly date: () => Date;
  readonly files: Files;
  readonly log: (level: "info" | "warn", message: string, detail: JsonObject) => void;
}

export interface PersistentFolderPlace {
  /** Absolute path. */
  readonly root: string;
  /** Path as shown to the user: `~/.sparkle`. */
  readonly called: string;
  /**
   * `user`: private file modes, and links may point anywhere. `workspace`: inside a workspace, whose folder must exist.
   */
  readonly of: "user" | "workspace";
}

/** Maximum number of bytes read from one file. */
const MAX_READ = 1_048_576;
/** Maximum file size in bytes. On the next append, a larger file is copied to `older` and restarted. */
const MAX_FILE_BYTES = 8 * MAX_READ;
const MAX_OLDER = 20;
const LOCK_LIMIT_MS = 10_000;
const LOCK = ".lock",
  OLDER = "older";
const PART = /^\..+\.[0-9a-f]{16}\.part$/;

/** Operations under the folder's lock. Paths are relative, with `/`. Rejects with a `ToolFailure`. */
export interface Writing {
  readonly signal: AbortSignal;
  /** Replaces a file and keeps the previous version. */
  replace(file: string, text: string): Promise<void>;
  /** Appends to a file. `begin`: first text of a new file. */
  append(file: string, text: string, begin: string): Promise<void>;
  /** Renames a folder. `to` must not exist. */
  rename(from: string, to: string): Promise<void>;
}

export class PersistentFolder {
  /** Loaded on the first write, because most sessions never write. */
  #locks: Promise<Locks> | undefined;

  constructor(
    readonly place: PersistentFolderPlace,
    private readonly deps: PersistentFolderDeps,
  ) {}

  /** The folder `~/.sparkle`. */
  static ofUser(home: string, deps: PersistentFolderDeps): PersistentFolder {
    return new PersistentFolder({ root: path.join(home, ".sparkle"), called: "~/.sparkle", of: "user" }, deps);
  }

  /** Path as shown to the user. */
  called(file: string): string {
    return `${this.place.called}/${file}`;
  }

  /**
   * Undefined if the file is missing or unreadable. For a file longer than `MAX_READ`, returns the complete lines at
   * one end.
   */
  async read(file: string, end: "beginning" | "end" = "beginning"): Promise<string | undefined> {
    try {
      return decoded(await this.#readEnd(await this.#real(file), end));
    } catch (error) {
      return this.#logUnreadable(file, error);
    }
  }

  /** Sorted entries of a subfolder, without hidden entries. */
  async list(folder: string, kind: "files" | "folders"): Promise<readonly string[]> {
    const { files } = this.deps;
    try {
      const real = await this.#real(folder),
        entries = await files.readdir(real, { withFileTypes: true }).catch(absent([]));
      const is = async (name: string): Promise<boolean> => {
        // follows links
        const found = await files.stat(path.join(real, name)).catch(() => undefined);
        return (kind === "files" ? found?.isFile() : found?.isDirectory()) ?? false;
      };
      const named = entries
        .map(entry => entry.name)
        .filter(name => !name.startsWith("."))
        .sort();
      return (await Promise.all(named.map(async name => ((await is(name)) ? [name] : [])))).flat();
    } catch (error) {
      return this.#logUnreadable(folder, error) ?? [];
    }
  }

  /** Rejects with a `ToolFailure`, or with the reason of `signal` while waiting for the lock. */
  async writing<T>(signal: AbortSignal, work: (writing: Writing) => Promise<T>): Promise<T> {
    const { called } = this.place;
    const busy = (): InstallError =>
      new InstallError("busy", `Another window is writing into ${called}.`, {
        advice: "Call the tool again in a moment.",
      });
    try {
      await this.#create();
      return await (await (this.#locks ??= this.#loadLocks())).holding(
        LOCK,
        { busy, limitMs: LOCK_LIMIT_MS, signal },
        async () => {
          await this.#ignore();
          return work({
            signal,
            replace: (file, text) => this.#replace(file, text),
            append: (file, text, begin) => this.#append(file, text, begin),
            rename: async (from, to) => this.deps.files.rename(await this.#real(from), await this.#real(to)),
          });
        },
      );
    } catch (error) {
      throw this.#toToolFailure(error);
    }
  }

  async #loadLocks(): Promise<Locks> {
    const { Locks } = await import("../../agents/install/store/locks");
    return new Locks(this.place.root, this.deps.clock, this.deps.files);
  }

  async #replace(file: string, text: string): Promise<void> {
    const real = await this.#real(file),
      before = await this.#readAll(real);
    if (before?.equals(Buffer.from(text))) return;
    if (before) await this.#saveCopy(file, before);
    await this.#writeAtomically(real, Buffer.from(text));
  }

  async #append(file: string, text: string, begin: string): Promise<void> {
    const real = await this.#real(file),
      before = await this.#readAll(real),
      isTooLong = (before?.length ?? 0) > MAX_FILE_BYTES;
    if (before && !isTooLong && isText(before))
      return this.#writeAtomically(real, Buffer.concat([before, Buffer.from(text)]));
    if (before) {
      this.deps.log("warn", "A file of Sparkle was replaced; its old content is saved", {
        file: real,
        why: isTooLong ? "it was too long" : "it was not a text",
      });
      await this.#saveCopy(file, before);
    }
    await this.#writeAtomically(real, Buffer.from(begin + text));
  }

  /** Undefined if the file is missing. */
  async #readAll(real: string): Promise<Buffer | undefined> {
    const found = await this.deps.files.stat(real).catch(absent(undefined));
    if (found && !found.isFile())
      throw new ToolFailure(`${real} is not a file, so nothing can be saved in it. Ask the user to move it away.`);
    return found && this.deps.files.readFile(real);
  }

  /** Saves a copy in `older` and deletes the oldest copies. */
  async #saveCopy(file: string, bytes: Buffer): Promise<void> {
    const { files, date } = this.deps,
      { dir, name, ext } = path.parse(file),
      folder = path.join(dir, OLDER);
    await this.#writeAtomically(await this.#real(path.join(folder, `${name}.${stamp(date())}${ext}`)), bytes);
    const real = await this.#real(folder),
      copies = (await files.readdir(real)).filter(item => item.startsWith(`${name}.`) && item.endsWith(ext)).sort();
    for (const old of copies.slice(0, -MAX_OLDER)) await files.rm(path.join(real, old));
  }

  /** Writes a temporary file and renames it, so that each read returns either the old or the new content. */
  async #writeAtomically(real: string, bytes: Buffer): Promise<void> {
    const { files } = this.deps,
      folder = path.dirname(real),
      existing = await files.stat(real).catch(absent(undefined));
    const part = path.join(folder, `.${path.basename(real)}.${randomBytes(8).toString("hex")}.part`);
    await files.mkdir(folder, { recursive: true });
    await this.#deletePartialFiles(folder);
    try {
      const handle = await files.open(
        part,
        "wx",
        existing ? existing.mode & 0o777 : this.place.of === "user" ? 0o600 : 0o644,
      );
      try {
        await writeAll(handle, bytes, 0);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await files.rename(part, real);
    } catch (error) {
      await files.rm(part, { force: true }).catch(() => undefined); // the next writer removes it
      throw error;
    }
  }

  /** Deletes temporary files of killed writers. The lock excludes concurrent writers. */
  async #deletePartialFiles(folder: string): Promise<void> {
    const { files } = this.deps;
    for (const name of await files.readdir(folder))
      if (PART.test(name)) await files.rm(path.join(folder, name), { force: true });
  }

  async #create(): Promise<void> {
    const {
      place: { root, called, of },
      deps: { files },
    } = this;
    await this.#real("."); // checks links before anything is created at their target
    if (of === "user") await files.mkdir(root, { recursive: true, mode: 0o700 });
    else if (!(await files.stat(path.dirname(root)).catch(absent(undefined)))?.isDirectory())
      throw new ToolFailure(`The folder of this session does not exist, so nothing can be saved in its ${called}.`);
    else
      await files.mkdir(root).catch((error: unknown) => {
        if (codeOf(error) !== "EEXIST") throw error;
      });
  }

  /** Adds a `.gitignore` to a new workspace folder to prevent accidental commits. A deleted file is not recreated. */
  async #ignore(): Promise<void> {
    const {
      place: { root, of },
      deps: { files },
    } = this;
    if (of === "user" || (await files.readdir(root)).some(name => name !== LOCK && !PART.test(name))) return;
    await this.#writeAtomically(await this.#real(".gitignore"), Buffer.from("*\n"));
  }

  /** The real path of a file. */
  #real(file: string): Promise<string> {
    return this.#inside(path.join(this.place.root, file));
  }

  async #inside(file: string): Promise<string> {
    const { root, of, called } = this.place;
    if (!contains(root, file)) throw new ToolFailure(`${file} is not in ${called}.`);
    const isWorkspace = of === "workspace",
      { real, isInside } = await resolveInWorkspace(file, isWorkspace ? [root] : []);
    if (isWorkspace && !(isInside && (await resolveInWorkspace(root, [path.dirname(root)])).isInside))
      throw new ToolFailure(
        `A link in ${called} points outside of it, to ${real}. Nothing is read or written there. Ask the user to remove the link.`,
      );
    return real;
  }

  async #readEnd(real: string, end: "beginning" | "end"): Promise<Buffer | undefined> {
    const { files } = this.deps,
      found = await files.stat(real).catch(absent(undefined));
    if (!found) return undefined;
    if (!found.isFile()) throw new Error("it is not a file"); // reading a pipe would never end
    const handle = await files.open(real, "r");
    try {
      const from = end === "end" ? Math.max(0, found.size - MAX_READ) : 0,
        buffer = Buffer.alloc(Math.min(found.size, MAX_READ));
      let read = 0;
      for (let remaining = -1; remaining !== 0 && read < buffer.length; read += remaining)
        remaining = (await handle.read(buffer, read, buffer.length - read, from + read)).bytesRead;
      return wholeLines(buffer.subarray(0, read), { isCutBefore: from > 0, isCutBehind: from + read < found.size });
    } finally {
      await handle.close();
    }
  }

  #logUnreadable(file: string, error: unknown): undefined {
    this.deps.log("warn", "A file of Sparkle cannot be read and is ignored", {
      file: this.called(file),
      why: errorMessage(error),
    });
  }

  #toToolFailure(error: unknown): unknown {
    if (error instanceof ToolFailure) return error;
    if (error instanceof InstallError) return new ToolFailure(error.message);
    const code = codeOf(error),
      { called } = this.place;
    if (code === "ENOSPC" || code === "EDQUOT")
      return new ToolFailure("The disk is full, so nothing was saved. Tell the user.");
    if (code !== undefined && error instanceof Error)
      return new ToolFailure(
        `${called} cannot be written, so nothing more was saved: ${error.message}. Tell the user.`,
      );
    return error;
  }
}

/** Timestamp for file names that sort chronologically. */
export function stamp(date: Date): string {
  return date.toISOString().replaceAll(/[:.]/g, "-");
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function wholeLines(
  bytes: Buffer,
  { isCutBefore, isCutBehind }: { readonly isCutBefore: boolean; readonly isCutBehind: boolean },
): Buffer {
  const from = isCutBefore ? bytes.indexOf(0x0a) + 1 : 0,
    to = isCutBehind ? bytes.lastIndexOf(0x0a) : bytes.length;
  return bytes.subarray(from, to < from ? bytes.length : to);
}

/** Throws for invalid UTF-8, because wrongly decoded text would be presented as the user's text. */
function decoded(bytes: Buffer | undefined): string | undefined {
  return bytes && new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

function isText(bytes: Buffer): boolean {
  try {
    return decoded(bytes) !== undefined;
  } catch {
    return false;
  }
}
