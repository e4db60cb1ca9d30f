import { deepEqual, equal, fail } from "node:assert/strict";
import { PromptPreparation } from "./prompt-preparation";

interface Pending {
  resolve(prepared: object): void;
  reject(error: Error): void;
}

/** A preparation, its events, and the ends of the prompts that are prepared. */
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
  const later = (name: string): Pending => {
    let pending: Pending | undefined;
    const prepared = new Promise<object>((resolve, reject) => {
      pending = { resolve, reject };
    });
    begin(name, () => prepared);
    return pending ?? fail();
  };
  return { events, preparation, begin, later };
}
const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

suite("PromptPreparation", () => {
  test("is ready at once without a promise", () => {
    const { events, preparation, begin } = started();
    begin("a", () => ({}));
    deepEqual([events, preparation.stop()], [["a ready"], false]);
  });

  test("reports a failure once and is idle then", async () => {
    const { events, preparation, begin, later } = started();
    begin("a", () => {
      throw new Error("no");
    });
    later("b").reject(new Error("no"));
    await settled();
    deepEqual([events, preparation.stop()], [["a Error: no", "b Error: no"], false]);
  });

  test("reports nothing about a stopped prompt", async () => {
    const { events, preparation, later } = started(),
      first = later("a");
    equal(preparation.stop(), true);
    const second = later("b");
    preparation.stop();
    first.resolve({});
    second.reject(new Error("late"));
    await settled();
    deepEqual(events, ["a stopped", "b stopped"]);
  });

  test("stops a prompt when another begins", async () => {
    const { events, later } = started(),
      first = later("a"),
      second = later("b");
    second.resolve({});
    first.resolve({});
    await settled();
    deepEqual(events, ["a stopped", "b ready"]);
  });
});
