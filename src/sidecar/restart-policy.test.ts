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
  const said: string[] = [];
  for (const word of words) {
    const [kind = "", value = ""] = word.split(" ");
    if (kind === "minutes") {
      at += Number(value) * 60_000;
      continue;
    }
    const [next, effects] = step(phase, event(kind, value, phase.run, at));
    phase = next;
    said.push(...effects.map(told));
  }
  return [...said, `(${phase.kind})`].join(", ");
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

function told(effect: SidecarEffect): string {
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

suite("sidecar policy", () => {
  test("it starts when it is first wanted, once", () =>
    equal(run("wanted", "wanted", "shookHands", "wanted"), "start 1 own, (running)"));

  test("a death is answered with a start, each time after a longer wait, and the fifth in a row is the last", () =>
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

  test("deaths of more than three minutes ago are forgotten", () =>
    equal(
      run("wanted", "shookHands", "died", "waited", "shookHands", "died", "minutes 4", "waited", "shookHands", "died"),
      "start 1 own, wait 0, start 2 own, wait 500, start 3 own, wait 0, (backoff)",
    ));

  test("when VS Code's own Node gives no handshake, the login shell's is used, and kept", () =>
    equal(
      run("wanted", "startFailed otherNode", "shookHands", "died", "waited"),
      "start 1 own, start 2 login, wait 0, start 3 login, (starting)",
    ));

  test("when neither Node gives a handshake, that counts as one death, and both are tried again", () =>
    equal(
      run("wanted", "startFailed otherNode", "startFailed otherNode", "waited"),
      "start 1 own, start 2 login, wait 0, start 3 own, (starting)",
    ));

  test("a start that failed for good is not tried again until a person asks", () =>
    equal(run("wanted", "startFailed none", "wanted", "restartAsked"), "start 1 own, start 2 own, (starting)"));

  test("a person's restart stops what runs before it starts anew, and forgets the deaths", () => {
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

  test("what ends while it is being stopped is no death", () =>
    equal(
      run("wanted", "shookHands", "restartAsked", "died", "stopped"),
      "start 1 own, stop 1, start 2 own, (starting)",
    ));

  test("disposed in any phase, it stops what runs, and never starts again", () => {
    equal(run("disposeAsked", "wanted", "restartAsked"), "(stopped)");
    equal(run("wanted", "disposeAsked", "shookHands", "stopped", "wanted"), "start 1 own, stop 1, (stopped)");
    equal(run("wanted", "shookHands", "died", "disposeAsked", "waited"), "start 1 own, wait 0, (stopped)");
    equal(run("wanted", "shookHands", "restartAsked", "disposeAsked", "stopped"), "start 1 own, stop 1, (stopped)");
  });

  test("what a former process says changes nothing", () =>
    equal(
      run("wanted", "shookHands", "died", "waited", "shookHands", "died 1", "stopped 1", "waited 1"),
      "start 1 own, wait 0, start 2 own, (running)",
    ));

  test("in any order of events: one process at most, runs only rise, and no five deaths within three minutes are survived", () => {
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
