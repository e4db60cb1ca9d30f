import { deepEqual, equal } from "node:assert/strict";
import type { Attachment } from "../../src/protocol/chat/attachments";
import {
  arrived,
  restoreFailed,
  detached,
  isEmpty,
  noDrafts,
  promptOf,
  sent,
  takenBack,
  typed,
  type Drafts,
} from "./drafts";

const attached = (drafts: Drafts, attachments: readonly Attachment[]): Drafts => ({ ...drafts, attachments });
const A: Attachment = { kind: "file", path: "/w/a.ts" },
  B: Attachment = { kind: "folder", path: "/w/b" };
const first = { messageId: "m1", text: "first", attachments: [A] },
  second = { messageId: "m2", text: "second" };

suite("drafts", () => {
  test("keeps a sent prompt until the conversation contains it", () => {
    const drafts = sent(typed(noDrafts, "hello"), { messageId: "m1", text: "hello" });
    deepEqual(drafts, { ...noDrafts, onTheWay: [{ messageId: "m1", text: "hello" }] });
    equal(arrived(drafts, { entries: [{ kind: "agent", id: "m1", text: "hello" }] }), drafts);
    deepEqual(arrived(drafts, { entries: [{ kind: "user", id: "m1", text: "hello" }] }), noDrafts);
    deepEqual(
      arrived(drafts, { entries: [], queue: { prompts: [{ messageId: "m1", text: "hello" }], held: false } }),
      noDrafts,
    );
  });

  test("sends attachments with the prompt", () => {
    const drafts = typed(attached(noDrafts, [A, B]), "hello");
    const prompt = promptOf(drafts, { messageId: "m1", text: "hello" });
    deepEqual(prompt, { messageId: "m1", text: "hello", attachments: [A, B] });
    deepEqual(sent(drafts, prompt), { ...noDrafts, onTheWay: [prompt] });
    deepEqual(promptOf(noDrafts, second), second);
  });

  test("supports a draft of attachments alone, and their removal", () => {
    const drafts = attached(noDrafts, [A, B]);
    deepEqual(detached(drafts, { ...A }).attachments, [B]);
    deepEqual(
      [
        isEmpty(drafts),
        isEmpty(detached(detached(drafts, A), B)),
        isEmpty(typed(noDrafts, " \n")),
        isEmpty(typed(noDrafts, "x")),
      ],
      [false, true, true, false],
    );
  });

  test("restores a failed prompt before newer text and attachments", () => {
    const drafts = attached(typed(sent(noDrafts, first), "second"), [B]);
    const all = () => true;
    deepEqual(restoreFailed(drafts, all), { ...noDrafts, text: "first\nsecond", attachments: [A, B] });
    deepEqual(restoreFailed(sent(noDrafts, first), all), { ...noDrafts, text: "first", attachments: [A] });
    equal(restoreFailed(noDrafts, all), noDrafts);
  });

  test("restores only the failed one of several prompts", () => {
    const two = sent(sent(noDrafts, first), second);
    deepEqual(
      restoreFailed(two, ({ messageId }) => messageId === "m2"),
      { ...noDrafts, text: "second", onTheWay: [first] },
    );
    equal(
      restoreFailed(two, ({ messageId }) => messageId === "m3"),
      two,
    );
  });

  test("restores a withdrawn prompt unless it was sent", () => {
    const drafts = takenBack(takenBack(typed(noDrafts, "typed"), first), first);
    deepEqual(drafts.takenBack, [first]);
    equal(arrived(drafts, { entries: [], queue: { prompts: [first, second], held: true } }), drafts);
    deepEqual(arrived(drafts, { entries: [], queue: { prompts: [second], held: true } }), {
      ...noDrafts,
      text: "first\ntyped",
      attachments: [A],
    });
    deepEqual(arrived(drafts, { entries: [{ kind: "user", id: "m1", text: "first" }] }), {
      ...noDrafts,
      text: "typed",
    });
  });
});
