import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import fc from "fast-check";
import { at, file, ReviewedFolder } from "../testing/review/reviewed-folder";
import { stateIn } from "./review-log";
import type { Outcome } from "./review-decision";
import { linesOf } from "../../src/protocol/review/line-edits";

type Action =
  | {
      readonly kind: "agent" | "user" | "unnoticed";
      readonly path: string;
      readonly place: number;
      readonly deletes: boolean;
    }
  | { readonly kind: "accept" | "undo"; readonly turn: number | undefined; readonly path: string }
  | { readonly kind: "rewind"; readonly turn: number }
  | { readonly kind: "undoLast" | "reopen" };

const paths = fc.constantFrom("a.ts", "b.ts"),
  edits = (kind: "agent" | "user" | "unnoticed") =>
    fc.record({ kind: fc.constant(kind), path: paths, place: fc.nat(30), deletes: fc.boolean() });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: edits("agent") },
  { weight: 3, arbitrary: edits("user") },
  { weight: 2, arbitrary: edits("unnoticed") },
  fc.record({
    kind: fc.constantFrom("accept", "undo"),
    turn: fc.option(fc.nat(3), { nil: undefined }),
    path: paths,
  }),
  fc.record({ kind: fc.constant("rewind"), turn: fc.nat(3) }),
  fc.constant({ kind: "undoLast" }),
  fc.constant({ kind: "reopen" }),
);

/** Replaces or deletes a line, or inserts one at the end. Each written line occurs once. */
function edited(bytes: string, by: string, n: number, place: number, deletes: boolean): string {
  const lines = [...linesOf(bytes)],
    index = place % (lines.length + 1);
  lines.splice(index, 1, ...(deletes && index < lines.length ? [] : [`${by} ${n}\n`]));
  return lines.join("");
}

suite("review of a session", () => {
  test("lists the changed files with their unreviewed lines until they are kept or undone", async () => {
    const folder = new ReviewedFolder();
    folder.put("a.ts", file("1\n2\n3\n"));
    await folder.agent(0, "a.ts", file("1\ntwo\n3\n4\n"));
    await folder.agent(0, "new.ts", file("x\n"));
    deepEqual(folder.unreviewed, [
      ["a.ts", 2, 1],
      ["new.ts", 1, 0],
    ]);
    deepEqual(await folder.review.undo({ files: [at("new.ts")] }), { id: "operation 1", changed: 1, remaining: [] });
    equal(folder.bytes("new.ts"), undefined);
    await folder.review.acceptHunks(at("a.ts"), [{ reviewed: { start: 1, end: 2 }, current: { start: 1, end: 2 } }]);
    deepEqual(folder.unreviewed, [["a.ts", 1, 0]]);
    await folder.review.undoHunks(at("a.ts"), [{ reviewed: { start: 3, end: 3 }, current: { start: 3, end: 4 } }]);
    equal(folder.bytes("a.ts"), "1\ntwo\n3\n");
    deepEqual(folder.unreviewed, []);
  });

  test("undoes what another program has not changed, and leaves a file with overlapping changes", async () => {
    const folder = new ReviewedFolder();
    for (const path of ["a.ts", "b.ts"]) {
      folder.put(path, file("1\n2\n3\n4\n"));
      await folder.agent(0, path, file("1\n2 agent\n3\n4\n"));
    }
    folder.put("a.ts", file("1\n2 agent\n3\n4 mine\n"));
    folder.put("b.ts", file("1\n2 mine\n3\n4\n"));
    const { remaining } = await folder.review.undo({ files: [at("a.ts"), at("b.ts")], turn: 0 });
    equal(folder.bytes("a.ts"), "1\n2\n3\n4 mine\n");
    equal(folder.bytes("b.ts"), "1\n2 mine\n3\n4\n");
    const [conflict, ...others] = remaining;
    ok(conflict !== undefined && "merge" in conflict && others.length === 0);
    deepEqual([conflict.path, conflict.conflict], ["b.ts", "lines"]);
    const { base, current, wanted } = conflict.merge;
    deepEqual(
      [base, current, wanted].map(state => state && folder.contents.get(state.oid)),
      ["1\n2 agent\n3\n4\n", "1\n2 mine\n3\n4\n", "1\n2\n3\n4\n"],
    );
  });

  test("is busy until all its operations have ended, also if one fails", async () => {
    const folder = new ReviewedFolder();
    folder.review.begin({ title: "", at: 0 });
    await folder.agent(1, "a", file("a\n"));
    equal(folder.review.isBusy, false);
    const kept = folder.review.accept({ files: [at("a")] }),
      undone = folder.review.undo({ files: [at("a")], areSelected: true });
    equal(folder.review.isBusy, true);
    await kept;
    equal(folder.review.isBusy, true);
    await undone;
    equal(folder.review.isBusy, false);
    folder.free = 0;
    await rejects(folder.agent(1, "b", file("b\n")));
    equal(folder.review.isBusy, false);
  });

  test("reports a file that cannot be written, and keeps it unreviewed", async () => {
    const folder = new ReviewedFolder();
    folder.put("a.ts", file("1\n"));
    await folder.agent(0, "a.ts", file("2\n"));
    const sentence = "The file is read-only.";
    folder.refusal = sentence;
    deepEqual(await folder.review.undo({ files: [at("a.ts")] }), {
      changed: 0,
      remaining: [{ ...at("a.ts"), sentence }],
    });
    deepEqual(folder.unreviewed, [["a.ts", 1, 1]]);
    deepEqual(folder.review.state.operations, []);
  });

  test("deletes a file that may be the user's only if the user has selected it", async () => {
    const folder = new ReviewedFolder();
    folder.put("a.ts", file("1\n"));
    for (const path of ["a.ts", "new.ts"])
      await folder.review.observe([{ ...folder.put(path, file("2\n")), shared: true }], 0);
    const files = [at("a.ts"), at("new.ts")],
      left = (outcome: Outcome) => outcome.remaining.map(({ path }) => path);
    deepEqual(
      (await folder.review.rewindPreview(0)).map(({ path }) => path),
      ["a.ts"],
    );
    deepEqual(left(await folder.review.rewind(0)), ["new.ts"]);
    deepEqual(left(await folder.review.undo({ files })), ["new.ts"]);
    deepEqual(left(await folder.review.undo({ files, turn: 0 })), ["new.ts"]);
    deepEqual(folder.disk, [
      ["a.ts", "1\n"],
      ["new.ts", "2\n"],
    ]);
    deepEqual(left(await folder.review.undo({ files: [at("new.ts")], areSelected: true })), []);
    equal(folder.bytes("new.ts"), undefined);
  });

  test("changes nothing if the log is full, and never counts its own writes as the user's", async () => {
    const folder = new ReviewedFolder();
    for (const path of ["a.ts", "b.ts"]) {
      folder.put(path, file("1\n"));
      await folder.agent(0, path, file("2\n"));
    }
    folder.free = 0;
    await rejects(folder.review.undo({ files: folder.review.files }), /disk is full/);
    equal(folder.bytes("a.ts"), "2\n");
    // The operation begins, but its end cannot be stored.
    folder.free = 1;
    await rejects(folder.review.undo({ files: folder.review.files }), /disk is full/);
    deepEqual([folder.bytes("a.ts"), folder.bytes("b.ts")], ["1\n", "1\n"]);
    await rejects(folder.review.settle(), /disk is full/);
    folder.free = Infinity;
    folder.put("b.ts", file("2\n"));
    folder.reopen();
    await folder.review.settle();
    deepEqual(folder.unreviewed, [["b.ts", 1, 1]]);
    await folder.review.undoOperation("operation 2");
    deepEqual([folder.bytes("a.ts"), folder.bytes("b.ts")], ["2\n", "2\n"]);
    deepEqual(folder.unreviewed, [
      ["a.ts", 1, 1],
      ["b.ts", 1, 1],
    ]);
  });

  test("keeps and undoes hunks of a renamed file", async () => {
    const folder = new ReviewedFolder();
    folder.put("old.ts", file("1\n2\n3\n4\n5\n"));
    await folder.review.observe(
      [folder.put("old.ts", undefined), folder.put("new.ts", file("one\n2\n3\n4\nfive\n"))],
      0,
    );
    const hunk = (line: number) => ({
      reviewed: { start: line, end: line + 1 },
      current: { start: line, end: line + 1 },
    });
    deepEqual((await folder.review.undoHunks(at("new.ts"), [hunk(0)], at("old.ts"))).remaining, []);
    equal(folder.bytes("new.ts"), "1\n2\n3\n4\nfive\n");
    deepEqual((await folder.review.acceptHunks(at("new.ts"), [hunk(4)], at("old.ts"))).remaining, []);
    deepEqual(
      folder.review.files.map(({ reviewed, last }) =>
        [reviewed, last].map(each => folder.contents.get(each?.oid ?? "")),
      ),
      [
        ["1\n2\n3\n4\nfive\n", undefined],
        [undefined, "1\n2\n3\n4\nfive\n"],
      ],
    );
    deepEqual((await folder.review.undoHunks(at("new.ts"), [hunk(7)], at("old.ts"))).remaining.length, 1);
    await folder.review.undo({ files: folder.review.files });
    deepEqual([folder.bytes("old.ts"), folder.bytes("new.ts")], ["1\n2\n3\n4\nfive\n", undefined]);
  });

  test("restores a file that became a folder, and a folder that became a file", async () => {
    const folder = new ReviewedFolder();
    for (const path of ["file", "folder/a.ts"]) folder.put(path, file(`${path}\n`));
    const before = folder.disk,
      changes = [
        folder.put("file", undefined),
        folder.put("file/b.ts", file("b\n")),
        folder.put("folder/a.ts", undefined),
        folder.put("folder", file("no folder\n")),
      ];
    await folder.review.observe(changes, 0);
    const after = folder.disk,
      { id = "", remaining } = await folder.review.undo({ files: folder.review.files });
    deepEqual([folder.disk.filter(([, bytes]) => bytes !== undefined), remaining], [before, []]);
    deepEqual((await folder.review.undoOperation(id)).remaining, []);
    deepEqual(folder.disk, after);
  });

  test("undoes the other files if a content is missing", async () => {
    const folder = new ReviewedFolder();
    for (const path of ["a.ts", "b.ts"]) {
      folder.put(path, file(`${path}\n`));
      await folder.agent(0, path, file(`${path}\nagent\n`));
    }
    const lost = folder.review.files[0]?.reviewed;
    folder.contents.delete(lost?.oid ?? "");
    const { changed, remaining } = await folder.review.undo({ files: folder.review.files });
    deepEqual([changed, remaining.map(({ path }) => path)], [1, ["a.ts"]]);
    equal(folder.bytes("b.ts"), "b.ts\n");
  });

  test("previews a rewind, and writes exactly that", async () => {
    const folder = new ReviewedFolder();
    folder.put("a.ts", file("1\n2\n3\n"));
    await folder.agent(0, "a.ts", file("1 agent\n2\n3\n"));
    await folder.agent(1, "a.ts", file("1 agent\n2 agent\n3\n"));
    folder.put("a.ts", file("1 agent\n2 agent\n3 mine\n"));
    await folder.review.observe([], 1);
    const preview = await folder.review.rewindPreview(1);
    deepEqual(
      preview.map(({ path, after }) => [path, after && folder.contents.get(after.oid)]),
      [["a.ts", "1 agent\n2\n3\n"]],
    );
    await folder.review.rewind(1);
    equal(folder.bytes("a.ts"), "1 agent\n2\n3 mine\n", "with a change that was noticed since");
    await folder.review.rewind(0);
    equal(folder.bytes("a.ts"), "1\n2\n3 mine\n");
    deepEqual(folder.unreviewed, []);
  });

  test("loses no line of the user in random stories, restores with the undo of an operation, and survives restarts", () =>
    fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 14 }), async actions => {
        const folder = new ReviewedFolder(),
          start = Array.from({ length: 6 }, (_, i) => `start ${i}\n`).join("");
        for (const path of ["a.ts", "b.ts"]) folder.put(path, file(start));
        for (const [n, each] of actions.entries()) {
          const mine = folder.disk.flatMap(([, bytes]) => linesOf(bytes ?? "").filter(line => line.startsWith("user")));
          const { disk, review } = folder,
            reviewed = review.files.map(({ reviewed: state }) => state?.oid);
          let id: string | undefined;
          switch (each.kind) {
            case "agent":
            case "user":
            case "unnoticed": {
              const by = each.kind === "agent" ? "agent" : "user",
                change = folder.put(
                  each.path,
                  file(edited(folder.bytes(each.path) ?? "", by, n, each.place, each.deletes)),
                );
              if (each.kind === "agent") await review.observe([change], Math.floor(n / 4));
              else if (each.kind === "user") await review.observe([change]);
              continue;
            }
            case "reopen":
              folder.reopen();
              deepEqual(folder.review.files, review.files);
              deepEqual(stateIn(folder.log).operations, review.state.operations);
              continue;
            case "undoLast":
              await review.undoOperation(review.state.operations.at(-1)?.id ?? "none");
              break;
            case "rewind":
              ({ id } = await review.rewind(each.turn));
              break;
            default: {
              const { turn } = each;
              ({ id } = await review[each.kind]({
                files: [at(each.path)],
                ...(turn === undefined ? {} : { turn }),
              }));
            }
          }
          const after = folder.disk.flatMap(([, bytes]) => linesOf(bytes ?? ""));
          if (each.kind !== "undoLast") for (const line of mine) ok(after.includes(line), `${each.kind} loses ${line}`);
          if (id === undefined) deepEqual(folder.disk, disk);
          else {
            const { remaining } = await review.undoOperation(id);
            deepEqual([folder.disk, remaining], [disk, []], `the undo of ${each.kind} is no identity`);
            if (review.files.length === reviewed.length && !actions.some(({ kind }) => kind === "unnoticed"))
              deepEqual(
                review.files.map(({ reviewed: state }) => state?.oid),
                reviewed,
              );
          }
        }
      }),
      { numRuns: 2_000 },
    ));
});
