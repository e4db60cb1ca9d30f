import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { CAUSES } from "../../../src/protocol/doctor";
import { diagnose, type Observed } from "./diagnose";

const RUNNING: Observed = {
  name: "Ada",
  command: "/opt/ada",
  start: { kind: "started" },
  exit: undefined,
  stderr: "",
  garbage: { lines: 0, first: "" },
  initialize: { kind: "none", seconds: 30 },
  session: undefined,
  elsewhere: undefined,
};
const seen = (more: Partial<Observed>): Observed => ({ ...RUNNING, ...more });
const failed = (errno: string, more: Partial<Observed> = {}) => seen({ start: { kind: "failed", errno }, ...more });
const said = (stderr: string, more: Partial<Observed> = {}) => seen({ stderr, exit: "exit code 1", ...more });

suite("why an agent does not start", () => {
  const CASES: readonly (readonly [
    what: string,
    observed: Observed,
    cause: string,
    says: RegExp,
    act: string | undefined,
  ])[] = [
    [
      "it starts and answers",
      seen({ initialize: { kind: "answered", version: 1 } }),
      "fine",
      /^Ada starts and answers\.$/,
      undefined,
    ],
    [
      "the draft of ACP's next version is as good",
      seen({ initialize: { kind: "answered", version: 2 } }),
      "fine",
      /answers/,
      undefined,
    ],
    ["no such program", failed("ENOENT"), "notFound", /“\/opt\/ada” does not exist/, "settings"],
    [
      "a program that only the shell finds",
      failed("ENOENT", { command: "ada", elsewhere: "/home/u/.nvm/bin/ada" }),
      "notOnPath",
      /your shell has it at \/home\/u\/\.nvm\/bin\/ada/,
      "settings",
    ],
    ["no Node", failed("ENOENT", { command: "npx" }), "noNode", /needs Node\.js, and there is no “npx”/, "page"],
    [
      "no Node, on Windows",
      failed("ENOENT", { command: "C:\\Program Files\\nodejs\\npx.cmd" }),
      "noNode",
      /“npx”/,
      "page",
    ],
    ["no uv", failed("ENOENT", { command: "uvx" }), "noPython", /needs uvx/, "page"],
    ["no cargo", failed("ENOENT", { command: "cargo" }), "noCargo", /needs Rust's cargo/, "page"],
    ["a file that is no program", failed("EACCES"), "noPermission", /may not be run/, "settings"],
    ["what the system refuses otherwise", failed("ENOEXEC"), "refused", /\(ENOEXEC\)/, "settings"],
    ["no folder", seen({ start: { kind: "noFolder", folder: "/gone" } }), "noFolder", /“\/gone”/, "settings"],
    ["it ends with a code", said("panic: no config"), "exited", /stops \(exit code 1\) before it answers/, "logs"],
    ["it is killed", seen({ exit: "signal SIGKILL" }), "exited", /signal SIGKILL/, "logs"],
    ["it says nothing for half a minute", seen({}), "hung", /does not answer within 30 seconds/, "retry"],
    [
      "it writes prose",
      seen({ garbage: { lines: 3, first: "Welcome to Ada 1.0!" } }),
      "garbage",
      /“Welcome to Ada 1\.0!”/,
      "settings",
    ],
    [
      "it writes prose and ends",
      seen({ exit: "exit code 0", garbage: { lines: 1, first: "usage: ada [-h]" } }),
      "garbage",
      /then stops \(exit code 0\): “usage: ada \[-h\]”/,
      "settings",
    ],
    [
      "another version of ACP",
      seen({ initialize: { kind: "answered", version: 7 } }),
      "protocolVersion",
      /version 7/,
      "install",
    ],
    [
      "no version of ACP at all",
      seen({ initialize: { kind: "answered", version: undefined } }),
      "protocolVersion",
      /version undefined/,
      "install",
    ],
    [
      "it answers with an error",
      seen({ initialize: { kind: "error", message: "no licence" } }),
      "refused",
      /no licence/,
      "logs",
    ],
    [
      "nobody is signed in",
      seen({ initialize: { kind: "answered", version: 1 }, session: { kind: "signIn" } }),
      "signIn",
      /wants you to sign in/,
      "signIn",
    ],
    [
      "it opens no session",
      seen({ initialize: { kind: "answered", version: 1 }, session: { kind: "error", message: "no model" } }),
      "refused",
      /no model/,
      "logs",
    ],
    [
      "npm without a network",
      said(
        "npm error code ENOTFOUND\nnpm error network request to https://example.invalid/ada failed, reason: getaddrinfo ENOTFOUND example.invalid",
      ),
      "offline",
      /cannot be reached/,
      "retry",
    ],
    ["npm behind a wall", said("npm error code ECONNREFUSED"), "offline", /cannot be reached/, "retry"],
    [
      "uv without a network",
      said(
        "error: Failed to fetch: `https://example.invalid/simple/ada/`\n  Caused by: dns error: failed to lookup address information",
      ),
      "offline",
      /cannot be reached/,
      "retry",
    ],
    [
      "a package that is not there",
      said("npm error code E404\nnpm error 404 Not Found - GET https://example.invalid/ada"),
      "noPackage",
      /package of Ada/,
      "settings",
    ],
    [
      "a version that is not there",
      said("npm error code ETARGET\nnpm error notarget No matching version found for ada@9.9.9."),
      "noPackage",
      /version/,
      "settings",
    ],
    [
      "uv without that package",
      said("  × No solution found when resolving tool dependencies:"),
      "noPackage",
      /package of Ada/,
      "settings",
    ],
    [
      "cargo without that crate",
      said("error: could not find `ada` in registry `example` with version `*`"),
      "noPackage",
      /package of Ada/,
      "settings",
    ],
    [
      "half a node_modules",
      said("Error: Cannot find module './cli.js'\n  code: 'MODULE_NOT_FOUND'"),
      "halfInstalled",
      /in part only/,
      "reinstall",
    ],
    [
      "npx's broken cache",
      said("npm error ENOTEMPTY: directory not empty, rename '/home/u/.npm/_npx/1a2b/node_modules/ada'"),
      "halfInstalled",
      /in part only/,
      "reinstall",
    ],
    ["half a venv", said("ModuleNotFoundError: No module named 'ada'"), "halfInstalled", /in part only/, "reinstall"],
    [
      "a script whose Node is not on PATH",
      said("/usr/bin/env: ‘node’: No such file or directory", { exit: "exit code 127" }),
      "noNode",
      /no “node”/,
      "page",
    ],
    [
      "the same on a Mac",
      said("env: node: No such file or directory", { exit: "exit code 127" }),
      "noNode",
      /no “node”/,
      "page",
    ],
    [
      "the same on Windows",
      said("'node' is not recognized as an internal or external command,\noperable program or batch file."),
      "noNode",
      /no “node”/,
      "page",
    ],
    [
      "a shell that finds nothing",
      said("/bin/sh: line 1: ada-helper: command not found", { exit: "exit code 127" }),
      "notFound",
      /needs “ada-helper”/,
      "settings",
    ],
    [
      "dash that finds nothing",
      said("sh: 1: ada-helper: not found", { exit: "exit code 127" }),
      "notFound",
      /needs “ada-helper”/,
      "settings",
    ],
    ["a silent 127", seen({ exit: "exit code 127" }), "notFound", /was not found/, "settings"],
    ["a silent 126", seen({ exit: "exit code 126" }), "noPermission", /may not be run/, "settings"],
    [
      "a file that it may not open",
      said("Error: EACCES: permission denied, open '/etc/ada'"),
      "noPermission",
      /may not open/,
      "logs",
    ],
  ];
  for (const [what, observed, cause, says, act] of CASES)
    test(what, () => {
      const { cause: found, sentence, fix } = diagnose(observed);
      deepEqual([found, fix?.act], [cause, act], sentence);
      match(sentence, says);
    });

  test("what it said last is there, without secrets", () => {
    const { detail } = diagnose(said(`${"x\n".repeat(20)}OPENAI_API_KEY=sk-abcdefghijklmnop\n${"y".repeat(1000)}`));
    doesNotMatch(detail ?? "", /abcdefghijklmnop/);
    equal(detail?.split("\n").length, 5);
    ok((detail?.length ?? 0) < 700);
  });

  test("whatever it says, there is one sentence and a known cause", () =>
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.boolean(), (stderr, first, runs) => {
        const { cause, sentence } = diagnose(
          seen({ stderr, exit: runs ? undefined : "exit code 1", garbage: { lines: Number(first !== ""), first } }),
        );
        ok(CAUSES.includes(cause) && sentence.length < 600);
      }),
    ));
});
