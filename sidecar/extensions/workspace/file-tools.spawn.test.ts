/** Files, with and without a client that has an editor: accessible paths and permission requests. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { objectOr } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import { skipped } from "../../testing/skipped";
import { choosing, EDITOR, WorkspaceRig } from "../../testing/extensions/workspace-rig";
import { nodeFiles, textFiles } from "./text-files";

const allow = (): unknown => choosing("allow");

suite("read_file", () => {
  test("returns a file of the session's folders, whole or by lines", async () => {
    await using rig = new WorkspaceRig();
    const more = path.join(rig.base, "more");
    mkdirSync(more);
    writeFileSync(path.join(more, "b.txt"), "b");
    await rig.begin({}, { additionalDirectories: [more] });
    rig.put("src/a.txt", "1\r\n2\r\n3\r\n");
    deepEqual(
      [
        (await rig.call("read_file", { path: "src/a.txt" })).text,
        (await rig.call("read_file", { path: rig.at("src/a.txt"), startLine: 2, endLine: 2 })).text,
        (await rig.call("read_file", { path: "../more/b.txt" })).text,
      ],
      ["1\n2\n3\n", "2", "b"],
    );
    deepEqual(rig.asked, []);
  });

  test("returns a sentence for missing, binary, special and oversized files and invalid arguments", async function () {
    await using rig = new WorkspaceRig();
    await rig.begin();
    rig.put("binary", Buffer.from([65, 0, 66]));
    rig.put("latin", Buffer.from([0xe4, 0x20]));
    rig.put("large", Buffer.alloc(11 * 1024 * 1024, "x"));
    mkdirSync(rig.at("folder"));
    match(await rig.failure("read_file", { path: "none/x" }), /File none\/x does not exist\. Use search_files/);
    for (const name of ["binary", "latin"])
      equal(await rig.failure("read_file", { path: name }), `${name} is not UTF-8 text and cannot be read or changed.`);
    match(await rig.failure("read_file", { path: "large" }), /large has 11 MB; the limit is 10 MB/);
    equal(
      await rig.failure("read_file", { path: "folder" }),
      "folder is a folder. Use search_files to see what is in it.",
    );
    match(await rig.failure("read_file", { path: "binary\0" }), /empty or invalid/);
    rig.put("a", "one");
    equal(await rig.failure("read_file", { path: "a", startLine: 2 }), "a: The file has only 1 lines.");
    if (process.platform === "win32") return skipped(this, "There are no such files on Windows");
    execFileSync("mkfifo", [rig.at("pipe")]);
    equal(await rig.failure("read_file", { path: "pipe" }), "pipe is not a regular file.");
  });

  test("rejects a path outside the session's folders, also through a link", async () => {
    await using rig = new WorkspaceRig();
    writeFileSync(path.join(rig.base, "secret"), "s");
    mkdirSync(path.join(rig.base, "workshop"));
    symlinkSync(path.join(rig.base, "secret"), rig.at("harmless.txt"));
    symlinkSync(rig.base, rig.at("out"));
    symlinkSync(rig.at("a.txt"), path.join(rig.base, "in.txt"));
    rig.put("a.txt", "inside");
    await rig.begin(EDITOR);
    rig.answer = () => ({ content: "inside" });
    for (const file of [
      "../secret",
      path.join(rig.base, "secret"),
      "harmless.txt",
      "out/secret",
      "out/none/deeper",
      "../workshop/x",
    ]) {
      for (const [tool, overrides] of [
        ["read_file", {}],
        ["write_file", { content: "x" }],
        ["edit_file", { old_string: "s", new_string: "x" }],
      ] as const)
        match(
          await rig.failure(tool, { path: file, ...overrides }),
          /is outside of the session's folders/,
          `${tool} ${file}`,
        );
      match(await rig.failure("search_content", { pattern: "s", path: file }), /is outside/);
      match(await rig.failure("run_terminal", { command: "true", cwd: file }), /is outside/);
    }
    match(
      await rig.failure("read_file", { path: "harmless.txt" }),
      new RegExp(`it resolves to ${path.join(rig.base, "secret")}`),
    );
    deepEqual(rig.asked, [], "nobody was asked for any of it");
    equal((await rig.call("read_file", { path: "../in.txt" })).text, "inside", "what leads inside is inside");
  });

  test("returns the editor's text by the real path", async () => {
    await using rig = new WorkspaceRig();
    rig.put("a.txt", "on disk");
    symlinkSync(rig.at("a.txt"), rig.at("link.txt"));
    await rig.begin({ fs: { readTextFile: true } });
    rig.answer = (_, params) => {
      deepEqual([params.path, params.sessionId], [rig.at("a.txt"), "s1"]);
      return { content: "unsaved" };
    };
    equal((await rig.call("read_file", { path: "link.txt" })).text, "unsaved");
    rig.answer = () => {
      throw new RpcError(RpcCode.internalError, "It is not a text file.");
    };
    equal(await rig.failure("read_file", { path: "a.txt" }), "a.txt could not be read: It is not a text file.");
    rig.answer = () => ({ text: 1 });
    equal(await rig.failure("read_file", { path: "a.txt" }), "a.txt could not be read: the editor sent no text.");
    rig.answer = () => {
      throw new RpcError(RpcCode.notFound, "gone");
    };
    match(await rig.failure("read_file", { path: "a.txt" }), /File a\.txt does not exist/);
    deepEqual(rig.asked, ["fs/read_text_file", "fs/read_text_file", "fs/read_text_file", "fs/read_text_file"]);
  });
});

suite("write_file", () => {
  test("requests permission with the change, creates folders and ends the tool call", async () => {
    await using rig = new WorkspaceRig();
    await rig.begin();
    rig.answer = (_, { toolCall, options }) => {
      const { title, kind, content, locations, rawInput, status } = objectOr(toolCall),
        file = rig.at("new/deep/a.txt");
      deepEqual(
        { title, kind, content, locations, rawInput, status },
        {
          title: "Make new/deep/a.txt",
          kind: "edit",
          content: [{ type: "diff", path: file, newText: "one\ntwo\n" }],
          locations: [{ path: file }],
          rawInput: undefined,
          status: "pending",
        },
      );
      deepEqual(options, [
        { optionId: "allow", name: "Allow", kind: "allow_once" },
        { optionId: "always", name: "Always Allow Writing Files (This Session)", kind: "allow_always" },
        { optionId: "deny", name: "Deny", kind: "reject_once" },
      ]);
      ok(!existsSync(rig.at("new")), "nothing is done before it is allowed");
      return choosing("allow");
    };
    const { text, structured } = await rig.call("write_file", { path: "new/deep/a.txt", content: "one\ntwo\n" });
    deepEqual(
      [text, structured, readFileSync(rig.at("new/deep/a.txt"), "utf8")],
      ["Made new/deep/a.txt: 2 lines.", { success: true, path: rig.at("new/deep/a.txt") }, "one\ntwo\n"],
    );
    deepEqual(
      rig.updates.map(({ sessionUpdate, status }) => `${String(sessionUpdate)} ${String(status)}`),
      ["tool_call pending", "tool_call_update in_progress", "tool_call_update completed"],
    );
  });

  test("keeps the line endings of an existing file and shows its old text", async () => {
    await using rig = new WorkspaceRig();
    rig.put("a.txt", "a\r\nb\r\n");
    await rig.begin();
    rig.answer = (_, { toolCall }) => {
      deepEqual(objectOr(toolCall).content, [
        { type: "diff", path: rig.at("a.txt"), oldText: "a\r\nb\r\n", newText: "x\r\ny" },
      ]);
      return choosing("allow");
    };
    equal((await rig.call("write_file", { path: "a.txt", content: "x\ny" })).text, "Wrote a.txt: 2 lines.");
    equal(readFileSync(rig.at("a.txt"), "utf8"), "x\r\ny");
  });

  test("writes with the editor if it supports it", async () => {
    await using rig = new WorkspaceRig();
    rig.put("a.txt", "old");
    const written: unknown[] = [];
    await rig.begin(EDITOR);
    rig.answer = ({ method }, params) => {
      if (method === "fs/read_text_file") return { content: "unsaved" };
      if (method === "fs/write_text_file") {
        written.push(params);
        return {};
      }
      deepEqual(objectOr(params.toolCall).content, [
        { type: "diff", path: rig.at("a.txt"), oldText: "unsaved", newText: "new" },
      ]);
      return choosing("allow");
    };
    await rig.call("write_file", { path: "a.txt", content: "new" });
    deepEqual(
      [written, readFileSync(rig.at("a.txt"), "utf8")],
      [[{ sessionId: "s1", path: rig.at("a.txt"), content: "new" }], "old"],
    );
    rig.answer = ({ method }) => {
      if (method === "fs/write_text_file") throw new RpcError(RpcCode.internalError, "It could not be saved.");
      return method === "fs/read_text_file" ? { content: "x" } : choosing("allow");
    };
    equal(
      await rig.failure("write_file", { path: "a.txt", content: "new" }),
      "a.txt could not be written: It could not be saved.",
    );
    deepEqual(rig.cards, ["Write a.txt completed", "Write a.txt failed"]);
  });

  test("does not overwrite a file that changed during the permission request", async () => {
    await using rig = new WorkspaceRig();
    rig.put("a.txt", "old");
    await rig.begin();
    rig.answer = () => {
      rig.put("a.txt", "the user's");
      return choosing("allow");
    };
    match(
      await rig.failure("write_file", { path: "a.txt", content: "new" }),
      /a\.txt was changed while the user was asked/,
    );
    equal(readFileSync(rig.at("a.txt"), "utf8"), "the user's");
  });

  test("does not follow a link created during the permission request", async () => {
    await using rig = new WorkspaceRig();
    const outside = path.join(rig.base, "outside.txt");
    writeFileSync(outside, "as it was");
    await rig.begin();
    rig.answer = () => {
      symlinkSync(outside, rig.at("a.txt"));
      return choosing("allow");
    };
    match(await rig.failure("write_file", { path: "a.txt", content: "new" }), /outside of the session's folders/);
    rig.put("b.txt", "b");
    rig.answer = () => {
      symlinkSync(rig.at("b.txt"), rig.at("c.txt"));
      return choosing("allow");
    };
    equal(
      await rig.failure("write_file", { path: "c.txt", content: "new" }),
      "c.txt resolves to another file since the user was asked. Nothing was changed.",
    );
    deepEqual(
      [
        readFileSync(outside, "utf8"),
        readFileSync(rig.at("b.txt"), "utf8"),
        lstatSync(rig.at("a.txt")).isSymbolicLink(),
      ],
      ["as it was", "b", true],
    );
  });

  test("does not write through a link on disk", async () => {
    await using rig = new WorkspaceRig();
    symlinkSync(rig.put("target", "as it was"), rig.at("link"));
    await rejects(
      nodeFiles.write({ real: rig.at("link"), shown: "link", folder: rig.cwd }, "x", new AbortController().signal),
      /link could not be written/,
    );
    equal(readFileSync(rig.at("target"), "utf8"), "as it was");
  });

  test("does not write after its call is cancelled", async () => {
    await using rig = new WorkspaceRig();
    const real = rig.put("a.txt", "as it was");
    await rejects(
      textFiles(nodeFiles, nodeFiles).write(
        { real, shown: "a.txt", folder: rig.cwd },
        "x",
        AbortSignal.abort(new Error("withdrawn")),
      ),
      /withdrawn/,
    );
    equal(readFileSync(real, "utf8"), "as it was");
  });

  test("returns a sentence for a file that is not writable", async () => {
    await using rig = new WorkspaceRig();
    rig.put("a.txt", "file");
    mkdirSync(rig.at("folder"));
    await rig.begin();
    rig.answer = allow;
    match(await rig.failure("write_file", { path: "a.txt/b", content: "x" }), /a\.txt\/b could not be written: /);
    match(await rig.failure("write_file", { path: "folder", content: "x" }), /folder is a folder/);
    match(await rig.failure("write_file", { path: "a.txt" }), /“content” is missing/);
    deepEqual(rig.cards, ["Make a.txt/b failed"]);
  });
});

suite("edit_file", () => {
  test("changes the only match and returns its line", async () => {
    await using rig = new WorkspaceRig();
    rig.put("a.txt", "one\r\ntwo\r\n");
    await rig.begin();
    rig.answer = allow;
    deepEqual(await rig.call("edit_file", { path: "a.txt", old_string: "two\n", new_string: "2\n3\n" }), {
      text: "Edited a.txt at line 2.",
      isError: false,
      structured: { success: true, path: rig.at("a.txt") },
    });
    equal(readFileSync(rig.at("a.txt"), "utf8"), "one\r\n2\r\n3\r\n");
  });

  test("returns a sentence with lines for zero or several matches, without a request", async () => {
    await using rig = new WorkspaceRig();
    rig.put("a.txt", "one\n  two\none\n");
    await rig.begin();
    const edit = (old_string: string, new_string = "x", file = "a.txt"): Promise<string> =>
      rig.failure("edit_file", { path: file, old_string, new_string });
    equal(await edit("three"), "old_string is not in a.txt. Read the file again: it must match exactly.");
    equal(
      await edit("    two\none"),
      "old_string is not in a.txt. Its first line occurs with other white space in line 2. Read the file again: it must match exactly.",
    );
    equal(await edit("one"), "old_string is in a.txt 2 times, in lines 1, 3. Include more of the surrounding text.");
    equal(await edit("two", "two"), "old_string and new_string are the same: nothing to change.");
    match(await edit(""), /old_string is empty/);
    match(await edit("x", "y", "none.txt"), /File none\.txt does not exist/);
    deepEqual([rig.asked, readFileSync(rig.at("a.txt"), "utf8")], [[], "one\n  two\none\n"]);
  });

  test("applies all concurrent edits of a file", async () => {
    await using rig = new WorkspaceRig({ approve: "all" });
    rig.put("a.txt", Array.from({ length: 8 }, (_, i) => `line ${i};\n`).join(""));
    await rig.begin();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        rig.call("edit_file", { path: "a.txt", old_string: `line ${i};`, new_string: `edited ${i};` }),
      ),
    );
    deepEqual(
      [answers.filter(({ isError }) => isError), readFileSync(rig.at("a.txt"), "utf8")],
      [[], Array.from({ length: 8 }, (_, i) => `edited ${i};\n`).join("")],
    );
  });

  test("fails if the match is gone after the permission request", async () => {
    await using rig = new WorkspaceRig();
    rig.put("a.txt", "one\n");
    await rig.begin();
    rig.answer = () => {
      rig.put("a.txt", "two\n");
      return choosing("allow");
    };
    match(
      await rig.failure("edit_file", { path: "a.txt", old_string: "one", new_string: "1" }),
      /old_string is not in a\.txt/,
    );
    deepEqual([rig.cards, readFileSync(rig.at("a.txt"), "utf8")], [["Edit a.txt failed"], "two\n"]);
  });
});
