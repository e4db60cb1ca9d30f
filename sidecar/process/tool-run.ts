/**
 * A tool of the user's (npm, uv, cargo) run to its end. It has nothing on its stdin; what it says is kept, bounded, and
 * told line by line.
 *
 * Invariants: like an agent it leads its own group and is in the ledger; the promise is settled only when it, and all
 * it started, is gone, however it ended: so what it wrote can be deleted then.
 */
import type { Readable } from "node:stream";
import { startChild, type Child, type Exit, type ProcessSpec, type ProcessDeps } from "./child";
import { TailBuffer } from "./tail-buffer";
import { ToolWatch } from "./tool-activity";

export interface ToolOptions {
  /** Ends it, with all it started; `runTool` rejects with the signal's reason then. */
  readonly signal: AbortSignal;
  /** A line of its stdout or stderr, without colours, 300 characters at most. */
  readonly line?: (line: string) => void;
  /** All that it writes to stdout, as it comes; `ToolResult.stdout` keeps only the end of it. */
  readonly stdout?: (chunk: Buffer) => void;
  /** Likewise. */
  readonly stderr?: (chunk: Buffer) => void;
  /** Silence after which it is ended, too. Ten minutes unless given. */
  readonly quietMs?: number;
  /**
   * CPU seconds used so far by the processes of this group: as long as they work, silence does not end the tool. Never
   * rejects.
   */
  readonly cpuSeconds?: (group: number) => Promise<number | undefined>;
}

export interface ToolResult {
  readonly exit: Exit;
  /** The last 64 kB of each. */
  readonly stdout: string;
  readonly stderr: string;
}

export class ToolSilent extends Error {
  override readonly name = "ToolSilent";
  constructor(
    tool: string,
    readonly minutes: number,
  ) {
    super(`${tool} has said nothing for ${minutes} minutes.`);
  }
}

const QUIET_MS = 10 * 60_000;
const KEPT_BYTES = 64 * 1024;
/** Whoever it left behind may hold its pipes open. */
const LAST_WORDS_MS = 250;

/** Rejects with an `AgentError` when it cannot be started, with `ToolSilent`, or with the signal's reason. */
export async function runTool(
  spec: ProcessSpec,
  { signal, line, stdout: toOut, stderr: toErr, quietMs = QUIET_MS, cpuSeconds }: ToolOptions,
  deps: ProcessDeps,
): Promise<ToolResult> {
  signal.throwIfAborted();
  const started = startChild(spec, deps);
  if (started.kind === "failed") throw await started.why;
  const { child } = started;
  child.stdin.end();
  if (toOut) child.stdout.on("data", toOut);
  if (toErr) child.stderr.on("data", toErr);
  let cut: { readonly why: unknown } | undefined;
  const end = (why: unknown): void => {
    cut ??= { why };
    void child.kill();
  };
  const watch = new ToolWatch({
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
    await lastWords(child);
    if (cut !== undefined) throw cut.why;
    return { exit, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    watch.end();
    signal.removeEventListener("abort", aborted);
  }
}

async function lastWords(child: Child): Promise<void> {
  const closed = [child.stdout, child.stderr].map(stream =>
    stream.closed
      ? Promise.resolve()
      : new Promise<void>(resolve => {
          stream.once("close", resolve);
        }),
  );
  await child.within(LAST_WORDS_MS, Promise.all(closed));
  child.stdout.destroy();
  child.stderr.destroy();
}

function listen(stream: Readable, watch: ToolWatch, line: ToolOptions["line"]): TailBuffer {
  const kept = new TailBuffer(KEPT_BYTES),
    lines = line && new SpokenLines(line);
  stream.on("data", (chunk: Buffer) => {
    watch.heard();
    kept.push(chunk);
    lines?.push(chunk.toString());
  });
  stream.on("close", () => lines?.end());
  return kept;
}

const LONGEST_LINE = 300;

/**
 * Lines as a person sees them: a carriage return begins one as well, as progress bars do it, and colours are left out.
 */
class SpokenLines {
  readonly #tell: (line: string) => void;
  #rest = "";

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split(/[\r\n]+/);
    this.#rest = (lines.pop() ?? "").slice(-4 * LONGEST_LINE);
    for (const line of lines) this.#say(line);
  }

  end(): void {
    this.#say(this.#rest);
  }

  #say(line: string): void {
    const plain = line
      .replaceAll(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)/g, "")
      .replaceAll(/\p{Cc}/gu, " ")
      .trim();
    if (plain !== "") this.#tell(plain.slice(0, LONGEST_LINE));
  }
}
