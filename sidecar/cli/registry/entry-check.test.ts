import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { inspectEntry, withVersion } from "../../agents/registry/document";
import { isObject, parseJson } from "../../rpc/json";
import { checkEntry } from "./entry-check";

/** The document of the chapter "Submitting to the Registry". */
const DOCUMENTED = `{
  "id": "my-extension",
  "name": "My Extension",
  "version": "0.1.0",
  "description": "General-purpose extension for X",
  "repository": "https://github.com/you/my-extension",
  "license": "MIT",
  "distribution": {
    "cargo": {
      "crate": "my-extension"
    }
  }
}
`;
const check = (text: string, kind: "agent" | "extension" = "extension"): readonly string[] =>
  checkEntry(text, kind).map(({ severity, line, column, message }) => `${line}:${column} ${severity} ${message}`);
/** The documented entry with other members, on one line each. */
const entry = (changes: object): string => JSON.stringify({ ...JSON.parse(DOCUMENTED), ...changes }, undefined, 1);
const distribution = (kinds: object): string => entry({ distribution: kinds });

suite("check of an extension.json", () => {
  test("accepts the documented entry, and each documented distribution", () => {
    deepEqual(check(DOCUMENTED), []);
    const archive = { archive: "https://example.com/a.zip", cmd: "./a", sha256: "0".repeat(64) };
    for (const kinds of [
      { npx: { package: "@org/ext" } },
      { npx: { package: "@org/ext@0.1.0", cmd: "ext", args: ["--acp"], env: { EXT_DISABLE_UPDATE: "1" } } },
      { uvx: { package: "ext==0.1.0" }, pipx: { package: "ext" } },
      { cargo: { crate: "ext", version: "0.1.0", binary: "ext", args: [] } },
      { binary: { "linux-x86_64": archive, "windows-aarch64": archive } },
    ])
      deepEqual(check(distribution(kinds)), [], JSON.stringify(kinds));
    deepEqual(check(entry({ kind: "mcp", distribution: { http: { url: "https://example.com/mcp" } } })), []);
    const settingsSchema = { words: { type: "texts", label: "Words", default: [] } };
    deepEqual(check(entry({ settingsSchema })), []);
    deepEqual(check(entry({ kind: "proxy", authors: ["A"], website: "https://example.com" })), []);
  });

  const MISTAKES: readonly [why: string, text: string, expected: readonly RegExp[]][] = [
    ["an empty file", "", [/^1:1 error A value is missing\. The document must be JSON\.$/]],
    ["a comment", `{\n  // mine\n}`, [/^2:3 error A comment is not valid here.* The document must be JSON\.$/]],
    ["a trailing comma", `{ "id": "a", }`, [/^1:14 error /]],
    ["deep nesting", "[".repeat(10_000), [/^1:101 error The JSON is nested too deep\./]],
    ["a long document", `"${"é".repeat(65_536)}"`, [/^1:1 error The document is longer than 131072 bytes/]],
    ["a list", "[]", [/^1:1 error An entry is not an object\. Write one object: /]],
    ["a registry", `{ "agents": [] }`, [/^1:1 error This is a registry\. Check the document of a single entry\.$/]],
    [
      "a member that is set twice",
      DOCUMENTED.replace(`"name"`, `"id": "other",\n  "name"`),
      [/^3:3 error “id” is set twice\. Remove one of them\.$/],
    ],
    [
      "a settings schema that is a list",
      entry({ settingsSchema: [] }),
      [/^13:2 error “settingsSchema” is not an object/],
    ],
    [
      "settings without a control",
      entry({
        settingsSchema: {
          limit: { type: "number", label: "Limit", default: 5, min: 0, max: 2 },
          words: { type: "list", label: "Words" },
          color: { type: "text", label: 7, default: "red" },
        },
      }),
      [
        /^14:3 error The setting “limit” has no control: it needs a default from min to max\. Write \{"type": "number", /,
        /^22:4 error The setting “words” has no control: “words.type” is invalid\. Use one of the types boolean, number, /,
        /^27:4 error The setting “color” has no control: “color.label” is invalid\. Write \{"type": "text", /,
      ],
    ],
    ["an id with capitals", entry({ id: "My" }), [/^2:2 error An entry has no id .* such as “my-extension”\.$/]],
    ["the id of a built-in extension", entry({ id: "cargo" }), [/^2:2 error “cargo” has the id of an extension built/]],
    [
      "several mistakes",
      entry({ name: 1, version: 1 }),
      [
        /^3:2 error .* has a name that is not .* Write a text/,
        /^4:2 error “my-extension” has no version\. Write it as a text/,
      ],
    ],
    [
      "a missing version, which only the registry requires",
      entry({ version: undefined, distribution: { npx: { package: "a@1.0.0" } } }),
      [/^1:1 warning “version” is missing\. The registry requires it; an entry at a URL works without it\./],
    ],
    ["a kind that is unknown", entry({ kind: "widget" }), [/^13:2 error “kind” is neither “proxy” nor “mcp”\./]],
    [
      "no distribution",
      entry({ distribution: undefined }),
      [/^1:1 error .* has no supported distribution\. Add at least one of: npx, uvx, pipx, cargo, binary\.$/],
    ],
    [
      "a program of this computer",
      distribution({ local: { command: "./run" } }),
      [/^9:3 error .*would start a program of this computer.*Publish a package or an archive/],
    ],
    [
      "a misspelled member of a distribution",
      distribution({ cargo: { crate: "a" }, npx: { packge: "a" } }),
      [/^12:3 error “npx” is invalid and has no effect\. Write "npx": \{"package": /],
    ],
    [
      "arguments that are no texts",
      distribution({ npx: { package: "a", args: [1] } }),
      [/^8:2 error .*has no supported distribution/, /^9:3 error “npx” is invalid/],
    ],
    [
      "a command name that is no text",
      distribution({ npx: { package: "a", cmd: 1 } }),
      [/^11:4 error “cmd” is invalid and has no effect\. Write "npx"/],
    ],
    [
      "an unknown distribution",
      distribution({ cargo: { crate: "a" }, docker: { image: "a" } }),
      [/^12:3 warning The distribution “docker” is unknown and has no effect\. Known: npx/],
    ],
    [
      "an unknown member of a distribution",
      distribution({ cargo: { crate: "a", features: ["x"] } }),
      [/^11:4 warning “features” is unknown and has no effect\./],
    ],
    [
      "a name that is no package",
      distribution({ npx: { package: "--yes" } }),
      [/^9:3 error .*“npx” does not name a package\. Correct it: "npx": /],
    ],
    [
      "an address of a proxy",
      distribution({ cargo: { crate: "a" }, http: { url: "https://example.com" } }),
      [/^12:3 error “http” is invalid .* with "kind": "mcp"/],
    ],
    [
      "an archive over http that leaves its folder",
      distribution({ binary: { "linux-x86_64": { archive: "http://example.com/a.zip", cmd: "../a" } } }),
      [
        /^10:4 error .*points outside of its archive\. Correct it: "binary"/,
        /^10:4 warning The archive for linux-x86_64 has no “sha256”/,
        /^11:5 error .*has an archive whose URL is not https\. Use an https URL\.$/,
      ],
    ],
    [
      "an unknown platform",
      distribution({ cargo: { crate: "a" }, binary: { linux: { archive: "https://example.com/a.zip", cmd: "a" } } }),
      [/^12:3 error “binary” is invalid/],
    ],
    [
      "an unknown platform beside a known one",
      distribution({
        binary: {
          "linux-x86_64": { archive: "https://example.com/a.zip", cmd: "a", sha256: "0".repeat(64) },
          linux: { archive: "https://example.com/a.zip", cmd: "a" },
        },
      }),
      [/^15:4 warning The platform “linux” is unknown and has no effect\. Known: darwin-aarch64/],
    ],
    [
      "a variable of another program",
      distribution({ npx: { package: "a", env: { NODE_OPTIONS: "--import x" } } }),
      [/^12:5 error .*sets the variable NODE_OPTIONS, .* Remove the variable\.$/],
    ],
    [
      "two versions",
      distribution({ npx: { package: "a@1.0.0" }, cargo: { crate: "a", version: "0.2.0" } }),
      [/^10:4 warning The version 1\.0\.0 is not the “version”/, /^14:4 warning The version 0\.2\.0 is not/],
    ],
    [
      "members that the registry shows",
      entry({ license: undefined, repository: "http://example.com", homepage: "https://example.com" }),
      [
        /^1:1 warning “license” is missing\. Add an SPDX identifier/,
        /^6:2 error “repository” is invalid and has no effect\. Write the https URL/,
        /^12:2 warning “homepage” is unknown and has no effect\. Check its spelling/,
      ],
    ],
  ];
  for (const [why, text, expected] of MISTAKES)
    test(`reports ${why} with its position and what to do`, () => {
      const found = check(text);
      equal(found.length, expected.length, found.join("\n"));
      for (const [i, pattern] of expected.entries()) ok(pattern.test(found[i]!), found.join("\n"));
    });

  test("checks an agent.json as an agent", () => {
    deepEqual(check(entry({ id: "cargo" }), "agent"), []);
    equal(check(entry({ id: "gemini" }), "agent").length, 1);
  });

  test("reports an error for each document that Symposium rejects, at a position in the document", () => {
    const member = fc.oneof(
      fc.constantFrom("x", "1.0.0", "https://example.com/a.zip", "proxy", "mcp"),
      fc.jsonValue({ maxDepth: 2 }),
      fc.dictionary(
        fc.constantFrom("npx", "cargo", "binary", "local", "http", "docker"),
        fc.dictionary(fc.constantFrom("package", "crate", "env", "args", "cmd", "url"), fc.jsonValue({ maxDepth: 1 })),
      ),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.dictionary(fc.constantFrom("id", "name", "version", "kind", "distribution", "icon", "extra"), member),
          fc.jsonValue(),
        ),
        value => {
          const text = JSON.stringify(value, undefined, 2),
            lines = text.split("\n").length,
            findings = checkEntry(text, "extension");
          ok(findings.every(({ line, column }) => line >= 1 && line <= lines && column >= 1));
          ok(findings.every(({ message }) => /[.}]$/.test(message)));
          const parsed = parseJson(text),
            isUsable = "entry" in inspectEntry(withVersion(parsed), "extension", {});
          if (!isUsable)
            ok(
              findings.some(({ severity }) => severity === "error"),
              text,
            );
          else ok(isObject(parsed));
        },
      ),
    );
  });
});
