/** Context that the editor can add to a prompt: selections, problems, files and folders. */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import * as vscode from "vscode";
import {
  ATTACHED_TEXT_LIMIT,
  lines,
  MAX_ATTACHMENTS,
  type Attachment,
  type Mention,
  type ContextSource,
} from "../../protocol/chat/attachments";
import { assertNever } from "../../protocol/wire/wire";
import { problemsOf, summaryOf, type Problem } from "./problems";
import type { TerminalSelection } from "./terminal-selection";

export interface Gathered {
  readonly attachments: readonly Attachment[];
  /** Message about omitted items. */
  readonly omitted?: string;
}

/** `message` is for the user. */
export class NothingToAdd extends Error {
  override readonly name = "NothingToAdd";
}

const NO_SELECTION = l10n.t("No text is selected in an editor. Select the lines to add first.");
const NO_PROBLEMS = l10n.t("VS Code reports no errors or warnings.");
const NO_TERMINAL = l10n.t("No text is selected in a terminal. Select the text to add first.");
/** Terminal output is cut at the beginning, because its end is more informative. */
const BEGINNING_OMITTED = l10n.t("(The beginning is omitted.)\n");
const LIMIT = ATTACHED_TEXT_LIMIT.toLocaleString("en"),
  TOO_LONG = l10n.t`The selection is longer than ${LIMIT} characters. Add the file instead.`;

export class ContextSources {
  constructor(private readonly terminal: TerminalSelection) {}

  /** See `Composer.gather` in `chat/chat-deps.ts`. */
  async gather(source: ContextSource): Promise<Gathered> {
    switch (source.kind) {
      case "selection":
        return { attachments: this.selection() };
      case "problems":
        return { attachments: [this.#problems()] };
      case "terminal":
        return { attachments: [await this.#terminal()] };
      case "dropped":
        return this.files(source.uris);
      default:
        return assertNever(source, "context source");
    }
  }

  /** Entries of the mention list that can be gathered now. */
  offers(): readonly Mention[] {
    const editor = vscode.window.activeTextEditor,
      problems = allProblems();
    const selected = editor?.selections.find(({ isEmpty }) => !isEmpty);
    const offer = (kind: "selection" | "problems" | "terminal", about: string): Mention => ({
      name: kind,
      about,
      adds: { kind: "context", source: { kind } },
    });
    return [
      ...(editor && selected ? [offer("selection", `${nameOf(editor.document)}:${lines(linesOf(selected))}`)] : []),
      ...(problems.length > 0 ? [offer("problems", summaryOf(problems))] : []),
      ...(vscode.window.activeTerminal ? [offer("terminal", `selected in ${vscode.window.activeTerminal.name}`)] : []),
    ];
  }

  /** One attachment for each selected range of the active or last active editor. */
  selection(): readonly Attachment[] {
    const editor = vscode.window.activeTextEditor;
    const selected = editor?.selections.filter(({ isEmpty }) => !isEmpty) ?? [];
    if (!editor || selected.length === 0) throw new NothingToAdd(NO_SELECTION);
    return selected.slice(0, MAX_ATTACHMENTS).map(range => {
      const text = editor.document.getText(range);
      if (text.length > ATTACHED_TEXT_LIMIT) throw new NothingToAdd(TOO_LONG);
      const { uri } = editor.document;
      return {
        kind: "selection",
        name: nameOf(editor.document),
        ...(uri.scheme === "file" ? { path: uri.fsPath } : {}),
        ...linesOf(range),
        text,
      };
    });
  }

  /** Attachments for files and folders, given by URI. */
  async files(addresses: readonly string[]): Promise<Gathered> {
    const distinct = [...new Set(addresses)],
      omitted: string[] = [];
    const found = await Promise.all(
      distinct.slice(0, MAX_ATTACHMENTS).map(async (address): Promise<readonly Attachment[]> => {
        const file = fileOf(address);
        const kind = file && (await kindOf(file));
        if (file && kind) return [{ kind, path: file.fsPath }];
        omitted.push(
          file
            ? l10n.t`“${file.fsPath}” does not exist.`
            : l10n.t`“${address.slice(0, 200)}” is not a file or folder of this machine.`,
        );
        return [];
      }),
    );
    const remaining = distinct.length - MAX_ATTACHMENTS;
    if (remaining > 0)
      omitted.push(
        l10n.t`At most ${MAX_ATTACHMENTS} items can be added at once. Number of omitted items: ${remaining}.`,
      );
    const [first, ...others] = omitted;
    return {
      attachments: found.flat(),
      ...(first === undefined
        ? {}
        : { omitted: others.length === 0 ? first : l10n.t`${first} (${others.length} more could not be added.)` }),
    };
  }

  #problems(): Attachment {
    const problems = allProblems();
    if (problems.length === 0) throw new NothingToAdd(NO_PROBLEMS);
    return problemsOf(problems);
  }

  async #terminal(): Promise<Attachment> {
    const terminal = vscode.window.activeTerminal;
    // the output ends with the empty lines of the screen
    const text = terminal ? (await this.terminal.read()).trimEnd() : "";
    if (!terminal || text === "") throw new NothingToAdd(NO_TERMINAL);
    return {
      kind: "terminal",
      name: terminal.name,
      text:
        text.length <= ATTACHED_TEXT_LIMIT
          ? text
          : `${BEGINNING_OMITTED}${text.slice(BEGINNING_OMITTED.length - ATTACHED_TEXT_LIMIT)}`,
    };
  }
}

function nameOf({ uri }: vscode.TextDocument): string {
  return path.posix.basename(uri.path) || uri.path;
}

/** A selection that ends before the first character of a line does not contain that line. */
function linesOf({ start, end }: vscode.Range): { readonly startLine: number; readonly endLine: number } {
  return { startLine: start.line + 1, endLine: end.character === 0 && end.line > start.line ? end.line : end.line + 1 };
}

function allProblems(): readonly Problem[] {
  const isMultiRoot = (vscode.workspace.workspaceFolders ?? []).length > 1;
  return vscode.languages.getDiagnostics().flatMap(([uri, found]) =>
    found.flatMap((each): readonly Problem[] => {
      const severity =
        each.severity === vscode.DiagnosticSeverity.Error
          ? "error"
          : each.severity === vscode.DiagnosticSeverity.Warning
            ? "warning"
            : undefined;
      if (severity === undefined) return [];
      // With several folders, the agent works in one of them, so only the full path identifies the file.
      return [
        {
          path: isMultiRoot ? uri.fsPath : vscode.workspace.asRelativePath(uri),
          line: each.range.start.line + 1,
          column: each.range.start.character + 1,
          severity,
          message: each.message,
        },
      ];
    }),
  );
}

/**
 * `undefined`: not a file on the machine of the extension host. In a remote window, the page's file URIs have another
 * scheme.
 */
function fileOf(address: string): vscode.Uri | undefined {
  try {
    const uri = vscode.Uri.parse(address, true);
    if (uri.scheme === "file" && uri.path.length > 1) return isAllowedServer(uri) ? uri : undefined;
    return uri.scheme === "vscode-remote" ? vscode.Uri.file(uri.path) : undefined;
  } catch {
    return undefined;
  }
}

/** Accessing a file server may trigger a sign-in. Only servers of the workspace folders are allowed. */
function isAllowedServer({ authority }: vscode.Uri): boolean {
  return (
    authority === "" ||
    (vscode.workspace.workspaceFolders ?? []).some(({ uri }) => uri.authority.toLowerCase() === authority.toLowerCase())
  );
}

async function kindOf(file: vscode.Uri): Promise<"file" | "folder" | undefined> {
  try {
    return ((await vscode.workspace.fs.stat(file)).type & vscode.FileType.Directory) !== 0 ? "folder" : "file";
  } catch {
    return undefined;
  }
}

/**
 * Attachments of “Add to Symposium” by the command's arguments, which VS Code sets according to the menu:
 * - Explorer: the file under the pointer and all selected files.
 * - Editor title: the file, and its view column.
 * - Editor text: the file; a selection takes precedence.
 * - Terminal: the terminal, and a list of the selected terminals.
 * - Command palette: no arguments; handled like the editor text.
 */
export function additions(context: ContextSources, first: unknown, second: unknown): Promise<Gathered> {
  if (first !== undefined && !(first instanceof vscode.Uri)) return context.gather({ kind: "terminal" });
  const selected = Array.isArray(second)
    ? second.flatMap((each: unknown) => (each instanceof vscode.Uri ? [each.toString()] : []))
    : [];
  if (selected.length > 0) return context.files(selected);
  if (first !== undefined && second !== undefined) return context.files([first.toString()]);
  const editor = vscode.window.activeTextEditor;
  const hasSelection =
    editor?.selections.some(({ isEmpty }) => !isEmpty) === true &&
    (first === undefined || editor.document.uri.toString() === first.toString());
  const file = first ?? editor?.document.uri;
  return hasSelection || file === undefined ? context.gather({ kind: "selection" }) : context.files([file.toString()]);
}
