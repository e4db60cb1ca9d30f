/**
 * Summarizes the output of consecutive test programs of `cargo test` (rustc book, "Tests"): counts, and the output of
 * failed tests. Other lines, such as output of custom harnesses or uncaptured output, are forwarded to `onOtherLine`.
 *
 *   outside ── running N tests ──▶ running ── failures: ──▶ reports ── failures: ──▶ names
 *      ▲                              └─ successes: ──▶ shown ─┘                       │
 *      └───────────────────────── test result: …  ◀────────────────────────────────────┘
 *
 * Invariant: memory is bounded for any input.
 */
import { Ends } from "./bounded-lines";

export interface FailedTest {
  readonly name: string;
  /** Captured output including the panic message. Empty if the output was not captured. */
  readonly output: string;
}

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
  readonly filteredOut: number;
}

export interface TestSummary extends TestCounts {
  /** The first failures, up to a limit. */
  readonly failures: readonly FailedTest[];
}

const RESULT = /^test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored; \d+ measured; (\d+) filtered out/;
const TEST_LINE = /^test (.+?)(?: - should panic| - compile fail| - compile)? \.\.\. (ok|FAILED|ignored.*)$/;
const HEAD = 1_000,
  TAIL = 2_000,
  MAX_FAILURES = 200;
/** Backtrace frames of the standard library, by its build path or the path of its installed source. */
const LIBRARY_FRAME = /^\s+at (\/rustc\/|.*[/\\]lib[/\\]rustlib[/\\]src[/\\]rust[/\\])/;
const FRAME = /^\s+\d+: /;

type Stage = "outside" | "running" | "shown" | "reports" | "names";

export class TestReport {
  #stage: Stage = "outside";
  #ran = false;
  #passed = 0;
  #failed = 0;
  #ignored = 0;
  #filteredOut = 0;
  readonly #failures = new Map<string, Ends>();
  /** Failures of the current target, by name: the harness prints each name twice. */
  #targetFailures = new Map<string, Ends>();
  #current: Ends | undefined;
  #frame: string | undefined;
  #targets = 0;

  /** `onOtherLine` receives the lines that are not part of a test report. */
  constructor(private readonly onOtherLine: (line: string) => void) {}

  push(line: string): void {
    const result = RESULT.exec(line);
    if (result) return this.#endTarget(result.slice(1).map(Number));
    if (/^running \d+ tests?$/.test(line)) return this.#startTarget();
    switch (this.#stage) {
      case "outside":
        return this.onOtherLine(line);
      case "running":
      case "shown":
        if (line === "failures:") return this.#enter("reports");
        if (line === "successes:") return this.#enter("shown");
        return this.#onTestLine(line);
      case "reports": {
        const [, name] = /^---- (.+) (?:stdout|stderr) ----$/.exec(line) ?? [];
        if (name !== undefined) return this.#startFailure(name);
        if (line === "failures:") return this.#enter("names");
        return this.#addOutput(line);
      }
      case "names": {
        const [, name] = /^ {4}(\S.*)$/.exec(line) ?? [];
        if (name !== undefined) this.#failureOutput(name);
        else if (line !== "") this.onOtherLine(line);
      }
    }
  }

  /** Undefined if no test program ran. */
  end(): TestSummary | undefined {
    this.#close();
    if (!this.#ran) return undefined;
    const failures = [...this.#failures].map(([name, output]) => ({
      name: name.replace(/^\d+:/, ""),
      output: output.text().trim(),
    }));
    return {
      passed: this.#passed,
      failed: Math.max(this.#failed, failures.length),
      ignored: this.#ignored,
      filteredOut: this.#filteredOut,
      failures,
    };
  }

  #onTestLine(line: string): void {
    const [, name, outcome] = TEST_LINE.exec(line) ?? [];
    if (name === undefined || this.#stage !== "running") return line === "" ? undefined : this.onOtherLine(line);
    if (outcome === "FAILED") this.#failureOutput(name); // the test program may crash before its report
  }

  #startTarget(): void {
    this.#close();
    this.#ran = true;
    this.#targets++;
    this.#enter("running");
  }

  #endTarget([passed = 0, failed = 0, ignored = 0, filteredOut = 0]: readonly number[]): void {
    this.#close();
    this.#ran = true;
    this.#passed += passed;
    this.#failed += failed;
    this.#ignored += ignored;
    this.#filteredOut += filteredOut;
    this.#enter("outside");
  }

  #enter(stage: Stage): void {
    this.#flushFrame();
    this.#current = undefined;
    this.#stage = stage;
  }

  #close(): void {
    this.#enter("outside");
    for (const [name, output] of this.#targetFailures) this.#failures.set(`${this.#targets}:${name}`, output);
    this.#targetFailures = new Map();
  }

  #failureOutput(name: string): Ends | undefined {
    const known = this.#targetFailures.get(name);
    if (known || this.#failures.size + this.#targetFailures.size >= MAX_FAILURES) return known;
    const output = new Ends(HEAD, TAIL);
    this.#targetFailures.set(name, output);
    return output;
  }

  #startFailure(name: string): void {
    this.#flushFrame();
    this.#current = this.#failureOutput(name);
  }

  /** Delays a backtrace frame until the next line, which gives its location. */
  #addOutput(line: string): void {
    if (this.#frame !== undefined && LIBRARY_FRAME.test(line)) {
      this.#frame = undefined;
      return;
    }
    this.#flushFrame();
    if (FRAME.test(line)) this.#frame = line;
    else if (!/^note: .*RUST_BACKTRACE=/.test(line)) this.#current?.push(line);
  }

  #flushFrame(): void {
    if (this.#frame !== undefined) this.#current?.push(this.#frame);
    this.#frame = undefined;
  }
}
