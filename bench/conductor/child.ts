/** Starts the next program of a chain, for programs other than the conductor. */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import path from "node:path";
import type { Readable, Writable } from "node:stream";

export type Program = "agent" | "conductor" | "parse" | "pipe" | "proxy";

/** Started with the command of the agent as its argument. */
export interface NativeConductor {
  readonly path: string;
}

/** The path of `NAME.program.ts`, as scripts/bench.mjs builds it. */
export function programPath(name: Program): string {
  const folder = process.env.SYMPOSIUM_BENCH_PROGRAMS;
  if (!folder) throw new Error("SYMPOSIUM_BENCH_PROGRAMS is not set: run the bench with scripts/bench.mjs");
  return path.join(folder, "conductor", `${name}.program.mjs`);
}

export function startNative(
  { path: program }: NativeConductor,
  env: Readonly<Record<string, string>>,
): ChildProcessByStdio<Writable, Readable, null> {
  const agent = `${process.execPath} ${programPath("agent")}`;
  return spawn(program, ["agent", agent], { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, ...env } });
}

export function startProgram(
  name: Program,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ChildProcessByStdio<Writable, Readable, null> {
  return spawn(process.execPath, [programPath(name), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
}
