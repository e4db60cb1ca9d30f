import { deepEqual, equal } from "node:assert/strict";
import type { Addition } from "../../src/protocol/chat/chat";
import type { ExtensionDetails } from "../../src/protocol/chat/session-details";
import { Fixture } from "../testing/sessions/chat-fixture";
import { promptAdditions, setupAdditions } from "./prompt-additions";

const changed = (count: number, text?: string, cutFrom?: number): ExtensionDetails => ({
  id: "one",
  name: "One",
  prompts: {
    count,
    last: {
      added: 1,
      removed: 0,
      altered: 0,
      ...(text === undefined ? {} : { text }),
      ...(cutFrom === undefined ? {} : { cutFrom }),
    },
  },
});
const ADDED: Addition = { id: "one", name: "One", to: "prompt", text: "böse", bytes: 5 };

suite("additions to prompts", () => {
  test("are those of extensions that have changed one more prompt", () => {
    deepEqual(promptAdditions(undefined, { extensions: [changed(1, "böse")] }), [ADDED]);
    deepEqual(promptAdditions({ extensions: [changed(1, "x")] }, { extensions: [changed(1, "böse")] }), []);
    deepEqual(promptAdditions({ extensions: [changed(1, "x")] }, { extensions: [changed(2, "böse")] }), [ADDED]);
    deepEqual(promptAdditions(undefined, { extensions: [changed(1)] }), []);
    equal(promptAdditions(undefined, { extensions: [changed(1, "bö…", 9_999)] })[0]?.bytes, 9_999);
  });

  test("to the system prompt are shown at one prompt", () => {
    const details = { extensions: [{ id: "one", name: "One", setup: { members: ["_meta"], text: "rule" } }] },
      [addition] = setupAdditions({ details, entries: [] });
    deepEqual(addition, { id: "one", name: "One", to: "system", text: "rule", bytes: 4 });
    deepEqual(
      setupAdditions({
        details,
        entries: [{ kind: "user", id: "m", text: "hi", additions: addition ? [addition] : [] }],
      }),
      [],
    );
  });

  test("become part of the prompt's entry in the conversation", async () => {
    await using fixture = new Fixture();
    fixture.doing = [{ id: "two", name: "Two", setup: { members: ["_meta"], text: "rule" } }];
    const id = await fixture.open();
    await fixture.settle();
    await fixture.prompt(id, "hello");
    const request = await fixture.agents[0]!.next("session/prompt");
    fixture.doing = [...fixture.doing, changed(1, "böse")];
    for (const listener of fixture.hearing) listener();
    await fixture.settle();
    deepEqual(
      fixture.entries(id).flatMap(entry => (entry.kind === "user" ? [entry.additions] : [])),
      [[{ id: "two", name: "Two", to: "system", text: "rule", bytes: 4 }, ADDED]],
    );
    request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    await fixture.prompt(id, "again");
    (await fixture.agents[0]!.next("session/prompt")).respond({ stopReason: "end_turn" });
    await fixture.settle();
    equal(fixture.entries(id).flatMap(entry => (entry.kind === "user" ? [entry.additions] : []))[1], undefined);
  });
});
