import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { AgentFiles, linesOf, type Consent } from "./agent-files";

suite("agent files", () => {
  let base: string, root: string, asked: Consent[], written: string[];
  setup(() => {
    base = realpathSync(mkdtempSync(path.join(tmpdir(), "files-")));
    root = path.join(base, "work");
    mkdirSync(root);
    [asked, written] = [[], []];
  });
  teardown(() => {
    rmSync(base, { recursive: true });
  });
  function files(answer?: string): { read(raw: unknown): Promise<unknown>; write(raw: unknown): Promise<unknown> } {
    const made = new AgentFiles([root], {
      readTextFile: async file => `one of ${path.relative(base, file)}\ntwo\nthree`,
      writeTextFile: async (file, text) => {
        written.push(`${path.relative(base, file)}: ${text}`);
      },
    });
    const ask = async (consent: Consent): Promise<string | undefined> => {
      asked.push(consent);
      return answer;
    };
    return { read: raw => made.read(raw, ask), write: raw => made.write(raw, ask) };
  }

  test("reads and writes inside the workspace without a permission request", async () => {
    deepEqual(await files().read({ path: path.join(root, "a"), line: 2, limit: 1 }), { content: "two\n" });
    deepEqual(await files().write({ path: path.join(root, "new", "b"), content: "x" }), {});
    deepEqual([asked, written], [[], ["work/new/b: x"]]);
  });

  test("asks with the resolved path outside the workspace and returns a rejection to the agent", async () => {
    writeFileSync(path.join(base, "secret"), "s");
    symlinkSync(path.join(base, "secret"), path.join(root, "harmless"));
    await rejects(
      files("no").read({ path: path.join(root, "harmless") }),
      /The user did not allow this: .*secret is outside of the workspace/,
    );
    await rejects(files(undefined).write({ path: path.join(base, "x"), content: "" }), /did not allow/);
    deepEqual(
      asked.map(({ title }) => title),
      [`Read ${path.join(base, "secret")}`, `Write ${path.join(base, "x")}`],
    );
    match(JSON.stringify(asked[0]?.toolCall), /"resolves to"/);
    deepEqual(written, []);
  });

  test("asks again after a single permission, but not inside an allowed folder", async () => {
    const once = files("once"),
      folder = files("folder"),
      file = path.join(base, "other", "x");
    await once.read({ path: file });
    await once.read({ path: file });
    equal(asked.length, 2);
    await folder.read({ path: file });
    await folder.write({ path: path.join(base, "other", "deep", "y"), content: "y" });
    equal(asked.length, 3);
    await folder.read({ path: path.join(base, "else") });
    equal(asked.length, 4);
  });

  test("rejects an invalid path or content", async () => {
    for (const given of ["a", "", undefined, "/a\0b", 5])
      await rejects(files().read({ path: given }), /an absolute path is required/);
    await rejects(files().write({ path: path.join(root, "a"), content: 5 }), /a string is required/);
  });

  test("counts lines from 1 and keeps line endings", () => {
    const text = "a\r\nb\n\nc";
    deepEqual(
      [
        linesOf(text, 1, undefined),
        linesOf(text, 2, 1),
        linesOf(text, 3, 2),
        linesOf(text, 4, 9),
        linesOf(text, 5, 1),
        linesOf(text, 0, 1),
        linesOf(text, 1, 0),
      ],
      [text, "b\n", "\nc", "c", "", "a\r\n", ""],
    );
  });

  test("returns consecutive parts that join to the whole text", () =>
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 4 }), { maxLength: 8 }), fc.nat(9), (lines, n) => {
        const text = lines.join("\n");
        equal(linesOf(text, 1, n) + linesOf(text, n + 1, undefined), text);
      }),
    ));
});
