/**
 * Measures the built-in agent extensions: the delay of an answer's first text with all extensions and with none, and
 * the cost per message of each. The chains take turns, one process each, with the same agent behind them. The workspace
 * is a Rust project, so that every extension is active.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ChainProgram } from "./extensions/chain-program";
import { quantile, type Bench, type Measured } from "./measure";

const EACH = ["sparkle", "ferris", "cargo", "workspace", "ide"],
  ALL = "all";
interface Plan {
  readonly starts: number;
  readonly sessions: number;
  readonly prompts: number;
  readonly streams: number;
}
const FULL: Plan = { starts: 7, sessions: 60, prompts: 300, streams: 9 },
  QUICK: Plan = { starts: 2, sessions: 15, prompts: 60, streams: 3 };
/** Updates of an answer in the measurement of the cost per update. */
const PIECES = 20_000;

const bench: Bench = async ({ quick, table }) => {
  const plan = quick ? QUICK : FULL,
    folder = rustProject();
  try {
    const chains = { none: [], ...Object.fromEntries(EACH.map(id => [id, [id]])), [ALL]: EACH } as Record<
      string,
      readonly string[]
    >;
    const figures = await Promise.all([]).then(() => measured(chains, folder, plan));
    const names = Object.keys(chains),
      p50 = (name: string, what: keyof Figures): number => quantile(figures.get(name)?.[what] ?? [], 0.5);
    table({
      title: "our own extensions, p50",
      rows: names.map(name => ({
        chain: name,
        ...(name === "none" || name === ALL ? { "from the start of the program ms": round(p50(name, "started")) } : {}),
        "first words of a session ms": round(p50(name, "first")),
        "a prompt µs": round(p50(name, "prompt") * 1000, 0),
        "an update µs": round(p50(name, "update") * 1000),
      })),
    });
    const against = (name: string, figure: keyof Figures, what: string): Measured => ({
      what,
      yardstick: "no extension",
      ratio: p50(name, figure) / p50("none", figure),
      milliseconds: { candidate: p50(name, figure), yardstick: p50("none", figure) },
    });
    return [
      against(ALL, "started", "the first words from the start of the program, all"),
      against(ALL, "first", "the first words of a session, all"),
      ...[...EACH, ALL].map(name => against(name, "prompt", `a prompt and its answer, ${name}`)),
      ...[...EACH, ALL].map(name => against(name, "update", `an update, ${name}`)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
export default bench;

interface Figures {
  readonly started: number[];
  readonly first: number[];
  readonly prompt: number[];
  readonly update: number[];
}

async function measured(
  chains: Readonly<Record<string, readonly string[]>>,
  folder: string,
  plan: Plan,
): Promise<ReadonlyMap<string, Figures>> {
  const figures = new Map(
    Object.keys(chains).map(name => [name, { started: [], first: [], prompt: [], update: [] } as Figures]),
  );
  const each = async (work: (name: string, extensions: readonly string[]) => Promise<void>): Promise<void> => {
    for (const [name, extensions] of Object.entries(chains)) await work(name, extensions);
  };
  for (let round = 0; round < plan.starts; round++)
    for (const name of ["none", ALL]) {
      const begin = performance.now();
      await using program = new ChainProgram(chains[name] ?? [], folder);
      const session = await program.open();
      figures.get(name)?.started.push((await program.firstWords(session)) + session.at - begin);
    }
  await using programs = new Programs(chains, folder);
  await each(async name => {
    for (let n = 0; n < 5; n++) await programs.of(name).firstWords(await programs.of(name).open());
  });
  for (let round = 0; round < plan.sessions; round++)
    await each(async name => {
      const begin = performance.now(),
        session = await programs.of(name).open();
      figures.get(name)?.first.push((await programs.of(name).firstWords(session)) + session.at - begin);
      await programs.of(name).close(session);
    });
  const sessions = new Map<string, Awaited<ReturnType<ChainProgram["open"]>>>();
  await each(async name => {
    const session = await programs.of(name).open();
    sessions.set(name, session);
    for (let n = 0; n < 20; n++) await programs.of(name).prompt(session, 1);
  });
  const sessionOf = (name: string) => sessions.get(name) ?? { id: "", at: 0 };
  for (let round = 0; round < plan.prompts; round++)
    await each(async name => {
      figures.get(name)?.prompt.push(await programs.of(name).prompt(sessionOf(name), 1));
    });
  for (let round = 0; round < plan.streams; round++)
    await each(async name => {
      figures.get(name)?.update.push((await programs.of(name).prompt(sessionOf(name), PIECES)) / PIECES);
    });
  return figures;
}

class Programs implements AsyncDisposable {
  readonly #programs: ReadonlyMap<string, ChainProgram>;
  constructor(chains: Readonly<Record<string, readonly string[]>>, folder: string) {
    this.#programs = new Map(
      Object.entries(chains).map(([name, extensions]) => [name, new ChainProgram(extensions, folder)]),
    );
  }
  of(name: string): ChainProgram {
    const program = this.#programs.get(name);
    if (!program) throw new Error(`no chain ${name}`);
    return program;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#programs.values()].map(program => program[Symbol.asyncDispose]()));
  }
}

/** Also creates a home folder with files that Sparkle reads. */
function rustProject(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "bench-extensions-")),
    [home, work] = [path.join(folder, "home"), path.join(folder, "work")];
  for (const created of [home, path.join(work, "src")]) mkdirSync(created, { recursive: true });
  writeFileSync(path.join(work, "Cargo.toml"), `[package]\nname = "bench"\nversion = "0.1.0"\nedition = "2021"\n`);
  writeFileSync(path.join(work, "src/main.rs"), "fn main() {}\n");
  return folder;
}

function round(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}
