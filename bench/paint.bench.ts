/**
 * The start of the chat view until its first tab is on screen, the size of its script, and the delay of keys, against
 * another build (`webview/builds.ts`). Without another build, the yardsticks are a second of CPU time and the delay of
 * two frames.
 */
import { statSync } from "node:fs";
import type { Browser } from "playwright-core";
import type { Bench, Measured } from "./measure";
import { builds, GOAL_OF_BUILDS, inTurns, median } from "./webview/builds";
import { keys } from "./webview/floods";
import { inBrowser, View } from "./webview/view";

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
    // The first round only warms up the browser.
    const starts = (await inTurns((quick ? 5 : 15) + 1, () => start(browser))).map(each => each.slice(1)),
      delays = await inTurns(quick ? 1 : 3, () => delayOfKeys(browser, quick));
    const rows = builds().map((file, i) => ({
      build: i === 0 ? "this" : "the other",
      kB: Math.round(statSync(file).size / 1_000),
      "CPU ms": Math.round(median(starts[i]?.map(({ cpu }) => cpu))),
      "shown ms": Math.round(median(starts[i]?.map(({ shown }) => shown))),
      "key ms": Math.round(median(delays[i]) * 10) / 10,
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
            goal: other === undefined ? 1 : GOAL_OF_BUILDS,
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

async function start(browser: Browser): Promise<Started> {
  await using view = await View.open(browser);
  return { cpu: (await view.cpu()).all, shown: view.opened };
}

async function delayOfKeys(browser: Browser, quick: boolean): Promise<number> {
  return (await keys(browser, undefined, "another", quick ? 60 : 150)).p50;
}
