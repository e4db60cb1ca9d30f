/** The pure parts of the LSP adapter. */
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { Readable, Writable } from "node:stream";
import fc from "fast-check";
import { MAX_ITEMS } from "../../../src/protocol/ide/ide";
import { changesAnswer } from "../../../src/protocol/ide/ide-answer";
import { Peer } from "../../rpc/peer";
import { formatOptions } from "./lsp-operations";
import { languageOf, languagesIn, missing, unknownLanguage } from "./languages";
import { lspChannel, LspSplitter, NotLsp } from "./lsp-frames";
import { actionsIn, changesIn, diagnosticIn, fromTsserver, hoverIn, pathOf, spotsIn, symbolsIn } from "./lsp-parsers";
import { FAILURE_WINDOW_MS, MAX_FALLS, NEW_LIFE, step, type LifeEvent } from "./server-lifecycle";
import {
  BETWEEN_MS,
  FIRST_NEWS_MS,
  IDLE,
  NO_NEWS_MS,
  publishedIn,
  QUIET_MS,
  readyIn,
  workOf,
} from "./server-readiness";

const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 5 } };

suite("LSP framing", () => {
  const framed = (body: string, header = `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`): Buffer =>
    Buffer.concat([Buffer.from(header), Buffer.from(body)]);
  const all = (splitter: LspSplitter): string[] => {
    const found: string[] = [];
    for (let next = splitter.next(); next; next = splitter.next()) found.push(next.toString());
    return found;
  };

  test("finds messages for any chunks and with other output between them", () => {
    const junk = fc.constantFrom("", "Listening…\n", "a\r\n\r\n", "x: y\r\n");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(junk, fc.string({ unit: "grapheme" })), { maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        (messages, cuts) => {
          const bytes = Buffer.concat(messages.flatMap(([before, body]) => [Buffer.from(before), framed(body)])),
            places = [0, ...cuts.map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length],
            splitter = new LspSplitter(),
            found: string[] = [];
          places.slice(1).forEach((end, i) => {
            splitter.push(bytes.subarray(places[i], end));
            found.push(...all(splitter));
          });
          deepEqual(
            found,
            messages.map(([, body]) => body),
          );
        },
      ),
    );
  });

  test("reads additional headers and other spellings", () => {
    const splitter = new LspSplitter();
    splitter.push(framed("{}", "content-type: x\r\ncontent-length:2\r\n\r\n"));
    deepEqual(all(splitter), ["{}"]);
  });

  test("rejects an oversized message before it arrives", () => {
    for (const bytes of ["Content-Length: 101\r\n\r\n", "x".repeat(20_000), `${"y".repeat(20_000)}\r\n\r\n`]) {
      const splitter = new LspSplitter(100);
      splitter.push(Buffer.from(bytes));
      throws(() => splitter.next(), NotLsp);
    }
  });

  test("translates cancellations to LSP's form in both directions", async () => {
    const written: string[] = [],
      aborted: string[] = [],
      input = new Readable({ read: () => undefined });
    const peer = new Peer(
      lspChannel(
        input,
        new Writable({
          write: (chunk: Buffer, _, done) => {
            written.push(chunk.toString().split("\r\n\r\n")[1] ?? "");
            done();
          },
        }),
      ),
      {
        request: request => {
          request.signal.addEventListener("abort", () => aborted.push(String(request.id)));
        },
        notification: () => undefined,
        closed: ({ message }) => aborted.push(message),
      },
    );
    peer.call("a", {}, () => undefined).cancel();
    input.push(framed(`{"jsonrpc":"2.0","id":"s1","method":"x"}`));
    input.push(framed(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"s1"}}`));
    input.push(null);
    await new Promise(resolve => {
      input.once("close", resolve);
    });
    await new Promise(resolve => {
      setImmediate(resolve);
    });
    deepEqual(written.slice(0, 2), [
      `{"jsonrpc":"2.0","id":1,"method":"a","params":{}}`,
      `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`,
    ]);
    deepEqual(aborted, ["s1", "it has exited."]);
  });
});

suite("parser of LSP responses", () => {
  test("parses locations in three forms without duplicates, and keeps a non-file URI", () => {
    const uri = "file:///w/a%20b.ts";
    deepEqual(spotsIn({ uri, range }), [{ path: "/w/a b.ts", range }]);
    deepEqual(
      spotsIn([
        { uri, range },
        { targetUri: uri, targetRange: range, targetSelectionRange: range },
        { uri: "jdt://x", range },
        { uri: 7, range },
        { uri },
        null,
      ]),
      [
        { path: "/w/a b.ts", range },
        { path: "jdt://x", range },
      ],
    );
    deepEqual(
      [spotsIn(null), pathOf("file://host/share"), pathOf("")],
      [[], process.platform === "win32" ? "\\\\host\\share" : undefined, undefined],
    );
  });

  test("parses hovers in four forms", () => {
    deepEqual(
      [
        { kind: "markdown", value: "a" },
        "a",
        { language: "ts", value: "a" },
        ["a", { value: "" }, { language: "ts", value: "b" }],
        null,
      ].map(contents => hoverIn({ contents })),
      ["a", "a", "```ts\na\n```", "a\n\n```ts\nb\n```", ""],
    );
  });

  test("parses symbols with children or with locations", () => {
    deepEqual(
      symbolsIn(
        [
          {
            name: "A",
            kind: 5,
            range,
            selectionRange: range,
            detail: " d ",
            children: [{ name: "b", kind: 6, range, selectionRange: range }, { kind: 1 }],
          },
        ],
        "/a",
      ),
      [
        { path: "/a", range, name: "A", kind: "class", depth: 0, detail: "d" },
        { path: "/a", range, name: "b", kind: "method", depth: 1 },
      ],
    );
    deepEqual(
      symbolsIn([
        { name: "A", kind: 99, containerName: "c", location: { uri: "file:///a", range } },
        { name: "B", kind: 12, location: { uri: "file:///b" } },
      ]).map(each => [each.name, each.kind, each.container, each.range.start.line]),
      [
        ["A", "symbol", "c", 1],
        ["B", "function", undefined, 0],
      ],
    );
  });

  test("limits the depth of outlines", () => {
    const deep: { name: string; kind: number; range: typeof range; children: unknown[] } = {
      name: "x",
      kind: 5,
      range,
      children: [],
    };
    deep.children.push(deep);
    equal(symbolsIn([deep], "/a").length, 13);
  });

  test("parses workspace edits in two forms, and file operations", () => {
    const edit = { range, newText: "x" };
    deepEqual(changesIn({ changes: { "file:///a": [edit, null], "file:///b": [] } }), [
      { kind: "edit", path: "/a", edits: [edit] },
    ]);
    deepEqual(
      changesIn({
        changes: {},
        documentChanges: [
          { textDocument: { uri: "file:///a" }, edits: [edit] },
          { textDocument: { uri: "file:///a" }, edits: [edit] },
          { kind: "create", uri: "file:///n" },
          { kind: "rename", oldUri: "file:///n", newUri: "file:///m" },
          { kind: "delete", uri: "file:///m" },
          { kind: "fly" },
          7,
        ],
      }),
      [
        { kind: "edit", path: "/a", edits: [edit, edit] },
        { kind: "create", path: "/n" },
        { kind: "move", path: "/n", to: "/m" },
        { kind: "delete", path: "/m" },
      ],
    );
    deepEqual(changesIn(null), []);
  });

  test("marks a preview above the file limit as incomplete", async () => {
    const files = Array.from({ length: MAX_ITEMS + 1 }, (_, i) => `file:///${i}`),
      edits = [{ range, newText: "x" }];
    for (const edit of [
      { changes: Object.fromEntries(files.map(uri => [uri, edits])) },
      { documentChanges: files.map(uri => ({ textDocument: { uri }, edits })) },
    ]) {
      const { changes, note } = await changesAnswer(changesIn(edit), async () => ["", "a name"]);
      deepEqual([changes.length, note], [MAX_ITEMS, "This preview is not complete."]);
    }
  });

  test("parses actions that are commands or have a command", () => {
    deepEqual(
      actionsIn([
        { title: "T", command: "c", arguments: [] },
        { title: "U", command: { command: "d" }, edit: { changes: {} } },
        { title: "" },
        null,
      ]).map(({ raw: _, ...each }) => each),
      [
        { title: "T", command: "c" },
        { title: "U", command: "d", changes: [] },
      ],
    );
  });

  test("treats a diagnostic without severity as an error", () => {
    deepEqual(diagnosticIn({ range, message: "m", code: 7, source: "s" }), {
      range,
      message: "m",
      severity: "error",
      code: "7",
      source: "s",
    });
    deepEqual(
      [
        diagnosticIn({ range }),
        diagnosticIn({ message: "m" }),
        diagnosticIn({ range, message: "m", severity: 4 })?.severity,
      ],
      [undefined, undefined, "hint"],
    );
    deepEqual(
      fromTsserver({
        body: [
          {
            start: { line: 1, offset: 2 },
            end: { line: 1, offset: 3 },
            text: "t",
            code: 1,
            category: "suggestion",
            reportsUnnecessary: true,
          },
          { category: "error" },
        ],
      }),
      [
        {
          range: { start: { line: 0, character: 1 }, end: { line: 0, character: 2 } },
          message: "t",
          code: 1,
          source: "typescript",
          severity: 4,
          tags: [1],
        },
      ],
    );
  });

  test("never throws for any content", () => {
    fc.assert(
      fc.property(fc.anything(), value => {
        for (const read of [spotsIn, hoverIn, symbolsIn, changesIn, actionsIn, diagnosticIn, fromTsserver]) {
          read(value);
          read([value]);
        }
      }),
    );
  });
});

suite("language server restart", () => {
  const run = (events: readonly (readonly [LifeEvent["kind"], number])[]): string[] => {
    let life = NEW_LIFE;
    return events.map(([kind, now]) => {
      const [next, effect] = step(life, kind === "fell" ? { kind, why: "it died." } : { kind }, now);
      life = next;
      return effect?.kind ?? "-";
    });
  };
  test("occurs after an exit, a limited number of times within a period", () => {
    deepEqual(
      run([
        ["needed", 0],
        ["needed", 1],
        ["fell", 2],
        ["needed", 3],
        ["fell", 4],
        ["needed", 5],
        ["fell", 6],
        ["needed", 7],
        ["needed", 1 + FAILURE_WINDOW_MS],
        ["needed", 2 + FAILURE_WINDOW_MS],
      ]),
      ["start", "-", "-", "start", "-", "start", "-", "refuse", "refuse", "start"],
    );
  });
  test("occurs after the server stopped unused, without counting as an exit", () =>
    deepEqual(
      run([
        ["unused", 0],
        ["needed", 1],
        ["unused", 2],
        ["unused", 3],
        ["needed", 4],
        ["unused", 5],
        ["needed", 6],
        ["unused", 7],
        ["needed", 8],
        ["closed", 9],
        ["unused", 10],
      ]),
      ["-", "start", "stop", "-", "start", "stop", "start", "stop", "start", "-", "-"],
    ));
  test("never occurs after the close", () =>
    deepEqual(
      run([
        ["needed", 0],
        ["closed", 1],
        ["fell", 2],
        ["needed", 3],
      ]),
      ["start", "-", "-", "refuse"],
    ));
  const isUp = (effects: readonly string[], events: readonly (readonly [LifeEvent["kind"], number])[]): boolean =>
    effects.lastIndexOf("start") >
    Math.max(effects.lastIndexOf("stop"), events.map(([kind]) => kind).lastIndexOf("fell"));
  test("is limited to three exits in ten minutes", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.constantFrom("needed", "fell", "unused", "closed"), fc.nat({ max: FAILURE_WINDOW_MS / 2 })),
          {
            maxLength: 60,
          },
        ),
        given => {
          let now = 0;
          const events = given.map(([kind, ms]) => [kind, (now += ms)] as const),
            effects = run(events);
          const falls = events.flatMap(([kind, at], i) =>
            kind === "fell" && isUp(effects.slice(0, i), events.slice(0, i)) ? [at] : [],
          );
          for (const [i, at] of falls.entries())
            ok(i < MAX_FALLS || at - (falls[i - MAX_FALLS] ?? 0) >= FAILURE_WINDOW_MS);
        },
      ),
    );
  });
});

suite("language server readiness", () => {
  test("follows its progress and a pause for further progress", () => {
    deepEqual(
      [
        readyIn(IDLE, 0),
        readyIn(IDLE, BETWEEN_MS),
        readyIn({ ...IDLE, running: new Map([["t", "Loading"]]) }, 1e9),
        readyIn({ ...IDLE, isQuiescent: false }, 1e9),
        readyIn({ ...IDLE, isQuiescent: true }, 0),
      ],
      [BETWEEN_MS, 0, Infinity, Infinity, 0],
    );
    deepEqual(
      [
        workOf({ ...IDLE, running: new Map([["t", "Loading 5 %"]]) }),
        workOf({ ...IDLE, isQuiescent: false }),
        workOf(IDLE),
      ],
      ["Loading 5 %", "loading", ""],
    );
  });
  test("waits for the last published diagnostics, up to a time limit", () => {
    const changed = { changedAt: 1000, isNew: false };
    deepEqual(
      [
        publishedIn(changed, 1000),
        publishedIn({ ...changed, isNew: true }, 1000),
        publishedIn({ ...changed, publishedAt: 999 }, 1000),
        publishedIn({ ...changed, publishedAt: 1500 }, 1600),
        publishedIn({ ...changed, publishedAt: 1500 }, 9000),
      ],
      [NO_NEWS_MS, FIRST_NEWS_MS, NO_NEWS_MS, QUIET_MS - 100, 0],
    );
  });
});

suite("language", () => {
  const warnings: string[] = [],
    languages = (settings: unknown) => languagesIn({ languages: settings }, what => warnings.push(what));
  test("is detected by file extension", () => {
    const of = (file: string) => {
      const found = languageOf(file, languages(undefined));
      return found && [found.language.id, found.languageId];
    };
    deepEqual(["/a/b.tsx", "/x.RS", "a.h", "Makefile", ".ts", "a.unknown"].map(of), [
      ["typescript", "typescriptreact"],
      ["rust", "rust"],
      ["cpp", "cpp"],
      undefined,
      undefined,
      undefined,
    ]);
  });
  test("has priority and can be disabled if declared in the settings", () => {
    const [own, first] = languages({
      words: { command: "w", args: ["--x"], env: { A: "1" }, extensions: ["wd", ".ts"], languageId: "wordy" },
      rust: false,
    });
    deepEqual(
      [own?.id, own?.files, own?.programs, own?.isConfigured, first?.id],
      [
        "words",
        { ".wd": "wordy", ".ts": "wordy" },
        [{ command: "w", args: ["--x"], env: { A: "1" } }],
        true,
        "typescript",
      ],
    );
    equal(languageOf("a.rs", languages({ rust: false })), undefined);
    deepEqual(languages({ rust: { initializationOptions: { a: 1 }, settings: { b: 2 } } })[0]?.programs, [
      { command: "rust-analyzer", args: [] },
    ]);
    deepEqual(languages({ python: { command: "/x/pylsp" } })[0]?.files, { ".py": "python", ".pyi": "python" });
    deepEqual(warnings, []);
  });
  test("is reported and ignored if its settings are invalid", () => {
    for (const wrong of [
      { words: { command: "w" } },
      { words: { extensions: [".w"] } },
      { rust: { command: "" } },
      { rust: { args: [1] } },
      { rust: 7 },
      { rust: { env: { A: 1 } } },
      7,
    ]) {
      warnings.length = 0;
      equal(languageOf("a.rs", languages(wrong))?.language.id, "rust");
      equal(warnings.length, 1);
    }
  });
  test("is reported with an installation hint if no program is found", () => {
    equal(
      missing(languageOf("a.rs", languages(undefined))!.language),
      "No language server for Rust was found (rust-analyzer). Install it with: rustup component add rust-analyzer.",
    );
    equal(
      unknownLanguage("/a/Makefile"),
      "No language server is configured for “Makefile”. Add one in the settings of the extension “ide”.",
    );
  });
});

test("detects the indentation of a file", () => {
  const indent = (lines: readonly string[]) => {
    const { tabSize, insertSpaces } = formatOptions(lines);
    return [tabSize, insertSpaces];
  };
  deepEqual(
    [
      indent(["a", "\tb", "\t\tc"]),
      indent(["a", "  b", "", "    c", "a", "  b"]),
      indent(["a", "   b"]),
      indent(["a"]),
    ],
    [
      [4, false],
      [2, true],
      [3, true],
      [4, true],
    ],
  );
});
