/**
 * Kills the sidecar, its agent and its connection, and reloads the page, at random points of a turn, with the built
 * sidecar and the protocol of the host (issue 16). All shown content is restored without the agent, and an agent that
 * resumes remembers it. `npm run test:crash` runs a hundred rounds.
 */
import { deepEqual } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import type { Conversation } from "../../../src/protocol/chat/chat";
import { temporaryFolder } from "../drive";
import { BuiltSidecar, isIdle, shows } from "../golden/built-sidecar";
import { onlyPosix } from "../golden/golden";
import { lossesBetween, openIn } from "./survival";

const KINDS = ["sidecar", "agent", "connection", "page"] as const;

/** The script of the turn, and the prompts that wait behind it. */
const PHASES = {
  streaming: { script: "stream 300 chunks of 6 chars every 6 ms; say END", queued: [] },
  tool: {
    script: [
      "tool build execute Build",
      ...Array.from(
        { length: 60 },
        (_, i) => `toolupdate build in_progress text=${JSON.stringify("a line of output\n".repeat(i + 1))}\nsleep 25`,
      ),
    ].join("\n"),
    queued: [],
  },
  permission: { script: "say Before the question.; ask rm kind=execute title=Remove; say After", queued: [] },
  queue: {
    script: "stream 300 chunks of 6 chars every 6 ms; say END",
    queued: ["say The second prompt.", "say The third prompt."],
  },
} as const;

const round = fc.record({
  phase: fc.constantFrom(...(["streaming", "tool", "permission", "queue"] as const)),
  /** Number of events of the turn before the kill, if it has so many. */
  events: fc.integer({ min: 1, max: 25 }),
});

const ROUNDS = Number(process.env["SYMPOSIUM_KILLS"] ?? 8);
/** The events of a turn that waits for the user. */
const EVENTS_OF_A_QUESTION = 2;

suite("crash", () => {
  suiteSetup(function () {
    onlyPosix(this);
  });

  const rounds = fc.sample(fc.array(round, { minLength: ROUNDS, maxLength: ROUNDS }), 1)[0] ?? [];
  for (const [i, { phase, events }] of rounds.entries()) {
    const kind = KINDS[i % KINDS.length] ?? "page";
    test(`${i + 1} loses nothing: ${kind}, ${phase}, ${events} events`, async () => {
      using folder = temporaryFolder();
      const memory = path.join(folder.path, "memory"),
        flags = ["--memory", memory],
        word = `word-${i}`;
      await using first = await BuiltSidecar.start();
      const chat = { conversation: randomUUID(), cwd: first.cwd };
      await first.newChat(flags, chat);
      await first.prompt(`say I shall remember ${word}.`, isIdleAfter(word));
      const { script, queued } = PHASES[phase],
        received = first.received;
      for (const text of [script, ...queued])
        await first.ask("chat/prompt", {
          sessionId: first.sessionId,
          messageId: randomUUID(),
          blocks: [{ type: "text", text }],
        });
      const enough = phase === "permission" ? Math.min(events, EVENTS_OF_A_QUESTION) : events;
      await first.until(
        conversation => first.received - received >= enough || (first.received - received > 2 && isIdle(conversation)),
      );

      const before = first.conversation;
      await using second = await killed(kind, first);
      if (second !== first) {
        // The agent is not installed any more.
        await second.newChat(["--exit-at-start", "1"], chat);
        await second.replay();
        await second.until(({ entries }) => entries.length > 0);
      }
      await second.until(({ turn }) => kind === "page" || turn.state === "idle");
      deepEqual(lossesBetween(before, second.conversation), []);
      if (kind !== "page") deepEqual(openIn(second.conversation), []);
      if (second !== first) {
        await second.ask("chat/close", { sessionId: second.sessionId });
        await second.newChat(flags, chat);
        await second.replay();
      } else if (kind === "page") await second.ask("chat/cancel", { sessionId: second.sessionId });
      await second.until(isIdle);
      await second.prompt("recall", shows(`remembered: say I shall remember ${word}.`));
      deepEqual(lossesBetween(before, second.conversation), []);
      rmSync(memory, { force: true });
    });
  }
});

/** The sidecar that continues the conversation. */
async function killed(kind: (typeof KINDS)[number], sidecar: BuiltSidecar): Promise<BuiltSidecar> {
  switch (kind) {
    case "page": {
      const { received } = sidecar;
      await sidecar.replay();
      await sidecar.until(() => sidecar.received > received);
      return sidecar;
    }
    case "agent": {
      const agent = [...sidecar.children].at(-1);
      if (agent === undefined) throw new Error("no agent runs");
      process.kill(agent, "SIGKILL");
      await sidecar.until(shows("exited unexpectedly"));
      return sidecar;
    }
    case "sidecar":
      await sidecar.kill();
      return BuiltSidecar.start(sidecar);
    case "connection":
      await sidecar.hangUp();
      return BuiltSidecar.start(sidecar);
  }
}

const isIdleAfter =
  (text: string) =>
  (conversation: Conversation): boolean =>
    isIdle(conversation) && shows(text)(conversation);
