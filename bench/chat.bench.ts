/**
 * One turn with many updates in the real sidecar, at two sizes. The time per update must not depend on the number of
 * earlier updates.
 */
import { floodedSidecar } from "./chat/flooded-session";
import type { Bench, Measured } from "./measure";

const FLOODS: readonly (readonly [what: string, script: (n: number) => string])[] = [
  ["updates of one tool call", n => `flood ${n} updates`],
  ["tool calls", n => `flood ${n} tools`],
  ["results of 500 tool calls", n => `flood ${n} results`],
  ["pieces of text and of thoughts in turn", n => `flood ${n} thoughts`],
  ["plans", n => `flood ${n} plans`],
  ["updates of an unknown kind", n => `flood ${n} unknown`],
  ["pieces of text", n => `stream ${n} chunks of 20 chars`],
];

const bench: Bench = async fixture => {
  await using sidecar = await floodedSidecar();
  const large = fixture.quick ? 20_000 : 60_000,
    small = large / 4,
    measured: Measured[] = [],
    rows: Record<string, string | number>[] = [];
  for (const [what, script] of FLOODS) {
    const short = (await sidecar.turn(script(small))) / small,
      long = (await sidecar.turn(script(large))) / large;
    rows.push({
      "a turn of": what,
      [`${small}: s`]: Math.round(short * small) / 1_000,
      [`${large}: s`]: Math.round(long * large) / 1_000,
    });
    measured.push({
      what: `${what}: time of one of ${large}`,
      yardstick: `of one of ${small}`,
      ratio: long / short,
      goal: 1.5,
      milliseconds: { candidate: long, yardstick: short },
    });
  }
  fixture.table({ title: "a flooded turn, from the prompt to its end", rows });
  return measured;
};
export default bench;
