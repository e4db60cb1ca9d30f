/**
 * Parses the output of a cargo run as it arrives: diagnostics, test results and program output.
 *
 *   stdout   JSON messages of cargo, one per line ── build-finished ──▶ output of the program or test programs
 *   stderr   cargo's status lines and errors ── Finished, Running `…` (cargo run) ──▶ the program's output
 *
 * Invariants:
 * - The result does not depend on how the bytes are chunked.
 * - Memory is bounded for any length of the output.
 * - Output of a program after the build is never parsed as a message of cargo.
 */
import { objectOr } from "../../rpc/json";
import { cargoMessage, diagnosticIn, DiagnosticCollector } from "./diagnostics";
import { Ends } from "./bounded-lines";
import { Lines, plain } from "./line-splitter";
import { TestReport, type TestSummary } from "./test-report";

/**
 * Content of stdout: messages only, messages followed by test or program output, or text (`cargo add`, whose result is
 * on stderr).
 */
export type OutputFormat = "messages" | "tests" | "program" | "text";

export interface PrintedOutput {
  readonly found: DiagnosticCollector;
  /** Success as reported by cargo's `build-finished` message; false if the message is missing. */
  readonly isBuilt: boolean;
  readonly tests?: TestSummary;
  /** Lines that are neither cargo messages nor test reports. */
  readonly stdout: string;
  /** Without the status lines of a build. */
  readonly stderr: string;
  /** Size of cargo's human-readable output in bytes. */
  readonly bytes: number;
  /** Name of the lock for which cargo waits, such as `build directory`, from its last status line. */
  readonly waitingFor?: string;
}

/** Maximum length of a line, also of an unterminated one. A diagnostic with all its spans can be long. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;
const HEAD = 3_000,
  TAIL = 6_000;
const STATUS =
  /^ {1,11}(Adding|Archiving|Blocking|Building|Checking|Compiling|Credential|Dirty|Doc-tests|Documenting|Downgrading|Downloaded|Downloading|Executable|Finished|Fixed|Fresh|Locking|Packaging|Replacing|Removing|Running|Scraping|Unchanged|Updating) (.*)$/;

export class CargoOutput {
  readonly #reads: OutputFormat;
  readonly #found = new DiagnosticCollector();
  readonly #stdout = new Ends(HEAD, TAIL);
  readonly #stderr = new Ends(HEAD, TAIL);
  readonly #tests = new TestReport(line => this.#stdout.push(line));
  readonly #stdoutLines = new Lines(MAX_LINE_BYTES, line => this.#onStdoutLine(line));
  readonly #stderrLines = new Lines(MAX_LINE_BYTES, line => this.#onStderrLine(plain(line)));
  readonly #onStatus: (status: string) => void;
  #isBuilding = true;
  #isBuilt = false;
  #stage: "cargo" | "finished" | "program" = "cargo";
  #waitingFor: string | undefined;
  #lastLine = "";
  #bytes = 0;

  /** `onStatus` receives each status line of cargo. */
  constructor(reads: OutputFormat, onStatus: (status: string) => void = () => undefined) {
    this.#reads = reads;
    this.#onStatus = onStatus;
  }

  stdout(chunk: Buffer): void {
    this.#stdoutLines.push(chunk);
  }
  stderr(chunk: Buffer): void {
    this.#stderrLines.push(chunk);
  }

  end(): PrintedOutput {
    this.#stdoutLines.end();
    this.#stderrLines.end();
    const tests = this.#tests.end();
    return {
      found: this.#found,
      isBuilt: this.#isBuilt,
      ...(tests ? { tests } : {}),
      stdout: this.#stdout.text(),
      stderr: this.#stderr.text(),
      bytes: this.#bytes + this.#stderrLines.total,
      ...(this.#waitingFor === undefined ? {} : { waitingFor: this.#waitingFor }),
    };
  }

  #onStdoutLine(line: string): void {
    const message = this.#isBuilding ? cargoMessage(line) : undefined;
    if (!message) return this.#addProgramLine(line);
    this.#waitingFor = undefined;
    if (message.reason === "build-finished") {
      this.#isBuilding = false;
      this.#isBuilt = message.success === true;
    }
    if (message.reason !== "compiler-message") return;
    const { message: compilerMessage } = message,
      diagnostic = diagnosticIn(compilerMessage);
    if (diagnostic && this.#found.add(diagnostic))
      this.#bytes += Buffer.byteLength(String(objectOr(compilerMessage).rendered ?? diagnostic.rendered));
  }

  #addProgramLine(given: string): void {
    this.#bytes += Buffer.byteLength(given) + 1;
    const line = plain(given);
    if (this.#reads === "tests") this.#tests.push(line);
    else this.#stdout.push(line);
  }

  #onStderrLine(line: string): void {
    if (this.#stage === "program") return this.#stderr.push(line);
    const [, verb, what = ""] = STATUS.exec(line) ?? [];
    this.#waitingFor = verb === "Blocking" ? /^waiting for file lock on (.+)$/.exec(what)?.[1] : undefined;
    if (verb !== undefined) this.#onStatus(line.trim());
    if (verb === "Finished") this.#stage = "finished";
    else if (verb === "Running" && this.#stage === "finished" && this.#reads === "program") this.#stage = "program";
    // cargo repeats a build script's warnings for each target
    const isRepeated = line === this.#lastLine && line.startsWith("warning: ");
    this.#lastLine = line;
    if ((this.#reads === "text" ? verb !== "Blocking" : verb === undefined) && !isRepeated) this.#stderr.push(line);
  }
}
