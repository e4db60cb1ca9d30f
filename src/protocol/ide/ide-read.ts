/**
 * Parses untrusted requests and answers of `ide.ts`. Unreadable requests return a sentence; unreadable parts of answers
 * are omitted. Pure.
 */
import * as l10n from "@vscode/l10n";
import {
  ANSWERED_WITH,
  IDE_CAPABILITY,
  IDE_OPERATIONS,
  MAX_ITEMS,
  MAX_LINE,
  MAX_TEXT,
  SEVERITIES,
  type IdeAction,
  type IdeAnswer,
  type IdeChange,
  type IdeDiagnostic,
  type IdeHunk,
  type IdeLocation,
  type IdeOperation,
  type IdeOperationName,
  type IdePlace,
  type IdePosition,
  type IdeRange,
  type IdeRequest,
  type IdeSymbol,
} from "./ide";
import { arrayOr, isObject, objectOr, type Fields } from "../wire/json";

/** Whether a client advertises operations in `initialize`, in either version of ACP. */
export function offersIde(params: unknown): boolean {
  const { clientCapabilities, capabilities } = objectOr(params);
  return [clientCapabilities, capabilities].some(each =>
    isYes(objectOr(objectOr(objectOr(each)["_meta"])[IDE_CAPABILITY.namespace])[IDE_CAPABILITY.name]),
  );
}

/** The params of `initialize` with the capability added. */
export function offeringIde(params: unknown): Fields {
  const given = objectOr(params),
    capabilities = objectOr(given["clientCapabilities"]),
    meta = objectOr(capabilities["_meta"]),
    ours = objectOr(meta[IDE_CAPABILITY.namespace]);
  return {
    ...given,
    clientCapabilities: {
      ...capabilities,
      _meta: { ...meta, [IDE_CAPABILITY.namespace]: { ...ours, [IDE_CAPABILITY.name]: true } },
    },
  };
}

export function readIdeRequest(value: unknown): { readonly request: IdeRequest } | { readonly wrong: string } {
  const given = objectOr(value),
    folders = arrayOr(given["folders"]).filter(isText);
  const operation = operationIn(given);
  if (typeof operation === "string") return { wrong: operation };
  return folders.length === 0
    ? { wrong: "folders must be a list of absolute paths." }
    : { request: { ...operation, folders } };
}

function operationIn(given: Fields): IdeOperation | string {
  const { operation, path } = given,
    name = IDE_OPERATIONS.find(each => each === operation);
  if (name === undefined) return l10n.t`Unknown operation “${String(operation)}”.`;
  if (name === "diagnostics") return isText(path) ? { operation: name, path } : { operation: name };
  if (name === "workspace_symbols")
    return typeof given["query"] === "string"
      ? { operation: name, query: given["query"], ...(isText(path) ? { path } : {}) }
      : "query must be a text.";
  if (!isText(path)) return "path must be a text.";
  const at = placeIn(given["at"]);
  switch (name) {
    case "definition":
    case "references":
    case "hover":
      return { operation: name, path, at };
    case "document_symbols":
      return { operation: name, path };
    case "rename":
      return isText(given["newName"])
        ? { operation: name, path, at, newName: given["newName"] }
        : "newName must be a text.";
    case "code_actions":
      return {
        operation: name,
        path,
        at,
        ...(isCount(given["endLine"]) ? { endLine: given["endLine"] } : {}),
        ...(isText(given["title"]) ? { title: given["title"] } : {}),
      };
    case "format": {
      const { start, end } = objectOr(given["lines"]);
      return { operation: name, path, ...(isCount(start) && isCount(end) ? { lines: { start, end } } : {}) };
    }
  }
}

function placeIn(value: unknown): IdePlace {
  const { line, character, symbol } = objectOr(value);
  return {
    ...(isCount(line) ? { line } : {}),
    ...(isCount(character) ? { character } : {}),
    ...(isText(symbol) ? { symbol } : {}),
  };
}

/** `undefined` if it is not an answer to this operation. Unreadable items are omitted, and long texts are cut. */
export function readIdeAnswer(operation: IdeOperationName, value: unknown): IdeAnswer | undefined {
  const given = objectOr(value),
    kind = ANSWERED_WITH[operation];
  if (given["kind"] !== kind) return undefined;
  const note = isText(given["note"]) ? { note: line(given["note"]) } : {},
    reportedTotal = given["total"];
  const total = ({ length }: readonly unknown[]): number =>
    isCount(reportedTotal) ? Math.max(reportedTotal, length) : length;
  switch (kind) {
    case "diagnostics": {
      const diagnostics = items(given[kind], diagnosticIn);
      return { kind, ...note, diagnostics, total: total(diagnostics) };
    }
    case "locations": {
      const locations = items(given[kind], locationIn);
      return { kind, ...note, locations, total: total(locations) };
    }
    case "hover":
      return { kind, ...note, text: typeof given["text"] === "string" ? cut(given["text"], MAX_TEXT) : "" };
    case "symbols": {
      const symbols = items(given[kind], symbolIn);
      return { kind, ...note, symbols, total: total(symbols) };
    }
    case "changes": {
      const changes = items(given[kind], changeIn);
      return { kind, ...note, changes, total: total(changes) };
    }
    case "actions": {
      const actions = items(given[kind], actionIn);
      return { kind, ...note, actions, total: total(actions) };
    }
  }
}

function items<T>(value: unknown, read: (item: Fields) => T | undefined): readonly T[] {
  return arrayOr(value)
    .slice(0, MAX_ITEMS)
    .flatMap(item => {
      const first = isObject(item) ? read(item) : undefined;
      return first === undefined ? [] : [first];
    });
}

function locationIn({ path, range, text }: Fields): IdeLocation | undefined {
  const found = rangeIn(range);
  return isText(path) && found
    ? { path, range: found, ...(typeof text === "string" ? { text: line(text) } : {}) }
    : undefined;
}

function diagnosticIn(item: Fields): IdeDiagnostic | undefined {
  const place = locationIn(item),
    severity = SEVERITIES.find(each => each === item["severity"]),
    { message, source, code } = item;
  if (!place || severity === undefined || typeof message !== "string") return undefined;
  return {
    ...place,
    severity,
    message: cut(message, 4 * MAX_LINE),
    ...(isText(source) ? { source: line(source) } : {}),
    ...(isText(code) ? { code: line(code) } : {}),
  };
}

function symbolIn(item: Fields): IdeSymbol | undefined {
  const place = locationIn(item),
    { name, kind, detail, container, depth } = item;
  if (!place || !isText(name)) return undefined;
  return {
    ...place,
    name: line(name),
    kind: isText(kind) ? cut(kind, 40) : "symbol",
    ...(isText(detail) ? { detail: line(detail) } : {}),
    ...(isText(container) ? { container: line(container) } : {}),
    ...(isCount(depth) ? { depth: Math.min(depth, 20) } : {}),
  };
}

function changeIn({ kind, path, to, hunks }: Fields): IdeChange | undefined {
  if (!isText(path)) return undefined;
  if (kind === "create" || kind === "delete") return { kind, path };
  if (kind === "move") return isText(to) ? { kind, path, to } : undefined;
  return kind === "edit" ? { kind, path, hunks: items(hunks, hunkIn) } : undefined;
}

function hunkIn({ line: at, before, after }: Fields): IdeHunk | undefined {
  const lines = (value: unknown): readonly string[] =>
    arrayOr(value)
      .filter(each => typeof each === "string")
      .slice(0, 10 * MAX_ITEMS)
      .map(line);
  return isCount(at) ? { line: at, before: lines(before), after: lines(after) } : undefined;
}

function actionIn({ title, kind, disabled, command, isPreferred, changes }: Fields): IdeAction | undefined {
  if (!isText(title)) return undefined;
  return {
    title: line(title),
    ...(isText(kind) ? { kind: line(kind) } : {}),
    ...(isText(disabled) ? { disabled: line(disabled) } : {}),
    ...(isText(command) ? { command: line(command) } : {}),
    ...(isPreferred === true ? { isPreferred } : {}),
    ...(Array.isArray(changes) ? { changes: items(changes, changeIn) } : {}),
  };
}

export function rangeIn(value: unknown): IdeRange | undefined {
  const start = positionIn(objectOr(value)["start"]),
    end = positionIn(objectOr(value)["end"]);
  return start && end ? { start, end } : undefined;
}

export function positionIn(value: unknown): IdePosition | undefined {
  const { line, character } = objectOr(value);
  return isCount(line) && isCount(character) ? { line, character } : undefined;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;
const isYes = (value: unknown): boolean => value === true || isObject(value);
const cut = (text: string, limit: number): string => (text.length <= limit ? text : `${text.slice(0, limit)}…`);
const line = (text: string): string => cut(text, MAX_LINE);
