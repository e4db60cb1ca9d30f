/** Schema and parser for the arguments of `ide_operation`. Errors are sentences for the model. Pure. */
import { IDE_OPERATIONS, type IdeOperation, type IdeOperationName, type IdePlace } from "../../../src/protocol/ide/ide";
import { numberOr, stringOr, type JsonObject } from "../../rpc/json";
import { ToolFailure, type ObjectSchema } from "../tool";

export const ARGUMENTS: ObjectSchema = {
  type: "object",
  properties: {
    operation: {
      type: "string",
      enum: IDE_OPERATIONS,
      description:
        "diagnostics: errors and warnings of `path` (or of all known files). definition, references, hover: of the name at `line`, `symbol` in `path`. document_symbols: outline of `path`. workspace_symbols: names that fit `query`. rename: preview of `new_name` for the name at a place. code_actions: quick fixes and refactorings at a place; with `action` the preview of one. format: preview of formatting `path`.",
    },
    path: {
      type: "string",
      description:
        "File, absolute or relative to the session's working folder. Required by all operations except diagnostics and workspace_symbols.",
    },
    line: { type: "integer", minimum: 1, description: "Line, counted from 1." },
    symbol: {
      type: "string",
      description:
        "Text on that line, such as a name; for `a.b`, the last name. Without `line`, its first occurrence in the file.",
    },
    character: {
      type: "integer",
      minimum: 1,
      description: "Counted from 1. Required only if `symbol` is ambiguous.",
    },
    end_line: {
      type: "integer",
      minimum: 1,
      description: "code_actions, format: last line of the range.",
    },
    query: { type: "string", description: "workspace_symbols: part of a name." },
    new_name: { type: "string", description: "rename: the new name." },
    action: { type: "string", description: "code_actions: title of the action to preview." },
  },
  required: ["operation"],
};

/** Returns `path` as given. `args` conform to `ARGUMENTS`. Throws a `ToolFailure`. */
export function operationOf(args: JsonObject): IdeOperation {
  const operation = IDE_OPERATIONS.find(each => each === args.operation);
  if (operation === undefined) throw new ToolFailure(`Unknown operation “${String(args.operation)}”.`);
  const path = textIn(args, "path");
  switch (operation) {
    case "diagnostics":
      return { operation, ...(path === undefined ? {} : { path }) };
    case "workspace_symbols":
      return { operation, query: required(operation, args, "query"), ...(path === undefined ? {} : { path }) };
    case "document_symbols":
      return { operation, path: required(operation, args, "path") };
    case "definition":
    case "references":
    case "hover":
      return { operation, path: required(operation, args, "path"), at: placeIn(operation, args) };
    case "rename":
      return {
        operation,
        path: required(operation, args, "path"),
        at: placeIn(operation, args),
        newName: required(operation, args, "new_name"),
      };
    case "code_actions": {
      const title = textIn(args, "action"),
        at = placeIn(operation, args),
        endLine = endIn(args, at.line);
      return {
        operation,
        path: required(operation, args, "path"),
        at,
        ...(endLine === undefined ? {} : { endLine }),
        ...(title === undefined ? {} : { title }),
      };
    }
    case "format": {
      const line = lineIn(args, "line"),
        end = endIn(args, line);
      return {
        operation,
        path: required(operation, args, "path"),
        ...(line === undefined ? {} : { lines: { start: line, end: end ?? line } }),
      };
    }
  }
}

function placeIn(operation: IdeOperationName, args: JsonObject): IdePlace {
  const line = lineIn(args, "line"),
    symbol = textIn(args, "symbol"),
    character = lineIn(args, "character");
  if (line === undefined && symbol === undefined)
    throw new ToolFailure(`${operation} needs “symbol”, “line” or both to select a name in the file.`);
  if (symbol?.includes("\n")) throw new ToolFailure("The argument “symbol” must be a text of one line.");
  if (line === undefined) return { symbol: symbol ?? "" };
  return { line, ...(symbol !== undefined ? { symbol } : character !== undefined ? { character } : {}) };
}

function endIn(args: JsonObject, line: number | undefined): number | undefined {
  const end = lineIn(args, "end_line");
  if (end === undefined) return undefined;
  if (line === undefined) throw new ToolFailure("The argument “end_line” also requires “line”.");
  if (end < line) throw new ToolFailure(`The argument “end_line” is before “line”, ${line + 1}.`);
  return end;
}

function required(operation: IdeOperationName, args: JsonObject, name: string): string {
  const text = textIn(args, name);
  if (text === undefined) throw new ToolFailure(`${operation} needs the argument “${name}”.`);
  return text;
}

/** Treats an empty string as absent, because some models fill in every argument. */
function textIn(args: JsonObject, name: string): string | undefined {
  const text = stringOr(args[name], "").trim();
  return text === "" ? undefined : text;
}

/** Converts a 1-based argument to a 0-based number. */
function lineIn(args: JsonObject, name: string): number | undefined {
  const given = numberOr(args[name], undefined);
  return given === undefined ? undefined : given - 1;
}
