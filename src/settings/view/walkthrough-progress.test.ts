import { deepEqual } from "node:assert/strict";
import type { ChatEvent } from "../../protocol/chat/chat";
import { FakeClock } from "../../protocol/testing/fake-clock";
import { Milestones } from "./walkthrough-progress";

const answer = { type: "upsert", entry: { kind: "agent", id: "a", text: "Hi" } } as const satisfies ChatEvent;
const prompt = { type: "upsert", entry: { kind: "user", id: "u", text: "hi" } } as const satisfies ChatEvent;
const NOTHING_SET = (): unknown => undefined;

function memory(kept = new Map<string, unknown>()) {
  return {
    get: (key: string) => kept.get(key),
    update: async (key: string, value: true) => {
      kept.set(key, value);
    },
  };
}

suite("walkthrough milestone", () => {
  const reached = (act: (milestones: Milestones) => void): readonly string[] => {
    const set: string[] = [],
      clock = new FakeClock();
    act(new Milestones(key => set.push(key), memory(), clock));
    deepEqual(set, [], "before VS Code has registered the walkthrough");
    clock.advance(10_000);
    return set;
  };

  test("is set at once after the registration, and not after disposal", () => {
    const set: string[] = [],
      clock = new FakeClock(),
      milestones = new Milestones(key => set.push(key), memory(), clock);
    clock.advance(10_000);
    milestones.settingsOpened();
    deepEqual(set, ["symposium.settingsUsed"]);
    const disposed = new Milestones(key => set.push(key), memory(), clock);
    disposed.settingsOpened();
    disposed.dispose();
    clock.advance(10_000);
    deepEqual(set, ["symposium.settingsUsed"]);
  });

  test("is restored after a restart", () => {
    const set: unknown[] = [],
      kept = memory(),
      clock = new FakeClock(),
      before = new Milestones(NOTHING_SET, kept, clock);
    before.event(answer, "ada");
    before.settingsOpened();
    new Milestones((key, value) => set.push([key, value]), kept, clock);
    clock.advance(10_000);
    deepEqual(set.sort(), [
      ["symposium.answered", true],
      ["symposium.settingsUsed", true],
      ["symposium.signedIn", true],
    ]);
  });

  test("sets agentChosen and answered once", () => {
    deepEqual(
      reached(milestones => {
        milestones.agent("elizacp");
        milestones.event(prompt, "elizacp");
      }),
      [],
    );
    deepEqual(
      reached(milestones => {
        for (const id of ["ada", "codex", "elizacp"]) milestones.agent(id);
        for (let i = 0; i < 2; i++) milestones.event(answer, "elizacp");
      }),
      ["symposium.agentChosen", "symposium.answered"],
    );
  });

  test("sets signedIn when another agent than Eliza answered or a key is stored", () => {
    deepEqual(
      reached(milestones => milestones.event(answer, "ada")),
      ["symposium.answered", "symposium.signedIn"],
    );
    deepEqual(
      reached(milestones => milestones.event(answer, undefined)),
      ["symposium.answered"],
    );
    deepEqual(
      reached(milestones => milestones.keyStored()),
      ["symposium.signedIn"],
    );
  });

  test("sets contextAdded when a prompt with an attachment was sent", () => {
    const attached: ChatEvent = {
      ...prompt,
      entry: { ...prompt.entry, attachments: [{ kind: "file", path: "/w/a" }] },
    };
    deepEqual(
      reached(milestones => {
        milestones.event({ ...prompt, entry: { ...prompt.entry, attachments: [] } }, "ada");
        milestones.event(prompt, "ada");
      }),
      [],
    );
    deepEqual(
      reached(milestones => milestones.event(attached, "ada")),
      ["symposium.contextAdded"],
    );
  });

  test("sets settingsUsed when the settings page opened or another setting changed", () => {
    deepEqual(
      reached(milestones => milestones.settingsOpened()),
      ["symposium.settingsUsed"],
    );
    const written = {
      "symposium.agents": [],
      "symposium.currentAgentId": "ada",
      "symposium.extensions": [],
      "symposium.bypassPermissions": ["ada"],
    };
    const changed = (own: Readonly<Record<string, unknown>>) =>
      reached(milestones => milestones.settings(name => own[name]));
    deepEqual(changed(written), []);
    for (const own of [{ "symposium.requireModifierToSend": false }, { ...written, "symposium.updates": "auto" }])
      deepEqual(changed(own), ["symposium.settingsUsed"]);
  });
});
