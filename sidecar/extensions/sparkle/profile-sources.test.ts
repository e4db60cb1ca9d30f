import { deepEqual, equal, match, ok } from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../../testing/drive";
import { isRead, MAX_CHARACTERS, readSource, type Fetched } from "./profile-sources";

const errorOf = (fetched: Fetched) => (isRead(fetched) ? "(was read)" : fetched.error);

suite("profile sources", () => {
  test("returns a text, or a file in the session's folders", async () => {
    using folder = temporaryFolder();
    const [cwd, more] = ["cwd", "more"].map(name => path.join(folder.path, name)) as [string, string];
    for (const place of [cwd, more]) mkdirSync(place);
    writeFileSync(path.join(cwd, "me.md"), "I am");
    writeFileSync(path.join(more, "cv.md"), "CV");
    deepEqual(await readSource({ type: "text", value: "hello" }, []), {
      type: "text",
      value: "hello",
      content: "hello",
    });
    deepEqual(await readSource({ type: "File", value: "me.md" }, [cwd]), {
      type: "file",
      value: "me.md",
      content: "I am",
    });
    deepEqual(await readSource({ type: "file", value: path.join(more, "cv.md") }, [cwd, more]), {
      type: "file",
      value: path.join(more, "cv.md"),
      content: "CV",
    });
  });

  for (const [type, value] of [
    ["url", "https://example.com/me"],
    ["github", "someone"],
    ["", "x"],
  ])
    test(`rejects ${JSON.stringify(type)} with advice`, async () =>
      match(errorOf(await readSource({ type, value }, ["/"])), /Sparkle reads nothing from the network.*“content”/));

  test("rejects files outside the session's folders, also through a link", async () => {
    using folder = temporaryFolder();
    const cwd = path.join(folder.path, "cwd"),
      secret = path.join(folder.path, "secret");
    mkdirSync(cwd);
    writeFileSync(secret, "secret");
    if (process.platform !== "win32") symlinkSync(secret, path.join(cwd, "link"));
    for (const value of [secret, "../secret", "", ...(process.platform === "win32" ? [] : ["link"])])
      match(
        errorOf(await readSource({ type: "file", value }, [cwd])),
        /only files in the folders of this session/,
        value,
      );
    match(errorOf(await readSource({ type: "file", value: "x" }, [])), /only files/);
  });

  test("rejects non-files, binary files and missing files", async () => {
    using folder = temporaryFolder();
    writeFileSync(path.join(folder.path, "a.bin"), Buffer.from([0xff, 0xfe, 0]));
    match(errorOf(await readSource({ type: "file", value: "." }, [folder.path])), /not a file/);
    match(errorOf(await readSource({ type: "file", value: "a.bin" }, [folder.path])), /not a text file/);
    match(errorOf(await readSource({ type: "file", value: "none" }, [folder.path])), /cannot be read: ENOENT/);
    match(errorOf(await readSource("no object", [folder.path])), /reads nothing from the network/);
  });

  test("truncates long content at whole characters", async () => {
    using folder = temporaryFolder();
    writeFileSync(path.join(folder.path, "a.md"), "x" + "ö".repeat(MAX_CHARACTERS));
    const long = await readSource({ type: "file", value: "a.md" }, [folder.path]),
      pasted = await readSource({ type: "text", value: "y".repeat(MAX_CHARACTERS + 1) }, []);
    ok(isRead(long) && isRead(pasted));
    equal(long.content, "x" + "ö".repeat(MAX_CHARACTERS / 2 - 1));
    deepEqual([pasted.content.length, pasted.value.length], [MAX_CHARACTERS, 200]);
  });
});
