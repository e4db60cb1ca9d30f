/** Progress of installations as lines for a terminal or an editor's log: each phase, and every two seconds. */
import type { InstallProgress } from "../../../src/protocol/agents/agent-service";
import { redactText } from "../../../src/protocol/redaction/redact";
import type { Clock } from "../../rpc/clock";

const INTERVAL_MS = 2_000,
  MAX_LINE_LENGTH = 200;

interface Installation {
  readonly phase: InstallProgress["phase"];
  /** Clock time of the last line. */
  readonly writtenAt: number;
}

export class InstallLines implements Disposable {
  readonly #clock: Clock;
  readonly #write: (line: string) => void;
  readonly #names = new Map<string, string>();
  readonly #running = new Map<string, Installation>();

  constructor(clock: Clock, write: (line: string) => void) {
    this.#clock = clock;
    this.#write = write;
  }

  /** Sets the name of an id in later lines. */
  named(id: string, name: string): void {
    this.#names.set(id, name);
  }

  /** `progress` is undefined when the installation has ended. */
  report(id: string, progress: InstallProgress | undefined): void {
    if (!progress) return;
    const before = this.#running.get(id),
      now = this.#clock.now();
    if (before?.phase === progress.phase && now - before.writtenAt < INTERVAL_MS) return;
    this.#running.set(id, { phase: progress.phase, writtenAt: now });
    this.#write(progressLine(this.#nameOf(id), progress));
  }

  /** Whether an installation of the id was reported. It has ended. */
  ended(id: string): boolean {
    return this.#running.delete(id);
  }

  installed(id: string, version: string | undefined): void {
    this.#write(`${this.#nameOf(id)}${version === undefined ? "" : ` ${version}`} is installed.`);
  }

  [Symbol.dispose](): void {
    this.#running.clear();
  }

  #nameOf(id: string): string {
    return this.#names.get(id) ?? id;
  }
}

export function progressLine(name: string, { phase, done, total, line = "" }: InstallProgress): string {
  const detail =
    phase === "downloading" ? sizes(done, total) : redactText(line.replaceAll(/\s+/g, " ").trim(), MAX_LINE_LENGTH);
  return `${PHASES[phase].replace("NAME", () => name)}${detail === "" ? "" : `: ${detail}`}`;
}

const PHASES: Readonly<Record<InstallProgress["phase"], string>> = {
  waiting: "Waiting for another process that installs NAME",
  downloading: "Downloading NAME",
  unpacking: "Unpacking NAME",
  installing: "Installing NAME",
};

function sizes(done: number | undefined, total: number | undefined): string {
  if (done === undefined) return "";
  return total === undefined ? megabytes(done) : `${megabytes(done)} of ${megabytes(total)}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
