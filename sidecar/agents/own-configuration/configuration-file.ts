/**
 * Reads an agent's own configuration file, and adds and removes Symposium's entry (issue 14 item 5).
 *
 * Invariants:
 * - The file is replaced by one rename and keeps its mode.
 * - A symbolic link is kept, and its target is replaced.
 * - The text before the first change is kept beside the file until the entry is removed.
 * - A file that is not a readable configuration is not changed.
 */
import * as l10n from "@vscode/l10n";
import { randomUUID } from "node:crypto";
import {
  access,
  chmod,
  constants,
  lstat,
  mkdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import type {
  ConfigurationFormat,
  ConfigurationPlan,
  ConfigurationState,
} from "../../../src/protocol/agents/own-configuration";
import type { ShimProgram } from "../../mcp/shim";
import { entryText, programOfEntry, withEntry, withoutEntry } from "./configuration";
import { ConfigurationError, EditedEntryError } from "./symposium-entry";
import type { ConfigurationPlace } from "./known-configurations";

/** Maximum size in bytes. Claude Code also stores other data in its file. */
const MAX_BYTES = 16 * 1024 * 1024;
const BACKUP = ".before-symposium";

export class ConfigurationFile {
  /** The path as shown to the user. */
  readonly file: string;
  readonly #format: ConfigurationFormat;

  constructor(
    { file, format }: ConfigurationPlace,
    private readonly program: ShimProgram,
  ) {
    this.file = file;
    this.#format = format;
  }

  /** Never rejects. */
  async state(): Promise<ConfigurationState> {
    const { file } = this;
    try {
      const text = (await this.#read()).text,
        program = text === undefined ? undefined : programOfEntry(text, this.#format);
      if (!program) return { file, entry: { kind: "absent" } };
      const { command, script, electron } = this.program,
        isSame = program.command === command && program.script === script && program.electron === electron;
      return { file, entry: { kind: isSame ? "added" : "outdated" } };
    } catch (error) {
      return {
        file,
        entry: {
          kind: error instanceof EditedEntryError ? "edited" : "refused",
          why: this.#explained(error, "used").message,
        },
      };
    }
  }

  /** Changes nothing. Rejects with a `ConfigurationError`. */
  async plan(): Promise<ConfigurationPlan> {
    return this.#change(async () => {
      const { target, text, mode } = await this.#read();
      withEntry(text, this.#format, this.program);
      if (text !== undefined) await assertWritable(target, mode);
      return {
        file: this.file,
        text: entryText(this.#format, this.program),
        ...(text === undefined ? {} : { backup: `${target}${BACKUP}` }),
      };
    });
  }

  /** Rejects with a `ConfigurationError` and leaves the file unchanged. */
  async add(): Promise<void> {
    await this.#change(async () => {
      const { target, text, mode } = await this.#read(),
        after = withEntry(text, this.#format, this.program),
        backup = `${target}${BACKUP}`;
      if (after === text) return;
      if (text !== undefined) await assertWritable(target, mode);
      await mkdir(path.dirname(target), { recursive: true });
      if (text !== undefined && !programOfEntry(text, this.#format)) await replace(backup, text, mode);
      if (text === undefined) await rm(backup, { force: true }); // the backup of a deleted file is obsolete
      await replace(target, after, mode);
    });
  }

  /** A file without the entry is not changed. Rejects with a `ConfigurationError` and leaves the file unchanged. */
  async remove(): Promise<void> {
    await this.#change(async () => {
      const { target, text, mode } = await this.#read(),
        backup = `${target}${BACKUP}`;
      if (text === undefined || !programOfEntry(text, this.#format)) return;
      await assertWritable(target, mode);
      const after = withoutEntry(text, this.#format, await readBackup(backup));
      if (after === undefined) await rm(target);
      else await replace(target, after, mode);
      await rm(backup, { force: true });
    });
  }

  /** `target`: the path after resolving links. `text` undefined: the file does not exist. */
  async #read(): Promise<{ readonly target: string; readonly text: string | undefined; readonly mode: number }> {
    const { file } = this;
    if (!path.isAbsolute(file)) throw new ConfigurationError("its path is not absolute.");
    const target = await realpath(file).catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    });
    if (target === undefined) {
      if (await lstat(file).catch(() => undefined))
        throw new ConfigurationError("it is a link to a file that does not exist.");
      return { target: file, text: undefined, mode: 0o600 };
    }
    const { size, mode } = await statRegularFile(target);
    if (size > MAX_BYTES) throw new ConfigurationError(`it is larger than ${MAX_BYTES / 1024 / 1024} MB.`);
    const bytes = await readFile(target);
    try {
      return {
        target,
        text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
        mode: mode & 0o777,
      };
    } catch {
      throw new ConfigurationError("it is not UTF-8 text.");
    }
  }

  async #change<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#explained(error, "changed");
    }
  }

  #explained(error: unknown, what: "used" | "changed"): ConfigurationError {
    const why =
      error instanceof ConfigurationError
        ? error.message
        : `${REASONS[codeOf(error) ?? ""] ?? (error instanceof Error ? error.message : String(error))}.`;
    const text =
      what === "used" ? l10n.t`${this.file} cannot be used: ${why}` : l10n.t`${this.file} cannot be changed: ${why}`;
    return new ConfigurationError(text, { cause: error });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "you have no permission to do that",
  EPERM: "you have no permission to do that",
  EROFS: "its disk is read-only",
  ENOSPC: "its disk is full",
  ENOTDIR: "its folder is a file",
};

async function statRegularFile(target: string): Promise<{ readonly size: number; readonly mode: number }> {
  const stats = await stat(target);
  if (!stats.isFile()) throw new ConfigurationError("it is not a file.");
  return stats;
}

/** Checks the mode, because a rename also replaces a read-only file. */
async function assertWritable(target: string, mode: number): Promise<void> {
  if ((mode & 0o200) === 0) throw new ConfigurationError("it is read-only.");
  await access(target, constants.W_OK);
}

async function readBackup(backup: string): Promise<string | undefined> {
  try {
    return await readFile(backup, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function replace(target: string, text: string, mode: number): Promise<void> {
  const temporary = `${target}.${randomUUID()}`;
  try {
    await writeFile(temporary, text, { mode, flag: "wx" });
    await chmod(temporary, mode); // without the umask
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
