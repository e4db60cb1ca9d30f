/**
 * Code intelligence of an editor (capability `ide_operations`): the contract of an ACP extension method that a client
 * implements, Symposium or any other. Lines and characters are those of the Language Server Protocol: zero-based,
 * characters in UTF-16 units. Texts include unsaved changes. docs/extensions/ide.md documents it for users.
 *
 * The method is the agent's request `_symposium.dev/ide_operation` (`sidecar/acp/methods.ts`): `IdeRequest` →
 * `IdeAnswer`. An error's message is a sentence for a model.
 */

/**
 * In `clientCapabilities._meta` of `initialize`: `{"symposium.dev": {"ide_operations": true}}`, or an object in place
 * of `true`.
 */
export const IDE_CAPABILITY = { namespace: "symposium.dev", name: "ide_operations" } as const;

/** Maximum number of items in an answer; `total` counts all of them. */
export const MAX_ITEMS = 200;
/** Maximum number of characters of a line of code or a message. */
export const MAX_LINE = 400;
/** Maximum number of characters of a hover, or of all lines of a preview. */
export const MAX_TEXT = 20_000;

export interface IdePosition {
  readonly line: number;
  readonly character: number;
}
export interface IdeRange {
  readonly start: IdePosition;
  readonly end: IdePosition;
}

/**
 * A place in a file. `symbol` is text on the line and denotes its last name (`c` of `a.b.c`); without a line, its first
 * occurrence in the file. Otherwise `character`, which defaults to the first non-blank character of the line.
 */
export interface IdePlace {
  readonly line?: number;
  readonly character?: number;
  readonly symbol?: string;
}

export type IdeOperation =
  /** Without a path: all diagnostics in the folders. */
  | { readonly operation: "diagnostics"; readonly path?: string }
  | { readonly operation: "definition" | "references" | "hover"; readonly path: string; readonly at: IdePlace }
  | { readonly operation: "document_symbols"; readonly path: string }
  /** `path`: a file that selects the language. */
  | { readonly operation: "workspace_symbols"; readonly query: string; readonly path?: string }
  /** A preview; changes nothing. */
  | { readonly operation: "rename"; readonly path: string; readonly at: IdePlace; readonly newName: string }
  /** From the place to the end of `endLine`. `title`: only the actions with this title, with their edits. */
  | {
      readonly operation: "code_actions";
      readonly path: string;
      readonly at: IdePlace;
      readonly endLine?: number;
      readonly title?: string;
    }
  /** A preview, for the whole file or some lines. */
  | {
      readonly operation: "format";
      readonly path: string;
      readonly lines?: { readonly start: number; readonly end: number };
    };

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
export type IdeRequest = IdeOperation & { readonly folders: readonly string[] };

/** `text`: the first line of the range, unchanged. */
export interface IdeLocation {
  readonly path: string;
  readonly range: IdeRange;
  readonly text?: string;
}

export type IdeSeverity = "error" | "warning" | "information" | "hint";
export interface IdeDiagnostic extends IdeLocation {
  readonly severity: IdeSeverity;
  readonly message: string;
  readonly source?: string;
  readonly code?: string;
}

/**
 * `kind` is a word (`function`); `depth` 0 is the outermost level. `container`: the enclosing symbol, if the preceding
 * items do not show it.
 */
export interface IdeSymbol extends IdeLocation {
  readonly name: string;
  readonly kind: string;
  readonly detail?: string;
  readonly container?: string;
  readonly depth?: number;
}

/** Whole lines from `line` on: the removed ones and their replacements. */
export interface IdeHunk {
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}
export type IdeChange =
  | { readonly kind: "edit"; readonly path: string; readonly hunks: readonly IdeHunk[] }
  | { readonly kind: "create" | "delete"; readonly path: string }
  | { readonly kind: "move"; readonly path: string; readonly to: string };

/** `changes`: if they were requested and exist. `command`: the action runs a command, which cannot be previewed. */
export interface IdeAction {
  readonly title: string;
  readonly kind?: string;
  readonly isPreferred?: true;
  readonly disabled?: string;
  readonly changes?: readonly IdeChange[];
  readonly command?: string;
}

/** `note`: a sentence for the model about what the answer lacks. */
export type IdeAnswer = { readonly note?: string } & (
  | { readonly kind: "diagnostics"; readonly diagnostics: readonly IdeDiagnostic[]; readonly total: number }
  | { readonly kind: "locations"; readonly locations: readonly IdeLocation[]; readonly total: number }
  /** Markdown; empty if there is no information. */
  | { readonly kind: "hover"; readonly text: string }
  | { readonly kind: "symbols"; readonly symbols: readonly IdeSymbol[]; readonly total: number }
  | { readonly kind: "changes"; readonly changes: readonly IdeChange[]; readonly total: number }
  | { readonly kind: "actions"; readonly actions: readonly IdeAction[]; readonly total: number }
);

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
/** LSP severities, numbered from 1. */
export const SEVERITIES: readonly IdeSeverity[] = ["error", "warning", "information", "hint"];
