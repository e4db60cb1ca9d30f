/**
 * Measures the conductor as a process between a client and an agent, compared with a byte pipe and with a hop that
 * parses and serialises.
 *
 * All chains run at the same time and take turns in many short rounds, so that other load on the machine affects all
 * chains equally. The medians count; a table shows the quartiles. `--native` adds the native conductor. The goals are
 * those of the conductor's design: close to a pipe, much faster than a parser, and constant memory.
 */
import { Scope } from "../sidecar/rpc/scope";
import { Chain, type ChainSpec } from "./conductor/chain";
import {
  CHAINS,
  PIPE,
  PARSE,
  CONDUCTOR,
  INSIDE_3,
  OUTSIDE_1,
  againstNative,
  nativeChain,
  ratios,
  type Figures,
  type Medians,
} from "./conductor/goals";
import { KINDS, type Kind } from "./conductor/messages";
import { Meters, type Usage } from "./conductor/meter";
import { quantile, type Bench, type BenchFixture, type Measured } from "./measure";

type Sizes = Readonly<Record<Kind, number>>;

/**
 * Numbers of messages: round trips and streams per round, and messages through one process for the memory measurement.
 */
interface Plan {
  readonly rounds: number;
  readonly trips: Sizes;
  readonly stream: Sizes;
  readonly memory: Readonly<Partial<Sizes>>;
}

const FULL: Plan = {
  rounds: 21,
  trips: { small: 800, diff: 100, many: 100 },
  stream: { small: 30_000, diff: 150, many: 150 },
  memory: { small: 1_000_000, diff: 20_000 },
};
const QUICK: Plan = {
  rounds: 3,
  trips: { small: 800, diff: 100, many: 100 },
  stream: { small: 20_000, diff: 100, many: 100 },
  memory: { small: 100_000, diff: 2000 },
};

const bench: Bench = async fixture => {
  const plan = fixture.quick ? QUICK : FULL;
  await using meters = new Meters();
  const { native } = fixture,
    chains = native === undefined ? CHAINS : [...CHAINS, nativeChain(native)],
    rounds = await inTurns(plan, meters, chains);
  for (const kind of KINDS)
    fixture.table({
      title: `${kind} messages, medians of ${plan.rounds} rounds with their quartiles`,
      rows: chains.map(({ name }) => row(name, rounds(name, kind))),
    });
  const medians: Medians = (name, kind) => quantiles(rounds(name, kind), 0.5);
  const measured = [...(native === undefined ? [] : againstNative(medians)), ...ratios(medians)];
  return [...measured, ...(await memory(plan, meters, fixture))];
};
export default bench;

type Rounds = (chain: string, kind: Kind) => readonly Figures[];

async function inTurns({ rounds, trips, stream }: Plan, meters: Meters, specs: readonly ChainSpec[]): Promise<Rounds> {
  await using scope = new Scope("the bench", error => {
    throw error;
  });
  const chains: Chain[] = [];
  for (const spec of specs) chains.push(scope.add(await Chain.start(spec, meters)));
  const all = new Map<string, Figures[]>();
  for (let round = 0; round <= rounds; round++) {
    const isWarmUp = round === 0;
    for (const kind of KINDS) {
      for (const chain of chains) {
        const figures = {
          ...(await roundTrips(chain, kind, isWarmUp ? trips[kind] / 2 : trips[kind])),
          ...(await streamed(chain, kind, isWarmUp ? stream[kind] / 2 : stream[kind])),
        };
        const key = `${chain.spec.name} ${kind}`;
        if (!isWarmUp) all.set(key, [...(all.get(key) ?? []), figures]);
      }
    }
  }
  return (name, kind) => {
    const figures = all.get(`${name} ${kind}`);
    if (!figures) throw new Error(`${name} was not measured`);
    return figures;
  };
}

async function roundTrips(chain: Chain, kind: Kind, count: number): Promise<Pick<Figures, "p50" | "p99">> {
  const times = await chain.roundTrips(kind, count),
    at = (part: number): number => times[Math.floor(part * times.length)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

async function streamed(chain: Chain, kind: Kind, count: number): Promise<Pick<Figures, "cpu" | "perSecond">> {
  const before = await chain.usage(),
    seconds = await chain.stream(kind, count),
    after = await chain.usage();
  return { cpu: (after.cpu - before.cpu) / count, perSecond: count / seconds };
}

/** Each figure separately. */
function quantiles(rounds: readonly Figures[], part: number): Figures {
  const of = (name: keyof Figures): number =>
    quantile(
      rounds.map(figures => figures[name]),
      part,
    );
  return { p50: of("p50"), p99: of("p99"), cpu: of("cpu"), perSecond: of("perSecond") };
}

const MEGA = 1024 * 1024,
  FLAT = 1.25,
  PARTS = 10;

/**
 * Uses a fresh process for each measurement. Compares the peak memory during the first and the second half of the
 * messages. The best of all rounds counts, because garbage of large messages is collected at arbitrary times, but a
 * leak occurs in every round.
 */
async function memory(plan: Plan, meters: Meters, fixture: BenchFixture): Promise<readonly Measured[]> {
  const measured: Measured[] = [],
    rows: Record<string, string | number>[] = [];
  for (const [kind, count] of Object.entries(plan.memory)) {
    if (kind !== "small" && kind !== "diff") continue;
    for (const spec of CHAINS.filter(({ name }) => [PIPE, PARSE, CONDUCTOR, INSIDE_3, OUTSIDE_1].includes(name))) {
      let {
        halves: [first, second],
        peak,
      } = await resident(spec, meters, kind, count);
      for (let again = 1; again < plan.rounds && second / first > FLAT; again++)
        ({
          halves: [first, second],
          peak,
        } = await resident(spec, meters, kind, count));
      rows.push({
        chain: spec.name,
        messages: `${count} ${kind}`,
        "first half MB": round(first / MEGA),
        "second half MB": round(second / MEGA),
        "peak MB": round(peak / MEGA),
      });
      if (spec.name !== PIPE && spec.name !== PARSE)
        measured.push({
          what: `${spec.name}: memory in the second half of ${count} ${kind} messages`,
          yardstick: "in the first",
          ratio: second / first,
          goal: FLAT,
          megabytes: { candidate: round(second / MEGA), yardstick: round(first / MEGA) },
        });
    }
  }
  fixture.table({ title: "resident memory of all processes between client and agent", rows });
  return measured;
}

async function resident(
  spec: ChainSpec,
  meters: Meters,
  kind: Kind,
  count: number,
): Promise<{ readonly halves: readonly [number, number]; readonly peak: number }> {
  await using chain = await Chain.start(spec, meters);
  const seen: Usage[] = [];
  for (let part = 0; part < PARTS; part++) {
    await chain.stream(kind, count / PARTS);
    seen.push(await chain.usage());
  }
  const maxRss = (usages: readonly Usage[]): number => Math.max(...usages.map(({ rss }) => rss));
  return { halves: [maxRss(seen.slice(0, PARTS / 2)), maxRss(seen.slice(PARTS / 2))], peak: seen.at(-1)?.peak ?? 0 };
}

function row(chain: string, rounds: readonly Figures[]): Record<string, string | number> {
  const [lower, middle, upper] = [0.25, 0.5, 0.75].map(part => quantiles(rounds, part)),
    spread = (of: "p50" | "p99"): string =>
      [lower, middle, upper].map(figures => (figures?.[of] ?? Number.NaN).toFixed(0)).join(" – ");
  return {
    chain,
    "p50 µs": spread("p50"),
    "p99 µs": spread("p99"),
    "CPU µs/message": round(middle?.cpu ?? Number.NaN),
    "messages/s": Math.round(middle?.perSecond ?? Number.NaN),
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
