import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { mkdirSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { QualifiedNames } from "../../permissions/bridged-calls";
import { temporaryFolder } from "../../testing/drive";
import type { JsonObject } from "../../rpc/json";
import { findEscapingLink } from "./escaping-links";
import { permissionFor, readInside, type ReadScope } from "./research-permissions";

const place = temporaryFolder(),
  root = realpathSync(place.path),
  crate = path.join(root, "pebble-1.1.0"),
  second = path.join(root, "slate-0.3.1"),
  secret = path.join(root, "secret.txt");
const own = new QualifiedNames("ferris-research", { all: ["get_rust_crate_source", "return_response_to_user"] });
const readable: ReadScope = { folders: [crate, second], own };
const OPTIONS = [
  { optionId: "always", kind: "allow_always", name: "Always" },
  { optionId: "no", kind: "reject_once", name: "No" },
  { optionId: "yes", kind: "allow_once", name: "Yes" },
  { optionId: "yes2", kind: "allow_once", name: "Yes" },
];

async function ask(toolCall: JsonObject, announced?: JsonObject, options: unknown = OPTIONS): Promise<string> {
  const { outcome } = await permissionFor(
    { sessionId: "s", toolCall: { toolCallId: "call_1", ...toolCall }, options },
    announced,
    readable,
  );
  return String((outcome as JsonObject).optionId ?? (outcome as JsonObject).outcome);
}
const inCrate = (...parts: readonly string[]) => path.join(crate, ...parts);
const CLAUDE = (toolName: string) => ({ _meta: { claudeCode: { toolName } } });

suite("research permissions", () => {
  suiteSetup(() => {
    for (const folder of [crate, second]) mkdirSync(path.join(folder, "src"), { recursive: true });
    writeFileSync(inCrate("src", "lib.rs"), "one\ntwo\r\nthree");
    writeFileSync(secret, "hush");
    symlinkSync(secret, inCrate("src", "secret"));
    symlinkSync(root, inCrate("up"));
    symlinkSync(inCrate("src", "lib.rs"), inCrate("lib"));
  });
  suiteTeardown(() => place[Symbol.dispose]());

  const yes: readonly [what: string, call: () => JsonObject, announced?: () => JsonObject][] = [
    ["a file by its location", () => ({ kind: "read", locations: [{ path: inCrate("src", "lib.rs"), line: 3 }] })],
    ["a file by the input", () => ({ kind: "read", rawInput: { file_path: inCrate("src", "lib.rs"), limit: 20 } })],
    ["a relative path", () => ({ kind: "read", rawInput: { absolute_path: "src/lib.rs" } })],
    ["a missing file", () => ({ kind: "read", locations: [{ path: inCrate("src", "gone.rs") }] })],
    ["an internal link", () => ({ kind: "read", locations: [{ path: inCrate("lib") }] })],
    ["by a URL", () => ({ kind: "read", rawInput: { uri: pathToFileURL(inCrate("src", "lib.rs")).href } })],
    [
      "a pattern search in a folder",
      () => ({ kind: "search", rawInput: { path: crate, pattern: "fn\\s+weight\\(.*\\) -> u32", glob: "**/*.rs" } }),
    ],
    [
      "the source of another requested crate",
      () => ({ kind: "read", locations: [{ path: path.join(second, "src", "lib.rs") }] }),
    ],
    ["an announced call", () => ({}), () => ({ kind: "read", locations: [{ path: inCrate("src", "lib.rs") }] })],
    [
      "Ferris' own tools by the announced name",
      () => ({ title: "x", kind: "other" }),
      () => CLAUDE("mcp__ferris-research__return_response_to_user"),
    ],
    [
      "Ferris' own tools by the call id",
      () => ({
        toolCallId: "mcp_ferris-research_return_response_to_user-1763770000000-1",
        kind: "other",
        title: "return_response_to_user (ferris-research MCP Server)",
        rawInput: { response: "../.. /etc" },
      }),
    ],
    ["Ferris' own tools by name", () => ({ name: "ferris-research__get_rust_crate_source" })],
  ];
  for (const [what, call, announced] of yes)
    test(`allows ${what}`, async () => equal(await ask(call(), announced?.()), "yes"));

  const no: readonly [what: string, call: () => JsonObject, announced?: () => JsonObject][] = [
    ["a file outside", () => ({ kind: "read", locations: [{ path: secret }] })],
    ["one of two outside", () => ({ kind: "read", locations: [{ path: inCrate("src", "lib.rs") }, { path: secret }] })],
    [
      "an internal location with an external input",
      () => ({ kind: "read", locations: [{ path: inCrate("src", "lib.rs") }], rawInput: { path: secret } }),
    ],
    [
      "an external announced path",
      () => ({ kind: "read", locations: [{ path: inCrate("src", "lib.rs") }] }),
      () => ({ kind: "read", rawInput: { file: secret } }),
    ],
    ["an external link", () => ({ kind: "read", locations: [{ path: inCrate("src", "secret") }] })],
    ["a path through an external folder", () => ({ kind: "read", rawInput: { path: "up/secret.txt" } })],
    ["dots", () => ({ kind: "read", rawInput: { path: "../secret.txt" } })],
    ["parent segments in the middle", () => ({ kind: "read", rawInput: { path: `${crate}/src/../../secret.txt` } })],
    ["the home folder", () => ({ kind: "read", rawInput: { path: "~/.ssh/id_rsa" } })],
    ["a variable", () => ({ kind: "search", rawInput: { path: crate, other_path: "$HOME" } })],
    ["alternatives that leave the folder", () => ({ kind: "search", rawInput: { path: crate, glob: "{src,/etc}/*" } })],
    ["alternatives with parent segments", () => ({ kind: "search", rawInput: { path: crate, glob: "{src,..}/*" } })],
    [
      "a list with one external path",
      () => ({ kind: "read", rawInput: { paths: [inCrate("src", "lib.rs"), secret] } }),
    ],
    [
      "a deeply nested external path",
      () => ({ kind: "read", locations: [{ path: crate }], rawInput: { options: [{ from: { here: secret } }] } }),
    ],
    ["a location without a path", () => ({ kind: "read", locations: [{ path: inCrate("lib") }, {}] })],
    ["no location", () => ({ kind: "search", rawInput: { query: "weight" } })],
    ["nothing", () => ({})],
    [
      "the web",
      () => ({ kind: "search", locations: [{ path: crate }], rawInput: { query: "https://example.test/?q=x" } }),
    ],
    ["a file on another host", () => ({ kind: "read", rawInput: { uri: "file://host/etc/passwd", path: crate } })],
    [
      "a command, for any title",
      () => ({ kind: "read", locations: [{ path: crate }], rawInput: { command: "cat src/lib.rs" } }),
    ],
    ["a command in parts", () => ({ kind: "search", locations: [{ path: crate }], rawInput: { command: ["rm"] } })],
    [
      "a change, for any title",
      () => ({
        kind: "read",
        locations: [{ path: crate }],
        content: [{ type: "diff", path: inCrate("lib"), newText: "" }],
      }),
    ],
    ["an edit", () => ({ kind: "edit", locations: [{ path: inCrate("src", "lib.rs") }] })],
    [
      "a call announced as another kind",
      () => ({ kind: "read", locations: [{ path: crate }] }),
      () => ({ kind: "execute" }),
    ],
    ["a missing kind", () => ({ locations: [{ path: crate }] })],
    ["Ferris' own tools by title", () => ({ kind: "execute", title: "mcp__ferris-research__return_response_to_user" })],
    [
      "Ferris' own tools by title with another name",
      () => ({
        kind: "other",
        title: "return_response_to_user (ferris-research MCP Server)",
        name: "run_shell_command",
      }),
    ],
    ["another server's tool", () => ({ kind: "other", name: "mcp__ferris-research-2__return_response_to_user" })],
    ["another tool of a server with the same name", () => ({ kind: "other", name: "mcp__ferris-research__rm" })],
    [
      "more texts than the limit",
      () => ({
        kind: "read",
        locations: [{ path: crate }],
        rawInput: { paths: Array.from({ length: 200 }, () => crate) },
      }),
    ],
  ];
  for (const [what, call, announced] of no)
    test(`rejects ${what}`, async () => equal(await ask(call(), announced?.()), "no"));

  test("reads the subject of a version 2 request", async () => {
    const of = async (subject: JsonObject) =>
      (await permissionFor({ subject, options: OPTIONS }, undefined, readable)).outcome;
    deepEqual(
      [
        await of({ type: "tool_call", toolCall: { toolCallId: "1", kind: "read", locations: [{ path: crate }] } }),
        await of({ type: "command", command: "ls", cwd: crate }),
      ],
      [
        { outcome: "selected", optionId: "yes" },
        { outcome: "selected", optionId: "no" },
      ],
    );
  });

  test("uses only the one-time option, and never a permanent rejection", async () => {
    const read = { kind: "read", locations: [{ path: crate }] };
    deepEqual(
      [
        await ask(read, undefined, [OPTIONS[0], OPTIONS[1]]),
        await ask(read, undefined, [OPTIONS[0]]),
        await ask({}, undefined, [OPTIONS[2], { optionId: "never", kind: "reject_always" }]),
        await ask(read, undefined, "what"),
        await ask(read, undefined, [{ optionId: 7, kind: "allow_once" }]),
      ],
      ["no", "cancelled", "cancelled", "cancelled", "cancelled"],
    );
  });

  test("never allows a path outside for any request", async () => {
    const outside = [
      secret,
      root,
      "/",
      "/etc/passwd",
      "../x",
      "~",
      inCrate("up", "secret.txt"),
      inCrate("src", "secret"),
      `${crate}/..`,
      `${crate}/up`,
    ];
    const text = fc.oneof(fc.constantFrom(...outside), fc.string());
    const value = fc.letrec(tie => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("path", "a", "pattern"), tie("value"), { maxKeys: 3 }),
      ),
    })).value;
    await fc.assert(
      fc.asyncProperty(value, text, async (rawInput, location) => {
        const messages = new Set<unknown>();
        JSON.stringify([rawInput, location], (_, each: unknown) => {
          messages.add(each);
          return each;
        });
        const answer = await ask({ kind: "read", rawInput, locations: [{ path: location }, { path: crate }] });
        if (outside.some(each => messages.has(each))) equal(answer, "no");
      }),
      { numRuns: 200 },
    );
  });
});

suite("research file reads", () => {
  suiteSetup(() => {
    mkdirSync(path.join(crate, "src"), { recursive: true });
    writeFileSync(inCrate("src", "lib.rs"), "one\ntwo\r\nthree");
    writeFileSync(secret, "hush");
    symlinkSync(secret, inCrate("src", "secret"));
    symlinkSync(inCrate("src"), inCrate("again"));
  });
  suiteTeardown(() => place[Symbol.dispose]());
  const read = (file: string, overrides: JsonObject = {}) =>
    readInside({ sessionId: "s", path: file, ...overrides }, readable);

  test("returns files inside, whole or by lines", async () => {
    const file = inCrate("src", "lib.rs");
    deepEqual(
      [
        await read(file),
        await read(file, { line: 2, limit: 1 }),
        await read(file, { line: 2 }),
        await read(file, { limit: 1 }),
        await read(file, { line: 9 }),
      ],
      ["one\ntwo\r\nthree", "two\r\n", "two\r\nthree", "one\n", ""].map(content => ({ content })),
    );
  });

  test("rejects paths outside, through links, and non-files", async () => {
    for (const file of [secret, inCrate("src", "secret"), `${crate}/../secret.txt`])
      await rejects(read(file), { code: -32600, message: /outside of the source/ });
    await rejects(read(crate), { code: -32600, message: /not a file/ });
    writeFileSync(inCrate("large.rs"), "");
    truncateSync(inCrate("large.rs"), 4 * 1024 * 1024 + 1);
    await rejects(read(inCrate("large.rs")), { code: -32600, message: /too large/ });
    await rejects(read(inCrate("gone.rs")), { code: -32002 });
    for (const file of ["src/lib.rs", `${crate}/a\0b`, ""]) await rejects(read(file), { code: -32602 });
  });

  test("detects a link out of a folder", async () => {
    equal(await findEscapingLink(crate), path.join("src", "secret"));
    mkdirSync(path.join(second, "src"), { recursive: true });
    symlinkSync("src", path.join(second, "again"));
    equal(await findEscapingLink(second), undefined);
    symlinkSync(path.join(root, "not", "there"), path.join(second, "src", "dangling"));
    match(String(await findEscapingLink(second)), /dangling$/);
    mkdirSync(path.join(root, "large", "a"), { recursive: true });
    deepEqual(
      [await findEscapingLink(path.join(root, "large")), await findEscapingLink(path.join(root, "large"), 0)],
      [undefined, "."],
    );
  });
});
