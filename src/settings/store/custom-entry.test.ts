import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { readDistribution } from "../../protocol/agents/distribution";
import {
  besideOthers,
  customEntry,
  customSources,
  nameOf,
  sourceOf,
  takenIds,
  wrongArguments,
  wrongName,
  wrongSource,
  type Custom,
  type CustomKind,
} from "./custom-entry";

const entry = (kind: Custom["kind"], source: string, args = "", taken: readonly string[] = []) =>
  customEntry({ kind, source, args }, taken);
const GOOD: readonly (readonly [CustomKind, readonly string[]])[] = [
  [
    "executable",
    ["/usr/bin/ada", "ada", "ada.exe", "C:\\Program Files\\ada.exe", "\\\\server\\ada", "c:/ada", "/with blank/ada"],
  ],
  ["npx", ["ada", "@s/ada", "ada@1.2.3", "@s/ada@latest", "Ada.js"]],
  ["python", ["ada", "ada==1.2", "ada[x]==1", "ada@latest"]],
  ["cargo", ["ada", "ada-acp@1.2.3", "ada_acp@1"]],
  ["server", ["https://example.org/mcp", "http://localhost:8080", "https://example.org/mcp?team=a"]],
  ["url", ["https://example.org/extension.json", "https://github.com/o/r/blob/main/extension.json"]],
];
const BAD: readonly (readonly [CustomKind, readonly string[]])[] = [
  ["executable", ["", "  ", "./ada", "bin/ada", "..\\ada", "ada --acp", "~/ada"]],
  ["npx", ["", "--yes", "./ada", "a b", "https://x", "@s", "ada@", `a${"b".repeat(300)}`]],
  ["python", ["", "-r", "ada>=1", "./ada", "a b", "git+https://x"]],
  ["cargo", ["", "1ada", "ada@", "ada@x", "--path", "a".repeat(70)]],
  [
    "server",
    [
      "",
      "example.org/mcp",
      "ftp://example.org",
      "https://me:secret@example.org/mcp",
      "https://example.org/a b",
      "acp:x",
    ],
  ],
  ["url", ["", "http://example.org/a.json", "example.org", "file:///a", "https://me:secret@example.org/a", "https://"]],
];

suite("custom entry", () => {
  test("offers five sources for agents, and an address for extensions", () => {
    for (const of of ["agent", "extension"] as const) {
      deepEqual(
        customSources(of).map(({ kind }) => kind),
        ["executable", "npx", "python", "cargo", ...(of === "extension" ? ["server"] : []), "url"],
      );
      match(customSources(of).at(-1)?.label ?? "", new RegExp(`${of}\\.json`));
    }
  });

  for (const [kind, texts] of GOOD)
    test(`accepts valid input for ${kind}`, () => {
      for (const text of texts) equal(wrongSource(kind, ` ${text} `), undefined, text);
    });
  for (const [kind, texts] of BAD)
    test(`rejects other input for ${kind} with a sentence`, () => {
      for (const text of texts) match(wrongSource(kind, text) ?? "taken", /^[A-Z].*\.$/, text);
    });

  test("is named after its source", () => {
    deepEqual(entry("npx", "@scope/Ada.Agent@1.2.3", "--acp"), {
      id: "ada-agent",
      name: "Ada.Agent",
      distribution: { npx: { package: "@scope/Ada.Agent@1.2.3", args: ["--acp"] } },
      _source: "custom",
    });
    deepEqual(entry("python", "ada_agent[x]==2"), {
      id: "ada-agent",
      name: "ada_agent",
      distribution: { uvx: { package: "ada_agent[x]==2" } },
      _source: "custom",
    });
    deepEqual(
      [entry("cargo", "ada-acp@0.3.1")["distribution"], entry("cargo", "ada")["distribution"]],
      [{ cargo: { crate: "ada-acp", version: "0.3.1" } }, { cargo: { crate: "ada" } }],
    );
    deepEqual(entry("executable", "C:\\Tools\\My Agent.EXE", "run"), {
      id: "my-agent",
      name: "My Agent",
      distribution: { local: { command: "C:\\Tools\\My Agent.EXE", args: ["run"] } },
      _source: "custom",
    });
    deepEqual(
      ["/opt/ada.mjs", "/opt/ada/", "ada.py", "ada.v2"].map(source => nameOf({ kind: "executable", source })),
      ["ada", "/opt/ada/", "ada", "ada.v2"],
    );
    equal(customEntry({ kind: "npx", source: "ada", args: "", name: "  My Ada " }, [])["name"], "My Ada");
  });

  test("has a unique id", () => {
    deepEqual(
      [
        entry("npx", "ada", "", ["ada"]).id,
        entry("npx", "ada", "", ["ada", "ada-2"]).id,
        entry("executable", "/opt/42", "").id,
        entry("executable", "/opt/9-lives").id,
        entry("executable", "con").id,
        entry("executable", "/x/Ünï").id,
      ],
      ["ada-2", "ada-3", "custom", "lives", "con-2", "n"],
    );
    deepEqual(
      [besideOthers({ id: "a", x: 1 }, ["a"]), besideOthers({}, [])],
      [
        { id: "a-2", x: 1, _source: "custom" },
        { id: "custom", _source: "custom" },
      ],
    );
    deepEqual(
      [takenIds([{ id: "a" }, 1, {}, { id: 2 }]), takenIds({ b: 1 }), takenIds(undefined), takenIds("x")],
      [["a"], ["b"], [], []],
    );
  });

  test("splits arguments like a command line", () => {
    const args = (line: string) => {
      const { local } = readDistribution(entry("executable", "x", line)["distribution"]) ?? {};
      return local?.args ?? [];
    };
    deepEqual(args(`  --acp  --name "Ada L" 'it "is"' a"b c"d \\"x "" C:\\Users\\me "a\\"b" `.replace(`\\"x`, "x")), [
      "--acp",
      "--name",
      "Ada L",
      `it "is"`,
      "ab cd",
      "x",
      "",
      "C:\\Users\\me",
      `a"b`,
    ]);
    deepEqual(args("   "), []);
    deepEqual(
      [`"a`, `it's`, `a "b\\"`].map(line => wrongArguments("npx", line)),
      Array.from({ length: 3 }, () => "A quotation mark is not closed."),
    );
    equal(wrongArguments("executable", `--x "a b"`), undefined);
  });

  test("names a server after its host and accepts one HTTP header", () => {
    deepEqual(entry("server", "https://mcp.example.org/v1?team=a"), {
      id: "mcp-example-org",
      name: "mcp.example.org",
      distribution: { http: { url: "https://mcp.example.org/v1?team=a" } },
      _source: "custom",
    });
    deepEqual(entry("server", "http://localhost:1", " Authorization :  Bearer a: b  ")["distribution"], {
      http: { url: "http://localhost:1", headers: { Authorization: "Bearer a: b" } },
    });
    deepEqual(
      ["", "  ", 'X-Key: it\'s "1"', "X-Key:"].map(line => wrongArguments("server", line)),
      [undefined, undefined, undefined, undefined],
    );
    for (const line of ["Bearer abc", ": abc", "X Key: abc", "X-Key: a\nb: c", "X-Key: …"])
      match(wrongArguments("server", line) ?? "taken", /^This is not a header\. .*\.$/);
  });

  test("trims copied quotes and limits the name", () => {
    deepEqual([` "C:\\a b\\c.exe" `, "'/x'", `"/x`, " x "].map(sourceOf), ["C:\\a b\\c.exe", "/x", `"/x`, "x"]);
    deepEqual([wrongName("x".repeat(100)), wrongName("x".repeat(101))?.endsWith(".")], [undefined, true]);
  });

  test("round-trips with a unique id that is a folder name (property)", () => {
    const kind = fc.constantFrom<Custom["kind"]>("executable", "npx", "python", "cargo"),
      word = fc.stringMatching(/^[\w@/.~=:\\ -]{1,12}$/);
    fc.assert(
      fc.property(
        kind,
        fc.oneof(word, fc.constantFrom(...GOOD.flatMap(([, texts]) => texts))),
        fc.array(fc.stringMatching(/^[^'\s]{1,6}$/)),
        fc.array(fc.constantFrom<string>("ada", "ada-2", "custom", "x")),
        (how, text, words, taken) => {
          if (wrongSource(how, text) !== undefined) return;
          const args = words.filter(each => !/["\\]/.test(each)),
            made = customEntry(
              { kind: how, source: sourceOf(text), args: args.map(each => `'${each}'`).join(" ") },
              taken,
            );
          ok(/^[a-z][a-z0-9-]*$/.test(made.id) && !taken.includes(made.id) && !made.id.endsWith("-"), made.id);
          const { local, npx, uvx, cargo } = readDistribution(made["distribution"]) ?? {};
          deepEqual((local ?? npx ?? uvx ?? cargo)?.args ?? [], args);
          equal(
            local?.command ??
              npx?.package ??
              uvx?.package ??
              (cargo && (cargo.version === undefined ? cargo.crate : `${cargo.crate}@${cargo.version}`)),
            sourceOf(text),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});
