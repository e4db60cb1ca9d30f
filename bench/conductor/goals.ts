/** The chains, and the goals for the ratios of their figures. Pure. */
import type { Measured } from "../measure";
import type { ChainSpec } from "./chain";
import { KINDS, type Kind } from "./messages";

const DIRECT = "no hop",
  INSIDE_1 = "1 in-process proxy",
  OUTSIDE_3 = "3 external proxies";
export const NATIVE = "native conductor",
  PIPE = "byte pipe",
  PARSE = "parse and stringify",
  CONDUCTOR = "conductor",
  INSIDE_3 = "3 in-process proxies",
  OUTSIDE_1 = "1 external proxy";

export const CHAINS: readonly ChainSpec[] = [
  { name: DIRECT, program: "agent", metered: 0, hops: 0 },
  { name: PIPE, program: "pipe", metered: 1, hops: 1 },
  { name: PARSE, program: "parse", metered: 1, hops: 1 },
  { name: CONDUCTOR, program: "conductor", metered: 1, hops: 1 },
  { name: INSIDE_1, program: "conductor", args: ["internal", "1"], metered: 1, hops: 1 },
  { name: INSIDE_3, program: "conductor", args: ["internal", "3"], metered: 1, hops: 1 },
  { name: OUTSIDE_1, program: "conductor", args: ["external", "1"], metered: 2, hops: 3 },
  { name: OUTSIDE_3, program: "conductor", args: ["external", "3"], metered: 4, hops: 7 },
];

/** Like the conductor, but measured from outside only. */
export const nativeChain = (path: string): ChainSpec => ({ name: NATIVE, program: { path }, metered: 0, hops: 1 });

/** Microseconds of one round, or of all. `cpu`: per message of a stream, for all processes between client and agent. */
export interface Figures {
  readonly p50: number;
  readonly p99: number;
  readonly cpu: number;
  readonly perSecond: number;
}

/** The medians of all rounds. */
export type Medians = (chain: string, kind: Kind) => Figures;

const NEAR_PIPE = 1.6,
  NEAR_PIPE_CPU = 1.3,
  FAR_FROM_PARSER = 0.6,
  NOT_LOOKING = 0.2;

/** Round trips through the conductor against those through the native one, which is the goal of issue 18 point 8. */
export function againstNative(medians: Medians): readonly Measured[] {
  return KINDS.flatMap(kind =>
    (["p50", "p99"] as const).map(of =>
      measured(
        `${CONDUCTOR}: ${of} of round trips, ${kind}`,
        medians(CONDUCTOR, kind)[of],
        NATIVE,
        medians(NATIVE, kind)[of],
        1,
      ),
    ),
  );
}

export function ratios(medians: Medians): readonly Measured[] {
  const added = (name: string, kind: Kind): number =>
    (medians(name, kind).p50 - medians(DIRECT, kind).p50) / hopsOf(name);
  const cpu = (name: string, kind: Kind): number => medians(name, kind).cpu / hopsOf(name);
  const eachInside = (kind: Kind, of: (name: string, kind: Kind) => number): number =>
    (of(INSIDE_3, kind) - of(CONDUCTOR, kind)) / 3;
  return [
    ...KINDS.flatMap(kind =>
      [CONDUCTOR, OUTSIDE_1, OUTSIDE_3].map(name =>
        measured(`${name}: p50 added by a hop, ${kind}`, added(name, kind), "byte pipe", added(PIPE, kind), NEAR_PIPE),
      ),
    ),
    ...KINDS.flatMap(kind =>
      [CONDUCTOR, OUTSIDE_1, OUTSIDE_3].map(name =>
        kind === "small"
          ? measured(
              `${name}: CPU of a hop, ${kind}`,
              cpu(name, kind),
              PARSE,
              cpu(PARSE, kind),
              name === CONDUCTOR ? FAR_FROM_PARSER : undefined,
            )
          : measured(
              `${name}: CPU of a hop, ${kind}`,
              cpu(name, kind),
              "byte pipe",
              cpu(PIPE, kind),
              name === CONDUCTOR ? NEAR_PIPE_CPU : undefined,
            ),
      ),
    ),
    ...KINDS.map(kind =>
      measured(
        `an in-process proxy: p50 added, ${kind}`,
        eachInside(kind, added),
        PARSE,
        added(PARSE, kind),
        kind === "small" ? NOT_LOOKING : undefined,
      ),
    ),
    ...KINDS.map(kind =>
      measured(`an in-process proxy: CPU, ${kind}`, eachInside(kind, cpu), PARSE, cpu(PARSE, kind), NOT_LOOKING),
    ),
  ];
}

function hopsOf(name: string): number {
  return Math.max(1, CHAINS.find(chain => chain.name === name)?.hops ?? 1);
}

function measured(
  what: string,
  candidate: number,
  yardstick: string,
  reference: number,
  goal: number | undefined,
): Measured {
  return {
    what,
    yardstick,
    ratio: candidate / reference,
    milliseconds: { candidate: candidate / 1000, yardstick: reference / 1000 },
    ...(goal === undefined ? {} : { goal }),
  };
}
