/**
 * Summarizes the output of consecutive test programs of `cargo test` (rustc book, "Tests"): counts, and the output of
 * failed tests. Output of custom test harnesses, and output that bypasses the harness's capture, is passed on as other
 * output.
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
  #ofTarget = new Map<string, Ends>();
  #current: Ends | undefined;
  #frame: string | undefined;
  #targets = 0;

  /** `other` receives the lines that are not part of a test report. */
  constructor(private readonly item: (line: string) => void) {}

  push(line: string): void {
    const result = RESULT.exec(line);
    if (result) return this.#finished(result.slice(1).map(Number));
    if (/^running \d+ tests?$/.test(line)) return this.#began();
    switch (this.#stage) {
      case "outside":
        return this.item(line);
      case "running":
      case "shown":
        if (line === "failures:") return this.#to("reports");
        if (line === "successes:") return this.#to("shown");
        return this.#ranOne(line);
      case "reports": {
        const [, name] = /^---- (.+) (?:stdout|stderr) ----$/.exec(line) ?? [];
        if (name !== undefined) return this.#reports(name);
        if (line === "failures:") return this.#to("names");
        return this.#keep(line);
      }
      case "names": {
        const [, name] = /^ {4}(\S.*)$/.exec(line) ?? [];
        if (name !== undefined) this.#failure(name);
        else if (line !== "") this.item(line);
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

  #ranOne(line: string): void {
    const [, name, outcome] = TEST_LINE.exec(line) ?? [];
    if (name === undefined || this.#stage !== "running") return line === "" ? undefined : this.item(line);
    if (outcome === "FAILED") this.#failure(name); // the test program may crash before its report
  }

  #began(): void {
    this.#close();
    this.#ran = true;
    this.#targets++;
    this.#to("running");
  }

  #finished([passed = 0, failed = 0, ignored = 0, filteredOut = 0]: readonly number[]): void {
    this.#close();
    this.#ran = true;
    this.#passed += passed;
    this.#failed += failed;
    this.#ignored += ignored;
    this.#filteredOut += filteredOut;
    this.#to("outside");
  }

  #to(stage: Stage): void {
    this.#flushFrame();
    this.#current = undefined;
    this.#stage = stage;
  }

  #close(): void {
    this.#to("outside");
    for (const [name, output] of this.#ofTarget) this.#failures.set(`${this.#targets}:${name}`, output);
    this.#ofTarget = new Map();
  }

  #failure(name: string): Ends | undefined {
    const known = this.#ofTarget.get(name);
    if (known || this.#failures.size + this.#ofTarget.size >= MAX_FAILURES) return known;
    const output = new Ends(HEAD, TAIL);
    this.#ofTarget.set(name, output);
    return output;
  }

  #reports(name: string): void {
    this.#flushFrame();
    this.#current = this.#failure(name);
  }

  /** Delays a backtrace frame until the next line, which gives its location. */
  #keep(line: string): void {
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
