/**
 * Converts results of VS Code's `vscode.execute…Provider` commands to the types of `protocol/ide/ide.ts`. Pure: reads
 * instances of VS Code's classes, but creates none.
 */
import { SYMBOL_KINDS, type IdeDiagnostic, type IdeRange, type IdeSymbol } from "../../protocol/ide/ide";
import type { RawChange } from "../../protocol/ide/ide-answer";
import { rangeIn } from "../../protocol/ide/ide";
import type { TextEdit } from "../../protocol/ide/ide-text";
import { arrayOr, isObject, objectOr, type Fields } from "../../protocol/wire/json";

export interface Spot {
  readonly path: string;
  readonly range: IdeRange;
}
export interface ShownAction {
  readonly title: string;
  readonly kind?: string;
  readonly isPreferred?: true;
  readonly disabled?: string;
  readonly command?: string;
  readonly changes?: readonly RawChange[];
}

/** The path of a file URI; for other schemes the URI itself. */
export function pathOf(uri: unknown): string | undefined {
  const { scheme, fsPath } = objectOr(uri);
  if (scheme === "file" && typeof fsPath === "string") return fsPath;
  return typeof scheme === "string" && isObject(uri) ? String(uri) : undefined;
}

/** Converts `Location[]` or `LocationLink[]`, without duplicates. */
export function spotsIn(found: unknown): readonly Spot[] {
  const seen = new Set<string>();
  return arrayOr(found).flatMap(each => {
    const { uri, range, targetUri, targetRange, targetSelectionRange } = objectOr(each),
      path = pathOf(targetUri ?? uri),
      at = rangeOf(targetSelectionRange ?? targetRange ?? range);
    const key = `${path} ${at?.start.line}:${at?.start.character}`;
    if (path === undefined || !at || seen.has(key)) return [];
    seen.add(key);
    return [{ path, range: at }];
  });
}

/** Converts `Hover[]`, one per provider. */
export function hoverIn(found: unknown): string {
  const text = (part: unknown): string => {
    if (typeof part === "string") return part;
    const { language, value } = objectOr(part);
    return typeof value !== "string"
      ? ""
      : typeof language === "string"
        ? `\`\`\`${language}\n${value}\n\`\`\``
        : value;
  };
  return arrayOr(found)
    .flatMap(each => arrayOr(objectOr(each)["contents"]))
    .map(text)
    .filter(part => part.trim() !== "")
    .join("\n\n");
}

const MAX_DEPTH = 12;

/** Converts `DocumentSymbol[]` with children, or `SymbolInformation[]`. */
export function symbolsIn(found: unknown, path?: string, depth = 0): readonly IdeSymbol[] {
  return arrayOr(found).flatMap((each): readonly IdeSymbol[] => {
    const { name, kind, detail, containerName, location, selectionRange, children } = objectOr(each),
      kindName = SYMBOL_KINDS[Number(kind)] ?? "symbol",
      at = rangeOf(selectionRange);
    if (typeof name !== "string" || name === "") return [];
    if (at && path !== undefined)
      return [
        { path, range: at, name, kind: kindName, depth, ...text("detail", detail) },
        ...(depth < MAX_DEPTH ? symbolsIn(children, path, depth + 1) : []),
      ];
    const { uri, range } = objectOr(location),
      locationPath = pathOf(uri);
    return locationPath === undefined
      ? []
      : [
          {
            path: locationPath,
            range: rangeOf(range) ?? NOWHERE,
            name,
            kind: kindName,
            ...text("container", containerName),
          },
        ];
  });
}

/** Converts the text edits of a `WorkspaceEdit`. VS Code's API does not expose its file operations. */
export function changesIn(edit: unknown): readonly RawChange[] {
  const entries = objectOr(edit)["entries"];
  if (!isObject(edit) || typeof entries !== "function") return [];
  return arrayOr(entries.call(edit)).flatMap(entry => {
    const [uri, edits] = arrayOr(entry),
      path = pathOf(uri),
      textEdits = editsIn(edits);
    return path === undefined || textEdits.length === 0 ? [] : [{ kind: "edit" as const, path, edits: textEdits }];
  });
}

/** Converts `TextEdit[]`. */
export function editsIn(found: unknown): readonly TextEdit[] {
  return arrayOr(found).flatMap(each => {
    const { range, newText } = objectOr(each),
      at = rangeOf(range);
    return at && typeof newText === "string" ? [{ range: at, newText }] : [];
  });
}

/** Converts `(Command | CodeAction)[]`. */
export function actionsIn(found: unknown): readonly ShownAction[] {
  return arrayOr(found).flatMap(each => {
    const { title, kind, isPreferred, disabled, edit, command } = objectOr(each),
      commandId = typeof command === "string" ? command : objectOr(command)["command"];
    if (typeof title !== "string" || title === "") return [];
    return [
      {
        title,
        ...text("kind", objectOr(kind)["value"]),
        ...(isPreferred === true ? { isPreferred } : {}),
        ...text("disabled", objectOr(disabled)["reason"]),
        ...text("command", commandId),
        ...(isObject(edit) ? { changes: changesIn(edit) } : {}),
      },
    ];
  });
}

const SEVERITIES = ["error", "warning", "information", "hint"] as const;

export function diagnosticsIn(found: readonly unknown[], path: string): readonly IdeDiagnostic[] {
  return found.flatMap(each => {
    const { range, message, severity, source, code } = objectOr(each),
      at = rangeOf(range),
      value = isObject(code) ? code["value"] : code;
    if (!at || typeof message !== "string") return [];
    return [
      {
        path,
        range: at,
        severity: SEVERITIES[Number(severity)] ?? "error",
        message,
        ...text("source", source),
        ...text("code", value === undefined ? undefined : String(value)),
      },
    ];
  });
}

/** Copies a range property by property: VS Code's ranges have getters, which object spread ignores. */
function rangeOf(range: unknown): IdeRange | undefined {
  const { start, end } = objectOr(range),
    plain = (position: unknown): Fields => ({
      line: objectOr(position)["line"],
      character: objectOr(position)["character"],
    });
  return rangeIn({ start: plain(start), end: plain(end) });
}

const NOWHERE: IdeRange = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
function text<const N extends "detail" | "container" | "kind" | "disabled" | "command" | "source" | "code">(
  name: N,
  value: unknown,
): { readonly [K in N]?: string } {
  const member: { [K in N]?: string } = {};
  if (typeof value === "string" && value !== "") member[name] = value;
  return member;
}
