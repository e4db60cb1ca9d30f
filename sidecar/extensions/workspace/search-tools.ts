/** The tools `search_files` and `search_content`. */
import { counted } from "../../../src/protocol/text/phrases";
import { stringOr, type JsonObject } from "../../rpc/json";
import { ToolFailure, type Tool, type ToolCall } from "../tool";
import { textOf } from "./file-tools";
import { kindOf, type Folders } from "./folders";
import { globMatcher, isGlob } from "./glob";
import type { Search, SearchEnd, SearchPlace } from "./search-backend";

export interface SearchToolsDeps {
  readonly folders: Folders;
  readonly search: Search;
}

/** Limits of a result: listed files, counted files, lines, and total characters of the lines. */
const MAX_FILES = 200,
  MAX_COUNTED = 20_000,
  MAX_LINES = 200,
  MAX_CHARACTERS = 30_000;
const MAX_PATTERN_LENGTH = 1_000;

const PATH = {
  type: "string",
  description: "A folder inside of the session's folders; default: all of them.",
} as const;
const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const;

export function searchTools(deps: SearchToolsDeps): readonly Tool[] {
  return [searchFiles(deps), searchContent(deps)];
}

function searchFiles({ folders, search }: SearchToolsDeps): Tool {
  return {
    name: "search_files",
    title: "Search for files",
    description:
      "Finds files by a pattern: *.ts anywhere, src/**/*.ts from the folder on. Without any of *?[{ it is a part of the path. Files in .gitignore are not found.",
    inputSchema: {
      type: "object",
      required: ["pattern"],
      properties: { pattern: { type: "string", description: "Such as *.ts, src/**/*.{js,ts} or README." }, path: PATH },
    },
    annotations: READ_ONLY,
    async call(args, call) {
      const pattern = patternIn(args, "pattern"),
        takes = globMatcher(pattern),
        files: string[] = [];
      let count = 0;
      const notes = await searchEach(await placesIn(args, folders, call), async place =>
        count < MAX_COUNTED
          ? search.files(
              place,
              path => {
                if (place.isFile || takes(path)) {
                  if (files.length < MAX_FILES) files.push(shownAt(place, path));
                  count++;
                }
                return count >= MAX_COUNTED;
              },
              call.signal,
            )
          : {},
      );
      if (count === 0) return [`No file matches ${pattern}.`, ...notes].join(" ");
      const rest = count - files.length,
        note =
          rest === 0
            ? []
            : [
                `[${rest}${count >= MAX_COUNTED ? " or more" : ""} other files match: make the pattern narrower, or search in a folder.]`,
              ];
      return [...files.sort(), ...note, ...notes.map(note => `[${note}]`)].join("\n");
    },
  };
}

interface Line {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

function searchContent({ folders, search }: SearchToolsDeps): Tool {
  return {
    name: "search_content",
    title: "Search in files",
    description:
      "Finds lines in text files by a regular expression, as path:line: text. Files in .gitignore are not searched. Unsaved changes are not found.",
    inputSchema: {
      type: "object",
      required: ["pattern"],
      properties: {
        pattern: {
          type: "string",
          description: "A regular expression for a line; (?i) at its start ignores the case.",
        },
        path: {
          ...PATH,
          description: "A folder or a file inside of the session's folders; default: all of them.",
        },
        filePattern: { type: "string", description: "Only in files that match, as in search_files: *.ts" },
      },
    },
    annotations: READ_ONLY,
    async call(args, call) {
      const pattern = patternIn(args, "pattern"),
        filePattern =
          args.filePattern === undefined || args.filePattern === "" ? undefined : patternIn(args, "filePattern");
      const takes = filePattern === undefined ? () => true : globMatcher(filePattern),
        names = namesIn(filePattern),
        found: Line[] = [];
      let characters = 0,
        isFull = false;
      const notes = await searchEach(await placesIn(args, folders, call), async place =>
        isFull
          ? {}
          : search.lines(
              place,
              { pattern, takes, ...(names === undefined ? {} : { names }) },
              (path, line, text) => {
                if (found.length >= MAX_LINES || characters >= MAX_CHARACTERS) return (isFull = true);
                const file = shownAt(place, path);
                characters += file.length + text.length;
                found.push({ file, line, text });
                return false;
              },
              call.signal,
            ),
      );
      if (found.length === 0)
        return [
          `No line matches ${pattern}${filePattern === undefined ? "" : ` in files that match ${filePattern}`}.`,
          ...notes,
        ].join(" ");
      const lines = found
        .sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
        .map(({ file, line, text }) => `${file}:${line}: ${text.trim()}`);
      return [
        ...lines,
        ...(isFull
          ? [
              `[These are the first ${counted(found.length, "line")}; more lines match. Make the pattern narrower, or search in a folder or in some files (filePattern).]`,
            ]
          : []),
        ...notes.map(note => `[${note}]`),
      ].join("\n");
    },
  };
}

function patternIn(args: JsonObject, name: string): string {
  const pattern = textOf(args, name);
  if (pattern === "") throw new ToolFailure(`${name} is empty. To see all files, use search_files with *`);
  if (pattern.length > MAX_PATTERN_LENGTH || /[\0\n]/.test(pattern))
    throw new ToolFailure(`${name} is too long, or has more than one line.`);
  return pattern;
}

/** A glob of file names with which ripgrep skips files. May match more than `filePattern`. */
function namesIn(filePattern: string | undefined): string | undefined {
  const name = filePattern?.split("/").at(-1);
  return filePattern !== undefined &&
    name !== undefined &&
    isGlob(filePattern) &&
    !/[{}]/.test(filePattern) &&
    !name.includes("**") &&
    name !== ""
    ? name
    : undefined;
}

async function placesIn(args: JsonObject, folders: Folders, { signal }: ToolCall): Promise<readonly SearchPlace[]> {
  signal.throwIfAborted();
  const requested = stringOr(args.path, "");
  if (requested === "") return (await folders.roots()).map(root => ({ ...root, isFile: false }));
  const place = await folders.inside(requested),
    kind = (await kindOf(place))?.kind;
  if (kind !== "folder" && kind !== "file") throw new ToolFailure(`Folder ${place.shown} does not exist.`);
  return [{ ...place, isFile: kind === "file" }];
}

/** Searches the places sequentially. Returns each note once. */
async function searchEach(
  places: readonly SearchPlace[],
  search: (place: SearchPlace) => Promise<SearchEnd>,
): Promise<readonly string[]> {
  const notes = new Set<string>();
  for (const place of places) {
    const { note } = await search(place);
    if (note !== undefined) notes.add(note);
  }
  return [...notes];
}

function shownAt({ shown }: SearchPlace, path: string): string {
  return path === "" ? shown : shown === "." ? path : `${shown}/${path}`;
}
