/**
 * Runs a tool of the user (npm, uv, cargo) until it exits. Its stdin is empty. Its output is buffered, bounded, and
 * reported line by line.
 *
 * Invariants:
 * - The tool leads its own process group and is recorded in the ledger, like an agent.
 * - The promise settles only when the tool and all its descendants have ended, so files that it wrote can be deleted.
 */
import type { Readable } from "node:stream";
import { startChild, type Child, type Exit, type ProcessSpec, type ProcessDeps } from "./child";
import { TailBuffer } from "./tail-buffer";
import { ToolWatchdog } from "./tool-watchdog";

export interface ToolOptions {
  /** Ends the tool and its descendants. `runTool` then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** A line of stdout or stderr without colours, at most 300 characters. */
  readonly line?: (line: string) => void;
  /** All chunks of stdout as they arrive. `ToolResult.stdout` keeps only the end. */
  readonly stdout?: (chunk: Buffer) => void;
  /** All chunks of stderr as they arrive. */
  readonly stderr?: (chunk: Buffer) => void;
  /** Maximum time without output, in milliseconds, after which the tool is ended. Default: ten minutes. */
  readonly quietMs?: number;
  /**
   * CPU seconds used so far by the processes of this group. While they use CPU time, missing output does not end the
   * tool. Never rejects.
   */
  readonly cpuSeconds?: (group: number) => Promise<number | undefined>;
}

export interface ToolResult {
  readonly exit: Exit;
  /** The last 64 kB of each stream. */
  readonly stdout: string;
  readonly stderr: string;
}

export class ToolSilent extends Error {
  override readonly name = "ToolSilent";
  constructor(
    tool: string,
    readonly minutes: number,
  ) {
    super(`${tool} has printed nothing for ${minutes} minutes.`);
  }
}

const QUIET_MS = 10 * 60_000;
const OUTPUT_TAIL_BYTES = 64 * 1024;
/** Milliseconds to wait for output after the exit, because descendants can keep the pipes open. */
const LAST_OUTPUT_MS = 250;

/** Rejects with an `AgentError` if the tool cannot be started, with `ToolSilent`, or with the signal's reason. */
export async function runTool(
  spec: ProcessSpec,
  { signal, line, stdout: onStdout, stderr: onStderr, quietMs = QUIET_MS, cpuSeconds }: ToolOptions,
  deps: ProcessDeps,
): Promise<ToolResult> {
  signal.throwIfAborted();
  const started = startChild(spec, deps);
  if (started.kind === "failed") throw await started.why;
  const { child } = started;
  child.stdin.end();
  if (onStdout) child.stdout.on("data", onStdout);
  if (onStderr) child.stderr.on("data", onStderr);
  let ended: { readonly why: unknown } | undefined;
  const end = (why: unknown): void => {
    ended ??= { why };
    void child.kill();
  };
  const watch = new ToolWatchdog({
    clock: deps.clock,
    quietMs,
    cpuSeconds: async () => cpuSeconds?.(child.pid),
    expired: () => end(new ToolSilent(spec.name, Math.round(quietMs / 60_000))),
  });
  const stdout = listen(child.stdout, watch, line),
    stderr = listen(child.stderr, watch, line);
  const aborted = (): void => end(signal.reason);
  signal.addEventListener("abort", aborted);
  try {
    const exit = await child.exited;
    await child.gone;
    await drain(child);
    if (ended !== undefined) throw ended.why;
    return { exit, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    watch.end();
    signal.removeEventListener("abort", aborted);
  }
}

async function drain(child: Child): Promise<void> {
  const closed = [child.stdout, child.stderr].map(stream =>
    stream.closed
      ? Promise.resolve()
      : new Promise<void>(resolve => {
          stream.once("close", resolve);
        }),
  );
  await child.within(LAST_OUTPUT_MS, Promise.all(closed));
  child.stdout.destroy();
  child.stderr.destroy();
}

function listen(stream: Readable, watch: ToolWatchdog, line: ToolOptions["line"]): TailBuffer {
  const tail = new TailBuffer(OUTPUT_TAIL_BYTES),
    lines = line && new LineSplitter(line);
  stream.on("data", (chunk: Buffer) => {
    watch.onEvent();
    tail.push(chunk);
    lines?.push(chunk.toString());
  });
  stream.on("close", () => lines?.end());
  return tail;
}

const MAX_LINE_LENGTH = 300;

/**
 * Splits output into lines as a terminal shows them. A carriage return also starts a line (progress bars). Colours are
 * removed.
 */
class LineSplitter {
  readonly #notify: (line: string) => void;
  #rest = "";

  constructor(notify: (line: string) => void) {
    this.#notify = notify;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split(/[\r\n]+/);
    this.#rest = (lines.pop() ?? "").slice(-4 * MAX_LINE_LENGTH);
    for (const line of lines) this.#report(line);
  }

  end(): void {
    this.#report(this.#rest);
  }

  #report(line: string): void {
    const plain = line
      .replaceAll(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)/g, "")
      .replaceAll(/\p{Cc}/gu, " ")
      .trim();
    if (plain !== "") this.#notify(plain.slice(0, MAX_LINE_LENGTH));
  }
}
