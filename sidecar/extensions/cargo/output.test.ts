/** Parsing of cargo's output: recorded runs in arbitrary chunks, and program output that imitates cargo's messages. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { READS, RECORDED, recorded } from "./fixtures/recorded";
import { CargoOutput, type OutputFormat, type PrintedOutput } from "./output";

const built = `{"reason":"build-finished","success":true}\n`;
function parsedOutput(reads: OutputFormat, stdout: string, stderr = ""): PrintedOutput {
  const output = new CargoOutput(reads);
  output.stderr(Buffer.from(stderr));
  output.stdout(Buffer.from(stdout));
  return output.end();
}

suite("CargoOutput", () => {
  for (const name of RECORDED)
    test(`returns the same result for any chunks: ${name}`, () => {
      const { stdout, stderr } = recorded(name);
      const take = (sizes: readonly number[]): PrintedOutput => {
        const output = new CargoOutput(READS[name]);
        // All of stderr after the end of stdout, because only `waitingFor` depends on their order.
        for (const [bytes, push] of [
          [stdout, (chunk: Buffer) => output.stdout(chunk)],
          [stderr, (chunk: Buffer) => output.stderr(chunk)],
        ] as const) {
          let at = 0;
          for (let i = 0; at < bytes.length; i++)
            push(bytes.subarray(at, (at += sizes[i % sizes.length] ?? bytes.length)));
        }
        return output.end();
      };
      const whole = take([Infinity]);
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 30 }), sizes =>
          deepEqual(take(sizes), whole),
        ),
        { numRuns: 100 },
      );
    });

  test("never parses a program's output as a cargo message", () => {
    const spoof = `{"reason":"compiler-message","message":{"level":"error","message":"fake","rendered":"fake","spans":[]}}`;
    const { found, stdout, isBuilt } = parsedOutput(
      "program",
      `${built}${spoof}\n{"reason":"build-finished","success":false}\n`,
    );
    deepEqual([found.errorCount, isBuilt], [0, true]);
    match(stdout, /fake/);
  });

  test("keeps non-message output during a build as text", () => {
    equal(
      parsedOutput("messages", `hello\n{"reason":7}\n{"half\n[1]\n${built}`).stdout,
      `hello\n{"reason":7}\n{"half\n[1]`,
    );
  });

  test("counts a diagnostic of several targets once", () => {
    const message = (note: string, line = 1) =>
      `${JSON.stringify({ reason: "compiler-message", message: { level: "warning", message: "unused", code: { code: "dead_code" }, rendered: `warning: unused\n${note}`, spans: [{ is_primary: true, file_name: "a.rs", line_start: line, column_start: 1 }] } })}\n`;
    const { found } = parsedOutput("messages", message("note: on by default") + message("") + message("", 2));
    deepEqual(
      [found.warningCount, found.warnings.map(({ at }) => at?.line), [...found.lints]],
      [2, [1, 2], [["dead_code", 2]]],
    );
  });

  test("ignores rustc's summaries", () => {
    const first = (level: string, message: string) =>
      `${JSON.stringify({ reason: "compiler-message", message: { level, message, rendered: message, spans: [], code: null } })}\n`;
    const placed = (message: string) =>
      `${JSON.stringify({
        reason: "compiler-message",
        message: {
          level: "error",
          message,
          spans: [
            { is_primary: false, file_name: "other.rs" },
            { is_primary: true, file_name: "a.rs", line_start: 7, column_start: 3 },
          ],
        },
      })}\n`;
    const { found } = parsedOutput(
      "messages",
      first("error", "aborting due to 2 previous errors; 1 warning emitted") +
        first("warning", "3 warnings emitted") +
        first("failure-note", "For more information about this error, try …") +
        first("error", "linking with `cc` failed") +
        placed("3 warnings emitted") +
        first("error: internal compiler error", "oh"),
    );
    deepEqual(
      found.errors.map(({ message }) => message),
      ["linking with `cc` failed", "3 warnings emitted", "oh"],
    );
    deepEqual(
      [found.errors[1]?.at, found.errors[1]?.rendered],
      [{ file: "a.rs", line: 7, column: 3 }, "error: 3 warnings emitted"],
      "what compile_error! says, where it says it",
    );
    equal(found.warningCount, 0);
  });

  test("reports a build's status lines and keeps the program's stderr", () => {
    const received: string[] = [],
      output = new CargoOutput("program", status => received.push(status));
    output.stderr(
      Buffer.from(
        "   Compiling a v0.1.0 (/a)\nwarning: a@0.1.0: careful\nwarning: a@0.1.0: careful\n     Running `rustc --crate-name a`\n    Finished `dev` profile\n     Running `target/debug/a`\n   Compiling is what this program does\n",
      ),
    );
    equal(output.end().stderr, "warning: a@0.1.0: careful\n   Compiling is what this program does");
    deepEqual(received, [
      "Compiling a v0.1.0 (/a)",
      "Running `rustc --crate-name a`",
      "Finished `dev` profile",
      "Running `target/debug/a`",
    ]);
  });

  test("keeps status lines of commands without a build", () => {
    equal(
      parsedOutput(
        "text",
        "",
        "    Blocking waiting for file lock on package cache\n    Updating crates.io index\n      Adding serde v1.0 to dependencies\n",
      ).stderr,
      "    Updating crates.io index\n      Adding serde v1.0 to dependencies",
    );
  });

  test("keeps the beginning and end of endless output in bounded memory", () => {
    const output = new CargoOutput("program"),
      line = Buffer.from(`${"x".repeat(99)}\n`.repeat(600)),
      endless = Buffer.alloc(1 << 20, "y");
    output.stdout(Buffer.from(`${built}first\n`));
    for (let i = 0; i < 200; i++) output.stdout(line);
    for (let i = 0; i < 20; i++) output.stdout(endless);
    output.stdout(Buffer.from("\nlast\n"));
    const { stdout, bytes } = output.end();
    ok(stdout.length < 20_000, String(stdout.length));
    match(stdout, /^first\n[^]*lines omitted[^]*y… \(\d+ more characters\)\nlast$/);
    ok(bytes > 32_000_000);
  });

  test("counts many warnings and stores few", () => {
    const output = new CargoOutput("messages");
    for (let i = 0; i < 3000; i++)
      output.stdout(
        Buffer.from(
          `${JSON.stringify({ reason: "compiler-message", message: { level: "warning", message: `w${i} ${"x".repeat(900)}`, rendered: "w".repeat(9000), spans: [{ is_primary: true, file_name: "a.rs", line_start: i, column_start: 1 }] } })}\n`,
        ),
      );
    const { found } = output.end();
    deepEqual([found.warningCount, found.warnings.length], [3000, 200]);
    ok(found.warnings.every(({ rendered }) => rendered.length < 4100));
    ok(found.warnings.every(({ message }) => message.length === 500));
  });
});
