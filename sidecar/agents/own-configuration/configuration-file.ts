/**
 * Reads an agent's own configuration file, and adds and removes Symposium's entry (issue 14 item 5).
 *
 * Invariants:
 * - The text before the first change is kept beside the file until the entry is removed.
 * - A file that is not a readable configuration is not changed.
 */
import { rm } from "node:fs/promises";
import type {
  ConfigurationFormat,
  ConfigurationPlan,
  ConfigurationState,
} from "../../../src/protocol/agents/own-configuration";
import type { ShimProgram } from "../../mcp/shim";
import { entryText, programOfEntry, withEntry, withoutEntry } from "./configuration";
import { EditedEntryError } from "./symposium-entry";
import type { ConfigurationPlace } from "./known-configurations";
import { assertWritable, backUp, fileError, readBackup, readUserFile, writeUserFile } from "./user-file";

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
      const text = readUserFile(file).text,
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
          why: fileError(file, error, "used").message,
        },
      };
    }
  }

  /** Changes nothing. Rejects with a `ConfigurationError`. */
  async plan(): Promise<ConfigurationPlan> {
    return this.#change(async () => {
      const before = readUserFile(this.file);
      withEntry(before.text, this.#format, this.program);
      await assertWritable(before);
      return {
        file: this.file,
        text: entryText(this.#format, this.program),
        ...(before.text === undefined ? {} : { backup: before.backup }),
      };
    });
  }

  /** Rejects with a `ConfigurationError` and leaves the file unchanged. */
  async add(): Promise<void> {
    await this.#change(async () => {
      const before = readUserFile(this.file),
        { text } = before,
        after = withEntry(text, this.#format, this.program);
      if (after === text) return;
      await assertWritable(before);
      if (text === undefined || !programOfEntry(text, this.#format)) await backUp(before);
      await writeUserFile(before, after);
    });
  }

  /** A file without the entry is not changed. Rejects with a `ConfigurationError` and leaves the file unchanged. */
  async remove(): Promise<void> {
    await this.#change(async () => {
      const before = readUserFile(this.file),
        { target, text, backup } = before;
      if (text === undefined || !programOfEntry(text, this.#format)) return;
      await assertWritable(before);
      const after = withoutEntry(text, this.#format, await readBackup(before));
      if (after === undefined) await rm(target);
      else await writeUserFile(before, after);
      await rm(backup, { force: true });
    });
  }

  async #change<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw fileError(this.file, error, "changed");
    }
  }
}
