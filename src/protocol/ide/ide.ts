/**
 * Code intelligence of an editor (capability `ide_operations`): the contract of an ACP extension method that a client
 * implements, Symposium or any other. Lines and characters are those of the Language Server Protocol: zero-based,
 * characters in UTF-16 units. Texts include unsaved changes. docs/extensions/ide.md documents it for users.
 *
 * The method is the agent's request `_symposium.dev/ide_operation` (`sidecar/acp/methods.ts`): `IdeRequest` →
 * `IdeAnswer`. An error's message is a sentence for a model.
 *
 * The schemas validate values of untrusted programs. Requests must match, except for their optional members. In
 * answers, mismatching items are omitted and long texts are cut.
 */
import * as v from "valibot";
import { arrayOr } from "../wire/json";
import { compact, count, fitting, ifValid, parsed, type Infer, type Schema } from "../wire/schema";

/** Maximum number of items in an answer; `total` counts all of them. */
export const MAX_ITEMS = 200;
/** Maximum number of characters of a line of code or a message. */
export const MAX_LINE = 400;
/** Maximum number of characters of a hover, or of all lines of a preview. */
export const MAX_TEXT = 20_000;
const MAX_FOLDERS = 1_000;

const name = v.pipe(v.string(), v.nonEmpty());
const cutTo = (limit: number) =>
  v.transform((text: string) => (text.length <= limit ? text : `${text.slice(0, limit)}…`));
const line = v.pipe(v.string(), cutTo(MAX_LINE));
const shortName = v.pipe(name, cutTo(MAX_LINE));
/** The first items of a list, without those that do not match. */
const firstItems = <T>(item: Schema<T>, limit = MAX_ITEMS) =>
  v.pipe(
    v.array(v.unknown()),
    v.transform(items => items.slice(0, limit)),
    fitting(item, limit),
  );
const items = <T>(item: Schema<T>, limit = MAX_ITEMS) => v.fallback(firstItems(item, limit), () => []);

const position = v.object({ line: count, character: count });
export type IdePosition = Infer<typeof position>;
const range = v.object({ start: position, end: position });
export type IdeRange = Infer<typeof range>;

/**
 * A place in a file. `symbol` is text on the line and denotes its last name (`c` of `a.b.c`); without a line, its first
 * occurrence in the file. Otherwise `character`, which defaults to the first non-blank character of the line.
 */
const place = compact({ line: ifValid(count), character: ifValid(count), symbol: ifValid(name) });
export type IdePlace = Infer<typeof place>;
const at = v.fallback(place, {});

const operation = v.variant("operation", [
  /** Without a path: all diagnostics in the folders. */
  compact({ operation: v.literal("diagnostics"), path: ifValid(name) }),
  v.object({ operation: v.picklist(["definition", "references", "hover"]), path: name, at }),
  v.object({ operation: v.literal("document_symbols"), path: name }),
  /** `path`: a file that selects the language. */
  compact({ operation: v.literal("workspace_symbols"), query: v.string(), path: ifValid(name) }),
  /** A preview; changes nothing. */
  v.object({ operation: v.literal("rename"), path: name, at, newName: name }),
  /** From the place to the end of `endLine`. `title`: only the actions with this title, with their edits. */
  compact({
    operation: v.literal("code_actions"),
    path: name,
    at,
    endLine: ifValid(count),
    title: ifValid(name),
  }),
  /** A preview, for the whole file or some lines. */
  compact({
    operation: v.literal("format"),
    path: name,
    lines: ifValid(v.object({ start: count, end: count })),
  }),
]);
export type IdeOperation = Infer<typeof operation>;
export type IdeOperationName = IdeOperation["operation"];
export const IDE_OPERATIONS: readonly IdeOperationName[] = [
  "diagnostics",
  "definition",
  "references",
  "hover",
  "document_symbols",
  "workspace_symbols",
  "rename",
  "code_actions",
  "format",
];

/** Paths are absolute. `folders`: those of the requesting session; the first is its working directory. */
export const ideRequest = v.intersect([
  operation,
  v.object({ folders: v.pipe(fitting(name, MAX_FOLDERS), v.minLength(1)) }),
]);
export type IdeRequest = IdeOperation & { readonly folders: readonly string[] };

/** `text`: the first line of the range, unchanged. */
const locationMembers = { path: name, range, text: ifValid(line) };
const location = compact(locationMembers);
export type IdeLocation = Infer<typeof location>;

const severity = v.picklist(["error", "warning", "information", "hint"]);
export type IdeSeverity = Infer<typeof severity>;
/** LSP severities, numbered from 1. */
export const SEVERITIES: readonly IdeSeverity[] = severity.options;

const diagnostic = compact({
  ...locationMembers,
  severity,
  message: v.pipe(v.string(), cutTo(4 * MAX_LINE)),
  source: ifValid(shortName),
  code: ifValid(shortName),
});
export type IdeDiagnostic = Infer<typeof diagnostic>;

/**
 * `kind` is a word (`function`); `depth` 0 is the outermost level. `container`: the enclosing symbol, if the preceding
 * items do not show it.
 */
const symbol = compact({
  ...locationMembers,
  name: shortName,
  kind: v.fallback(v.pipe(name, cutTo(40)), "symbol"),
  detail: ifValid(shortName),
  container: ifValid(shortName),
  depth: ifValid(
    v.pipe(
      count,
      v.transform(depth => Math.min(depth, 20)),
    ),
  ),
});
export type IdeSymbol = Infer<typeof symbol>;

/** Whole lines from `line` on: the removed ones and their replacements. */
const hunk = v.object({ line: count, before: items(line, 10 * MAX_ITEMS), after: items(line, 10 * MAX_ITEMS) });
export type IdeHunk = Infer<typeof hunk>;

const change = v.variant("kind", [
  v.object({ kind: v.literal("edit"), path: name, hunks: items(hunk) }),
  v.object({ kind: v.picklist(["create", "delete"]), path: name }),
  v.object({ kind: v.literal("move"), path: name, to: name }),
]);
export type IdeChange = Infer<typeof change>;

/** `changes`: if they were requested and exist. `command`: the action runs a command, which cannot be previewed. */
const action = compact({
  title: shortName,
  kind: ifValid(shortName),
  isPreferred: ifValid(v.literal(true)),
  disabled: ifValid(shortName),
  changes: ifValid(firstItems(change)),
  command: ifValid(shortName),
});
export type IdeAction = Infer<typeof action>;

/** `note`: a sentence for the model about missing parts of the answer. */
const note = { note: ifValid(shortName) };
const total = v.fallback(count, 0);
const answer = v.variant("kind", [
  compact({ kind: v.literal("diagnostics"), ...note, diagnostics: items(diagnostic), total }),
  compact({ kind: v.literal("locations"), ...note, locations: items(location), total }),
  /** Markdown; empty if there is no information. */
  compact({ kind: v.literal("hover"), ...note, text: v.fallback(v.pipe(v.string(), cutTo(MAX_TEXT)), "") }),
  compact({ kind: v.literal("symbols"), ...note, symbols: items(symbol), total }),
  compact({ kind: v.literal("changes"), ...note, changes: items(change), total }),
  compact({ kind: v.literal("actions"), ...note, actions: items(action), total }),
]);
export type IdeAnswer = Infer<typeof answer>;

/** `undefined` if `value` is not an answer to this operation. `total` is at least the number of items. */
export function readIdeAnswer(name: IdeOperationName, value: unknown): IdeAnswer | undefined {
  const read = parsed(answer, value);
  if (read?.kind !== ANSWERED_WITH[name]) return undefined;
  return read.kind === "hover"
    ? read
    : { ...read, total: Math.max(read.total, arrayOr(Object.values(read).find(Array.isArray)).length) };
}

export function rangeIn(value: unknown): IdeRange | undefined {
  return parsed(range, value);
}

/** Kind of answer to each operation. */
export const ANSWERED_WITH: Readonly<Record<IdeOperationName, IdeAnswer["kind"]>> = {
  diagnostics: "diagnostics",
  definition: "locations",
  references: "locations",
  hover: "hover",
  document_symbols: "symbols",
  workspace_symbols: "symbols",
  rename: "changes",
  code_actions: "actions",
  format: "changes",
};

/** LSP symbol kinds, numbered from 1 (3.17, "SymbolKind"). */
export const SYMBOL_KINDS: readonly string[] = [
  "file",
  "module",
  "namespace",
  "package",
  "class",
  "method",
  "property",
  "field",
  "constructor",
  "enum",
  "interface",
  "function",
  "variable",
  "constant",
  "string",
  "number",
  "boolean",
  "array",
  "object",
  "key",
  "null",
  "enum member",
  "struct",
  "event",
  "operator",
  "type parameter",
];
