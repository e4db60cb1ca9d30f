/** Requests to simulated language servers, and misbehavior of the servers. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { IdeAnswer, IdeOperation } from "../../../src/protocol/ide/ide";
import type { Clock } from "../../rpc/clock";
import { RpcError } from "../../rpc/message";
import { census } from "../../testing/census";
import { temporaryFolder } from "../../testing/drive";
import { eventually } from "../../testing/eventually";
import { ExtensionRig } from "../../testing/extensions/extension-rig";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { hurriedClock } from "../../testing/accelerated-clock";
import { program } from "../../testing/programs/programs";
import { deferred } from "../../../src/protocol/wire/deferred";
import { NEEDS_PROC, skipped } from "../../testing/skipped";
import type { Language } from "./languages";
import { UNUSED_MS } from "./server-lifecycle";
import { refused } from "./documents";
import type { PermitStart } from "./server-consent";
import { Servers } from "./servers";

const TEXT = "one two BAD  \nthree one\ntwo ODD heard\nanswers\n";

/** Servers in a folder with `a.words`. The server logs one line per method. */
class Rig implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly rig: ExtensionRig;
  readonly servers: Servers;
  readonly log = path.join(this.#folder.path, "log");
  readonly progress: string[] = [];
  permit: PermitStart = async () => undefined;

  constructor(
    habits: readonly string[] = [],
    {
      clock = hurriedClock(2),
      limitMs = 150_000,
      starting = () => undefined,
      ...overrides
    }: Partial<Language> & { readonly clock?: Clock; readonly limitMs?: number; readonly starting?: () => void } = {},
  ) {
    this.rig = new ExtensionRig({
      clock,
      environment: async () => {
        starting();
        return process.env;
      },
    });
    this.write(TEXT);
    const spec = program("lsp-server", habits, { LSP_LOG: this.log });
    const words: Language = {
      id: "words",
      name: "Words",
      files: { ".words": "words" },
      programs: [{ command: spec.command, args: spec.args, env: spec.env }],
      isConfigured: true,
      install: "Look at it",
      ...overrides,
    };
    this.servers = new Servers(this.rig.fixture, { languages: [words], limitMs });
  }

  get folder(): string {
    return this.#folder.path;
  }
  get file(): string {
    return path.join(this.folder, "a.words");
  }
  write(text: string, name = "a.words"): void {
    writeFileSync(path.join(this.folder, name), text);
  }
  received(): readonly string[] {
    return existsSync(this.log) ? readFileSync(this.log, "utf8").trim().split("\n") : [];
  }
  times(method: string): number {
    return this.received().filter(each => each === method).length;
  }

  ask(operation: IdeOperation, signal = new AbortController().signal): Promise<IdeAnswer> {
    return this.servers.operate(
      { ...operation, folders: [this.folder] },
      { signal, progress: message => this.progress.push(message), permit: start => this.permit(start) },
    );
  }
  at(operation: "definition" | "references" | "hover", symbol: string, line?: number): Promise<IdeAnswer> {
    return this.ask({ operation, path: this.file, at: { symbol, ...(line === undefined ? {} : { line }) } });
  }
  async hover(symbol: string): Promise<string> {
    const answer = await this.at("hover", symbol);
    return answer.kind === "hover" ? answer.text : "";
  }
  async problems(): Promise<readonly string[]> {
    const answer = await this.ask({ operation: "diagnostics", path: this.file });
    return answer.kind === "diagnostics"
      ? answer.diagnostics.map(
          ({ range, severity, code, text }) =>
            `${range.start.line}:${range.start.character} ${severity} ${code} ${text}`,
        )
      : [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.servers.close();
    if (process.platform === "linux") deepEqual(census(this.rig.run), []);
    this.rig[Symbol.dispose]();
    this.#folder[Symbol.dispose]();
  }
}

/** A clock that delays the timers of `delayedMs` until the test fires them. */
class DelayingClock implements Clock {
  readonly #clock = hurriedClock(5);
  readonly delayed: (() => void)[] = [];

  constructor(private readonly delayedMs: number) {}

  now(): number {
    return this.#clock.now();
  }

  after(ms: number, expired: () => void): Disposable {
    if (ms !== this.delayedMs) return this.#clock.after(ms, expired);
    this.delayed.push(expired);
    return {
      [Symbol.dispose]: () => {
        this.delayed.splice(this.delayed.indexOf(expired), 1);
      },
    };
  }
}

const hasMessage =
  (pattern: RegExp) =>
  (error: unknown): boolean =>
    error instanceof RpcError && (match(error.message, pattern), true);
const places = (answer: IdeAnswer): readonly string[] =>
  answer.kind === "locations"
    ? answer.locations.map(({ range, text }) => `${range.start.line}:${range.start.character} ${text}`)
    : [];
const ALL = ["0:8 error 7 one two BAD  ", "2:4 warning odd two ODD heard"];

suite("language server", () => {
  test("locates a symbol and returns the line of each result", async () => {
    await using rig = new Rig();
    deepEqual(places(await rig.at("definition", "one", 1)), ["0:0 one two BAD  "]);
    deepEqual(places(await rig.at("references", "two")), ["0:4 one two BAD  ", "2:0 two ODD heard"]);
    equal(await rig.hover("three"), "**three**, 5 letters");
    await rejects(rig.at("hover", "one", 2), hasMessage(/“one” is not on line 3 of .*a\.words; it is on lines 1, 2\./));
    equal(rig.times("initialize"), 1);
  });

  test("stops when unused and restarts on demand", async () => {
    const clock = new DelayingClock(UNUSED_MS);
    await using rig = new Rig([], { clock });
    equal(await rig.hover("three"), "**three**, 5 letters");
    equal(await rig.hover("three"), "**three**, 5 letters");
    equal(clock.delayed.length, 1);
    clock.delayed[0]?.();
    await eventually(() => rig.times("exit") === 1, "its end");
    equal(await rig.hover("three"), "**three**, 5 letters");
    equal(rig.times("initialize"), 2);
  });

  test("returns a nested outline", async () => {
    await using rig = new Rig();
    const answer = await rig.ask({ operation: "document_symbols", path: rig.file });
    deepEqual(
      answer.kind === "symbols" &&
        answer.symbols.slice(0, 3).map(({ name, kind, depth, text }) => [name, kind, depth, text]),
      [
        ["one", "function", 0, "one two BAD  "],
        ["two", "variable", 1, "one two BAD  "],
        ["BAD", "variable", 1, "one two BAD  "],
      ],
    );
  });

  test("finds symbols of the folder without open files", async () => {
    await using rig = new Rig();
    const answer = await rig.ask({ operation: "workspace_symbols", query: "hre" });
    deepEqual(answer.kind === "symbols" && answer.symbols.map(({ name, container, text }) => [name, container, text]), [
      ["three", "words", "three one"],
    ]);
    rig.write("", "b.none");
    await rejects(
      rig.ask({ operation: "workspace_symbols", query: "x", path: path.join(rig.folder, "b.none") }),
      hasMessage(/No language server is configured for files that end in “\.none”/),
    );
  });

  test("previews renames and formatting without changing files", async () => {
    await using rig = new Rig();
    deepEqual(await rig.ask({ operation: "rename", path: rig.file, at: { symbol: "one" }, newName: "uno" }), {
      kind: "changes",
      total: 2,
      changes: [
        {
          kind: "edit",
          path: rig.file,
          hunks: [
            { line: 0, before: ["one two BAD  "], after: ["uno two BAD  "] },
            { line: 1, before: ["three one"], after: ["three uno"] },
          ],
        },
      ],
    });
    await rejects(
      rig.ask({ operation: "rename", path: rig.file, at: { line: 4 }, newName: "x" }),
      hasMessage(/The symbol at this position cannot be renamed/),
    );
    deepEqual(await rig.ask({ operation: "format", path: rig.file }), {
      kind: "changes",
      total: 1,
      changes: [
        { kind: "edit", path: rig.file, hunks: [{ line: 0, before: ["one two BAD  "], after: ["one two BAD"] }] },
      ],
    });
    deepEqual(await rig.ask({ operation: "format", path: rig.file, lines: { start: 1, end: 99 } }), {
      kind: "changes",
      total: 0,
      changes: [],
    });
    equal(readFileSync(rig.file, "utf8"), TEXT);
  });

  test("returns code actions for the diagnostics and the edits of an action by its title", async () => {
    await using rig = new Rig(["pull"]);
    const at = { operation: "code_actions", path: rig.file, at: { line: 0 } } as const;
    deepEqual(await rig.ask(at), {
      kind: "actions",
      total: 3,
      actions: [
        { title: "Replace the bad word", kind: "quickfix", isPreferred: true },
        { title: "Run something", kind: "source", command: "words.run" },
        { title: "Never", kind: "refactor", disabled: "it is never possible" },
      ],
    });
    deepEqual(await rig.ask({ ...at, title: "replace" }), {
      kind: "actions",
      total: 1,
      actions: [
        {
          title: "Replace the bad word",
          kind: "quickfix",
          isPreferred: true,
          changes: [
            {
              kind: "edit",
              path: rig.file,
              hunks: [{ line: 0, before: ["one two BAD  "], after: ["one two GOOD  "] }],
            },
          ],
        },
      ],
    });
    await rejects(
      rig.ask({ ...at, title: "nothing" }),
      hasMessage(/No code action “nothing” exists at this position\. Available code actions: “Replace the bad word”/),
    );
  });

  test("returns current pulled diagnostics", async () => {
    await using rig = new Rig(["pull"]);
    deepEqual(await rig.problems(), ALL);
    rig.write("fine\n");
    deepEqual(await rig.problems(), []);
  });

  test("awaits the last published diagnostics", async () => {
    await using rig = new Rig([], { clock: hurriedClock(1) });
    deepEqual(await rig.problems(), ALL);
    rig.write("fine\n");
    deepEqual(await rig.problems(), []);
    const known = await rig.ask({ operation: "diagnostics" });
    deepEqual(
      [
        known.kind === "diagnostics" && known.total,
        known.note?.startsWith("This lists only files of earlier requests"),
      ],
      [0, true],
    );
  });

  test("receives changes on disk once, and closes deleted files", async () => {
    await using rig = new Rig(["pull"]);
    await rig.hover("three");
    rig.write("one\n", "b.words");
    await rig.ask({ operation: "hover", path: path.join(rig.folder, "b.words"), at: { symbol: "one" } });
    rig.write(`${TEXT}more\n`);
    rmSync(path.join(rig.folder, "b.words"));
    const received = (await rig.hover("heard")).split("\n").filter(each => each.startsWith("textDocument/did"));
    deepEqual(received, [
      "textDocument/didOpen 1",
      "textDocument/didOpen 1",
      "textDocument/didChange 2",
      "textDocument/didSave",
      "textDocument/didClose",
    ]);
    await rejects(
      rig.ask({ operation: "hover", path: path.join(rig.folder, "b.words"), at: { symbol: "one" } }),
      hasMessage(/File .*b\.words does not exist/),
    );
  });

  test("closes one file for each opened above the limit", async () => {
    await using rig = new Rig(["pull"]);
    for (let i = 0; i <= 40; i++) {
      rig.write("heard", `${i}.words`);
      await rig.ask({ operation: "hover", path: path.join(rig.folder, `${i}.words`), at: { symbol: "heard" } });
    }
    deepEqual([rig.times("textDocument/didOpen"), rig.times("textDocument/didClose")], [41, 1]);
  });

  for (const habit of ["load", "status"])
    test(`is awaited while it loads (${habit})`, async () => {
      await using rig = new Rig([habit], { settings: { words: { style: "plain" } } });
      deepEqual(places(await rig.at("definition", "one", 1)), ["0:0 one two BAD  "]);
      equal(await rig.hover("answers"), `[["plain",null]]`);
    });

  test("receives responses to all its requests without changes", async () => {
    await using rig = new Rig(["asks"], { settings: { words: { style: "plain" } } });
    const answers: unknown = JSON.parse(await rig.hover("answers"));
    ok(Array.isArray(answers));
    deepEqual(
      answers.map((each: unknown, i) => (i === 1 ? "folders" : each)),
      [
        ["plain", { words: { style: "plain" } }],
        "folders",
        { applied: false, failureReason: "Edits are only shown, not applied." },
        null,
        null,
        null,
        { success: false },
        null,
        { error: -32601 },
      ],
    );
  });

  test("receives a request again after a content modified error", async () => {
    await using rig = new Rig(["busy"]);
    equal(await rig.hover("three"), "**three**, 5 letters");
  });

  test("rejects an unsupported operation without a request", async () => {
    await using rig = new Rig(["nothing"]);
    await rejects(rig.at("definition", "one"), hasMessage(/does not support textDocument\/definition/));
    equal(rig.times("textDocument/definition"), 0);
  });

  test("reports its start and progress during `initialize` to every caller", async () => {
    await using rig = new Rig(["reports", "mute-start"]);
    const withdrawn = new AbortController(),
      hover = { operation: "hover", path: rig.file, at: { symbol: "one" } } as const;
    const calls = [rig.ask(hover, withdrawn.signal), rig.ask(hover, withdrawn.signal)].map(call =>
      rejects(call, /withdrawn/),
    );
    await eventually(() => rig.progress.length === 4, "the progress of both calls");
    deepEqual(rig.progress, ["Starting node…", "Starting node…", "node: Preparing 5 %", "node: Preparing 5 %"]);
    withdrawn.abort(new Error("withdrawn"));
    await Promise.all(calls);
  });

  test("reports progress to a caller that waits for a response", async () => {
    await using rig = new Rig(["reports", "mute"]);
    for (const first of ["Starting node…", "node: Indexing 5 %"]) {
      const withdrawn = new AbortController(),
        hover = { operation: "hover", path: rig.file, at: { symbol: "one" } } as const;
      rig.progress.length = 0;
      const over = rejects(rig.ask(hover, withdrawn.signal), /withdrawn/);
      await eventually(() => rig.progress.includes("node: Indexing 5 %"), "the progress of the request");
      equal(rig.progress[0], first);
      withdrawn.abort(new Error("withdrawn"));
      await over;
    }
  });

  suite("misbehaving language server", () => {
    test("die-start: is started at most three times", async () => {
      await using rig = new Rig(["die-start"]);
      for (let i = 0; i < 3; i++)
        await rejects(
          rig.hover("one"),
          hasMessage(/could not be started: it exited with exit code 1\. Its output: error: 'words' is not installed/),
        );
      await rejects(
        rig.hover("one"),
        hasMessage(/cannot be used: it failed 3 times in a row and is not started again for some minutes/),
      );
    });

    for (const habit of ["garbage-start", "garbage"])
      test(`${habit}: ignores its human-readable output`, async () => {
        await using rig = new Rig([habit]);
        equal(await rig.hover("one"), "**one**, 3 letters");
      });

    test("die: reports the exit reason and restarts for the next operation", async () => {
      await using rig = new Rig(["die"]);
      await rejects(
        rig.hover("one"),
        hasMessage(
          /has exited: it exited with exit code 3\. Its output: thread 'main' panicked at words\.rs Try again\./,
        ),
      );
      deepEqual(places(await rig.at("definition", "one", 1)), ["0:0 one two BAD  "]);
      equal(rig.times("initialize"), 2);
      ok(rig.rig.logged.includes("warn: A language server exited"));
    });

    test("die-open: rejects callers that wait for diagnostics", async () => {
      for (const operation of [{ operation: "code_actions", at: { line: 0 } }, { operation: "diagnostics" }] as const) {
        await using rig = new Rig(["die-open"], { clock: hurriedClock(1) });
        await rejects(rig.ask({ ...operation, path: rig.file }), hasMessage(/has exited: it exited with exit code 4/));
      }
    });

    for (const [habit, why] of [
      ["huge", /a message of 999999999999 bytes; the limit is 33554432/],
      ["headerless", /invalid LSP header: “x{200}”/],
    ] as const) {
      test(`${habit}: is ended with the reason`, async () => {
        await using rig = new Rig([habit]);
        await rejects(rig.hover("one"), hasMessage(why));
        ok(places(await rig.at("definition", "one", 1)).length > 0);
      });
    }

    test("deep: ignores an invalid message without failing other requests", async () => {
      await using rig = new Rig(["deep"]);
      equal(await rig.hover("one"), "**one**, 3 letters");
    });

    test("mute: times out and cancels the request", async () => {
      const clock = new DelayingClock(20_000);
      await using rig = new Rig(["mute"], { clock, limitMs: 20_000 });
      const refused = rejects(rig.hover("one"), hasMessage(/did not respond within 20 seconds/));
      await eventually(() => rig.times("textDocument/hover") === 1, "the question");
      clock.delayed[0]?.();
      await refused;
      deepEqual(places(await rig.at("definition", "one", 1)), ["0:0 one two BAD  "]);
      await eventually(() => rig.times("$/cancelRequest") === 1, "that it is withdrawn");
    });

    test("mute: rejects a cancelled request", async () => {
      await using rig = new Rig(["mute"]);
      await rig.at("definition", "one");
      const withdrawn = new AbortController(),
        answer = rig.ask({ operation: "hover", path: rig.file, at: { symbol: "one" } }, withdrawn.signal);
      setImmediate(() => withdrawn.abort(new Error("withdrawn")));
      await rejects(answer, /withdrawn/);
    });

    test("mute-start: times out during its start", async () => {
      const clock = new DelayingClock(10_000);
      await using rig = new Rig(["mute-start"], { clock, limitMs: 10_000 });
      const refused = rejects(rig.hover("one"), hasMessage(/did not respond within 10 seconds/));
      await eventually(() => rig.times("initialize") === 1, "its start");
      clock.delayed[0]?.();
      await refused;
    });

    test("stubborn: exits when the servers close", async function () {
      if (process.platform !== "linux") return skipped(this, NEEDS_PROC);
      const rig = new Rig(["stubborn"], { clock: hurriedClock(10) });
      await rig.hover("one");
      equal(census(rig.rig.run).length, 1);
      await rig[Symbol.asyncDispose](); // runs its own checks
    });
  });

  test("restarts its time limit after a permission", async () => {
    const clock = new FakeClock(),
      asked = deferred<void>(),
      permitted = deferred<void>();
    await using rig = new Rig([], { clock, limitMs: 60_000 });
    rig.permit = async () => {
      asked.resolve();
      await permitted.promise;
      throw refused("denied");
    };
    const over = rejects(rig.hover("one"), hasMessage(/^denied$/));
    await asked.promise;
    clock.advance(600_000);
    permitted.resolve();
    await over;
  });

  test("is reported with an installation hint if missing, and found after its installation", async () => {
    await using rig = new Rig([], {
      programs: [{ command: "words-that-nobody-has", args: [] }],
      isConfigured: false as never,
      install: "Install it with: words install",
    });
    for (let i = 0; i < 5; i++)
      await rejects(
        rig.hover("one"),
        hasMessage(
          /^No language server for Words was found \(words-that-nobody-has\)\. Install it with: words install\.$/,
        ),
      );
  });

  test("receives no requests if the session ends during its start", async () => {
    let end: Promise<void> | undefined;
    await using rig: Rig = new Rig(["mute-start"], {
      starting: () => {
        end = rig.servers.close();
      },
    });
    await rejects(rig.hover("one"), hasMessage(/the session has ended/));
    await end;
    ok(!existsSync(rig.log), "it was asked");
  });

  test("is not started after the close", async () => {
    await using rig = new Rig();
    await rig.servers.close();
    await rejects(rig.hover("one"), hasMessage(/cannot be used: the session has ended/));
  });
});
