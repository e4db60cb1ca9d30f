import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import {
  DELAYS_MS,
  IDLE,
  RECENT_MS,
  step,
  type Remedy,
  type SidecarEffect,
  type SidecarEvent,
  type SidecarPhase,
} from "./restart-policy";

/** Applies events in a short notation to the current run; returns the effects and the last phase as text. */
function run(...words: string[]): string {
  let phase = IDLE;
  let at = 0;
  const texts: string[] = [];
  for (const word of words) {
    const [kind = "", value = ""] = word.split(" ");
    if (kind === "minutes") {
      at += Number(value) * 60_000;
      continue;
    }
    const [next, effects] = step(phase, event(kind, value, phase.run, at));
    phase = next;
    texts.push(...effects.map(effectText));
  }
  return [...texts, `(${phase.kind})`].join(", ");
}

function event(kind: string, value: string, now: number, at: number): SidecarEvent {
  switch (kind) {
    case "wanted":
    case "restartAsked":
    case "disposeAsked":
      return { kind };
    case "startFailed":
      return { kind, run: now, at, message: "No.", remedy: value as Remedy };
    case "died":
      return { kind, run: value === "" ? now : Number(value), at, message: "Exit code 1." };
    case "shookHands":
    case "waited":
    case "stopped":
      return { kind, run: value === "" ? now : Number(value) };
    default:
      throw new Error(`no event ${kind}`);
  }
}

function effectText(effect: SidecarEffect): string {
  switch (effect.kind) {
    case "start":
      return `start ${effect.run} ${effect.node}`;
    case "wait":
      return `wait ${effect.ms}`;
    case "stop":
      return `stop ${effect.run}`;
    case "unexpected":
      return `unexpected ${effect.event.kind}`;
  }
}

suite("restart policy", () => {
  test("starts once on the first request", () =>
    equal(run("wanted", "wanted", "shookHands", "wanted"), "start 1 own, (running)"));

  test("restarts after each exit with increasing delays and fails at the fifth", () =>
    equal(
      run(
        "wanted",
        "shookHands",
        "died",
        "waited",
        "shookHands",
        "died",
        "waited",
        "died 2",
        "shookHands",
        "died",
        "waited",
        "shookHands",
        "died",
        "waited",
        "shookHands",
        "died",
      ),
      "start 1 own, wait 0, start 2 own, wait 500, start 3 own, wait 2000, start 4 own, wait 5000, start 5 own, (failed)",
    ));

  test("forgets exits older than three minutes", () =>
    equal(
      run("wanted", "shookHands", "died", "waited", "shookHands", "died", "minutes 4", "waited", "shookHands", "died"),
      "start 1 own, wait 0, start 2 own, wait 500, start 3 own, wait 0, (backoff)",
    ));

  test("switches permanently to the login shell's Node if VS Code's fails the handshake", () =>
    equal(
      run("wanted", "startFailed otherNode", "shookHands", "died", "waited"),
      "start 1 own, start 2 login, wait 0, start 3 login, (starting)",
    ));

  test("counts one exit if both Nodes fail and tries both again", () =>
    equal(
      run("wanted", "startFailed otherNode", "startFailed otherNode", "waited"),
      "start 1 own, start 2 login, wait 0, start 3 own, (starting)",
    ));

  test("retries a permanent failure only on the user's request", () =>
    equal(run("wanted", "startFailed none", "wanted", "restartAsked"), "start 1 own, start 2 own, (starting)"));

  test("stops the process before a user's restart and forgets earlier exits", () => {
    equal(
      run("wanted", "shookHands", "restartAsked", "restartAsked", "wanted", "stopped"),
      "start 1 own, stop 1, start 2 own, (starting)",
    );
    const deaths = Array.from({ length: 5 }, () => ["shookHands", "died", "waited"])
      .flat()
      .slice(0, -1);
    equal(
      run("wanted", ...deaths, "restartAsked", "shookHands", "died")
        .split(", ")
        .slice(-3)
        .join(", "),
      "start 6 own, wait 0, (backoff)",
    );
  });

  test("does not count an exit during a stop", () =>
    equal(
      run("wanted", "shookHands", "restartAsked", "died", "stopped"),
      "start 1 own, stop 1, start 2 own, (starting)",
    ));

  test("stops the process when disposed in any phase and never starts again", () => {
    equal(run("disposeAsked", "wanted", "restartAsked"), "(stopped)");
    equal(run("wanted", "disposeAsked", "shookHands", "stopped", "wanted"), "start 1 own, stop 1, (stopped)");
    equal(run("wanted", "shookHands", "died", "disposeAsked", "waited"), "start 1 own, wait 0, (stopped)");
    equal(run("wanted", "shookHands", "restartAsked", "disposeAsked", "stopped"), "start 1 own, stop 1, (stopped)");
  });

  test("ignores events of a previous process", () =>
    equal(
      run("wanted", "shookHands", "died", "waited", "shookHands", "died 1", "stopped 1", "waited 1"),
      "start 1 own, wait 0, start 2 own, (running)",
    ));

  test("runs at most one process and never exceeds four recent exits (property)", () => {
    const kinds = [
      "wanted",
      "shookHands",
      "died",
      "waited",
      "stopped",
      "restartAsked",
      "disposeAsked",
      "startFailed otherNode",
      "startFailed again",
      "minutes 1",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...kinds), { maxLength: 60 }), words => {
        let phase: SidecarPhase = IDLE;
        let at = 0;
        let alive = 0;
        for (const word of words) {
          const [kind = "", value = ""] = word.split(" ");
          if (kind === "minutes") {
            at += 60_000;
            continue;
          }
          const before = phase;
          const [next, effects] = step(phase, event(kind, value, phase.run, at));
          phase = next;
          ok(next.run >= before.run);
          if (kind === "died" || kind === "startFailed" || kind === "stopped") if (next !== before) alive = 0;
          for (const effect of effects) {
            if (effect.kind === "start") {
              equal(alive, 0, "two at once");
              alive++;
            }
            if (effect.kind === "unexpected") deepEqual(next, before);
          }
          if ("deaths" in next) ok(next.deaths.filter(time => at - time < RECENT_MS).length <= DELAYS_MS.length);
        }
      }),
      { numRuns: 300 },
    );
  });
});
