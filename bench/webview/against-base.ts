/** Measures streamed answers and a burst of updates against another build, in alternating rounds (`builds.ts`). */
import type { Browser } from "playwright-core";
import type { BenchFixture, Measured } from "../measure";
import { GOAL_OF_BUILDS, inTurns, median } from "./builds";
import { CORPORA } from "./corpora";
import { burst } from "./floods";
import { costOf } from "./growth";

const FULL = { rounds: 9, chunks: 600 };
const QUICK = { rounds: 5, chunks: 300 };
const UPDATES = 5_000;

export async function againstBase(browser: Browser, { quick, table }: BenchFixture): Promise<readonly Measured[]> {
  const { rounds, chunks } = quick ? QUICK : FULL,
    measured: Measured[] = [],
    rows: Record<string, string | number>[] = [];
  const compared = (what: string, [own = [], other = []]: readonly (readonly number[])[]): void => {
    const ratios = own.map((value, round) => value / (other[round] ?? Number.NaN)),
      ratio = median(ratios);
    rows.push({
      measured: what,
      "this ms": Math.round(median(own)),
      "the other ms": Math.round(median(other)),
      ratio: ratio.toFixed(2),
      "ratios of the rounds": ratios.map(each => each.toFixed(2)).join(" "),
    });
    measured.push({ what, yardstick: "the other build", ratio, goal: GOAL_OF_BUILDS });
  };
  for (const name of CORPORA)
    compared(
      `${name}: CPU of an answer of ${chunks} chunks`,
      await inTurns(rounds, async () => 1000 * (await costOf(browser, name, chunks)).seconds),
    );
  compared(
    `${UPDATES} updates posted at once: until the last is on screen`,
    await inTurns(rounds, () => burst(browser, UPDATES)),
  );
  table({ title: "against the other build, medians", rows });
  return measured;
}
