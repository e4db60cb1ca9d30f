/**
 * Restart policy of the sidecar: when to start it, how often, and when to give up. Pure; `supervisor.ts` executes the
 * effects.
 *
 *     idle ─wanted▶ starting ─shook hands▶ running ─died▶ backoff ─waited▶ starting …
 *                     │ own Node fails: the login shell's       │ fifth death in three minutes
 *                     └▶ starting …                             └▶ failed ─restart asked▶ starting
 *     starting, running ─restart or dispose asked▶ stopping ─stopped▶ starting, or stopped
 *
 * Invariants:
 * - At most one process is active.
 * - Each process has a unique `run` number; events of earlier runs change nothing.
 * - Only the user leaves `failed`. The user's restart resets the count of deaths.
 */
import { givenUp } from "../errors";
import { assertNever } from "../protocol/wire/wire";

/** The Node that runs the bundled program: VS Code's own, or the login shell's. */
export type NodeChoice = "own" | "login";

export type SidecarPhase =
  | { readonly kind: "idle"; readonly run: number }
  | {
      readonly kind: "starting" | "running";
      readonly run: number;
      readonly node: NodeChoice;
      readonly deaths: readonly number[];
    }
  | { readonly kind: "backoff"; readonly run: number; readonly node: NodeChoice; readonly deaths: readonly number[] }
  | { readonly kind: "stopping"; readonly run: number; readonly next: "start" | "rest" }
  /** `message` is for the user. */
  | { readonly kind: "failed"; readonly run: number; readonly message: string }
  | { readonly kind: "stopped"; readonly run: number };

/** The remedy for a failed start: another Node, another attempt, or none. */
export type Remedy = "otherNode" | "again" | "none";

export type SidecarEvent =
  | { readonly kind: "wanted" | "restartAsked" | "disposeAsked" }
  | { readonly kind: "shookHands" | "waited" | "stopped"; readonly run: number }
  | {
      readonly kind: "startFailed";
      readonly run: number;
      readonly at: number;
      readonly message: string;
      readonly remedy: Remedy;
    }
  /** After `shookHands`. `at`: the clock's time in ms. `message`: the reason. */
  | { readonly kind: "died"; readonly run: number; readonly at: number; readonly message: string };

export type SidecarEffect =
  | { readonly kind: "start"; readonly run: number; readonly node: NodeChoice }
  | { readonly kind: "wait"; readonly run: number; readonly ms: number }
  /** Ends the process of this run, which may still be starting. Answered by `stopped`. */
  | { readonly kind: "stop"; readonly run: number }
  | { readonly kind: "unexpected"; readonly event: SidecarEvent };

type Next = readonly [SidecarPhase, readonly SidecarEffect[]];

/** Delays before the restart after the first, second… recent exit. A further exit causes no restart. */
export const DELAYS_MS: readonly number[] = [0, 500, 2_000, 5_000];
export const RECENT_MS = 3 * 60_000;

export const IDLE: SidecarPhase = { kind: "idle", run: 0 };

export function step(phase: SidecarPhase, event: SidecarEvent): Next {
  if ("run" in event && event.run !== phase.run) return [phase, []];
  switch (phase.kind) {
    case "idle":
      switch (event.kind) {
        case "wanted":
        case "restartAsked":
          return start(phase.run + 1, "own", []);
        case "disposeAsked":
          return [{ kind: "stopped", run: phase.run }, []];
        default:
          return unexpected(phase, event);
      }
    case "starting":
      switch (event.kind) {
        case "wanted":
          return [phase, []];
        case "shookHands":
          return [{ ...phase, kind: "running" }, []];
        case "startFailed":
          if (event.remedy === "none") return [{ kind: "failed", run: phase.run, message: event.message }, []];
          if (event.remedy === "otherNode" && phase.node === "own") return start(phase.run + 1, "login", phase.deaths);
          return death({ ...phase, node: "own" }, event.at, event.message);
        case "restartAsked":
          return stop(phase.run, "start");
        case "disposeAsked":
          return stop(phase.run, "rest");
        default:
          return unexpected(phase, event);
      }
    case "running":
      switch (event.kind) {
        case "wanted":
          return [phase, []];
        case "died":
          return death(phase, event.at, event.message);
        case "restartAsked":
          return stop(phase.run, "start");
        case "disposeAsked":
          return stop(phase.run, "rest");
        default:
          return unexpected(phase, event);
      }
    case "backoff":
      switch (event.kind) {
        case "wanted":
          return [phase, []];
        case "waited":
          return start(phase.run + 1, phase.node, phase.deaths);
        case "restartAsked":
          return start(phase.run + 1, "own", []);
        case "disposeAsked":
          return [{ kind: "stopped", run: phase.run }, []];
        default:
          return unexpected(phase, event);
      }
    case "stopping":
      switch (event.kind) {
        case "stopped":
          return phase.next === "start" ? start(phase.run + 1, "own", []) : [{ kind: "stopped", run: phase.run }, []];
        case "disposeAsked":
          return [{ ...phase, next: "rest" }, []];
        case "wanted":
        case "restartAsked":
        case "shookHands":
        case "startFailed":
        case "died":
          return [phase, []];
        default:
          return unexpected(phase, event);
      }
    case "failed":
      switch (event.kind) {
        case "wanted":
          return [phase, []];
        case "restartAsked":
          return start(phase.run + 1, "own", []);
        case "disposeAsked":
          return [{ kind: "stopped", run: phase.run }, []];
        default:
          return unexpected(phase, event);
      }
    case "stopped":
      return [phase, []];
    default:
      return assertNever(phase, "sidecar phase");
  }
}

function start(run: number, node: NodeChoice, deaths: readonly number[]): Next {
  return [{ kind: "starting", run, node, deaths }, [{ kind: "start", run, node }]];
}

function stop(run: number, next: "start" | "rest"): Next {
  return [{ kind: "stopping", run, next }, [{ kind: "stop", run }]];
}

function death(
  { run, node, deaths: before }: { run: number; node: NodeChoice; deaths: readonly number[] },
  at: number,
  message: string,
): Next {
  const deaths = [...before.filter(time => at - time < RECENT_MS), at];
  const ms = DELAYS_MS[deaths.length - 1];
  if (ms === undefined) return [{ kind: "failed", run, message: givenUp(deaths.length, message) }, []];
  return [{ kind: "backoff", run, node, deaths }, [{ kind: "wait", run, ms }]];
}

function unexpected(phase: SidecarPhase, event: SidecarEvent): Next {
  return [phase, [{ kind: "unexpected", event }]];
}
