/**
 * Runs cargo for one tool call.
 *
 * Invariant: when the promise settles, cargo and all its child processes have exited, also after the time limit or a
 * cancellation. The end of a session cancels its calls.
 *
 * Calls are not queued, because cargo's own locks serialize builds. Cargo releases them while a program runs.
 */
import type { Exit, ProcessSpec } from "../../process/child";
import { AgentError } from "../../errors";
import { numberOr, type JsonObject } from "../../rpc/json";
import type { ExtensionDeps } from "../extension";
import { findCargo } from "../rust-projects";
import { ToolFailure, type ToolAnswer, type ToolCall } from "../tool";
import { commandFor, typed, type Subcommand } from "./command";
import { CargoOutput } from "./output";
import { answerTo } from "./report";
import type { CargoSettings } from "./settings";
import type { WorkingFolder } from "./working-folder";

export interface CargoSession {
  readonly deps: Pick<ExtensionDeps, "clock" | "environment" | "find" | "home" | "run">;
  readonly settings: CargoSettings;
  readonly folder: WorkingFolder;
}

/** Abort reason at the time limit. */
class TimeLimitReached extends Error {}

/** Minimum interval between two reported status lines. */
const PROGRESS_MS = 1_000;
const PLAIN = { CARGO_TERM_COLOR: "never", CARGO_TERM_PROGRESS_WHEN: "never" };

/** Rejects with a `ToolFailure` for problems that the model or the user can fix. */
export async function runCargo(
  subcommand: Subcommand,
  args: JsonObject,
  call: ToolCall,
  session: CargoSession,
): Promise<ToolAnswer> {
  const { deps, settings, folder } = session,
    command = commandFor(subcommand, args),
    cwd = await folder.of(cwdIn(args));
  for (const named of command.folders) await folder.inside(named, cwd);
  const cargo = await findCargo(deps);
  const seconds = Math.min(settings.timeoutMinutes * 60, numberOr(args.timeout_seconds, Infinity)),
    output = new CargoOutput(command.reads, statusReporter(call, deps.clock));
  const spec: ProcessSpec = {
    name: "cargo",
    command: cargo,
    args: command.words,
    env: { ...PLAIN, ...settings.environment },
    cwd,
  };
  const exit = await runToExit(spec, seconds, output, call, session);
  return answerTo({
    name: `cargo ${subcommand}`,
    command: typed(command.words),
    cwd: await folder.shown(cwd),
    reads: command.reads,
    output: output.end(),
    maxWarnings: settings.maxWarnings,
    end: exit ? { kind: "exited", exit } : { kind: "stopped", seconds },
    ...(command.wanted === undefined ? {} : { wanted: command.wanted }),
  });
}

export function cwdIn({ cwd }: JsonObject): string | undefined {
  return typeof cwd === "string" && cwd !== "" ? cwd : undefined;
}

/** Undefined if the run was stopped at the time limit. */
async function runToExit(
  spec: ProcessSpec,
  seconds: number,
  output: CargoOutput,
  { signal }: ToolCall,
  { deps }: CargoSession,
): Promise<Exit | undefined> {
  const limit = new AbortController(),
    timer = deps.clock.after(seconds * 1000, () => limit.abort(new TimeLimitReached()));
  try {
    const { exit } = await deps.run(spec, {
      signal: AbortSignal.any([limit.signal, signal]),
      quietMs: 2 * seconds * 1000,
      stdout: chunk => output.stdout(chunk),
      stderr: chunk => output.stderr(chunk),
    });
    return exit;
  } catch (error) {
    if (error instanceof TimeLimitReached) return undefined;
    if (error instanceof AgentError)
      throw new ToolFailure(`${error.what} Check that \`cargo --version\` works in a terminal.`);
    throw error;
  } finally {
    timer[Symbol.dispose]();
  }
}

/**
 * Reports status lines as progress: the first at once, then at most one per second. `Blocking` (waits for another
 * cargo) and `Running` (starts a program) are always reported.
 */
function statusReporter(call: ToolCall, clock: CargoSession["deps"]["clock"]): (status: string) => void {
  let last = -Infinity;
  return status => {
    if (clock.now() - last < PROGRESS_MS && !/^(Blocking|Running) /.test(status)) return;
    last = clock.now();
    call.progress(status);
  };
}
