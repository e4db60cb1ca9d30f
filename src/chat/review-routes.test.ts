import { deepEqual } from "node:assert/strict";
import { begunWith } from "../testing/chat-controller-fixture";

suite("routes to the review", () => {
  test("pass actions with the conversation of the tab", async () => {
    const fixture = await begunWith();
    await fixture.send(
      { type: "review", tabId: "t", action: "open" },
      { type: "review", tabId: "t", action: "keep", entryId: "u" },
      { type: "review", tabId: "t", action: "undo", entryId: "u" },
      { type: "rewind", tabId: "t", entryId: "u" },
    );
    deepEqual(fixture.done, ["open review t undefined", "keep t u", "undo t u", "rewind t u false"]);
    deepEqual(fixture.calls("sessions/fork"), []);
  });

  test("create the branch after the files have been restored", async () => {
    const fixture = await begunWith(),
      request = { type: "rewind", tabId: "t", entryId: "u", newId: "new" } as const;
    fixture.rewinds = false;
    await fixture.send(request);
    deepEqual([fixture.done, fixture.calls("sessions/fork")], [["rewind t u true"], []], "cancelled");
    fixture.rewinds = true;
    await fixture.send(request);
    deepEqual(fixture.calls("sessions/fork"), [{ conversation: "t", newId: "new", before: "u" }]);
  });

  test("change nothing in an untrusted workspace, and for tabs without a session", async () => {
    const fixture = await begunWith();
    await fixture.send({ type: "review", tabId: "other", action: "undo" });
    fixture.trusted = false;
    await fixture.send(
      { type: "review", tabId: "t", action: "undo" },
      { type: "rewind", tabId: "t", entryId: "u", newId: "new" },
    );
    deepEqual([fixture.done, fixture.of("failed").length], [[], 2]);
  });
});
