/**
 * A tool of the user's (npm, uv, cargo) run to its end. It has nothing on its stdin; what it says is kept, bounded, and told line by line.
 *
 * Invariants: like an agent it leads its own group and is in the ledger; the promise is settled only when it, and all it started, is gone,
 * however it ended: so what it wrote can be deleted then.
 */
import type { Readable } from "node:stream";
import type { Clock } from "../rpc/clock";
import { startChild, type Child, type Exit, type ProcessSpec, type ProcessWorld } from "./child";
import { LastBytes } from "./last-bytes";

export interface ToolOptions {
  /** Ends it, with all it started; `runTool` rejects with the signal's reason then. */
  readonly signal: AbortSignal;
  /** A line of its stdout or stderr, without colours, 300 characters at most. */
  readonly line?: (line: string) => void;
  /** All that it writes to stdout, as it comes; `ToolResult.stdout` keeps only the end of it. */
  readonly stdout?: (chunk: Buffer) => void;
  /** Likewise. */
  readonly stderr?: (chunk: Buffer) => void;
  /** Says nothing for so long: it is ended, too. Ten minutes unless given. */
  readonly quietMs?: number;
}

export interface ToolResult {
  readonly exit: Exit;
  /** The last 64 kB of each. */
  readonly stdout: string;
  readonly stderr: string;
}

export class ToolSilent extends Error {
  override readonly name = "ToolSilent";
  constructor(tool: string, readonly minutes: number) { super(`${tool} has said nothing for ${minutes} minutes.`); }
}

const QUIET_MS = 10 * 60_000;
const KEPT_BYTES = 64 * 1024;
/** Whoever it left behind may hold its pipes open. */
const LAST_WORDS_MS = 250;

/** Rejects with an `AgentError` when it cannot be started, with `ToolSilent`, or with the signal's reason. */
export async function runTool(spec: ProcessSpec, { signal, line, stdout: toOut, stderr: toErr, quietMs = QUIET_MS }: ToolOptions, world: ProcessWorld): Promise<ToolResult> {
  signal.throwIfAborted();
  const started = startChild(spec, world);
  if (started.kind === "failed") throw await started.why;
  const { child } = started;
  child.stdin.end();
  const silence = new Silence(world.clock, quietMs);
  if (toOut) child.stdout.on("data", toOut);
  if (toErr) child.stderr.on("data", toErr);
  const stdout = listen(child.stdout, silence, line), stderr = listen(child.stderr, silence, line);
  let cut: { readonly why: unknown } | undefined;
  const end = (why: unknown): void => { cut ??= { why }; void child.kill(); };
  const aborted = (): void => end(signal.reason);
  signal.addEventListener("abort", aborted);
  silence.begin(() => end(new ToolSilent(spec.name, Math.round(quietMs / 60_000))));
  try {
    const exit = await child.exited;
    await child.gone;
    await lastWords(child);
    if (cut !== undefined) throw cut.why;
    return { exit, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    silence.end();
    signal.removeEventListener("abort", aborted);
  }
}

async function lastWords(child: Child): Promise<void> {
  const closed = [child.stdout, child.stderr].map(stream => stream.closed ? Promise.resolve() : new Promise<void>(resolve => { stream.once("close", resolve); }));
  await child.within(LAST_WORDS_MS, Promise.all(closed));
  child.stdout.destroy();
  child.stderr.destroy();
}

function listen(stream: Readable, silence: Silence, line: ToolOptions["line"]): LastBytes {
  const kept = new LastBytes(KEPT_BYTES), lines = line && new SpokenLines(line);
  stream.on("data", (chunk: Buffer) => {
    silence.broken();
    kept.push(chunk);
    lines?.push(chunk.toString());
  });
  stream.on("close", () => lines?.end());
  return kept;
}

/** Expires when nothing was heard for a while. Looks at the time when the alarm goes off, instead of setting it anew for each chunk. */
class Silence {
  readonly #clock: Clock;
  readonly #ms: number;
  #since: number;
  #alarm: Disposable | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
    this.#since = clock.now();
  }

  begin(expired: () => void): void {
    this.#alarm = this.#clock.after(this.#since + this.#ms - this.#clock.now(), () => this.#clock.now() - this.#since >= this.#ms ? expired() : this.begin(expired));
  }
  broken(): void { this.#since = this.#clock.now(); }
  end(): void { this.#alarm?.[Symbol.dispose](); }
}

const LONGEST_LINE = 300;

/** Lines as a person sees them: a carriage return begins one as well, as progress bars do it, and colours are left out. */
class SpokenLines {
  readonly #tell: (line: string) => void;
  #rest = "";

  constructor(tell: (line: string) => void) { this.#tell = tell; }

  push(text: string): void {
    const lines = (this.#rest + text).split(/[\r\n]+/);
    this.#rest = (lines.pop() ?? "").slice(-4 * LONGEST_LINE);
    for (const line of lines) this.#say(line);
  }

  end(): void { this.#say(this.#rest); }

  #say(line: string): void {
    const plain = line.replaceAll(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)/g, "").replaceAll(/\p{Cc}/gu, " ").trim();
    if (plain !== "") this.#tell(plain.slice(0, LONGEST_LINE));
  }
}
