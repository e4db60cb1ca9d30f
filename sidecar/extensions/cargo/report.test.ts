/**
 * The result that a model receives for a run of cargo. The golden results are for recorded runs; see
 * fixtures/recorded.ts.
 */
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { objectOr, type JsonObject } from "../../rpc/json";
import { CODES, COMMANDS, READS, RECORDED, recorded } from "./fixtures/recorded";
import { CargoOutput, type OutputFormat } from "./output";
import { answerTo, duration, type Ran } from "./report";

interface Printed {
  readonly stdout?: string | Buffer;
  readonly stderr?: string | Buffer;
}

function answered(
  reads: OutputFormat,
  { stdout = "", stderr = "" }: Printed,
  overrides: Partial<Ran> = {},
): { readonly text: string; readonly structured: JsonObject; readonly isError: boolean | undefined } {
  const output = new CargoOutput(reads);
  output.stdout(Buffer.from(stdout));
  output.stderr(Buffer.from(stderr));
  const answer = answerTo({
    name: "cargo x",
    command: "cargo x",
    cwd: ".",
    reads,
    end: { kind: "exited", exit: { code: 101, signal: null } },
    output: output.end(),
    maxWarnings: 5,
    ...overrides,
  });
  if (typeof answer === "string") throw new Error("a plain text");
  return { text: answer.text ?? "", structured: objectOr(answer.structured), isError: answer.isError };
}

const exited = (code: number | null, signal: NodeJS.Signals | null = null): Pick<Ran, "end"> => ({
  end: { kind: "exited", exit: { code, signal } },
});
const stopped = (seconds: number): Pick<Ran, "end"> => ({ end: { kind: "stopped", seconds } });
const diagnostic = (level: string, message: string, line = 1, code: string | null = null): string =>
  JSON.stringify({
    reason: "compiler-message",
    message: {
      level,
      message,
      code: code === null ? null : { code },
      rendered: `${level}: ${message}\n --> a.rs:${line}:1\n\n`,
      spans: [{ is_primary: true, file_name: "a.rs", line_start: line, column_start: 1 }],
    },
  });
const built = (success: boolean): string => JSON.stringify({ reason: "build-finished", success });
const lines = (...all: string[]): string => all.map(line => `${line}\n`).join("");
const numbered = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i + 1));

suite("cargo report", () => {
  for (const name of RECORDED)
    test(`matches the golden file: ${name}`, () => {
      const { text, structured } = answered(READS[name], recorded(name), { ...COMMANDS[name], ...exited(CODES[name]) });
      const golden = `sidecar/extensions/cargo/fixtures/${name}.answer.txt`,
        actual = `${text}\n\n${JSON.stringify(structured, undefined, 2)}\n`;
      if (process.env.UPDATE_GOLDEN === "1") writeFileSync(golden, actual);
      else
        equal(
          actual,
          readFileSync(golden, "utf8"),
          `differs from ${golden}; read the difference, then UPDATE_GOLDEN=1 if it is right`,
        );
    });

  test("lists errors before warnings", () => {
    const { text, structured } = answered("messages", {
      stdout: lines(diagnostic("warning", "careful"), diagnostic("error", "wrong", 2), built(false)),
    });
    ok(text.indexOf("error: wrong") < text.indexOf("warning: careful") && text.includes("error: wrong"));
    deepEqual(structured.messages, ["error: wrong\n --> a.rs:2:1", "warning: careful\n --> a.rs:1:1"]);
    deepEqual(structured.diagnostics, [
      { level: "error", message: "wrong", file: "a.rs", line: 2, column: 1 },
      { level: "warning", message: "careful", file: "a.rs", line: 1, column: 1 },
    ]);
  });

  test("shows the configured number of warnings and counts all by lint", () => {
    const stdout = lines(
      ...numbered(7, i => diagnostic("warning", `w${i}`, i, i < 4 ? "dead_code" : "unused_mut")),
      built(true),
    );
    const { text, structured } = answered("messages", { stdout }, { maxWarnings: 2, ...exited(0) });
    match(text, /^cargo x succeeded: 7 warnings\./);
    match(text, /w2\n[^]*5 more warnings not shown\. By lint, of all: unused_mut 4, dead_code 3\.$/);
    doesNotMatch(text, /w3/);
    deepEqual([structured.warnings, (structured.messages as string[]).length, structured.build_success], [7, 2, true]);
    match(answered("messages", { stdout }, { maxWarnings: 0, ...exited(0) }).text, /\n\n7 warnings not shown\./);
  });

  test("shortens hundreds of errors to lines and a number", () => {
    const { text, structured } = answered("messages", {
      stdout: lines(...numbered(500, i => diagnostic("error", `e${i} ${"x".repeat(600)}`, i, "E0001")), built(false)),
    });
    ok(text.length < 45_000, String(text.length));
    match(text, /: 500 errors\./);
    match(text, /\na\.rs:39:1: error\[E0001\]: e39 x+/);
    match(text, /… and \d+ more errors; fix these first\./);
    equal((structured.messages as string[]).length + 50, (structured.diagnostics as unknown[]).length);
  });

  test("shortens a thousand failed tests to some outputs, more names and a number", () => {
    const names = numbered(1000, i => `t${i}`),
      stdout = lines(
        built(true),
        "running 1000 tests",
        "failures:",
        ...names.flatMap(name => [`---- ${name} stdout ----`, "x".repeat(1900), ""]),
        "failures:",
        ...names.map(name => `    ${name}`),
        "",
        "test result: FAILED. 0 passed; 1000 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.00s",
      );
    const { text, structured } = answered("tests", { stdout });
    ok(text.length < 40_000, String(text.length));
    match(text, /: 0 tests passed, 1000 failed, 3 filtered out\./);
    match(text, /---- t1 FAILED ----\nx+/);
    match(text, /\nt50 FAILED\n[^]*… and \d+ more that failed\./);
    ok(JSON.stringify(structured).length < 60_000);
  });

  test("states how much output was omitted", () => {
    match(
      answered("messages", { stdout: lines(built(true)), stderr: "   Compiling a v0.1.0\n".repeat(1000) }, exited(0))
        .text,
      /^cargo x succeeded: no errors, no warnings\. \(22 kB of output, 0 bytes shown\.\)$/,
    );
    equal(
      answered("messages", { stdout: lines(built(true)) }, exited(0)).text,
      "cargo x succeeded: no errors, no warnings.",
    );
  });

  test("omits cargo's summary of displayed errors and keeps other messages", () => {
    const stderr =
      "warning: unused manifest key: package.x\nerror: could not compile `a` (lib) due to 1 previous error\nwarning: build failed, waiting for other jobs to finish...\n";
    const { text } = answered("messages", { stdout: lines(diagnostic("error", "wrong"), built(false)), stderr });
    match(text, /stderr:\nwarning: unused manifest key: package\.x$/);
    match(answered("messages", { stdout: lines(built(false)), stderr }).text, /could not compile/);
  });

  test("distinguishes a program's exit code from a build failure", () => {
    match(
      answered("program", { stdout: lines(built(true), "said") }, exited(3)).text,
      /^cargo x: the program exited with exit code 3\.\n\nstdout:\nsaid$/,
    );
    match(
      answered("program", { stdout: lines(built(true)) }, exited(null, "SIGSEGV")).text,
      /exited with signal SIGSEGV\./,
    );
    match(
      answered("program", { stderr: "error: no bin target named `x`\n" }).text,
      /^cargo x failed \(exit code 101\)\.[^]*stderr:\nerror: no bin target/,
    );
  });

  test("names a filter that matches no test", () => {
    const stdout = lines(
      built(true),
      "running 0 tests",
      "",
      "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.00s",
    );
    match(answered("tests", { stdout }, { wanted: "nope", ...exited(0) }).text, /No test has “nope” in its name\./);
    doesNotMatch(answered("tests", { stdout }, exited(0)).text, /No test has/);
  });

  test("is an error with the output so far at the time limit", () => {
    const { text, structured, isError } = answered(
      "tests",
      { stdout: lines(built(true), "running 2 tests", "test a ... ok", "test b has been running for over 60 seconds") },
      stopped(600),
    );
    match(
      text,
      /^cargo x was stopped after 10 minutes, the limit: 0 tests passed\. Its output follows\.[^]*test b has been running/,
    );
    deepEqual([isError, structured.exit_code, structured.timed_out], [true, null, true]);
  });

  test("states that cargo waited for another cargo until the limit", () => {
    const stderr = "    Blocking waiting for file lock on build directory\n";
    match(
      answered("messages", { stderr }, stopped(60)).text,
      /stopped after 1 minute, .*blocked waiting for file lock on build directory: another cargo/,
    );
    doesNotMatch(answered("messages", { stderr: `${stderr}   Compiling a v0.1.0\n` }, stopped(60)).text, /blocked/);
    const output = new CargoOutput("messages");
    output.stderr(Buffer.from(stderr));
    output.stdout(Buffer.from(lines(JSON.stringify({ reason: "compiler-artifact" }))));
    equal(output.end().waitingFor, undefined);
  });

  test("formats durations", () =>
    deepEqual([1, 30, 60, 90, 600].map(duration), ["1 second", "30 seconds", "1 minute", "90 seconds", "10 minutes"]));
});
