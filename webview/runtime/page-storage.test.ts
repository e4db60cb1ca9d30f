import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { PageStorage, type TextStorage } from "./page-storage";
import { emptyPage, type SavedPage } from "../state/saved-page";
import { memoryStorage } from "../testing/memory-storage";

const page = (selected: string): SavedPage => ({ ...emptyPage, selected });
const NO_LIMITS = { session: undefined, opening: undefined };
const DAY_MS = 24 * 3600 * 1000;

/** A page whose view state never changes. */
function bare(storage: TextStorage | undefined, workspace: string | undefined, state?: SavedPage): PageStorage {
  const fails = (message: string): never => {
    throw new Error(message);
  };
  const viewState = { get: () => state, set: () => undefined };
  return new PageStorage({ viewState, storage, workspace, ...NO_LIMITS, timeOfDay: () => 1, onWarning: fails });
}

/** Both storages, which persist across pages, and a function that opens the next page. */
function browser(storage: TextStorage | undefined = memoryStorage()) {
  const warnings: string[] = [];
  const at = { time: 1_000, viewState: undefined as unknown, flushed: undefined as unknown };
  const open = (workspace: string | undefined = "w", session?: string, opening?: string): PageStorage =>
    new PageStorage({
      viewState: {
        get: () => at.viewState,
        set: state => {
          at.viewState = JSON.parse(JSON.stringify(state));
        },
      },
      storage,
      workspace,
      session,
      opening,
      timeOfDay: () => at.time,
      onWarning: message => warnings.push(message),
    });
  const save = (copy: PageStorage, selected: string): void => {
    copy.save(page(selected));
    copy.store();
  };
  const flush = (): void => {
      at.flushed = at.viewState;
    },
    reload = (): void => {
      at.viewState = at.flushed;
    };
  return { at, warnings, open, save, storage, flush, reload };
}

suite("PageStorage", () => {
  test("restores the last save despite delayed view state writes and clock changes", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.record({ kind: fc.constant("save" as const), selected: fc.uuid() }),
            fc.record({ kind: fc.constantFrom("flush" as const, "reload" as const, "rebuild" as const) }),
            fc.record({ kind: fc.constant("clock" as const), ms: fc.integer({ min: -5_000, max: 5_000 }) }),
          ),
        ),
        moves => {
          const { at, open, save, flush, reload } = browser();
          let copy = open(),
            last = copy.load().selected;
          for (const move of moves) {
            switch (move.kind) {
              case "save":
                save(copy, (last = move.selected));
                break;
              case "flush":
                flush();
                break;
              case "clock":
                at.time = Math.max(1, at.time + move.ms);
                break;
              case "reload":
              case "rebuild":
                if (move.kind === "reload") reload();
                copy = open();
                equal(copy.load().selected, last);
            }
          }
        },
      ),
    ));

  test("restores a newer view state, or the view state without browser storage", () => {
    const { at, open, save, storage } = browser();
    save(open(), "old");
    at.viewState = { ...page("new"), savedAt: 5_000 };
    equal(open().load().selected, "new");
    const without = bare(undefined, "w", page("kept"));
    without.save(page("other"));
    without.store();
    deepEqual([without.load().selected, storage?.length], ["kept", 1]);
  });

  test("reads no other workspace's copy and writes none without a workspace", () => {
    const { at, open, save, storage } = browser();
    save(open("a"), "of a");
    at.viewState = undefined;
    equal(open("b").load().selected, "");
    const unknown = bare(storage, undefined);
    unknown.save(page("x"));
    unknown.store();
    deepEqual([storage?.length, unknown.load().selected], [1, ""]);
  });

  test("restores no page of another session of VS Code if a session is given", () => {
    const { open, save } = browser();
    save(open("w", "first"), "of the first");
    equal(open("w", "first").load().selected, "of the first");
    deepEqual(open("w", "second").load(), emptyPage);
    equal(open("w").load().selected, "of the first", "after the setting is changed");
  });

  test("restores no page of an earlier editor in a new editor", () => {
    const { at, open, save } = browser(),
      of = (opening?: string): PageStorage => open("tab", undefined, opening);
    save(of("first"), "in the first editor");
    at.viewState = undefined;
    deepEqual(of("second").load(), emptyPage);
    save(of("second"), "in the second editor");
    for (const opening of ["second", undefined]) equal(of(opening).load().selected, "in the second editor");
  });

  test("removes copies of other workspaces after a week, but no foreign items", () => {
    const { at, open, save, storage } = browser();
    storage?.setItem("others", "thing");
    save(open("a"), "of a");
    at.time += 6 * DAY_MS;
    open("b").load();
    equal(storage?.length, 2);
    at.time += 2 * DAY_MS;
    open("a").load();
    equal(storage?.length, 2, "its own copy stays");
    open("b").load();
    deepEqual([storage?.length, storage?.getItem("others")], [1, "thing"]);
  });

  test("frees space by removing other workspaces' copies, or warns once and keeps the view state", () => {
    const { at, open, save, storage, warnings } = browser(memoryStorage(400));
    save(open("a"), "x".repeat(150));
    const copy = open("b");
    save(copy, "y".repeat(150));
    deepEqual([storage?.length, warnings], [1, []]);
    save(copy, "z".repeat(500));
    save(copy, "z".repeat(501));
    deepEqual([storage?.length, warnings.length], [0, 1]);
    equal(copy.load().selected.length, 501);
    at.viewState = undefined;
    equal(open("b").load().selected, "");
  });

  test("ignores an invalid copy", () => {
    const { open, storage, warnings } = browser();
    storage?.setItem("symposium-page/w", '{"savedAt":9');
    deepEqual([open().load(), warnings.length], [emptyPage, 1]);
  });
});
