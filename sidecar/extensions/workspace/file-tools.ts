/** The tools `read_file`, `write_file` and `edit_file`. */
import { counted } from "../../../src/protocol/text/phrases";
import { numberOr, stringOr, type JsonObject } from "../../rpc/json";
import { ToolFailure, type Tool, type ToolCall } from "../tool";
import type { GatedAction, Consent } from "../consent";
import { edit, inFormOf, type Edit } from "./edit";
import { isGuarded, type Folders, type Inside } from "./folders";
import { partOf } from "./line-range";
import type { TextFiles } from "./text-files";

export interface FileToolsDeps {
  readonly folders: Folders;
  readonly files: TextFiles;
  readonly consent: Consent;
}

export function fileTools(deps: FileToolsDeps): readonly Tool[] {
  const serialized = serializer();
  return [readFile(deps), writeFile(deps, serialized), editFile(deps, serialized)];
}

const PATH = {
  type: "string",
  description: "Relative to the working folder, or absolute; inside of the session's folders.",
} as const;

function readFile({ folders, files }: FileToolsDeps): Tool {
  return {
    name: "read_file",
    title: "Read a file",
    description:
      "Reads a text file as it is in the user's editor, including unsaved changes: all of it, or the lines from startLine to endLine.",
    inputSchema: {
      type: "object",
      required: ["path"],
      properties: {
        path: PATH,
        startLine: { type: "number", description: "The first line, from 1." },
        endLine: { type: "number", description: "The last line, which is included." },
      },
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    async call(args, call) {
      const file = await folders.inside(textOf(args, "path"));
      const part = partOf(
        await existingText(files, file, call),
        numberOr(args.startLine, undefined),
        numberOr(args.endLine, undefined),
      );
      if (part.kind === "wrong") throw new ToolFailure(`${file.shown}: ${part.why}`);
      return part.text;
    },
  };
}

function writeFile({ folders, files, consent }: FileToolsDeps, serialized: Serialize): Tool {
  return {
    name: "write_file",
    title: "Write a file",
    description:
      "Creates a file and its folders, or replaces all of its text. The user is asked. To change a part of a file, use edit_file.",
    inputSchema: {
      type: "object",
      required: ["path", "content"],
      properties: { path: PATH, content: { type: "string", description: "The whole text." } },
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    async call(args, call) {
      const requested = textOf(args, "path"),
        content = textOf(args, "content"),
        file = await folders.inside(requested),
        before = await files.read(file, call.signal);
      const text = before === undefined ? content : inFormOf(before, content);
      await consent.carryOut(
        changeOf(file, `${before === undefined ? "Make" : "Write"} ${file.shown}`, before, text, {
          key: "write_file",
          name: "Always Allow Writing Files (This Session)",
        }),
        call,
        () =>
          serialized(file.real, async () => {
            await checkUnmoved(folders, requested, file);
            if ((await files.read(file, call.signal)) !== before)
              throw new ToolFailure(
                `${file.shown} was changed while the user was asked, and was not written. Read it again.`,
              );
            await files.write(file, text, call.signal);
          }),
      );
      return {
        structured: { success: true, path: file.real },
        text: `${before === undefined ? "Made" : "Wrote"} ${file.shown}: ${counted(text.split("\n").length - (text.endsWith("\n") ? 1 : 0), "line")}.`,
      };
    },
  };
}

function editFile({ folders, files, consent }: FileToolsDeps, serialized: Serialize): Tool {
  return {
    name: "edit_file",
    title: "Edit a file",
    description:
      "Replaces old_string, which must occur exactly once in the file, with new_string. Include enough surrounding lines to make old_string unique. The user is asked.",
    inputSchema: {
      type: "object",
      required: ["path", "old_string", "new_string"],
      properties: {
        path: PATH,
        old_string: { type: "string", description: "Exact current text, including white space." },
        new_string: { type: "string", description: "Replacement text." },
      },
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    async call(args, call) {
      const requested = textOf(args, "path"),
        old = textOf(args, "old_string"),
        replacement = textOf(args, "new_string"),
        file = await folders.inside(requested);
      const before = await existingText(files, file, call),
        edited = editedOrThrow(file, edit(before, old, replacement));
      const line = await consent.carryOut(
        changeOf(file, `Edit ${file.shown}`, before, edited.text, {
          key: "edit_file",
          name: "Always Allow Editing Files (This Session)",
        }),
        call,
        () =>
          serialized(file.real, async () => {
            await checkUnmoved(folders, requested, file);
            // The file may have changed meanwhile. The consent covers the edit, so the edit is applied to the current
            // text.
            const again = editedOrThrow(file, edit(await existingText(files, file, call), old, replacement));
            await files.write(file, again.text, call.signal);
            return again.line;
          }),
      );
      return { structured: { success: true, path: file.real }, text: `Edited ${file.shown} at line ${line}.` };
    },
  };
}

/** Serializes changes per file, from the last read to the write. */
type Serialize = <T>(file: string, change: () => Promise<T>) => Promise<T>;

function serializer(): Serialize {
  const last = new Map<string, Promise<unknown>>();
  return (file, change) => {
    const result = (last.get(file) ?? Promise.resolve()).then(change),
      over = result
        .catch(() => undefined)
        .finally(() => {
          if (last.get(file) === over) last.delete(file);
        });
    last.set(file, over);
    return result;
  };
}

/** The value of a string argument. Empty if absent. */
export function textOf(args: JsonObject, name: string): string {
  return stringOr(args[name], "");
}

async function existingText(files: TextFiles, file: Inside, { signal }: ToolCall): Promise<string> {
  const text = await files.read(file, signal);
  if (text === undefined)
    throw new ToolFailure(
      `File ${file.shown} does not exist. Use search_files to find it, or write_file to create it.`,
    );
  return text;
}

/** Rejects if a link changed the file's real path during the permission request. */
async function checkUnmoved(folders: Folders, requested: string, { real, shown }: Inside): Promise<void> {
  if ((await folders.inside(requested)).real !== real)
    throw new ToolFailure(`${shown} resolves to another file since the user was asked. Nothing was changed.`);
}

function changeOf(
  file: Inside,
  title: string,
  before: string | undefined,
  after: string,
  standing: NonNullable<GatedAction["standing"]>,
): GatedAction {
  const diff = { type: "diff", path: file.real, ...(before === undefined ? {} : { oldText: before }), newText: after };
  return { title, kind: "edit", content: [diff], path: file.real, ...(isGuarded(file) ? {} : { standing }) };
}

function editedOrThrow({ shown }: Inside, edited: Edit): Extract<Edit, { readonly kind: "edited" }> {
  switch (edited.kind) {
    case "edited":
      return edited;
    case "empty":
      throw new ToolFailure("old_string is empty. Pass the text to replace. To create a file, use write_file.");
    case "same":
      throw new ToolFailure("old_string and new_string are the same: nothing to change.");
    case "absent":
      throw new ToolFailure(
        `old_string is not in ${shown}.${edited.similar.length === 0 ? " Read the file again: it must match exactly." : ` Its first line occurs with other white space in ${linesIn(edited.similar)}. Read the file again: it must match exactly.`}`,
      );
    case "several":
      throw new ToolFailure(
        `old_string is in ${shown} ${edited.times} times, in ${linesIn(edited.lines, edited.times)}. Include more of the surrounding text.`,
      );
  }
}

function linesIn(lines: readonly number[], times = lines.length): string {
  const rest = times - lines.length;
  return `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
