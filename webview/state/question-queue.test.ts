import { deepEqual } from "node:assert/strict";
import fc from "fast-check";
import type { Entry } from "../../src/protocol/chat/chat";
import { NO_QUESTIONS, questionQueue } from "./question-queue";

const question = (id: string, isAnswered = false): Entry => ({
  kind: "permission",
  id,
  agent: "Eliza",
  toolEntryId: "t",
  title: id,
  toolKind: "execute",
  content: [],
  options: [],
  ...(isAnswered ? { answered: { kind: "cancelled", why: "" } } : {}),
});
const shown = (entries: readonly Entry[]): readonly [readonly string[], number] => {
  const queue = questionQueue(entries);
  return [[...queue.shown], queue.waiting];
};

suite("questionQueue", () => {
  test("shows no question of a conversation without open ones", () => {
    deepEqual(questionQueue([]), NO_QUESTIONS);
    deepEqual(shown([question("a", true), { kind: "agent", id: "m", text: "Hi" }]), [[], 0]);
  });

  test("shows two questions together, and of more only the first, with the number of the others", () => {
    deepEqual(shown([question("a")]), [["a"], 0]);
    deepEqual(shown([question("a"), question("b")]), [["a", "b"], 0]);
    deepEqual(shown(Array.from({ length: 58 }, (_, i) => question(`q${i}`))), [["q0"], 57]);
  });

  test("shows the oldest open question, and counts each open one once (property)", () =>
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 70 }), answers => {
        const entries = answers.map((isAnswered, i) => question(`q${i}`, isAnswered)),
          open = entries.filter((_, i) => answers[i] === false).map(({ id }) => id),
          [ids, waiting] = shown(entries);
        deepEqual([ids[0], ids.length + waiting], [open[0], open.length]);
      }),
    ));
});
