import { deepEqual } from "node:assert/strict";
import { Log } from "../log";
import type { Review } from "../protocol/review/review";
import type { SidecarClient } from "../sidecar/client";
import { FakeSidecar } from "../testing/fake-sidecar";
import { modified, reviewOf } from "../testing/review-fixture";
import { EMPTY, groupState, ReviewList, reviewsOf, step, type ListEvent } from "./review-list";

const wanted: ListEvent = { kind: "wanted", isNew: false },
  started: ListEvent = { kind: "wanted", isNew: true };
const received = (...reviews: readonly Review[]): ListEvent => ({ kind: "received", reviews });
const changed = (review: Review): ListEvent => ({ kind: "changed", review });
/** A review whose first turn began at this time. */
const at = (id: string, time: number, path = "a.ts"): Review =>
  reviewOf(id, [modified(path)], { turns: [{ turn: 1, title: "", at: time }] });

function run(...events: readonly ListEvent[]): { readonly effects: string; readonly shown: readonly string[] } {
  let state = EMPTY;
  const effects = events.flatMap(event => {
    const [next, done] = step(state, event);
    state = next;
    return done;
  });
  return {
    effects: effects.join(" "),
    shown: reviewsOf(state).map(({ id, files }) => `${id} ${files[0]?.path ?? ""}`),
  };
}

suite("review list", () => {
  test("requests the list once, and again after changes during the request", () => {
    deepEqual(run(started, received(at("a", 1))), { effects: "load show remember", shown: ["a a.ts"] });
    deepEqual(run(started, wanted, wanted, received(), received(at("a", 1))), {
      effects: "load show load show remember",
      shown: ["a a.ts"],
    });
  });

  test("describes the menu of a session", () => {
    const review = reviewOf("r", [modified("a.ts")]),
      undoable: Partial<Review> = { operations: [{ id: "1", kind: "undo", files: 1 }] };
    deepEqual(
      [review, { ...review, ...undoable }, { ...review, ...undoable, limits: [{ kind: "unstored" as const }] }].map(
        groupState,
      ),
      ["session", "session undoable", "session incomplete undoable"],
    );
  });

  test("orders reviews by their first turn, the newest first", () =>
    deepEqual(run(started, received(at("a", 1), at("b", 3)), changed(at("c", 2))).shown, [
      "b a.ts",
      "c a.ts",
      "a a.ts",
    ]));

  test("prefers a change to the response, whichever came first", () => {
    const news = changed(at("a", 1, "new.ts"));
    deepEqual(run(started, news, received(at("a", 1))).shown, ["a new.ts"]);
    deepEqual(run(started, received(at("a", 1)), news).shown, ["a new.ts"]);
  });

  test("removes a review that has ended, also from a later response", () => {
    const ended = changed(reviewOf("a", []));
    deepEqual(run(started, received(at("a", 1)), ended).shown, []);
    deepEqual(run(started, ended, received(at("a", 1))).shown, []);
  });

  test("keeps a review without files while an operation can be undone", () =>
    deepEqual(run(changed(reviewOf("a", [], { operations: [{ id: "o", kind: "undo", files: 1 }] }))).shown, ["a "]));

  test("lists a review without files whose changes may be missing", () =>
    deepEqual(run(changed(reviewOf("a", [], { limits: [{ kind: "late", turn: 1 }] }))).shown, ["a "]));

  test("keeps the known reviews until another sidecar has listed its own", () => {
    const before = [started, received(at("a", 1)), changed(at("b", 2))];
    deepEqual(run(...before, started).shown, ["b a.ts", "a a.ts"]);
    deepEqual(run(...before, started, { kind: "failed" }).shown, ["b a.ts", "a a.ts"]);
    deepEqual(run(...before, started, received(at("a", 1))).shown, ["a a.ts"]);
  });

  test("asks a sidecar that starts during a request after that request has failed", () =>
    deepEqual(run(started, started, { kind: "failed" }, received(at("a", 1))), {
      effects: "load show load show remember",
      shown: ["a a.ts"],
    }));

  test("remembers that nothing is left only when all reviews are known", () => {
    const ended = changed(reviewOf("a", []));
    deepEqual(run(ended).effects, "show");
    deepEqual(run(started, ended).effects, "load show");
    deepEqual(run(started, { kind: "failed" }, ended).effects, "load show show");
    deepEqual(run(started, received(at("a", 1)), ended).effects, "load show remember show remember");
    deepEqual(run(changed(at("a", 1))).effects, "show remember");
  });

  test("brings the reviews up to date when the window has the focus again, except during their turns", async () => {
    const sidecar = new FakeSidecar(),
      remembered: boolean[] = [],
      client = await sidecar.current();
    let running: SidecarClient | undefined;
    const list = new ReviewList({
      running: () => running,
      folders: () => ["/w"],
      show: () => undefined,
      remember: hasReview => remembered.push(hasReview),
      log: new Log(),
    });
    await list.windowFocused();
    deepEqual(sidecar.calls, []);
    running = client;
    sidecar.reply("review/list", () => ({ reviews: [at("a", 1)] }));
    list.changed(at("a", 1));
    list.changed({ ...at("b", 2), isRunning: true });
    list.changed(reviewOf("c", [], { operations: [{ id: "o", kind: "undo", files: 1 }] }));
    await list.windowFocused();
    deepEqual(sidecar.calls, [
      { method: "review/list", params: { folders: ["/w"] } },
      { method: "review/refresh", params: { id: "a" } },
    ]);
    sidecar.refuse("review/refresh", new Error("The review has ended."));
    await list.windowFocused();
    deepEqual(remembered.at(-1), true);
  });
});
