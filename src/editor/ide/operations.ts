/**
 * IDE operations through VS Code's language services (`protocol/ide/ide.ts`). They include unsaved changes, and change
 * nothing.
 *
 * Invariants:
 * - No operation exceeds the time limit.
 * - Every failure is an `EditorRequestError` with a message for the agent.
 */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import type { Clock } from "../../clock";
import { EditorRequestError } from "../../errors";
import {
  MAX_ITEMS,
  type IdeAction,
  type IdeAnswer,
  type IdeOperation,
  type IdePosition,
  type IdeRange,
  type IdeRequest,
} from "../../protocol/ide/ide";
import {
  changesAnswer,
  chosenByTitle,
  diagnosticsAnswer,
  rangeOfActions,
  rangeOfLines,
  readOnce,
  withLines,
  type ReadLines,
} from "../../protocol/ide/ide-answer";
import { lineAt, linesOf, positionOf } from "../../protocol/ide/ide-text";
import type { CancelSignal } from "../../protocol/wire/cancel-signal";
import { errorMessage } from "../../protocol/wire/errors";
import { IdeDiagnostics } from "./diagnostics";
import {
  actionsIn,
  changesIn,
  diagnosticsIn,
  editsIn,
  hoverIn,
  pathOf,
  spotsIn,
  symbolsIn,
  type ShownAction,
} from "./convert-results";

const LIMIT_MS = 60_000;
/** Diagnostics stop this long before the limit, so that partial results are returned in time. */
const RESERVE_MS = 5_000;
/**
 * Language services start with the first file of their language. Minimum wait, time for which answers must be stable,
 * maximum wait, and interval of the requests.
 */
const MIN_START_MS = 2_000,
  STABLE_MS = 1_000,
  MAX_START_MS = 10_000,
  RETRY_MS = 300;
/** Maximum number of code actions whose edits are resolved. */
const MAX_RESOLVED = 40;

interface OperationContext {
  readonly document: vscode.TextDocument;
  readonly lines: readonly string[];
  readonly signal: AbortSignal;
  readonly until: number;
}
type FileOperation = Extract<IdeOperation, { readonly path: string }>;

export class IdeOperations implements vscode.Disposable {
  readonly #diagnostics: IdeDiagnostics;
  /** Languages whose services have answered, or whose start timed out. */
  readonly #started = new Set<string>();

  /** `read` returns the text of a file with unsaved changes. */
  constructor(
    private readonly clock: Clock,
    private readonly read: (file: string) => Promise<string>,
  ) {
    this.#diagnostics = new IdeDiagnostics(clock);
  }

  async operate(request: IdeRequest, cancel: CancelSignal): Promise<IdeAnswer> {
    if (!vscode.workspace.isTrusted)
      throw EditorRequestError.refused("This workspace is not trusted, so its language services are unavailable.");
    const controller = new AbortController(),
      timer = this.clock.after(LIMIT_MS, () =>
        controller.abort(
          EditorRequestError.refused(`VS Code did not respond within ${LIMIT_MS / 1000} seconds. Try again.`),
        ),
      );
    const cancelOperation = (): void => controller.abort(EditorRequestError.refused("The operation was cancelled."));
    if (cancel.aborted)
      cancelOperation(); // aborted before this point: no event follows
    else cancel.addEventListener("abort", cancelOperation);
    try {
      return await orAborted(
        this.#operate(request, controller.signal, this.clock.now() + LIMIT_MS - RESERVE_MS),
        controller.signal,
      );
    } finally {
      timer.dispose();
      controller.abort(EditorRequestError.refused("The operation has ended."));
    }
  }

  dispose(): void {
    this.#diagnostics.dispose();
  }

  async #operate(request: IdeRequest, signal: AbortSignal, until: number): Promise<IdeAnswer> {
    if (request.operation === "workspace_symbols") return this.#workspaceSymbols(request, signal);
    if (request.operation === "diagnostics" && request.path === undefined) return allDiagnostics(request.folders);
    const { path: file = "" } = request,
      document = await documentOf(file),
      lines = linesOf(document.getText()),
      input: OperationContext = { document, lines, signal, until };
    return request.operation === "diagnostics" ? this.#diagnosed(input) : this.#ofFile(request, input);
  }

  async #ofFile(
    operation: Exclude<FileOperation, { readonly operation: "diagnostics" }>,
    request: OperationContext,
  ): Promise<IdeAnswer> {
    const {
        document: { uri },
        lines,
      } = request,
      file = uri.fsPath,
      at = "at" in operation ? positionIn(required(positionOf(lines, operation.at, file))) : undefined;
    const ask = (command: string, ...args: readonly unknown[]): Promise<unknown> =>
      this.#ask(request, command, uri, ...args);
    switch (operation.operation) {
      case "definition":
        return this.#located(spotsIn(await ask("vscode.executeDefinitionProvider", at)));
      case "references":
        return this.#located(spotsIn(await ask("vscode.executeReferenceProvider", at)));
      case "hover":
        return { kind: "hover", text: hoverIn(await ask("vscode.executeHoverProvider", at)) };
      case "document_symbols":
        return this.#named(symbolsIn(await ask("vscode.executeDocumentSymbolProvider"), file));
      case "rename":
        return changesAnswer(
          changesIn(await ask("vscode.executeDocumentRenameProvider", at, operation.newName)),
          this.#reader(),
        );
      case "format":
        return this.#formatted(operation, request);
      case "code_actions":
        return this.#actions(operation, request);
    }
  }

  async #diagnosed({ document, signal, until }: OperationContext): Promise<IdeAnswer> {
    const { diagnostics, hasSpoken } = await this.#diagnostics.of(document, until, signal),
      file = document.uri.fsPath,
      lines = linesOf(document.getText());
    const found = diagnosticsIn(diagnostics, file).map(each => ({ ...each, ...lineAt(lines, each.range) }));
    return diagnosticsAnswer(
      found,
      hasSpoken || found.length > 0
        ? undefined
        : l10n.t(
            "VS Code has no diagnostics for this file. " +
              "Its language service for {0} may be missing or still loading.",
            document.languageId,
          ),
    );
  }

  async #workspaceSymbols(
    { query, path: file, folders }: Extract<IdeRequest, { operation: "workspace_symbols" }>,
    signal: AbortSignal,
  ): Promise<IdeAnswer> {
    if (file !== undefined) await documentOf(file); // starts the services of the file's language
    const found = await this.#untilStarted(file === undefined ? "*" : `symbols of ${file}`, signal, () =>
      vscode.commands.executeCommand("vscode.executeWorkspaceSymbolProvider", query),
    );
    const inside = symbolsIn(found).filter(each => folders.some(folder => isIn(folder, each.path)));
    return this.#named(inside);
  }

  async #formatted(
    { lines: given }: Extract<IdeOperation, { operation: "format" }>,
    request: OperationContext,
  ): Promise<IdeAnswer> {
    const { document, lines } = request,
      file = document.uri.fsPath,
      options = formatOptions(document),
      range = given && required(rangeOfLines(lines, given, file));
    const edits = editsIn(
      range
        ? await this.#ask(request, "vscode.executeFormatRangeProvider", document.uri, rangeIn(range), options)
        : await this.#ask(request, "vscode.executeFormatDocumentProvider", document.uri, options),
    );
    return changesAnswer(edits.length === 0 ? [] : [{ kind: "edit", path: file, edits }], this.#reader());
  }

  async #actions(
    { at, endLine, title }: Extract<IdeOperation, { operation: "code_actions" }>,
    request: OperationContext,
  ): Promise<IdeAnswer> {
    const { document, lines, signal, until } = request,
      { uri } = document,
      range = rangeOfActions(lines, required(positionOf(lines, at, uri.fsPath)), at, endLine);
    await this.#diagnostics.of(document, until, signal); // code actions depend on the diagnostics
    const found = actionsIn(
      await this.#ask(
        request,
        "vscode.executeCodeActionProvider",
        uri,
        rangeIn(range),
        undefined,
        title === undefined ? 0 : MAX_RESOLVED,
      ),
    );
    if (title === undefined)
      return { kind: "actions", actions: found.slice(0, MAX_ITEMS).map(listed), total: found.length };
    const actions: IdeAction[] = [];
    for (const { changes, ...action } of required(chosenByTitle(found, title)))
      actions.push({
        ...action,
        ...(changes && changes.length > 0 ? { changes: (await changesAnswer(changes, this.#reader())).changes } : {}),
      });
    return { kind: "actions", actions, total: actions.length };
  }

  async #located(spots: ReturnType<typeof spotsIn>): Promise<IdeAnswer> {
    return { kind: "locations", locations: await withLines(spots, this.#reader()), total: spots.length };
  }
  async #named(symbols: ReturnType<typeof symbolsIn>): Promise<IdeAnswer> {
    return { kind: "symbols", symbols: await withLines(symbols, this.#reader()), total: symbols.length };
  }

  #reader(): ReadLines {
    return readOnce(async file => this.read(file).then(linesOf, () => []));
  }

  /** Calls a provider of the document's language. Rejects with a message for the agent. */
  #ask(
    { document: { languageId }, signal }: OperationContext,
    command: string,
    ...args: readonly unknown[]
  ): Promise<unknown> {
    return this.#untilStarted(languageId, signal, async () => {
      try {
        return await vscode.commands.executeCommand(command, ...args);
      } catch (error) {
        throw EditorRequestError.refused(errorMessage(error), error);
      }
    });
  }

  /**
   * Repeats the first request of a language until the answer is stable. Services that are still loading return nothing
   * or incomplete results.
   */
  async #untilStarted(language: string, signal: AbortSignal, ask: () => PromiseLike<unknown>): Promise<unknown> {
    if (this.#started.has(language)) return ask();
    const startedAt = this.clock.now();
    for (let lastText = "", since = startedAt; ; ) {
      const answer = await ask(),
        now = this.clock.now(),
        text = serialized(answer);
      if (text !== lastText) [lastText, since] = [text, now];
      const isSettled = !isEmpty(answer) && now - startedAt >= MIN_START_MS && now - since >= STABLE_MS;
      if (isSettled || now - startedAt > MAX_START_MS) this.#started.add(language);
      if (this.#started.has(language) || signal.aborted) return answer;
      await new Promise<void>(resolve => {
        this.clock.after(RETRY_MS, resolve);
      });
    }
  }
}

function listed({ changes, command, ...action }: ShownAction): IdeAction {
  return { ...action, ...(command === undefined || changes ? {} : { command }) };
}

function allDiagnostics(folders: readonly string[]): IdeAnswer {
  const all = vscode.languages.getDiagnostics().flatMap(([uri, diagnostics]) => {
    const file = pathOf(uri),
      document = vscode.workspace.textDocuments.find(each => each.uri.toString() === uri.toString()),
      lines = document ? linesOf(document.getText()) : [];
    return file === undefined || !folders.some(folder => isIn(folder, file))
      ? []
      : diagnosticsIn(diagnostics, file).map(each => ({ ...each, ...lineAt(lines, each.range) }));
  });
  return diagnosticsAnswer(all, "VS Code has checked only these files. Specify others in “path”.");
}

async function documentOf(file: string): Promise<vscode.TextDocument> {
  const uri = vscode.Uri.file(file);
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (error) {
    const exists = await vscode.workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
    throw exists
      ? EditorRequestError.refused(`${file} is not a text file, or cannot be opened.`, error)
      : EditorRequestError.noFile(file);
  }
}

function formatOptions({ uri, languageId }: vscode.TextDocument): vscode.FormattingOptions {
  const editor = vscode.workspace.getConfiguration("editor", { uri, languageId }),
    shown = vscode.window.visibleTextEditors.find(each => each.document.uri.toString() === uri.toString())?.options;
  const size = shown?.tabSize ?? editor.get("tabSize"),
    spaces = shown?.insertSpaces ?? editor.get("insertSpaces");
  return { tabSize: typeof size === "number" ? size : 4, insertSpaces: typeof spaces === "boolean" ? spaces : true };
}

function required<T extends object>(value: T | { readonly wrong: string }): T {
  if ("wrong" in value) throw EditorRequestError.refused(value.wrong);
  return value;
}

function isIn(folder: string, file: string): boolean {
  return (
    file === folder ||
    file.startsWith(/[\\/]$/.test(folder) ? folder : `${folder}${folder.includes("\\") ? "\\" : "/"}`)
  );
}
/** Serializes a provider result; empty if JSON cannot represent it. */
function serialized(answer: unknown): string {
  try {
    return JSON.stringify(answer) ?? "";
  } catch {
    return "";
  }
}
function isEmpty(answer: unknown): boolean {
  return answer === undefined || answer === null || (Array.isArray(answer) && answer.length === 0);
}
function positionIn({ line, character }: IdePosition): vscode.Position {
  return new vscode.Position(line, character);
}
function rangeIn({ start, end }: IdeRange): vscode.Range {
  return new vscode.Range(positionIn(start), positionIn(end));
}

function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = (): void =>
      reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    if (signal.aborted) aborted();
    else signal.addEventListener("abort", aborted, { once: true });
    answer.then(resolve, reject);
  });
}
