/**
 * Measures the conductor as a process between a client and an agent, compared with a byte pipe and with a hop that
 * parses and serialises.
 *
 * All chains run at the same time and take turns in every round, so that other load on the machine affects all chains
 * equally. The best round counts. The goals are those of the conductor's design: close to a pipe, much faster than a
 * parser, and constant memory.
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
  ratios,
  type Best,
  type Figures,
} from "./conductor/goals";
import { KINDS, type Kind } from "./conductor/messages";
import { Meters, type Usage } from "./conductor/meter";
import type { Bench, BenchFixture, Measured } from "./measure";

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
  rounds: 3,
  trips: { small: 5000, diff: 600, many: 600 },
  stream: { small: 200_000, diff: 1000, many: 1000 },
  memory: { small: 1_000_000, diff: 20_000 },
};
const QUICK: Plan = {
  rounds: 1,
  trips: { small: 2000, diff: 200, many: 200 },
  stream: { small: 50_000, diff: 300, many: 300 },
  memory: { small: 100_000, diff: 2000 },
};

const bench: Bench = async fixture => {
  const plan = fixture.quick ? QUICK : FULL;
  await using meters = new Meters();
  const best = await inTurns(plan, meters);
  for (const kind of KINDS)
    fixture.table({
      title: `${kind} messages, best of ${plan.rounds}`,
      rows: CHAINS.map(({ name }) => row(name, best(name, kind))),
    });
  const measured = ratios(best);
  return [...measured, ...(await memory(plan, meters, fixture))];
};
export default bench;

async function inTurns({ rounds, trips, stream }: Plan, meters: Meters): Promise<Best> {
  await using scope = new Scope("the bench", error => {
    throw error;
  });
  const chains: Chain[] = [];
  for (const spec of CHAINS) chains.push(scope.add(await Chain.start(spec, meters)));
  const all = new Map<string, Figures>();
  for (let round = 0; round <= rounds; round++) {
    const isWarmUp = round === 0;
    for (const kind of KINDS) {
      for (const chain of chains) {
        const figures = {
          ...(await roundTrips(chain, kind, isWarmUp ? trips[kind] / 2 : trips[kind])),
          ...(await streamed(chain, kind, isWarmUp ? stream[kind] / 2 : stream[kind])),
        };
        const key = `${chain.spec.name} ${kind}`;
        if (!isWarmUp) all.set(key, bestOf(figures, all.get(key)));
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

function bestOf(a: Figures, b: Figures | undefined): Figures {
  return b === undefined
    ? a
    : {
        p50: Math.min(a.p50, b.p50),
        p99: Math.min(a.p99, b.p99),
        cpu: Math.min(a.cpu, b.cpu),
        perSecond: Math.max(a.perSecond, b.perSecond),
      };
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

function row(chain: string, { p50, p99, cpu, perSecond }: Figures): Record<string, string | number> {
  return {
    chain,
    "p50 µs": round(p50),
    "p99 µs": round(p99),
    "CPU µs/message": round(cpu),
    "messages/s": Math.round(perSecond),
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
