/**
 * `symposium-acp-agent setup`: configures another editor to start `symposium-acp-agent run`.
 *
 * Invariants:
 * - Only the JSON files of Zed and JetBrains IDEs are edited. Text for other editors is printed.
 * - A file that is not a readable configuration is not changed.
 * - The text before a change is kept beside the file.
 * - `--dry-run` writes nothing.
 */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { redactText } from "../../src/protocol/redaction/redact";
import { withJsonValues } from "../agents/own-configuration/json-entry";
import { assertWritable, backUp, fileError, readUserFile, writeUserFile } from "../agents/own-configuration/user-file";
import { isProgramFile } from "../process/find-program";
import { printReply, type CommandReply } from "./runtime/reply";
import { editorSetup, type Editor, type EditorSetup } from "./setup/editors";
import { lineDiff } from "./setup/line-diff";
import { absoluteCommand, shortCommand, type OwnProcess } from "./setup/start-command";

export interface SetupRequest {
  readonly editor: Editor;
  readonly isDryRun: boolean;
}

/** Resolves with the exit code. */
export async function runSetup({ editor, isDryRun }: SetupRequest): Promise<number> {
  const own = ownProcess(),
    commands = { absolute: absoluteCommand(own), short: shortCommand(own) },
    setup = editorSetup(editor, commands, { platform: process.platform, home: homedir(), env: process.env });
  return printReply(await answerSetup(setup, isDryRun));
}

export async function answerSetup(setup: EditorSetup, isDryRun: boolean): Promise<CommandReply> {
  if (setup.kind === "text") return { code: 0, out: setup.text, notes: [setup.next] };
  try {
    return await edited(setup, isDryRun);
  } catch (error) {
    const { message } = fileError(setup.file, error, "changed"),
      values = JSON.stringify(setup.values, undefined, 2);
    return {
      code: 1,
      out: "",
      notes: [`${message} Correct that and run the command again, or add these values to the file yourself:`, values],
    };
  }
}

async function edited(
  { name, file, values, next }: Extract<EditorSetup, { kind: "file" }>,
  isDryRun: boolean,
): Promise<CommandReply> {
  const before = readUserFile(file),
    text = before.text ?? "",
    after = withJsonValues(text, values);
  if (after === before.text) return { code: 0, out: `Symposium is already in ${file}.\n${next}\n`, notes: [] };
  await assertWritable(before);
  if (isDryRun)
    return {
      code: 0,
      out: `--- ${before.text === undefined ? "/dev/null" : file}\n+++ ${file}\n${redactText(lineDiff(text, after))}`,
      notes: ["Nothing was written, because of --dry-run."],
    };
  await backUp(before);
  await writeUserFile(before, after);
  const backup = before.text === undefined ? "" : `The previous text is in ${before.backup}.\n`;
  return { code: 0, out: `Added Symposium to ${name} in ${file}.\n${backup}${next}\n`, notes: [] };
}

function ownProcess(): OwnProcess {
  return {
    node: process.execPath,
    script: path.resolve(process.argv[1] ?? ""),
    electron: "electron" in process.versions,
    platform: process.platform,
    env: process.env,
    isProgram: isProgramFile,
    realPath: file => {
      try {
        return realpathSync(file);
      } catch {
        return file;
      }
    },
  };
}
