/**
 * The file `~/.symposium/config.jsonc`. Symposium reads it, and creates it once.
 *
 * Invariants:
 * - `create` never changes a file that exists, also if several programs create it at once.
 * - The file is complete when its name appears.
 */
import { randomUUID } from "node:crypto";
import { link, mkdir, open, rm } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { codeOf, readUserFile, whyOf } from "../../agents/own-configuration/user-file";
import { readConfig, type RunConfig } from "./config";
import type { SaveOutcome } from "./wizard";

export type ConfigReading =
  | { readonly kind: "absent" }
  | { readonly kind: "config"; readonly config: RunConfig; readonly text: string }
  /** `message`: a sentence after the file's path and, if known, its line and column. */
  | { readonly kind: "problem"; readonly message: string };

export class ConfigFile {
  constructor(
    /** Absolute. */
    readonly path: string,
  ) {}

  /** Never rejects. */
  async read(): Promise<ConfigReading> {
    try {
      const text = this.#text();
      if (text === undefined) return { kind: "absent" };
      const read = await readConfig(text);
      return read.kind === "config" ? { ...read, text } : { kind: "problem", message: this.at(read.problem) };
    } catch (error) {
      return { kind: "problem", message: `${this.path}: The file cannot be read: ${whyOf(error)}` };
    }
  }

  /** Whether the file has another text. A file that cannot be read is reported at the next start. */
  isChanged(from: string): boolean {
    try {
      return this.#text() !== from;
    } catch {
      return false;
    }
  }

  at({ line, column, message }: { readonly line: number; readonly column: number; readonly message: string }): string {
    return `${this.path}:${line}:${column}: ${message}`;
  }

  /** Never rejects. */
  async create(text: string): Promise<SaveOutcome> {
    try {
      await createFolder(path.dirname(this.path));
      return (await createFile(this.path, text)) ? this.#outcome("created") : this.#outcome("exists");
    } catch (error) {
      return { kind: "failed", why: `${this.path} cannot be created: ${whyOf(error)}` };
    }
  }

  #outcome(kind: "created" | "exists"): SaveOutcome {
    return { kind, file: this.path };
  }

  #text(): string | undefined {
    return readUserFile(this.path).text;
  }
}

/** The user's configuration file, or a sentence if the home directory is unknown. */
export function configFile(): ConfigFile | string {
  const home = homeOrNone();
  return home !== undefined && path.isAbsolute(home)
    ? new ConfigFile(path.join(home, ".symposium", "config.jsonc"))
    : "The home directory is unknown. Set the variable HOME to its path in the environment of your editor.";
}

function homeOrNone(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined; // no HOME, and no entry of the user
  }
}

/** Not recursive, because Node reports another error for a read-only disk then. */
async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/** Returns false if the file exists. A hard link, unlike a rename, does not replace a file. */
async function createFile(target: string, text: string): Promise<boolean> {
  const temporary = `${target}.${randomUUID()}`;
  try {
    await written(temporary, text);
    return await linked(temporary, target, text);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function linked(temporary: string, target: string, text: string): Promise<boolean> {
  try {
    await link(temporary, target);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    // A file system without hard links, such as exFAT.
    return createdDirectly(target, text);
  }
}

async function createdDirectly(target: string, text: string): Promise<boolean> {
  try {
    await written(target, text);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Rejects with EEXIST if the file exists. A file that is not complete is deleted. */
async function written(file: string, text: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
    await handle.close();
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(file, { force: true });
    throw error;
  }
}
