import { deepEqual, equal, fail } from "node:assert/strict";
import { PromptPreparation } from "./prompt-preparation";
import { turn } from "../testing/turn";

interface Pending {
  resolve(prepared: object): void;
  reject(error: Error): void;
}

/** A preparation, its events, and functions that start prompts. */
function started() {
  const events: string[] = [],
    preparation = new PromptPreparation();
  const begin = (name: string, prepare: (stopped: AbortSignal) => object | Promise<object>): void =>
    preparation.begin(
      stopped => {
        stopped.addEventListener("abort", () => events.push(`${name} stopped`));
        return prepare(stopped);
      },
      () => events.push(`${name} ready`),
      error => events.push(`${name} ${String(error)}`),
    );
  const beginPending = (name: string): Pending => {
    let pending: Pending | undefined;
    const prepared = new Promise<object>((resolve, reject) => {
      pending = { resolve, reject };
    });
    begin(name, () => prepared);
    return pending ?? fail();
  };
  return { events, preparation, begin, beginPending };
}

suite("PromptPreparation", () => {
  test("is ready at once without a promise", () => {
    const { events, preparation, begin } = started();
    begin("a", () => ({}));
    deepEqual([events, preparation.stop()], [["a ready"], false]);
  });

  test("reports a failure once and is idle then", async () => {
    const { events, preparation, begin, beginPending } = started();
    begin("a", () => {
      throw new Error("no");
    });
    beginPending("b").reject(new Error("no"));
    await turn();
    deepEqual([events, preparation.stop()], [["a Error: no", "b Error: no"], false]);
  });

  test("reports nothing about a stopped prompt", async () => {
    const { events, preparation, beginPending } = started(),
      first = beginPending("a");
    equal(preparation.stop(), true);
    const second = beginPending("b");
    preparation.stop();
    first.resolve({});
    second.reject(new Error("late"));
    await turn();
    deepEqual(events, ["a stopped", "b stopped"]);
  });

  test("stops a prompt when another begins", async () => {
    const { events, beginPending } = started(),
      first = beginPending("a"),
      second = beginPending("b");
    second.resolve({});
    first.resolve({});
    await turn();
    deepEqual(events, ["a stopped", "b ready"]);
  });
});
