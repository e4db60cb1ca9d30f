/**
 * All that a run of cargo prints, taken in as it comes: what the compiler found, what the tests said, what a program
 * wrote.
 *
 *   stdout   building: messages of cargo, one JSON object a line ── build-finished ──▶ the program's, or the test programs', own
 *   stderr   cargo's status lines, its warnings and errors ── Finished, Running `…` (cargo run) ──▶ the program's own
 *
 * Invariants: nothing depends on how the bytes were cut; what is held is bounded, however long it goes on; what a
 * program prints after the build is never taken for a message of cargo's.
 */
import { objectOr } from "../../rpc/json";
import { cargoMessage, diagnosticIn, Found } from "./diagnostics";
import { Ends } from "./head-and-tail";
import { Lines, plain } from "./lines";
import { TestReport, type TestsSaid } from "./test-report";

/**
 * What stands on stdout: messages only, messages and then test programs' or a program's output, or text (`cargo add`,
 * whose result stands on stderr).
 */
export type Reads = "messages" | "tests" | "program" | "text";

export interface Said {
  readonly found: Found;
  /** Of cargo: false when it did not come so far. */
  readonly isBuilt: boolean;
  readonly tests?: TestsSaid;
  /** What is no message and no report. */
  readonly stdout: string;
  /** Without the status lines of a build. */
  readonly stderr: string;
  /** What cargo would have printed for a person. */
  readonly bytes: number;
  /** What it waits for, when its last word was that it does: `build directory`. */
  readonly waitingFor?: string;
}

/** A diagnostic with all its spans can be long; as much is held of a line that has no end. */
const LONGEST_LINE = 4 * 1024 * 1024;
const HEAD = 3_000,
  TAIL = 6_000;
const STATUS =
  /^ {1,11}(Adding|Archiving|Blocking|Building|Checking|Compiling|Credential|Dirty|Doc-tests|Documenting|Downgrading|Downloaded|Downloading|Executable|Finished|Fixed|Fresh|Locking|Packaging|Replacing|Removing|Running|Scraping|Unchanged|Updating) (.*)$/;

export class CargoOutput {
  readonly #reads: Reads;
  readonly #found = new Found();
  readonly #stdout = new Ends(HEAD, TAIL);
  readonly #stderr = new Ends(HEAD, TAIL);
  readonly #tests = new TestReport(line => this.#stdout.push(line));
  readonly #out = new Lines(LONGEST_LINE, line => this.#printed(line));
  readonly #err = new Lines(LONGEST_LINE, line => this.#complained(plain(line)));
  readonly #heard: (status: string) => void;
  #isBuilding = true;
  #isBuilt = false;
  #stage: "cargo" | "finished" | "program" = "cargo";
  #waitingFor: string | undefined;
  #lastLine = "";
  #bytes = 0;

  /** `heard`: a status line, for progress. */
  constructor(reads: Reads, heard: (status: string) => void = () => undefined) {
    this.#reads = reads;
    this.#heard = heard;
  }

  stdout(chunk: Buffer): void {
    this.#out.push(chunk);
  }
  stderr(chunk: Buffer): void {
    this.#err.push(chunk);
  }

  end(): Said {
    this.#out.end();
    this.#err.end();
    const tests = this.#tests.end();
    return {
      found: this.#found,
      isBuilt: this.#isBuilt,
      ...(tests ? { tests } : {}),
      stdout: this.#stdout.text(),
      stderr: this.#stderr.text(),
      bytes: this.#bytes + this.#err.total,
      ...(this.#waitingFor === undefined ? {} : { waitingFor: this.#waitingFor }),
    };
  }

  #printed(line: string): void {
    const message = this.#isBuilding ? cargoMessage(line) : undefined;
    if (!message) return this.#own(line);
    this.#waitingFor = undefined;
    if (message.reason === "build-finished") {
      this.#isBuilding = false;
      this.#isBuilt = message.success === true;
    }
    if (message.reason !== "compiler-message") return;
    const { message: inside } = message,
      diagnostic = diagnosticIn(inside);
    if (diagnostic && this.#found.add(diagnostic))
      this.#bytes += Buffer.byteLength(String(objectOr(inside).rendered ?? diagnostic.rendered));
  }

  #own(given: string): void {
    this.#bytes += Buffer.byteLength(given) + 1;
    const line = plain(given);
    if (this.#reads === "tests") this.#tests.push(line);
    else this.#stdout.push(line);
  }

  #complained(line: string): void {
    if (this.#stage === "program") return this.#stderr.push(line);
    const [, verb, what = ""] = STATUS.exec(line) ?? [];
    this.#waitingFor = verb === "Blocking" ? /^waiting for file lock on (.+)$/.exec(what)?.[1] : undefined;
    if (verb !== undefined) this.#heard(line.trim());
    if (verb === "Finished") this.#stage = "finished";
    else if (verb === "Running" && this.#stage === "finished" && this.#reads === "program") this.#stage = "program";
    // of a build script: cargo says it for each target
    const isRepeated = line === this.#lastLine && line.startsWith("warning: ");
    this.#lastLine = line;
    if ((this.#reads === "text" ? verb !== "Blocking" : verb === undefined) && !isRepeated) this.#stderr.push(line);
  }
}
