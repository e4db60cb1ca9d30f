/**
 * The tool result for a run of cargo, written for a model: important parts first, no repetitions, and a count of
 * omitted parts. Pure.
 */
import { type Exit, statusOf } from "../../process/child";
import type { JsonObject } from "../../rpc/json";
import type { ToolAnswer } from "../tool";
import type { Diagnostic } from "./diagnostics";
import type { OutputFormat, PrintedOutput } from "./output";
import type { TestSummary } from "./test-report";

export interface Ran {
  /** `cargo test`. */
  readonly name: string;
  /** As typed in a shell. */
  readonly command: string;
  /** Relative to the session's folder. */
  readonly cwd: string;
  readonly reads: OutputFormat;
  /** The exit of the process, or the time limit at which it was stopped. */
  readonly end:
    | { readonly kind: "exited"; readonly exit: Exit }
    | { readonly kind: "stopped"; readonly seconds: number };
  readonly output: PrintedOutput;
  /** Test name filter. */
  readonly wanted?: string;
  readonly maxWarnings: number;
}

/**
 * Characters of rendered diagnostics, and characters of the output of failed tests. Errors beyond the limit are
 * reported in one line each.
 */
const MAX_RENDERED = 24_000,
  MAX_TEST_OUTPUT = 24_000;
const MAX_LINES = 50,
  MAX_NAMES = 100;

interface Shown {
  readonly errors: readonly Diagnostic[];
  /** Errors reported in one line, without the rendered diagnostic. */
  readonly shortErrors: readonly Diagnostic[];
  readonly warnings: readonly Diagnostic[];
}

export function answerTo(ran: Ran): ToolAnswer {
  const shown = selectShown(ran),
    body = bodyOf(ran, shown),
    outputBytes = ran.output.bytes,
    bytes = Buffer.byteLength(body),
    summary = `${summaryOf(ran)}${sizeNote(outputBytes, bytes)}`;
  return {
    text: body === "" ? summary : `${summary}\n\n${body}`,
    structured: structuredOf(ran, shown, summary, bytes),
    ...(ran.end.kind === "stopped" ? { isError: true } : {}),
  };
}

function selectShown({ output: { found }, maxWarnings }: Ran): Shown {
  let remaining = MAX_RENDERED;
  const fits = ({ rendered }: Diagnostic): boolean => (remaining -= rendered.length) >= 0;
  const full = found.errors.findIndex(error => !fits(error)),
    errors = full === -1 ? found.errors : found.errors.slice(0, full);
  const shortErrors = found.errors.slice(errors.length, errors.length + MAX_LINES);
  return { errors, shortErrors, warnings: found.warnings.slice(0, maxWarnings).filter(fits) };
}

function summaryOf(ran: Ran): string {
  const {
      name,
      end,
      output: { found, tests, waitingFor },
      reads,
    } = ran,
    counts = [count(found.errorCount, "error"), count(found.warningCount, "warning")].filter(words => words !== "");
  if (tests) counts.unshift(testCounts(tests));
  const what = counts.length > 0 ? `: ${counts.join(", ")}` : reads === "messages" ? ": no errors, no warnings" : "";
  if (end.kind === "stopped")
    return `${name} was stopped after ${duration(end.seconds)}, the limit${what}. ${waitingFor === undefined ? "Its output follows." : `It was blocked waiting for file lock on ${waitingFor}: another cargo process (perhaps the editor's) uses it. Call again after it has finished.`}`;
  const isProgramExit = reads === "program" && ran.output.isBuilt,
    ok = end.exit.code === 0;
  if (isProgramExit && !ok) return `${name}: the program exited with ${[statusOf(end.exit), ...counts].join(", ")}.`;
  return `${name} ${ok ? "succeeded" : `failed (${statusOf(end.exit)})`}${what}.${noMatchNote(ran)}`;
}

function noMatchNote({ wanted, output: { tests } }: Ran): string {
  return wanted !== undefined && tests && tests.passed + tests.failed + tests.ignored === 0
    ? ` No test has “${wanted}” in its name.`
    : "";
}

/** Empty unless at least a tenth of the output is omitted. */
function sizeNote(outputBytes: number, shown: number): string {
  return shown < 0.9 * outputBytes ? ` (${size(outputBytes)} of output, ${size(shown)} shown.)` : "";
}

function bodyOf(ran: Ran, { errors, shortErrors, warnings }: Shown): string {
  const {
      output: { found, tests, stdout, isBuilt },
      reads,
    } = ran,
    remaining = found.errorCount - errors.length - shortErrors.length;
  const printed = [
    section(reads === "tests" && tests ? "other output" : "stdout", stdout),
    section(reads === "text" ? "" : "stderr", stderrOf(ran)),
  ];
  const warned = [...warnings.map(({ rendered }) => rendered), moreWarnings(ran, warnings.length)];
  const parts = [
    ...errors.map(({ rendered }) => rendered),
    [
      ...shortErrors.map(diagnosticLine),
      ...(remaining > 0 ? [`… and ${count(remaining, "more error")}; fix these first.`] : []),
    ].join("\n"),
    ...(tests ? failuresOf(tests) : []),
    ...(reads === "program" && isBuilt ? [...printed, ...warned] : [...warned, ...printed]),
  ];
  return parts.filter(part => part !== "").join("\n\n");
}

/** Failed tests, with their output up to the limit. */
function failuresOf({ failures, failed }: TestSummary): readonly string[] {
  let available = MAX_TEST_OUTPUT;
  const full = failures.filter(({ output }) => (available -= output.length) >= 0),
    others = failures.filter(failure => !full.includes(failure)),
    named = others.slice(0, MAX_NAMES),
    remaining = failed - full.length - named.length;
  return [
    ...full.map(({ name, output }) => `---- ${name} FAILED ----${output === "" ? "" : `\n${output}`}`),
    [
      ...named.map(({ name }) => `${name} FAILED`),
      ...(remaining > 0 ? [`… and ${remaining} more that failed.`] : []),
    ].join("\n"),
  ];
}

function moreWarnings({ output: { found } }: Ran, shown: number): string {
  const remaining = found.warningCount - shown;
  if (remaining <= 0) return "";
  const lints = [...found.lints]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 8)
    .map(([lint, times]) => `${lint} ${times}`);
  return `${shown === 0 ? count(remaining, "warning") : count(remaining, "more warning")} not shown. By lint, of all: ${lints.join(", ")}.`;
}

/** If errors are shown, omits the lines that only repeat that the build failed. */
function stderrOf({ output: { found, stderr }, reads }: Ran): string {
  if (found.errorCount === 0 || reads === "text") return stderr;
  return stderr
    .split("\n")
    .filter(line => !/^(error: could not compile |warning: build failed, waiting )/.test(line))
    .join("\n")
    .trim();
}

function section(title: string, text: string): string {
  return text.trim() === "" ? "" : title === "" ? text : `${title}:\n${text}`;
}

function structuredOf(ran: Ran, { errors, shortErrors, warnings }: Shown, summary: string, shown: number): JsonObject {
  const { command, cwd, end, output } = ran,
    { found, tests, isBuilt, stdout, bytes } = output;
  return {
    summary,
    command,
    cwd,
    exit_code: end.kind === "exited" ? end.exit.code : null,
    build_success: ran.reads === "text" ? end.kind === "exited" && end.exit.code === 0 : isBuilt,
    ...(end.kind === "stopped" ? { timed_out: true } : {}),
    errors: found.errorCount,
    warnings: found.warningCount,
    messages: [...errors, ...warnings].map(({ rendered }) => rendered),
    diagnostics: [...errors, ...shortErrors, ...warnings].map(diagnosticFields),
    ...(tests ? { tests: testsOf(tests) } : {}),
    stdout,
    stderr: stderrOf(ran),
    output_bytes: bytes,
    shown_bytes: shown,
  };
}

function testsOf({ passed, failed, ignored, filteredOut, failures }: TestSummary): JsonObject {
  let remaining = MAX_TEST_OUTPUT;
  return {
    passed,
    failed,
    ignored,
    filtered_out: filteredOut,
    failures: failures
      .slice(0, MAX_NAMES)
      .map(({ name, output }) => ((remaining -= output.length) >= 0 ? { name, output } : { name })),
  };
}

function diagnosticFields({ level, code, message, at }: Diagnostic): JsonObject {
  return { level, ...(code === undefined ? {} : { code }), message, ...at };
}

function diagnosticLine({ level, code, message, at }: Diagnostic): string {
  return `${at ? `${at.file}:${at.line}:${at.column}: ` : ""}${level}${code === undefined ? "" : `[${code}]`}: ${(message.split("\n")[0] ?? "").slice(0, 200)}`;
}

function testCounts({ passed, failed, ignored, filteredOut }: TestSummary): string {
  const parts = [
    `${passed === 1 ? "1 test" : `${passed} tests`} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(ignored > 0 ? [`${ignored} ignored`] : []),
    ...(filteredOut > 0 ? [`${filteredOut} filtered out`] : []),
  ];
  return parts.join(", ");
}

function count(n: number, what: string): string {
  return n === 0 ? "" : `${n} ${what}${n === 1 ? "" : "s"}`;
}

export function duration(seconds: number): string {
  if (seconds % 60 !== 0) return seconds === 1 ? "1 second" : `${seconds} seconds`;
  return seconds === 60 ? "1 minute" : `${seconds / 60} minutes`;
}

function size(bytes: number): string {
  return bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
}
