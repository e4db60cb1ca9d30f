import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { isCrate, isExact, npmSpec, pythonSpec, requirementOf } from "./package-spec";

const NO_PACKAGE = [
  "",
  " ",
  "-x",
  "--registry=https://example.com",
  ".",
  "..",
  "./a",
  "../a",
  "/a",
  "a/b/c",
  "C:\\a",
  "~/a",
  "a b",
  "a\tb",
  "a\n",
  "a\0",
  "https://example.com/a.tgz",
  "git+https://example.com/a",
  "git@example.com:a",
  "github:a/b",
  "file:a",
  "npm:a",
  "a@",
  "a@ 1",
  "a@npm:b",
  "a@file:../b",
  "a@https://example.com/a",
  "a@../b",
  "a@-x",
  "a;b",
  "a&b",
  "a|b",
  "$a",
  "a\u202Eb",
  "@",
  "@/a",
  "@a/",
  "@-a/b",
  "@a/-b",
];

suite("package spec", () => {
  test("parses npm packages with and without scope and version", () => {
    deepEqual(npmSpec("@s/p@1.2.3"), { name: "@s/p", version: "1.2.3" });
    deepEqual(npmSpec("@agentclientprotocol/claude-agent-acp"), { name: "@agentclientprotocol/claude-agent-acp" });
    deepEqual(npmSpec("@google/gemini-cli@0.22.3"), { name: "@google/gemini-cli", version: "0.22.3" });
    deepEqual(npmSpec("JSONStream@latest"), { name: "JSONStream", version: "latest" });
    deepEqual(
      ["p@^1.2", "p@~1.2.3", "p@1.x", "p@*", "p@1.2.3-rc.1+b"].map(text => npmSpec(text)?.version),
      ["^1.2", "~1.2.3", "1.x", "*", "1.2.3-rc.1+b"],
    );
  });

  test("parses Python packages with either version separator and extras", () => {
    deepEqual(pythonSpec("p==1.2.3"), { name: "p", extras: "", version: "1.2.3" });
    deepEqual(pythonSpec("p@1.2.3"), { name: "p", extras: "", version: "1.2.3" });
    deepEqual(pythonSpec("my.agent-x[acp,cli]==1!2.0rc1"), {
      name: "my.agent-x",
      extras: "[acp,cli]",
      version: "1!2.0rc1",
    });
    deepEqual(pythonSpec("P_1"), { name: "P_1", extras: "" });
    deepEqual(
      ["p@1.2.3", "p[x]==1", "p@latest", "p[x]"].map(text => requirementOf(pythonSpec(text)!)),
      ["p==1.2.3", "p[x]==1", "p", "p[x]"],
    );
  });

  test("rejects options, paths, URLs and several words", () => {
    for (const text of NO_PACKAGE)
      deepEqual([npmSpec(text), pythonSpec(text)], [undefined, undefined], JSON.stringify(text));
    for (const text of [
      "p>=1",
      "p==",
      "p==1,<2",
      "p @ https://example.com",
      "p; python_version>'3'",
      "p[",
      "p[]",
      "-r a",
      "p==-1",
      "p@@1",
      "@s/p",
    ])
      equal(pythonSpec(text), undefined, text);
    for (const text of ["p==1", "a/b", "p@1 || 2", "p".repeat(215)]) equal(npmSpec(text), undefined, text);
    equal(pythonSpec("p".repeat(215)), undefined);
  });

  test("accepts only one word that tools cannot misread, and round-trips", () =>
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: fc.constantFrom(..."a@/=.-[],1:~ ^"), maxLength: 14 }),
          fc.string({ maxLength: 10 }),
        ),
        text => {
          const npm = npmSpec(text),
            python = pythonSpec(text);
          if (npm) equal(npm.version === undefined ? npm.name : `${npm.name}@${npm.version}`, text);
          if (python) deepEqual(pythonSpec(requirementOf(python))?.name, python.name);
          if (npm || python) ok(!/^[-./~]|[\s:\\"'$;&|<>`]|\.\.\//.test(text), text);
        },
      ),
      { numRuns: 2000 },
    ));

  test("accepts crate names", () => {
    for (const text of ["my-acp-extension", "serde_json", "A1"]) ok(isCrate(text), text);
    for (const text of ["", "-x", "1a", "a b", "a/b", "a@1", "--git", ".", "x".repeat(65)]) ok(!isCrate(text), text);
  });

  test("distinguishes exact versions from tags and ranges", () => {
    for (const text of ["1.2.3", "v1.2", "1.2.3-rc.1+b", "1.2rc1"]) ok(isExact(text), text);
    for (const text of ["latest", "^1.2.3", "1", "1.x", "*", "1.2.*", "next"]) ok(!isExact(text), text);
  });
});
