import { deepEqual } from "node:assert/strict";
import type { Review } from "../protocol/review/review";
import { modified, reviewOf } from "../testing/review-fixture";
import { EMPTY, reviewsOf, step, type ListEvent } from "./review-list";

const wanted: ListEvent = { kind: "wanted", isNew: false },
  started: ListEvent = { kind: "wanted", isNew: true };
const received = (...reviews: readonly Review[]): ListEvent => ({ kind: "received", reviews });
const changed = (review: Review): ListEvent => ({ kind: "changed", review });
/** A review whose first turn began at this time. */
const at = (id: string, time: number, path = "a.ts"): Review =>
  reviewOf(id, [modified(path)], { turns: [{ turn: 1, title: "", at: time }] });

/** All effects, then the shown reviews with their first files. */
function run(...events: readonly ListEvent[]): readonly unknown[] {
  let state = EMPTY;
  const effects = events.flatMap(event => {
    const [next, done] = step(state, event);
    state = next;
    return done;
  });
  return [...effects, reviewsOf(state).map(({ id, files }) => `${id} ${files[0]?.path ?? ""}`)];
}

suite("review list", () => {
  test("requests the list once, and again after changes during the request", () => {
    deepEqual(run(started, received(at("a", 1))), ["load", "show", ["a a.ts"]]);
    deepEqual(run(started, wanted, wanted, received(), received(at("a", 1))), [
      "load",
      "show",
      "load",
      "show",
      ["a a.ts"],
    ]);
  });

  test("orders reviews by their first turn, the newest first", () =>
    deepEqual(run(started, received(at("a", 1), at("b", 3)), changed(at("c", 2))).at(-1), [
      "b a.ts",
      "c a.ts",
      "a a.ts",
    ]));

  test("prefers a change to the response, whichever came first", () => {
    const news = changed(at("a", 1, "new.ts"));
    deepEqual(run(started, news, received(at("a", 1))).at(-1), ["a new.ts"]);
    deepEqual(run(started, received(at("a", 1)), news).at(-1), ["a new.ts"]);
  });

  test("removes a review that has ended, also from a later response", () => {
    const ended = changed(reviewOf("a", []));
    deepEqual(run(started, received(at("a", 1)), ended).at(-1), []);
    deepEqual(run(started, ended, received(at("a", 1))).at(-1), []);
  });

  test("keeps a review without files while an operation can be undone", () =>
    deepEqual(run(changed(reviewOf("a", [], { operations: [{ id: "o", kind: "undo", files: 1 }] }))).at(-1), ["a "]));

  test("lists a review without files whose changes may be missing", () =>
    deepEqual(run(changed(reviewOf("a", [], { limits: [{ kind: "late", turn: 1 }] }))).at(-1), ["a "]));

  test("keeps the known reviews until another sidecar has listed its own", () => {
    const before = [started, received(at("a", 1)), changed(at("b", 2))];
    deepEqual(run(...before, started).at(-1), ["b a.ts", "a a.ts"]);
    deepEqual(run(...before, started, { kind: "failed" }).at(-1), ["b a.ts", "a a.ts"]);
    deepEqual(run(...before, started, received(at("a", 1))).at(-1), ["a a.ts"]);
  });

  test("asks a sidecar that starts during a request after that request has failed", () =>
    deepEqual(run(started, started, { kind: "failed" }, received(at("a", 1))), [
      "load",
      "show",
      "load",
      "show",
      ["a a.ts"],
    ]));
});
