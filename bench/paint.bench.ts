/**
 * The start of the chat view until its first tab is on screen, the size of its script, and the delay of keys, against
 * another build: `SYMPOSIUM_BENCH_BASE` is the path of its webview.js. Both builds take turns in every round. Without
 * another build, the yardsticks are a second of CPU time and the delay of two frames.
 */
import { statSync } from "node:fs";
import type { Browser } from "playwright-core";
import { quantile, type Bench, type Measured } from "./measure";
import { keys } from "./webview/floods";
import { inBrowser, View } from "./webview/view";

const GOAL = 1.1;
/** Milliseconds. */
const BUDGET = { cpu: 1_000, key: 34 };

interface Started {
  /** Milliseconds of the main thread, with the parsing of the script. */
  readonly cpu: number;
  /** Milliseconds until the tab is on screen, without the parsing. */
  readonly shown: number;
}

const bench: Bench = ({ quick, table }) =>
  inBrowser(async browser => {
    const base = process.env["SYMPOSIUM_BENCH_BASE"],
      builds = ["dist/webview.js", ...(base === undefined ? [] : [base])];
    const starts = new Map<string, Started[]>(builds.map(file => [file, []])),
      delays = new Map<string, number[]>(builds.map(file => [file, []]));
    for (let round = -1; round < (quick ? 5 : 15); round++)
      for (const file of builds) {
        const started = await start(browser, file);
        if (round >= 0) starts.get(file)?.push(started);
      }
    for (let round = 0; round < (quick ? 1 : 3); round++)
      for (const file of builds) delays.get(file)?.push(await withBuild(file, () => delayOfKeys(browser, quick)));
    const rows = builds.map((file, i) => ({
      build: i === 0 ? "this" : "the other",
      kB: Math.round(statSync(file).size / 1_000),
      "CPU ms": Math.round(median(starts.get(file)?.map(({ cpu }) => cpu))),
      "shown ms": Math.round(median(starts.get(file)?.map(({ shown }) => shown))),
      "key ms": Math.round(median(delays.get(file)) * 10) / 10,
    }));
    table({ title: "the start of the chat view, medians", rows });
    const [own, other] = rows;
    return own === undefined ? [] : measured(own, other);
  });
export default bench;

type Row = Readonly<Record<"kB" | "CPU ms" | "shown ms" | "key ms", number>>;

function measured(own: Row, other: Row | undefined): readonly Measured[] {
  const compared = (what: string, column: keyof Row, budget?: number): readonly Measured[] => {
    const yardstick = other?.[column] ?? budget;
    return yardstick === undefined
      ? []
      : [
          {
            what,
            yardstick: other === undefined ? `${yardstick} ms` : "the other build",
            ratio: own[column] / yardstick,
            goal: other === undefined ? 1 : GOAL,
          },
        ];
  };
  return [
    ...compared("the size of the page's script", "kB"),
    ...compared("CPU until the first tab is on screen", "CPU ms", BUDGET.cpu),
    ...compared("time until the first tab is on screen", "shown ms", BUDGET.cpu),
    ...compared("from a key to its character on screen, p50", "key ms", BUDGET.key),
  ];
}

async function start(browser: Browser, file: string): Promise<Started> {
  return withBuild(file, async () => {
    await using view = await View.open(browser);
    return { cpu: (await view.cpu()).all, shown: view.opened };
  });
}

async function delayOfKeys(browser: Browser, quick: boolean): Promise<number> {
  return (await keys(browser, undefined, "another", quick ? 60 : 150)).p50;
}

/** `View.open` reads the variable. */
async function withBuild<T>(file: string, work: () => Promise<T>): Promise<T> {
  process.env["SYMPOSIUM_BENCH_WEBVIEW"] = file;
  try {
    return await work();
  } finally {
    delete process.env["SYMPOSIUM_BENCH_WEBVIEW"];
  }
}

const median = (values: readonly number[] = []): number => quantile([...values], 0.5);
