/**
 * Renders an answer for the model as text, most important first, and as structured data. Lines and characters are
 * 1-based. Pure.
 */
import path from "node:path";
import type {
  IdeAction,
  IdeAnswer,
  IdeChange,
  IdeDiagnostic,
  IdeLocation,
  IdeOperation,
  IdeSymbol,
} from "../../../src/protocol/ide/ide";
import type { JsonObject } from "../../rpc/json";

export interface Rendered {
  readonly text: string;
  readonly structured: JsonObject;
}

/** Maximum length of a rendered answer in characters. Omitted lines are counted. */
const MAX_SHOWN = 24_000;

/** Paths inside the first folder are shown relative to the folder, all other paths unchanged. */
export function rendered(operation: IdeOperation, answer: IdeAnswer, [root = ""]: readonly string[]): Rendered {
  const short = (file: string): string => {
    const relative = path.relative(root, file);
    return relative === "" || relative.startsWith("..") || path.isAbsolute(relative) ? file : relative;
  };
  const { lines, data, remaining } = partsOf(operation, answer, short),
    { text, cut } = bounded(lines);
  const notes = [
    ...(answer.note === undefined ? [] : [answer.note]),
    ...(remaining > 0 ? [`… and ${remaining} more, omitted.`] : []),
    ...(cut > 0 ? [`… and ${cut} more lines, omitted. Request less.`] : []),
  ];
  return {
    text: [text, ...notes].join("\n"),
    structured: {
      operation: operation.operation,
      ...data,
      ...(answer.note === undefined ? {} : { note: answer.note }),
    },
  };
}

type Short = (file: string) => string;
interface Parts {
  readonly lines: readonly string[];
  readonly data: JsonObject;
  readonly remaining: number;
}

function partsOf(operation: IdeOperation, answer: IdeAnswer, short: Short): Parts {
  switch (answer.kind) {
    case "diagnostics":
      return diagnosticsOf(
        answer.diagnostics,
        answer.total,
        short,
        "path" in operation && operation.path !== undefined ? ` in ${short(operation.path)}` : "",
      );
    case "locations":
      return locationsOf(operation, answer.locations, answer.total, short);
    case "hover":
      return {
        lines: [answer.text.trim() === "" ? "No information about that position." : answer.text.trim()],
        data: { text: answer.text },
        remaining: 0,
      };
    case "symbols":
      return symbolsOf(answer.symbols, answer.total, short, operation.operation === "document_symbols");
    case "changes":
      return changesOf(operation, answer.changes, answer.total, short);
    case "actions":
      return actionsOf(answer.actions, answer.total, short, "title" in operation && operation.title !== undefined);
  }
}

const RANK = { error: 0, warning: 1, information: 2, hint: 3 };

function diagnosticsOf(given: readonly IdeDiagnostic[], total: number, short: Short, where: string): Parts {
  const all = [...given].sort((a, b) => RANK[a.severity] - RANK[b.severity]),
    count = (severity: IdeDiagnostic["severity"]): number => all.filter(each => each.severity === severity).length;
  const counts = [
    counted(count("error"), "error"),
    counted(count("warning"), "warning"),
    counted(count("information"), "remark"),
    counted(count("hint"), "hint"),
  ].filter(each => each !== undefined);
  const lines = all.flatMap(each => {
    const by = [each.source, each.code].filter(part => part !== undefined).join(" ");
    return [
      `${placeOf(each, short)} ${each.severity}${by === "" ? "" : ` [${by}]`}: ${each.message.trim().replaceAll(/\s*\n\s*/g, " · ")}`,
      ...sourceOf(each),
    ];
  });
  return {
    lines: [all.length === 0 ? `No problems${where}.` : `${counts.join(", ")}${where}:`, ...lines],
    remaining: total - all.length,
    data: {
      diagnostics: withinLimit(
        all.map(each => ({
          ...plain(each, short),
          severity: each.severity,
          message: each.message,
          ...(each.source === undefined ? {} : { source: each.source }),
          ...(each.code === undefined ? {} : { code: each.code }),
        })),
      ),
      total,
    },
  };
}

function locationsOf({ operation }: IdeOperation, all: readonly IdeLocation[], total: number, short: Short): Parts {
  const what = operation === "definition" ? "definition" : "reference",
    files = grouped(all);
  const head =
    all.length === 0
      ? `No ${what} was found there.`
      : `${counted(total, what)}${files.size > 1 ? ` in ${files.size} files` : ""}:`;
  const lines =
    files.size === total
      ? all.map(each => `${placeOf(each, short)}${codeOf(each)}`)
      : [...files].flatMap(([file, places]) => [
          `${short(file)}`,
          ...places.map(each => `  ${spot(each)}${codeOf(each)}`),
        ]);
  return {
    lines: [head, ...lines],
    data: { locations: withinLimit(all.map(each => plain(each, short))), total },
    remaining: total - all.length,
  };
}

function symbolsOf(all: readonly IdeSymbol[], total: number, short: Short, isOutline: boolean): Parts {
  const lines = all.map(each => {
    const detail = each.detail === undefined ? "" : ` ${each.detail}`,
      container = each.container === undefined || each.container === "" ? "" : ` (in ${each.container})`;
    const what = `${each.kind} ${each.name}${detail}${container}`;
    return isOutline
      ? `${"  ".repeat(each.depth ?? 0)}${each.range.start.line + 1}: ${what}`
      : `${placeOf(each, short)} ${what}`;
  });
  return {
    lines: all.length === 0 ? ["No symbols were found."] : [`${counted(total, "symbol")}:`, ...lines],
    remaining: total - all.length,
    data: {
      symbols: withinLimit(
        all.map(each => ({
          ...plain(each, short),
          name: each.name,
          kind: each.kind,
          ...(each.container === undefined ? {} : { container: each.container }),
          ...(each.depth === undefined ? {} : { depth: each.depth }),
        })),
      ),
      total,
    },
  };
}

function changesOf(operation: IdeOperation, changes: readonly IdeChange[], total: number, short: Short): Parts {
  const name = operation.operation === "rename" ? `Renaming to “${operation.newName}”` : "Formatting";
  if (changes.length === 0)
    return {
      lines: [
        operation.operation === "rename"
          ? `${name} would change nothing.`
          : "No changes: the file is already formatted.",
      ],
      data: { changes: [] },
      remaining: 0,
    };
  const shown = changes.reduce((sum, change) => sum + (change.kind === "edit" ? change.hunks.length : 1), 0);
  const head = `${name} would change ${counted(total, "place") ?? ""} in ${counted(changes.length, "file")}. This is a preview. Make the edits with your own tools.`;
  return {
    lines: [head, ...changeLines(changes, short)],
    data: { changes: withinLimit(changes.map(change => plainChange(change, short))), total },
    remaining: total - shown,
  };
}

function actionsOf(actions: readonly IdeAction[], total: number, short: Short, isOne: boolean): Parts {
  const lines = actions.flatMap((action, i) => {
    const traits = [
      action.kind,
      action.isPreferred ? "preferred" : undefined,
      action.disabled === undefined ? undefined : `not possible: ${action.disabled}`,
    ].filter(each => each !== undefined);
    const head = `${isOne ? "" : `${i + 1}. `}${action.title}${traits.length === 0 ? "" : ` (${traits.join(", ")})`}`;
    if (!isOne) return [head];
    const runs =
      action.command === undefined
        ? []
        : [`It${action.changes ? " also" : ""} runs the command “${action.command}”, which cannot be previewed.`];
    if (!action.changes && runs.length === 0) return [head, "It has no edits."];
    return [
      head,
      ...(action.changes
        ? ["This is a preview. Make the edits with your own tools.", ...changeLines(action.changes, short)]
        : []),
      ...runs,
    ];
  });
  const head =
    actions.length === 0
      ? ["No code actions are available at that position."]
      : isOne
        ? []
        : [`${counted(total, "code action")}; ask again with “action” to see the edits of one:`];
  return {
    lines: [...head, ...lines],
    remaining: total - actions.length,
    data: {
      actions: withinLimit(
        actions.map(({ changes, ...action }) => ({
          ...action,
          ...(changes ? { changes: changes.map(change => plainChange(change, short)) } : {}),
        })),
      ),
      total,
    },
  };
}

function changeLines(changes: readonly IdeChange[], short: Short): readonly string[] {
  return changes.flatMap(change => {
    switch (change.kind) {
      case "create":
        return [`new file ${short(change.path)}`];
      case "delete":
        return [`delete ${short(change.path)}`];
      case "move":
        return [`move ${short(change.path)} to ${short(change.to)}`];
      case "edit":
        return [
          `--- ${short(change.path)}`,
          ...change.hunks.flatMap(({ line, before, after }) => [
            `@@ line ${line + 1} @@`,
            ...before.map(each => `-${each}`),
            ...after.map(each => `+${each}`),
          ]),
        ];
    }
  });
}

function grouped(all: readonly IdeLocation[]): ReadonlyMap<string, readonly IdeLocation[]> {
  const files = new Map<string, IdeLocation[]>();
  for (const each of all) files.set(each.path, [...(files.get(each.path) ?? []), each]);
  return files;
}

const spot = ({ range: { start } }: IdeLocation): string => `${start.line + 1}:${start.character + 1}`;
const placeOf = (each: IdeLocation, short: Short): string => `${short(each.path)}:${spot(each)}`;
const codeOf = ({ text }: IdeLocation): string => (text === undefined || text.trim() === "" ? "" : `  ${text.trim()}`);
const sourceOf = (each: IdeLocation): readonly string[] =>
  each.text === undefined || each.text.trim() === "" ? [] : [`    ${each.text.trim()}`];
const plain = (each: IdeLocation, short: Short): JsonObject => ({
  path: short(each.path),
  line: each.range.start.line + 1,
  character: each.range.start.character + 1,
  endLine: each.range.end.line + 1,
  ...(each.text === undefined ? {} : { text: each.text }),
});
function plainChange(change: IdeChange, short: Short): JsonObject {
  switch (change.kind) {
    case "edit":
      return {
        kind: change.kind,
        path: short(change.path),
        hunks: change.hunks.map(({ line, before, after }) => ({ line: line + 1, before, after })),
      };
    case "move":
      return { kind: change.kind, path: short(change.path), to: short(change.to) };
    case "create":
    case "delete":
      return { kind: change.kind, path: short(change.path) };
  }
}

function counted(count: number, what: string): string | undefined {
  return count === 0 ? undefined : `${count} ${what}${count === 1 ? "" : "s"}`;
}

function bounded(lines: readonly string[]): { readonly text: string; readonly cut: number } {
  let remaining = MAX_SHOWN,
    shown = 0;
  for (const line of lines) {
    remaining -= line.length + 1;
    if (remaining < 0 && shown > 0) break;
    shown++;
  }
  return { text: lines.slice(0, shown).join("\n").slice(0, MAX_SHOWN), cut: lines.length - shown };
}

/** Applies the size limit of the text to the data, because some agents pass only the data to the model. */
function withinLimit<T>(all: readonly T[]): readonly T[] {
  let remaining = MAX_SHOWN;
  const end = all.findIndex(each => (remaining -= JSON.stringify(each).length) < 0);
  return end === -1 ? all : all.slice(0, end);
}
