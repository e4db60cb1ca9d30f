import { deepEqual, equal } from "node:assert/strict";
import { arrived, cameBack, noDrafts, sent, typed } from "./drafts";

suite("drafts", () => {
  test("a sent prompt leaves the input and waits until the conversation has it", () => {
    const drafts = sent(typed(noDrafts, "hello"), { messageId: "m1", text: "hello" });
    deepEqual(drafts, { text: "", onTheWay: [{ messageId: "m1", text: "hello" }] });
    equal(arrived(drafts, [{ kind: "agent", id: "m1", text: "hello" }]), drafts);
    deepEqual(arrived(drafts, [{ kind: "user", id: "m1", text: "hello" }]), noDrafts);
  });

  test("a prompt that failed comes back before what was typed since", () => {
    const drafts = typed(sent(noDrafts, { messageId: "m1", text: "first" }), "second");
    const all = () => true;
    deepEqual(cameBack(drafts, all), { text: "first\nsecond", onTheWay: [] });
    deepEqual(cameBack(sent(noDrafts, { messageId: "m1", text: "first" }), all), { text: "first", onTheWay: [] });
    equal(cameBack(noDrafts, all), noDrafts);
  });

  test("of several prompts on their way only the one that failed comes back", () => {
    const two = sent(sent(noDrafts, { messageId: "m1", text: "first" }), { messageId: "m2", text: "second" });
    deepEqual(cameBack(two, ({ messageId }) => messageId === "m2"), { text: "second", onTheWay: [{ messageId: "m1", text: "first" }] });
    equal(cameBack(two, ({ messageId }) => messageId === "m3"), two);
  });
});
