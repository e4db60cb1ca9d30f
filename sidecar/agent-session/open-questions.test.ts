import { deepEqual } from "node:assert/strict";
import { ConnectionClosed } from "../rpc/peer";
import { OpenQuestions } from "./open-questions";

/** Questions and their events. */
function questions() {
  const events: string[] = [],
    open = new OpenQuestions<string>(id => events.push(`${id} withdrawn`));
  const add = (id: string): AbortController => {
    const withdrawal = new AbortController();
    open.add(id, { answer: response => events.push(`${id}: ${response}`) }, withdrawal.signal);
    return withdrawal;
  };
  return { events, open, add };
}

suite("OpenQuestions", () => {
  test("answers each question once", () => {
    const { events, open, add } = questions();
    add("a");
    add("b");
    open.answer("a", "yes");
    open.answer("a", "no");
    open.answer("c", "yes");
    deepEqual([events, open.ids], [["a: yes"], ["b"]]);
  });

  test("reports the withdrawal of an open question, also of one that was withdrawn before", () => {
    const { events, open, add } = questions();
    add("a").abort();
    const answered = add("b");
    open.answer("b", "yes");
    answered.abort();
    open.add("c", { answer: () => undefined }, AbortSignal.abort());
    deepEqual(
      [events, open.ids],
      [
        ["a withdrawn", "b: yes", "c withdrawn"],
        ["a", "c"],
      ],
    );
  });

  test("reports no withdrawal when the agent exits", () => {
    const { events, add } = questions();
    add("a").abort(new ConnectionClosed({ message: "gone" }));
    deepEqual(events, []);
  });
});
