import { deepEqual } from "node:assert/strict";
import fc from "fast-check";
import { selectFiles, type FileStatus } from "./listed-files";

const LIMITS = { maxFileBytes: 100 };
const UNLIMITED = { files: Infinity, bytes: Infinity };
const file = (size: number): FileStatus => ({ kind: "file", size });

suite("listed files", () => {
  test("are added, removed, left out or separate roots", () => {
    const statuses: Readonly<Record<string, FileStatus>> = {
      changed: file(100),
      grown: file(101),
      gone: { kind: "absent" },
      "became-folder": { kind: "folder" },
      pipe: { kind: "special" },
      new: file(1),
      link: { kind: "link" },
      secret: { kind: "unreadable" },
      vanished: { kind: "absent" },
      "bad\xff": file(1),
      "d/.GIT/x": file(1),
    };
    deepEqual(
      selectFiles(
        {
          modified: ["changed", "grown", "gone", "became-folder", "pipe"],
          others: ["new", "link", "secret", "vanished", "bad\xff", "d/.GIT/x", "nested/", "bad\xff/"],
        },
        path => statuses[path] ?? { kind: "absent" },
        UNLIMITED,
        LIMITS,
      ),
      {
        removed: ["gone", "became-folder"],
        added: ["changed", "new", "link"],
        nested: ["nested"],
        leftOut: [
          { path: "grown", why: "tooLarge" },
          { path: "pipe", why: "special" },
          { path: "secret", why: "unreadable" },
          { path: "bad\ufffd", why: "name" },
          { path: "d/.GIT/x", why: "name" },
          { path: "bad\ufffd/", why: "name" },
        ],
        addedBytes: 101,
        growth: { files: ["new", "link"], bytes: 1 },
      },
    );
  });

  test("never exceed the limits, and each is added or listed", () => {
    const sizes = fc.array(fc.nat(200)),
      remaining = fc.record({ files: fc.integer({ min: -2, max: 10 }), bytes: fc.integer({ min: -2, max: 500 }) });
    fc.assert(
      fc.property(sizes, remaining, (all, limit) => {
        const names = all.map((_, i) => `f${i}`),
          { added, leftOut, growth } = selectFiles(
            { modified: [], others: names },
            path => file(all[Number(path.slice(1))] ?? 0),
            limit,
            LIMITS,
          );
        deepEqual([...added, ...leftOut.map(({ path }) => path)].sort(), [...names].sort());
        deepEqual(growth.files, added);
        deepEqual(
          [growth.files.length <= Math.max(0, limit.files), growth.bytes <= Math.max(0, limit.bytes)],
          [true, true],
        );
      }),
    );
  });
});
