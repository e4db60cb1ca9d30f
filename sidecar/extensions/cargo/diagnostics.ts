/**
 * Parses rustc's diagnostics from cargo's `--message-format=json` output (cargo book, "External tools"; rustc book,
 * "JSON Output"). Pure.
 */
import { arrayOr, isObject, numberOr, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { ends } from "./bounded-lines";

export interface Diagnostic {
  readonly level: "error" | "warning";
  /** `E0308`, or the name of a lint. */
  readonly code?: string;
  readonly message: string;
  /**
   * Primary location, if any. `file` is relative to the root of the Cargo workspace; `line` and `column` are 1-based.
   */
  readonly at?: { readonly file: string; readonly line: number; readonly column: number };
  /** As printed by cargo, without colours. */
  readonly rendered: string;
}

/** Limits of a stored diagnostic, in characters. Types in a message can be thousands of characters long. */
const RENDERED_HEAD = 3_000,
  RENDERED_TAIL = 1_000,
  MAX_MESSAGE_LENGTH = 500;

/** Parses a message line of cargo. Undefined for output of a program. */
export function cargoMessage(line: string): JsonObject | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const message: unknown = JSON.parse(line);
    return isObject(message) && typeof message.reason === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Parses the `message` of a `compiler-message`. Undefined for summaries and failure notes. */
export function diagnosticIn(given: unknown): Diagnostic | undefined {
  const { level, message, code, spans, rendered } = objectOr(given);
  if (typeof level !== "string" || typeof message !== "string" || level === "failure-note") return undefined;
  const places = arrayOr(spans).filter(isObject),
    place = places.find(({ is_primary }) => is_primary === true) ?? places[0],
    named = objectOr(code).code;
  if (place === undefined && isSummary(message)) return undefined;
  return {
    level: level.startsWith("error") ? "error" : "warning",
    message: message.slice(0, MAX_MESSAGE_LENGTH),
    ...(typeof named === "string" ? { code: named } : {}),
    ...(place && typeof place.file_name === "string"
      ? { at: { file: place.file_name, line: numberOr(place.line_start, 0), column: numberOr(place.column_start, 0) } }
      : {}),
    rendered: ends(stringOr(rendered, `${level}: ${message}`).trimEnd(), RENDERED_HEAD, RENDERED_TAIL),
  };
}

function isSummary(message: string): boolean {
  return /^(aborting due to |could not compile |\d+ (warning|error)s? emitted)/.test(message);
}

/**
 * Counts errors and warnings, and retains the first of each level. A diagnostic that several targets (a library and its
 * tests) report counts once.
 */
export class DiagnosticCollector {
  readonly errors: Diagnostic[] = [];
  readonly warnings: Diagnostic[] = [];
  errorCount = 0;
  warningCount = 0;
  /** Number of warnings per lint. */
  readonly lints = new Map<string, number>();
  readonly #seen = new Set<string>();

  /** `maxPerLevel`: maximum number of diagnostics kept per level. Further diagnostics are only counted. */
  constructor(private readonly maxPerLevel = 200) {}

  /** Returns false for a duplicate. */
  add(diagnostic: Diagnostic): boolean {
    const { level, code, message, at, rendered } = diagnostic,
      key = at ? [level, code, message, at.file, at.line, at.column].join("\0") : rendered;
    if (this.#seen.has(key)) return false;
    if (this.#seen.size < MAX_SEEN) this.#seen.add(key);
    const counted = level === "error" ? this.errors : this.warnings;
    if (counted.length < this.maxPerLevel) counted.push(diagnostic);
    if (level === "error") this.errorCount++;
    else {
      this.warningCount++;
      const lint = code ?? "others";
      this.lints.set(lint, (this.lints.get(lint) ?? 0) + 1);
    }
    return true;
  }
}

/** Maximum number of diagnostics whose duplicates are detected. Duplicates of later diagnostics are counted again. */
const MAX_SEEN = 10_000;
