/**
 * Translates operations into requests to a language server. Source lines in results are read from the server's open
 * documents, else from disk.
 */
import {
  MAX_ITEMS,
  type IdeAction,
  type IdeAnswer,
  type IdeOperation,
  type IdePlace,
} from "../../../src/protocol/ide/ide";
import {
  changesAnswer,
  chosenByTitle,
  diagnosticsAnswer,
  rangeOfActions,
  rangeOfLines,
  readOnce,
  withLines,
  type ReadLines,
} from "../../../src/protocol/ide/ide-answer";
import { positionOf } from "../../../src/protocol/ide/ide-text";
import { isObject, objectOr, type JsonObject } from "../../rpc/json";
import { linesIn, refused, type OpenDocument } from "./documents";
import type { LanguageServer, ServerTimeouts } from "./language-server";
import { diagnose, shown } from "./lsp-diagnostics";
import {
  actionIn,
  actionsIn,
  changesIn,
  diagnosticIn,
  editsIn,
  hoverIn,
  spotsIn,
  symbolsIn,
  type ServerAction,
  type ServerSymbol,
  type Spot,
} from "./lsp-parsers";
import { LSP_METHODS } from "./lsp-methods";

/** A document that is open in the server and matches the disk. */
export interface Opened {
  readonly server: LanguageServer;
  readonly file: string;
  readonly document: OpenDocument;
}
type FileOperation = Exclude<IdeOperation, { readonly operation: "workspace_symbols" } | { readonly path?: never }>;

export async function operateOn(
  opened: Opened,
  operation: FileOperation,
  timeouts: ServerTimeouts,
): Promise<IdeAnswer> {
  const { server, file, document } = opened,
    textDocument = { uri: document.uri };
  if (operation.operation === "diagnostics") return diagnosticsOf(opened, timeouts);
  const isReady = await server.settled(now => server.readyIn(now), timeouts),
    note = isReady ? {} : incompleteNote(server);
  const at = (place: IdePlace): JsonObject => ({
    textDocument,
    position: orThrow(positionOf(document.lines, place, file)),
  });
  switch (operation.operation) {
    case "definition":
      return {
        ...(await locationsAnswer(
          opened,
          spotsIn(
            await requestAt(
              server,
              "definitionProvider",
              LSP_METHODS.textDocument_definition,
              at(operation.at),
              timeouts,
            ),
          ),
        )),
        ...note,
      };
    case "references":
      return {
        ...(await locationsAnswer(
          opened,
          spotsIn(
            await requestAt(
              server,
              "referencesProvider",
              LSP_METHODS.textDocument_references,
              { ...at(operation.at), context: { includeDeclaration: true } },
              timeouts,
            ),
          ),
        )),
        ...note,
      };
    case "hover":
      return {
        kind: "hover",
        text: hoverIn(
          await requestAt(server, "hoverProvider", LSP_METHODS.textDocument_hover, at(operation.at), timeouts),
        ),
        ...note,
      };
    case "document_symbols":
      return {
        ...(await symbolsAnswer(
          server,
          symbolsIn(
            await requestAt(
              server,
              "documentSymbolProvider",
              LSP_METHODS.textDocument_documentSymbol,
              { textDocument },
              timeouts,
            ),
            file,
          ),
        )),
        ...note,
      };
    case "rename":
      return { ...(await rename(opened, operation, at(operation.at), timeouts)), ...note };
    case "format":
      return format(opened, operation, timeouts);
    case "code_actions":
      return { ...(await actions(opened, operation, timeouts)), ...note };
  }
}

/** Symbols in all files of the server's project. */
export async function workspaceSymbols(
  server: LanguageServer,
  query: string,
  timeouts: ServerTimeouts,
): Promise<Extract<IdeAnswer, { kind: "symbols" }>> {
  const isReady = await server.settled(now => server.readyIn(now), timeouts);
  return {
    ...(await symbolsAnswer(
      server,
      symbolsIn(await requestAt(server, "workspaceSymbolProvider", LSP_METHODS.workspace_symbol, { query }, timeouts)),
    )),
    ...(isReady ? {} : incompleteNote(server)),
  };
}

/** Throws `wrong` as an error. */
function orThrow<T extends object>(value: T | { readonly wrong: string }): T {
  if ("wrong" in value) throw refused(value.wrong);
  return value;
}

function requestAt(
  server: LanguageServer,
  capability: string,
  method: string,
  params: unknown,
  timeouts: ServerTimeouts,
): Promise<unknown> {
  if (server.capability(capability) === undefined) throw refused(`${server.name} does not support ${method}.`);
  return server.request(method, params, timeouts);
}

function incompleteNote(server: LanguageServer): { readonly note: string } {
  return {
    note: `${server.name} is still working${server.work === "" ? "" : ` (${server.work})`}. Results may be incomplete. Try again later.`,
  };
}

async function diagnosticsOf({ server, file, document }: Opened, timeouts: ServerTimeouts): Promise<IdeAnswer> {
  const { raw, isLate } = await diagnose(server, file, document, timeouts);
  return diagnosticsAnswer(
    shown(raw, file, (server.documents.at(file) ?? document).lines),
    isLate ? incompleteNote(server).note : undefined,
  );
}

async function locationsAnswer(
  { server }: Opened,
  spots: readonly Spot[],
): Promise<Extract<IdeAnswer, { kind: "locations" }>> {
  return { kind: "locations", locations: await withLines(spots, reader(server)), total: spots.length };
}

async function symbolsAnswer(
  server: LanguageServer,
  symbols: readonly ServerSymbol[],
): Promise<Extract<IdeAnswer, { kind: "symbols" }>> {
  return { kind: "symbols", symbols: await withLines(symbols, reader(server)), total: symbols.length };
}

/** Reads lines from the server's open documents, else from disk. */
function reader(server: LanguageServer): ReadLines {
  return readOnce(async path => server.documents.at(path)?.lines ?? linesIn(path));
}

async function rename(
  { server }: Opened,
  { newName }: Extract<IdeOperation, { operation: "rename" }>,
  at: JsonObject,
  timeouts: ServerTimeouts,
): Promise<IdeAnswer> {
  const { prepareProvider } = objectOr(server.capability("renameProvider"));
  if (prepareProvider === true && (await server.request(LSP_METHODS.textDocument_prepareRename, at, timeouts)) === null)
    throw refused("The symbol at this position cannot be renamed.");
  return changesAnswer(
    changesIn(await requestAt(server, "renameProvider", LSP_METHODS.textDocument_rename, { ...at, newName }, timeouts)),
    reader(server),
  );
}

async function format(
  { server, file, document: { uri, lines } }: Opened,
  { lines: given }: Extract<IdeOperation, { operation: "format" }>,
  timeouts: ServerTimeouts,
): Promise<IdeAnswer> {
  const params = { textDocument: { uri }, options: formatOptions(lines) },
    range = given && orThrow(rangeOfLines(lines, given, file));
  const edits = editsIn(
    range
      ? await requestAt(
          server,
          "documentRangeFormattingProvider",
          LSP_METHODS.textDocument_rangeFormatting,
          { ...params, range },
          timeouts,
        )
      : await requestAt(server, "documentFormattingProvider", LSP_METHODS.textDocument_formatting, params, timeouts),
  );
  return changesAnswer(edits.length === 0 ? [] : [{ kind: "edit", path: file, edits }], reader(server));
}

async function actions(
  { server, file, document }: Opened,
  { at, endLine, title }: Extract<IdeOperation, { operation: "code_actions" }>,
  timeouts: ServerTimeouts,
): Promise<IdeAnswer> {
  const range = rangeOfActions(document.lines, orThrow(positionOf(document.lines, at, file)), at, endLine);
  const { raw } = await diagnose(server, file, document, timeouts),
    diagnostics = raw.filter(each => {
      const found = diagnosticIn(each)?.range;
      return found && found.start.line <= range.end.line && found.end.line >= range.start.line;
    });
  const found = actionsIn(
    await requestAt(
      server,
      "codeActionProvider",
      LSP_METHODS.textDocument_codeAction,
      { textDocument: { uri: document.uri }, range, context: { diagnostics } },
      timeouts,
    ),
  );
  if (title === undefined)
    return { kind: "actions", actions: found.slice(0, MAX_ITEMS).map(summaryOf), total: found.length };
  const all: IdeAction[] = [];
  for (const action of orThrow(chosenByTitle(found, title))) all.push(await withEdits(server, action, timeouts));
  return { kind: "actions", actions: all, total: all.length };
}

function summaryOf({ title, kind, isPreferred, disabled, command, changes }: ServerAction): IdeAction {
  return {
    title,
    ...(kind === undefined ? {} : { kind }),
    ...(isPreferred ? { isPreferred } : {}),
    ...(disabled === undefined ? {} : { disabled }),
    ...(command === undefined || changes ? {} : { command }),
  };
}

async function withEdits(server: LanguageServer, action: ServerAction, timeouts: ServerTimeouts): Promise<IdeAction> {
  const canResolve = objectOr(server.capability("codeActionProvider")).resolveProvider === true;
  const resolved =
    action.changes || !canResolve ? undefined : await server.request("codeAction/resolve", action.raw, timeouts);
  const whole = (isObject(resolved) ? actionIn({ ...action.raw, ...resolved })[0] : undefined) ?? action;
  return {
    ...summaryOf(whole),
    ...(whole.command === undefined ? {} : { command: whole.command }),
    ...(whole.changes ? { changes: (await changesAnswer(whole.changes, reader(server))).changes } : {}),
  };
}

interface FormatOptions {
  readonly tabSize: number;
  readonly insertSpaces: boolean;
  readonly trimTrailingWhitespace: boolean;
  readonly insertFinalNewline: boolean;
}

/** Options with the most frequent indentation step of a file, by default four spaces. */
export function formatOptions(lines: readonly string[]): FormatOptions {
  const votes = new Map<string, number>();
  let before = "";
  for (const line of lines.slice(0, 5000)) {
    if (line.trim() === "") continue;
    const indent = /^[ \t]*/.exec(line)?.[0] ?? "",
      step = indent.startsWith(before) ? indent.slice(before.length) : "";
    if (step === "\t" || /^ {2,8}$/.test(step)) votes.set(step, (votes.get(step) ?? 0) + 1);
    before = indent;
  }
  const [most = "    "] = [...votes].sort(([, a], [, b]) => b - a).map(([step]) => step);
  return {
    tabSize: most === "\t" ? 4 : most.length,
    insertSpaces: most !== "\t",
    trimTrailingWhitespace: true,
    insertFinalNewline: true,
  };
}
