/**
 * The start of `symposium-acp-agent run` and `run-with` until the answer to `initialize`, and their memory when they
 * are idle, against a Node program that only copies bytes (issue 18 point 8). Other editors start the program for each
 * window. Measures the built program. All programs take turns in every round. With `--native`, also against the native
 * conductor of the crates registry.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { quantile, type Bench, type Measured } from "./measure";

/** Maximum time and memory relative to the byte pipe. */
const GOAL = 1.1;
/** Time after the answer until the program is idle. */
const IDLE_MS = 150;
const INITIALIZE = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: 1, clientCapabilities: {} },
})}\n`;

interface Started {
  readonly milliseconds: number;
  /** Resident memory of this process alone. Absent where the system does not report it. */
  readonly megabytes?: number;
}

type Command = readonly [command: string, ...args: readonly string[]];

const programs = process.env.SYMPOSIUM_BENCH_PROGRAMS ?? "";
const AGENT = [process.execPath, path.join(programs, "start", "agent.program.mjs")] as const;
const SYMPOSIUM = path.resolve("dist/sidecar.js");
const ALONE = "the agent alone",
  PIPE = "byte pipe",
  RUN_WITH = "run-with",
  RUN = "run",
  NATIVE = "native conductor";

function commands(native: string | undefined): ReadonlyMap<string, Command> {
  return new Map<string, Command>([
    [ALONE, AGENT],
    [PIPE, [process.execPath, path.join(programs, "start", "pipe.program.mjs"), ...AGENT]],
    [RUN_WITH, [process.execPath, SYMPOSIUM, "run-with", "--agent", AGENT.join(" ")]],
    [RUN, [process.execPath, SYMPOSIUM, "run"]],
    ...(native === undefined ? [] : [[NATIVE, [native, "agent", AGENT.join(" ")]] as const]),
  ]);
}

/** Starts the program, and ends it by closing its input. */
async function start([command, ...args]: Command, home: string): Promise<Started> {
  const began = performance.now(),
    child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, HOME: home } }),
    exited = once(child, "exit");
  child.stdin.write(INITIALIZE);
  await once(child.stdout, "data");
  const milliseconds = performance.now() - began;
  await wait(IDLE_MS);
  const megabytes = memoryOf(child.pid);
  child.stdin.end();
  await exited;
  return { milliseconds, ...(megabytes === undefined ? {} : { megabytes }) };
}

function memoryOf(pid: number | undefined): number | undefined {
  try {
    const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined; // not Linux
  }
}

const bench: Bench = async ({ quick, table, native }) => {
  const home = mkdtempSync(path.join(tmpdir(), "symposium-bench-"));
  try {
    // The configuration of `run`.
    mkdirSync(path.join(home, ".symposium"));
    writeFileSync(path.join(home, ".symposium", "config.jsonc"), JSON.stringify({ agent: AGENT.join(" ") }));
    const all = commands(native),
      times = new Map<string, number[]>(),
      sizes = new Map<string, number[]>();
    for (let round = -2; round < (quick ? 9 : 41); round++)
      for (const [name, command] of all) {
        const { milliseconds, megabytes } = await start(command, home);
        if (round < 0) continue;
        times.set(name, [...(times.get(name) ?? []), milliseconds]);
        if (megabytes !== undefined) sizes.set(name, [...(sizes.get(name) ?? []), megabytes]);
      }
    table({
      title: "from the start to the answer of initialize",
      rows: [...all.keys()].map(name => {
        const own = times.get(name) ?? [];
        return {
          program: name,
          "lower quartile ms": round(quantile(own, 0.25)),
          "median ms": round(quantile(own, 0.5)),
          "upper quartile ms": round(quantile(own, 0.75)),
          "memory MB": round(quantile(sizes.get(name) ?? [], 0.5)),
        };
      }),
    });
    return [...all.keys()]
      .filter(name => name !== ALONE && name !== PIPE)
      .flatMap(name => against(name, times, sizes, name === NATIVE ? undefined : GOAL));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};
export default bench;

function against(
  name: string,
  times: ReadonlyMap<string, readonly number[]>,
  sizes: ReadonlyMap<string, readonly number[]>,
  goal: number | undefined,
): readonly Measured[] {
  const common = { yardstick: PIPE, ...(goal === undefined ? {} : { goal }) };
  /** The median of the ratios of all rounds, which varies less than the ratio of the medians. */
  const of = (figures: ReadonlyMap<string, readonly number[]>) => {
    const own = figures.get(name) ?? [],
      pipe = figures.get(PIPE) ?? [];
    return {
      ratio: quantile(
        own.map((figure, round) => figure / (pipe[round] ?? NaN)),
        0.5,
      ),
      medians: { candidate: quantile(own, 0.5), yardstick: quantile(pipe, 0.5) },
    };
  };
  const time = of(times),
    memory = of(sizes);
  return [
    { what: `${name}: start`, ratio: time.ratio, milliseconds: time.medians, ...common },
    ...(Number.isNaN(memory.ratio)
      ? []
      : [{ what: `${name}: memory`, ratio: memory.ratio, megabytes: memory.medians, ...common }]),
  ];
}

const round = (value: number): number => Math.round(value * 10) / 10;
