/** Converts results of language servers (LSP 3.17) to our own types. Invalid parts are omitted. Pure. */
import { fileURLToPath } from "node:url";
import {
  MAX_ITEMS,
  MAX_LINE,
  MAX_TEXT,
  SEVERITIES,
  SYMBOL_KINDS,
  type IdeDiagnostic,
  type IdeRange,
} from "../../../src/protocol/ide/ide";
import type { RawChange } from "../../../src/protocol/ide/ide-answer";
import { rangeIn } from "../../../src/protocol/ide/ide";
import type { TextEdit } from "../../../src/protocol/ide/ide-text";
import { arrayOr, isObject, numberOr, objectOr, stringOr, type JsonObject } from "../../rpc/json";

/** `path`: an absolute path for `file:` URIs, else the URI. */
export interface Spot {
  readonly path: string;
  readonly range: IdeRange;
}

export interface ServerSymbol extends Spot {
  readonly name: string;
  readonly kind: string;
  readonly detail?: string;
  readonly container?: string;
  readonly depth?: number;
}
export interface ServerAction {
  readonly title: string;
  readonly kind?: string;
  readonly isPreferred?: true;
  readonly disabled?: string;
  readonly command?: string;
  readonly changes?: readonly RawChange[];
  readonly raw: JsonObject;
}

export function pathOf(uri: unknown): string | undefined {
  if (typeof uri !== "string" || uri === "") return undefined;
  if (!uri.startsWith("file:")) return uri;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

/** Parses `Location`, `Location[]`, `LocationLink[]` or null. Duplicates are removed. */
export function spotsIn(result: unknown): readonly Spot[] {
  const seen = new Set<string>();
  return (Array.isArray(result) ? result : [result]).flatMap((each: unknown) => {
    const { uri, range, targetUri, targetSelectionRange } = objectOr(each),
      path = pathOf(targetUri ?? uri),
      at = rangeIn(targetSelectionRange ?? range),
      key = `${path} ${at?.start.line}:${at?.start.character}`;
    if (path === undefined || !at || seen.has(key)) return [];
    seen.add(key);
    return [{ path, range: at }];
  });
}

/** Parses the contents of a `Hover`: `MarkupContent`, `MarkedString` or an array. */
export function hoverIn(result: unknown): string {
  const { contents } = objectOr(result),
    text = (part: unknown): string => {
      if (typeof part === "string") return part;
      const { language, value } = objectOr(part),
        text = stringOr(value, "");
      return typeof language === "string" && text !== "" ? `\`\`\`${language}\n${text}\n\`\`\`` : text;
    };
  return (Array.isArray(contents) ? contents : [contents])
    .map(text)
    .filter(part => part.trim() !== "")
    .join("\n\n")
    .slice(0, MAX_TEXT);
}

/** Maximum depth of an outline. */
const MAX_DEPTH = 12;

/**
 * Parses `DocumentSymbol[]`, with children in order, or `SymbolInformation[]` and `WorkspaceSymbol[]`, which include
 * their file.
 */
export function symbolsIn(result: unknown, path?: string, depth = 0): readonly ServerSymbol[] {
  return arrayOr(result).flatMap((each): readonly ServerSymbol[] => {
    const { name, kind, detail, containerName, location, selectionRange, range, children } = objectOr(each);
    const word = SYMBOL_KINDS[numberOr(kind, 0) - 1] ?? "symbol",
      place = objectOr(location),
      own = rangeIn(selectionRange ?? range);
    if (typeof name !== "string" || name === "") return [];
    if (own && path !== undefined) {
      const text = stringOr(detail, "").trim().slice(0, MAX_LINE);
      return [
        { path, range: own, name, kind: word, depth, ...(text === "" ? {} : { detail: text }) },
        ...(depth < MAX_DEPTH ? symbolsIn(children, path, depth + 1) : []),
      ];
    }
    const where = pathOf(place.uri),
      // Optional until the symbol is resolved.
      at = rangeIn(place.range) ?? { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    return where === undefined
      ? []
      : [
          {
            path: where,
            range: at,
            name,
            kind: word,
            ...(typeof containerName === "string" && containerName !== "" ? { container: containerName } : {}),
          },
        ];
  });
}

/** Parses `TextEdit[]` or null. */
export function editsIn(result: unknown): readonly TextEdit[] {
  return arrayOr(result).flatMap(each => {
    const { range, newText } = objectOr(each),
      at = rangeIn(range);
    return at && typeof newText === "string" ? [{ range: at, newText }] : [];
  });
}

/** More than `MAX_ITEMS`, so that the result reports omitted changes. */
const MAX_CHANGES = 10 * MAX_ITEMS;

/** Parses a `WorkspaceEdit`. `documentChanges` take precedence. Edits of one file become one change. */
export function changesIn(edit: unknown): readonly RawChange[] {
  const { changes, documentChanges } = objectOr(edit),
    found: RawChange[] = [];
  const add = (uri: unknown, edits: unknown): void => {
    const path = pathOf(uri),
      read = editsIn(edits),
      known = found.findIndex(each => each.kind === "edit" && each.path === path),
      before = found[known];
    if (path === undefined || read.length === 0) return;
    if (before?.kind === "edit") found[known] = { ...before, edits: [...before.edits, ...read] };
    else found.push({ kind: "edit", path, edits: read });
  };
  if (Array.isArray(documentChanges))
    for (const each of documentChanges.slice(0, MAX_CHANGES)) {
      const { kind, uri, oldUri, newUri, textDocument, edits } = objectOr(each),
        path = pathOf(uri ?? oldUri),
        to = pathOf(newUri);
      if (kind === undefined) add(objectOr(textDocument).uri, edits);
      else if (kind === "rename" && path !== undefined && to !== undefined) found.push({ kind: "move", path, to });
      else if ((kind === "create" || kind === "delete") && path !== undefined) found.push({ kind, path });
    }
  else for (const [uri, edits] of Object.entries(objectOr(changes)).slice(0, MAX_CHANGES)) add(uri, edits);
  return found;
}

/** Parses `(Command | CodeAction)[]`. */
export function actionsIn(result: unknown): readonly ServerAction[] {
  return arrayOr(result).flatMap(each => (isObject(each) ? actionIn(each) : []));
}

export function actionIn(raw: JsonObject): readonly ServerAction[] {
  const { title, kind, isPreferred, disabled, edit, command } = raw;
  if (typeof title !== "string" || title === "") return [];
  const name = typeof command === "string" ? command : stringOr(objectOr(command).command, ""),
    why = objectOr(disabled).reason;
  return [
    {
      title,
      raw,
      ...(typeof kind === "string" && kind !== "" ? { kind } : {}),
      ...(isPreferred === true ? { isPreferred } : {}),
      ...(typeof why === "string" ? { disabled: why } : {}),
      ...(name === "" ? {} : { command: name }),
      ...(isObject(edit) ? { changes: changesIn(edit) } : {}),
    },
  ];
}

/** Parses a diagnostic, without its file. A missing severity means error, as in other clients. */
export function diagnosticIn(raw: unknown): Omit<IdeDiagnostic, "path"> | undefined {
  const { range, severity, message, source, code } = objectOr(raw),
    at = rangeIn(range);
  if (!at || typeof message !== "string") return undefined;
  const named = typeof code === "number" ? String(code) : stringOr(code, "");
  return {
    range: at,
    severity: SEVERITIES[numberOr(severity, 1) - 1] ?? "error",
    message,
    ...(typeof source === "string" && source !== "" ? { source } : {}),
    ...(named === "" ? {} : { code: named }),
  };
}

/** Converts a response of tsserver (`Diagnostic` of its protocol, 1-based lines and offsets) to LSP diagnostics. */
export function fromTsserver(answer: unknown): readonly JsonObject[] {
  const position = (value: unknown): JsonObject => {
    const { line, offset } = objectOr(value);
    return { line: numberOr(line, 1) - 1, character: numberOr(offset, 1) - 1 };
  };
  return arrayOr(objectOr(answer).body)
    .filter(isObject)
    .flatMap(({ start, end, text, code, category, reportsUnnecessary }) =>
      typeof text !== "string"
        ? []
        : [
            {
              range: { start: position(start), end: position(end) },
              message: text,
              code,
              source: "typescript",
              severity: category === "error" ? 1 : category === "warning" ? 2 : category === "message" ? 3 : 4,
              ...(reportsUnnecessary === true ? { tags: [1] } : {}),
            },
          ],
    );
}
