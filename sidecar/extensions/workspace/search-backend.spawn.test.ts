/** Searches with ripgrep (if installed) and without: equal results. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { AgentError } from "../../errors";
import { findProgram, isProgramFile } from "../../process/find-program";
import type { ProcessSpec } from "../../process/child";
import type { ToolOptions } from "../../process/tool-run";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { skipped } from "../../testing/skipped";
import { WorkspaceRig } from "../../testing/extensions/workspace-rig";
import { ToolFailure } from "../tool";
import { LineWorker } from "./line-worker";
import { nodeSearch, regexOf } from "./node-search";
import { findRipgrep, INCOMPLETE, ripgrepSearch, RIPGREP } from "./ripgrep";
import { SEARCH_MS, TOOK_TOO_LONG, type Search, type SearchPlace } from "./search-backend";

const never = new AbortController().signal;
/** The user's ripgrep, or the one in the VS Code that other tests run. */
const RG = [
  "rg",
  path.join(
    process.env["SYMPOSIUM_VSCODE_CACHE"] ?? path.join(homedir(), ".cache/symposium-vscode"),
    "cs/node_modules/code-server/lib/vscode/node_modules/@vscode/ripgrep-universal/bin",
    `${process.platform}-${process.arch}`,
    "rg",
  ),
]
  .map(program => findProgram(program, { platform: process.platform, env: process.env, isProgram: isProgramFile }))
  .find(program => program !== undefined);

const isIn = (text: string, ...parts: readonly string[]): void => {
  for (const part of parts) ok(text.includes(part), `${part} is not in:\n${text}`);
};

for (const [how, program] of [
  ["without ripgrep", undefined],
  ["with ripgrep", RG],
] as const)
  suite(`search ${how}`, () => {
    suiteSetup(function () {
      if (how === "with ripgrep" && program === undefined) skipped(this, "There is no ripgrep here");
    });

    /** A rig with the given ripgrep, or none. */
    async function openRig(): Promise<WorkspaceRig> {
      const rig = new WorkspaceRig({}, { find: async name => (name === "rg" ? program : undefined) });
      const files: Readonly<Record<string, string>> = {
        ".gitignore": "ignored/\n*.log\n!kept.log\n",
        "src/a.ts": "one\ntwo(\n",
        "src/b.test.ts": "one two\n",
        "src/.gitignore": "/generated.ts\n",
        "src/generated.ts": "one\n",
        "ignored/c.ts": "one\n",
        "x.log": "one\n",
        "kept.log": "one\n",
        ".git/config": "one\n",
        ".github/w.yml": "One: 1\r\n",
        "binary.bin": "one\0one\n",
      };
      for (const [name, text] of Object.entries(files)) rig.put(name, text);
      await rig.begin();
      return rig;
    }

    test("finds files by pattern except those in .gitignore", async () => {
      await using rig = await openRig();
      const found = async (pattern: string, where?: string): Promise<readonly string[]> =>
        (await rig.call("search_files", { pattern, ...(where === undefined ? {} : { path: where }) })).text.split("\n");
      deepEqual(await found("*.ts"), ["src/a.ts", "src/b.test.ts"]);
      deepEqual(await found("*"), [
        ".github/w.yml",
        ".gitignore",
        "binary.bin",
        "kept.log",
        "src/.gitignore",
        "src/a.ts",
        "src/b.test.ts",
      ]);
      deepEqual(await found("TEST"), ["src/b.test.ts"]);
      deepEqual(await found("*.ts", "src"), ["src/a.ts", "src/b.test.ts"]);
      deepEqual(await found("a*", "src"), ["src/a.ts"]);
      deepEqual(await found("src/*.ts", "src"), ["No file matches src/*.ts."]);
      deepEqual(await found("*", "src/a.ts"), ["src/a.ts"]);
      deepEqual(await found("*.log"), ["kept.log"]);
    });

    test("finds lines by regular expression in some or all files", async () => {
      await using rig = await openRig();
      const found = async (pattern: string, overrides = {}): Promise<string> =>
        (await rig.call("search_content", { pattern, ...overrides })).text;
      equal(await found("one"), "kept.log:1: one\nsrc/a.ts:1: one\nsrc/b.test.ts:1: one two");
      equal(
        await found("(?i)^one"),
        ".github/w.yml:1: One: 1\nkept.log:1: one\nsrc/a.ts:1: one\nsrc/b.test.ts:1: one two",
      );
      equal(await found("o+ne? \\w+$"), "src/b.test.ts:1: one two");
      equal(await found("one(?= t)"), "src/b.test.ts:1: one two", "look-ahead, too");
      equal(await found("one", { filePattern: "*.ts" }), "src/a.ts:1: one\nsrc/b.test.ts:1: one two");
      equal(await found("one", { filePattern: "src/{a,x}.ts" }), "src/a.ts:1: one");
      equal(await found("one", { filePattern: "test" }), "src/b.test.ts:1: one two");
      equal(await found("one", { path: "src", filePattern: "a.*" }), "src/a.ts:1: one");
      equal(await found("two\\(", { path: "src/a.ts" }), "src/a.ts:2: two(");
      equal(await found("three", { filePattern: "*.ts" }), "No line matches three in files that match *.ts.");
    });

    test("returns a sentence for an invalid expression or folder", async () => {
      await using rig = await openRig();
      match(
        await rig.failure("search_content", { pattern: "two(" }),
        /The pattern is not a (?:valid|supported) regular expression.*Escape literal characters with a backslash/s,
      );
      match(await rig.failure("search_content", { pattern: "a", path: "none" }), /Folder none does not exist\./);
      equal(
        await rig.failure("search_files", { pattern: "" }),
        "pattern is empty. To see all files, use search_files with *",
      );
      equal(
        await rig.failure("search_content", { pattern: "a\nb" }),
        "pattern is too long, or has more than one line.",
      );
      equal(
        await rig.failure("search_files", { pattern: "x".repeat(2000) }),
        "pattern is too long, or has more than one line.",
      );
    });

    test("finds text that starts like an option", async () => {
      await using rig = await openRig();
      rig.put("--pre=evil", "--pre=evil\n");
      equal((await rig.call("search_content", { pattern: "--pre=evil" })).text, "--pre=evil:1: --pre=evil");
      equal(
        (await rig.call("search_content", { pattern: "evil", path: "--pre=evil" })).text,
        "--pre=evil:1: --pre=evil",
      );
      equal((await rig.call("search_files", { pattern: "--pre*" })).text, "--pre=evil");
    });

    test("covers all of the session's folders, each file once, without following links", async () => {
      await using rig = new WorkspaceRig({}, { find: async name => (name === "rg" ? program : undefined) });
      const more = path.join(rig.base, "more"),
        secret = path.join(rig.base, "secret");
      for (const folder of [more, secret]) {
        mkdirSync(folder);
        writeFileSync(path.join(folder, "m.txt"), "one\n");
      }
      rig.put("sub/a.txt", "one\n");
      symlinkSync(secret, rig.at("way-out"));
      symlinkSync(path.join(secret, "m.txt"), rig.at("link.txt"));
      await rig.begin({}, { additionalDirectories: [more, rig.at("sub")] });
      equal((await rig.call("search_files", { pattern: "*.txt" })).text, `${path.join(more, "m.txt")}\nsub/a.txt`);
      equal(
        (await rig.call("search_content", { pattern: "one" })).text,
        `${path.join(more, "m.txt")}:1: one\nsub/a.txt:1: one`,
      );
    });

    test("limits files, lines and line length, and states that there are more", async () => {
      await using rig = new WorkspaceRig({}, { find: async name => (name === "rg" ? program : undefined) });
      for (let i = 0; i < 230; i++) rig.put(`f${i}.txt`, "word\n".repeat(2));
      await rig.begin();
      const files = (await rig.call("search_files", { pattern: "*.txt" })).text.split("\n");
      deepEqual(
        [files.length, files.at(-1)],
        [201, "[30 other files match: make the pattern narrower, or search in a folder.]"],
      );
      const lines = (await rig.call("search_content", { pattern: "word" })).text.split("\n");
      deepEqual(
        [lines.length, lines.at(-1)],
        [
          201,
          "[These are the first 200 lines; more lines match. Make the pattern narrower, or search in a folder or in some files (filePattern).]",
        ],
      );
      rig.put("long.md", `${"y".repeat(1000)}NEEDLE${"z".repeat(1000)}\n`);
      ok((await rig.call("search_content", { pattern: "y+NEEDLE" })).text.length < 330);
    });

    test("stops when its call is cancelled", async () => {
      await using rig = await openRig();
      const abort = new AbortController();
      abort.abort();
      equal(
        await rig.call("search_content", { pattern: "one" }, { signal: abort.signal }).catch(() => "withdrawn"),
        "withdrawn",
      );
    });
  });

suite("slow regular expression", () => {
  const EVIL = "(a+)+$",
    TEXT = `${"a".repeat(40)}b\n`;

  test("is stopped with its thread at the time limit, with a note", async () => {
    const clock = new FakeClock();
    await using rig = new WorkspaceRig({}, { clock, find: async () => undefined });
    rig.put("evil.txt", TEXT);
    await rig.begin();
    const call = rig.call("search_content", { pattern: EVIL });
    // Only the worker thread is busy: this thread still handles events.
    while (clock.waiting === 0) await new Promise(resolve => setImmediate(resolve));
    clock.advance(SEARCH_MS);
    equal((await call).text, `No line matches ${EVIL}. ${TOOK_TOO_LONG}`);
    equal(clock.waiting, 0, "a timer was leaked");
  });

  test("is stopped when its call is cancelled", async () => {
    const abort = new AbortController();
    await using worker = new LineWorker(regexOf(EVIL), 300);
    deepEqual(await worker.matches("aaa\nb\n", 10, never), [{ line: 1, text: "aaa" }]);
    const matching = worker.matches(TEXT, 10, abort.signal);
    abort.abort(new Error("withdrawn"));
    await matching.then(
      () => ok(false),
      (error: Error) => equal(error.message, "withdrawn"),
    );
  });

  test("limits the lines and shortens each around its match", async () => {
    await using worker = new LineWorker(/needle/, 10);
    deepEqual(await worker.matches(`${"x".repeat(50)}needle${"y".repeat(50)}\r\nneedle\nneedle`, 2, never), [
      { line: 1, text: "xxxxxneedl" },
      { line: 2, text: "needle" },
    ]);
  });

  test("supports leading flags and character classes", () => {
    deepEqual(
      [regexOf("(?i)a").flags, regexOf("(?is)a").source, regexOf("\\p{L}").flags, regexOf("\\-").flags],
      ["i", "a", "u", ""],
    );
  });
});

suite("ripgrep", () => {
  const place: SearchPlace = { real: "/w", shown: ".", folder: "/w", isFile: false };
  type Run = (spec: ProcessSpec, options: ToolOptions) => Promise<{ readonly code: number; readonly stderr?: string }>;
  /** A simulated ripgrep, and a fallback search that finds `own`. */
  function simulated(run: Run, clock = new FakeClock()) {
    const logged: string[] = [],
      specs: ProcessSpec[] = [];
    const fallback: Search = {
      files: async (_, found) => {
        found("own");
        return { note: "by itself" };
      },
      lines: async (_, __, found) => {
        found("own", 1, "x");
        return {};
      },
    };
    const search = ripgrepSearch(
      "/bin/rg",
      {
        clock,
        log: (_, message) => logged.push(message),
        run: async (spec, options) => {
          specs.push(spec);
          const { code, stderr = "" } = await run(spec, options);
          return { exit: { code, signal: null }, stdout: "", stderr };
        },
      },
      fallback,
    );
    return { search, logged, specs, clock };
  }
  const files = async (search: Search, max = 100): Promise<readonly string[]> => {
    const found: string[] = [],
      { note } = await search.files(place, file => found.push(file) >= max, never);
    return note === undefined ? found : [...found, note];
  };

  test("is the editor's program if executable, otherwise the user's", async () => {
    const found = (given: string | undefined, installed: readonly string[]) =>
      findRipgrep({
        environment: async () => ({ [RIPGREP]: given }),
        find: async name => (installed.includes(name) ? `found ${name}` : undefined),
      });
    deepEqual(
      await Promise.all([
        found("/vscode/rg", ["/vscode/rg", "rg"]),
        found("/vscode/rg", ["rg"]),
        found("rg2", ["rg2", "rg"]),
        found(undefined, []),
      ]),
      ["found /vscode/rg", "found rg", "found rg", undefined],
    );
  });

  test("searches hidden files without its own configuration and never reads a pattern as an option", async () => {
    const { search, specs } = simulated(async () => ({ code: 1 }));
    await search.lines(place, { pattern: "--files", takes: () => true, names: "*.ts" }, () => false, never);
    await search.lines(
      { ...place, real: "/w/-x", isFile: true },
      { pattern: "a", takes: () => true },
      () => false,
      never,
    );
    const [first, second] = specs;
    isIn(
      JSON.stringify(first?.args),
      "--no-config",
      "--hidden",
      "--glob=!.git",
      "--regexp=--files",
      `"--type-add","wanted:*.ts"`,
    );
    deepEqual([first?.args.slice(-2), second?.args.slice(-2), second?.cwd], [["--", "."], ["--", "-x"], "/w"]);
  });

  test("returns the same results for any chunks", async () => {
    const bytes = Buffer.from("./src/ä.ts\0.\\b.ts\0");
    for (let cut = 0; cut <= bytes.length; cut++) {
      const { search } = simulated(async (_, { stdout }) => {
        stdout?.(bytes.subarray(0, cut));
        stdout?.(bytes.subarray(cut));
        return { code: 0 };
      });
      deepEqual(await files(search), ["src/ä.ts", "b.ts"]);
    }
  });

  test("is stopped when the limit is reached", async () => {
    const { search } = simulated(
      (_, { stdout, signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
          stdout?.(Buffer.from("a\0b\0c\0"));
          stdout?.(Buffer.from("d\0"));
        }),
    );
    deepEqual(await files(search, 2), ["a", "b"]);
  });

  test("is stopped at the time limit with the results so far", async () => {
    const { search, clock } = simulated(
      (_, { stdout, signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
          stdout?.(Buffer.from("a\0"));
        }),
    );
    const found = files(search);
    clock.advance(SEARCH_MS);
    deepEqual([await found, clock.waiting], [["a", TOOK_TOO_LONG], 0]);
  });

  test("falls back to the built-in search if it cannot start or rejects its options", async () => {
    for (const run of [
      async () => {
        throw new AgentError("notFound", "gone");
      },
      async () => ({ code: 2, stderr: "error: unexpected argument '--engine'" }),
    ] satisfies Run[]) {
      const { search, logged } = simulated(run);
      deepEqual([await files(search), logged.length], [["own", "by itself"], 1]);
    }
  });

  test("keeps the results with a note if it could not read everything", async () => {
    const { search, logged } = simulated(async (_, { stdout }) => {
      stdout?.(Buffer.from("a\0"));
      return { code: 2 };
    });
    deepEqual([await files(search), logged], [["a", INCOMPLETE], []]);
  });

  test("returns an error for an invalid pattern to the model", async () => {
    const { search } = simulated(async () => ({
      code: 2,
      stderr: "rg: regex parse error:\n    (?:a()\nerror: unclosed group\n",
    }));
    await search
      .lines(place, { pattern: "a(", takes: () => true }, () => false, never)
      .then(
        () => ok(false),
        (error: unknown) => ok(error instanceof ToolFailure && error.message.endsWith("error: unclosed group")),
      );
  });

  test("rethrows other errors and the cancellation", async () => {
    const abort = new AbortController(),
      { search } = simulated(async (_, { signal }) => {
        signal.throwIfAborted();
        throw new TypeError("a bug");
      });
    await files(search).then(
      () => ok(false),
      (error: unknown) => ok(error instanceof TypeError),
    );
    abort.abort(new Error("withdrawn"));
    await search
      .files(place, () => false, abort.signal)
      .then(
        () => ok(false),
        (error: Error) => equal(error.message, "withdrawn"),
      );
  });
});

suite("built-in file walk", () => {
  test("stops at the limit and reports it", async () => {
    await using rig = new WorkspaceRig();
    for (let i = 0; i < 12; i++) rig.put(`d${i}/f`);
    const { filesBelow } = await import("./walk"),
      found: string[] = [],
      files = filesBelow({ real: rig.cwd, shown: ".", folder: rig.cwd, isFile: false }, never, 10);
    let next = await files.next();
    for (; !next.done; next = await files.next()) found.push(next.value);
    ok(found.length < 12 && next.value === false);
  });

  test("applies the rules of parent folders", async () => {
    await using rig = new WorkspaceRig({}, { find: async () => undefined });
    rig.put(".gitignore", "*.tmp\n/sub/x.txt\n");
    rig.put("sub/.gitignore", "y.txt\n");
    for (const name of ["x.txt", "y.txt", "z.txt", "z.tmp", "deep/x.txt", "deep/y.txt"]) rig.put(`sub/${name}`);
    await rig.begin();
    equal((await rig.call("search_files", { pattern: "*.{txt,tmp}", path: "sub" })).text, "sub/deep/x.txt\nsub/z.txt");
    equal((await rig.call("search_files", { pattern: "*.txt", path: "sub/deep" })).text, "sub/deep/x.txt");
  });

  test("finds nothing in an unreadable folder without an error", async () => {
    const end = await nodeSearch(new FakeClock()).files(
      { real: "/no/such/folder", shown: "x", folder: "/no", isFile: false },
      () => false,
      never,
    );
    deepEqual(end, {});
  });
});
