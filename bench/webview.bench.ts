/**
 * Measures the chat view in a real Chromium while agents stream: the CPU time of its main thread per chunk of an
 * answer, and visible delays. A host in a worker uses the page's protocol through the production outbox and channel.
 *
 * CPU time is the thread's own, so that other load on the machine has little effect. The best of several rounds counts.
 * With `SYMPOSIUM_BENCH_BASE`, the yardstick is another build instead of a budget (`webview/against-base.ts`).
 */
import type { Browser } from "playwright-core";
import { againstBase } from "./webview/against-base";
import { builds } from "./webview/builds";
import { FLOODS } from "./webview/commands";
import { CORPORA, type Corpus } from "./webview/corpora";
import { find } from "./webview/find";
import { burst, keys } from "./webview/floods";
import { costAt, costOf, type Cost } from "./webview/growth";
import { answersWhileFlooded } from "./webview/sidecar";
import { inBrowser } from "./webview/view";
import type { Bench, BenchFixture, Measured } from "./measure";

interface Plan {
  readonly rounds: number;
  readonly long: number;
  readonly chunks: number;
  readonly presses: number;
  readonly requests: number;
}

const FULL: Plan = { rounds: 2, long: 200_000, chunks: 3_000, presses: 200, requests: 300 };
const QUICK: Plan = { rounds: 1, long: 50_000, chunks: 600, presses: 60, requests: 60 };

const SHORT = 2_000;
/**
 * Characters around a length over which a chunk's cost is measured. Paragraphs and code blocks have about this length,
 * and cost more towards their end.
 */
const AROUND = 1_000,
  AROUND_LONG = 4_000;
const GOALS = { growth: 1.5, seconds: 3, longest: 200, burst: 1_000, key: 100, sidecar: 100, find: 3, frame: 100 };

const bench: Bench = fixture =>
  inBrowser(async browser => {
    if (builds().length > 1) return againstBase(browser, fixture);
    const plan = fixture.quick ? QUICK : FULL;
    return [
      ...(await growth(browser, plan, fixture)),
      ...(await wholeAnswers(browser, plan, fixture)),
      await updatesAtOnce(browser, plan),
      ...(await whileFlooded(browser, plan, fixture)),
      ...(await sidecarWhileFlooded(plan, fixture)),
      ...(await findInConversation(browser, plan, fixture)),
    ];
  });
export default bench;

async function growth(browser: Browser, { rounds, long }: Plan, fixture: BenchFixture): Promise<readonly Measured[]> {
  const measured: Measured[] = [],
    rows: Record<string, string | number>[] = [];
  for (const name of CORPORA) {
    const short = await best(rounds, () => costAt(browser, name, SHORT - AROUND, SHORT + AROUND));
    const far = await best(rounds, () => costAt(browser, name, long - AROUND_LONG, long + AROUND_LONG));
    rows.push(row(name, SHORT, short), row(name, long, far));
    measured.push({
      what: `${name}: CPU of a chunk at ${long} characters`,
      yardstick: `at ${SHORT}`,
      ratio: far.all / short.all,
      goal: GOALS.growth,
      milliseconds: { candidate: far.all, yardstick: short.all },
    });
  }
  fixture.table({ title: "CPU of the main thread for a chunk of 20 characters, milliseconds", rows });
  return measured;
}

async function wholeAnswers(
  browser: Browser,
  { rounds, chunks }: Plan,
  fixture: BenchFixture,
): Promise<readonly Measured[]> {
  const measured: Measured[] = [],
    rows: Record<string, string | number>[] = [];
  const goal = (GOALS.seconds * chunks) / FULL.chunks;
  for (const name of CORPORA) {
    const cost = await best(Math.min(rounds, 2), () => costOf(browser, name, chunks));
    rows.push({
      ...row(name, chunks * 20, cost),
      "CPU s": round(cost.seconds),
      "longest task": Math.round(cost.maxTask),
    });
    measured.push(
      {
        what: `${name}: CPU of an answer of ${chunks} chunks`,
        yardstick: `${goal} s`,
        ratio: cost.seconds / goal,
        goal: 1,
      },
      {
        what: `${name}: the longest task in it`,
        yardstick: `${GOALS.longest} ms`,
        ratio: cost.maxTask / GOALS.longest,
        goal: 1,
      },
    );
  }
  fixture.table({ title: `whole answers of ${chunks} chunks, one each 16 ms (longest task 0: none over 50 ms)`, rows });
  return measured;
}

async function updatesAtOnce(browser: Browser, { rounds }: Plan): Promise<Measured> {
  const took = Math.min(...(await times(rounds, () => burst(browser, 5_000))));
  return {
    what: "5,000 updates posted at once: until the last is on screen",
    yardstick: `${GOALS.burst} ms`,
    ratio: took / GOALS.burst,
    goal: 1,
    milliseconds: { candidate: took, yardstick: GOALS.burst },
  };
}

async function whileFlooded(browser: Browser, { presses }: Plan, fixture: BenchFixture): Promise<readonly Measured[]> {
  const measured: Measured[] = [],
    rows: Record<string, string | number>[] = [];
  for (const [of, where] of [
    [undefined, "another"],
    ...FLOODS.flatMap(
      flood =>
        [
          [flood, "another"],
          [flood, "same"],
        ] as const,
    ),
  ] as const) {
    const { p50, p99, max } = await keys(browser, of, where, presses);
    rows.push({
      "a flood of": of ?? "nothing",
      in: where === "same" ? "the same tab" : "another tab",
      "p50 ms": round(p50),
      "p99 ms": round(p99),
      "longest task ms": Math.round(max),
    });
    if (of !== undefined)
      measured.push({
        what: `a flood of ${of} in ${where === "same" ? "the same" : "another"} tab: key to screen, p99`,
        yardstick: `${GOALS.key} ms`,
        ratio: p99 / GOALS.key,
        milliseconds: { candidate: p99, yardstick: GOALS.key },
        ...(where === "another" ? { goal: 1 } : {}),
      });
  }
  fixture.table({ title: "from a key to its character on screen", rows });
  return measured;
}

async function sidecarWhileFlooded({ requests }: Plan, fixture: BenchFixture): Promise<readonly Measured[]> {
  const { idle, flooded } = await answersWhileFlooded(requests);
  fixture.table({
    title: "the sidecar: until the first event for another session",
    rows: [
      { while: "idle", ...rounded(idle) },
      { while: "one agent floods", ...rounded(flooded) },
    ],
  });
  return [
    {
      what: "the sidecar answers while one agent floods, p99",
      yardstick: `${GOALS.sidecar} ms`,
      ratio: flooded.p99 / GOALS.sidecar,
      goal: 1,
      milliseconds: { candidate: flooded.p99, yardstick: GOALS.sidecar },
    },
  ];
}

/** The search of the sidecar, and the steps in which the page loads and draws the oldest entries. */
async function findInConversation(
  browser: Browser,
  { rounds }: Plan,
  fixture: BenchFixture,
): Promise<readonly Measured[]> {
  const measure = async (entries: number) => {
    const all = await times(rounds + 1, () => find(browser, entries)),
      least = (part: keyof (typeof all)[number]): number => Math.min(...all.map(each => each[part]));
    return { entries, count: least("count"), oldest: least("oldest"), maxTask: least("maxTask") };
  };
  const short = await measure(50),
    long = await measure(5_000);
  fixture.table({
    title: "find in a conversation, milliseconds (longest task 0: none over 50 ms)",
    rows: [short, long].map(({ entries, count, oldest, maxTask }) => ({
      entries,
      "until the count": round(count),
      "until the oldest match": round(oldest),
      "longest task": round(maxTask),
    })),
  });
  return [
    {
      what: "find in 5,000 entries: until the number of matches is on screen",
      yardstick: "in 50 entries",
      ratio: long.count / short.count,
      goal: GOALS.find,
      milliseconds: { candidate: long.count, yardstick: short.count },
    },
    {
      what: "find in 5,000 entries: until the oldest match is on screen",
      yardstick: "in 50 entries",
      ratio: long.oldest / short.oldest,
      milliseconds: { candidate: long.oldest, yardstick: short.oldest },
    },
    {
      what: "find in 5,000 entries: the longest task",
      yardstick: `${GOALS.frame} ms`,
      ratio: long.maxTask / GOALS.frame,
      goal: 1,
    },
  ];
}

const rounded = ({ p50, p99 }: { readonly p50: number; readonly p99: number }): Record<string, number> => ({
  "p50 ms": round(p50),
  "p99 ms": round(p99),
});

async function best<C extends Cost>(rounds: number, measure: () => Promise<C>): Promise<C> {
  const all = await times(rounds, measure);
  const cheapest = all.reduce((a, b) => (b.all < a.all ? b : a));
  return { ...cheapest, maxTask: Math.min(...all.map(({ maxTask }) => maxTask)) };
}

async function times<T>(rounds: number, measure: () => Promise<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for (let i = 0; i < rounds; i++) all.push(await measure());
  return all;
}

function row(corpus: Corpus, at: number, { all, script, layout }: Cost): Record<string, string | number> {
  return {
    corpus,
    "at characters": at,
    all: round(all),
    script: round(script),
    "layout and style": round(layout),
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
