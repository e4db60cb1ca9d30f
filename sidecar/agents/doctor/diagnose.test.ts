import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { CAUSES } from "../../../src/protocol/agents/diagnosis";
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
const seen = (overrides: Partial<Observed>): Observed => ({ ...RUNNING, ...overrides });
const failed = (errno: string, overrides: Partial<Observed> = {}) =>
  seen({ start: { kind: "failed", errno }, ...overrides });
const exitedWith = (stderr: string, overrides: Partial<Observed> = {}) =>
  seen({ stderr, exit: "exit code 1", ...overrides });

suite("diagnosis of a failed start", () => {
  const CASES: readonly (readonly [
    what: string,
    observed: Observed,
    cause: string,
    pattern: RegExp,
    act: string | undefined,
  ])[] = [
    [
      "reports an agent that starts and answers",
      seen({ initialize: { kind: "answered", version: 1 } }),
      "fine",
      /^Ada starts and responds\.$/,
      undefined,
    ],
    [
      "accepts the draft of the next ACP version",
      seen({ initialize: { kind: "answered", version: 2 } }),
      "fine",
      /responds/,
      undefined,
    ],
    ["reports a missing program", failed("ENOENT"), "notFound", /“\/opt\/ada” does not exist/, "settings"],
    [
      "reports a program that only the shell finds",
      failed("ENOENT", { command: "ada", elsewhere: "/home/u/.nvm/bin/ada" }),
      "notOnPath",
      /your shell finds it at \/home\/u\/\.nvm\/bin\/ada/,
      "settings",
    ],
    [
      "reports a missing Node",
      failed("ENOENT", { command: "npx" }),
      "noNode",
      /needs Node\.js, but “npx” is not on your PATH/,
      "page",
    ],
    [
      "reports a missing Node on Windows",
      failed("ENOENT", { command: "C:\\Program Files\\nodejs\\npx.cmd" }),
      "noNode",
      /“npx”/,
      "page",
    ],
    ["reports a missing uv", failed("ENOENT", { command: "uvx" }), "noPython", /needs uvx/, "page"],
    ["reports a missing cargo", failed("ENOENT", { command: "cargo" }), "noCargo", /needs Rust's cargo/, "page"],
    ["reports a file that is not a program", failed("EACCES"), "noPermission", /not executable/, "settings"],
    ["reports another system error", failed("ENOEXEC"), "refused", /\(ENOEXEC\)/, "settings"],
    [
      "reports a missing folder",
      seen({ start: { kind: "noFolder", folder: "/gone" } }),
      "noFolder",
      /“\/gone”/,
      "settings",
    ],
    [
      "reports an exit with a code",
      exitedWith("panic: no config"),
      "exited",
      /exits \(exit code 1\) before it responds/,
      "logs",
    ],
    ["reports a killed process", seen({ exit: "signal SIGKILL" }), "exited", /signal SIGKILL/, "logs"],
    ["reports no output for 30 seconds", seen({}), "hung", /does not respond within 30 seconds/, "retry"],
    [
      "reports prose on stdout",
      seen({ garbage: { lines: 3, first: "Welcome to Ada 1.0!" } }),
      "garbage",
      /“Welcome to Ada 1\.0!”/,
      "settings",
    ],
    [
      "reports prose on stdout and an exit",
      seen({ exit: "exit code 0", garbage: { lines: 1, first: "usage: ada [-h]" } }),
      "garbage",
      /then exits \(exit code 0\): “usage: ada \[-h\]”/,
      "settings",
    ],
    [
      "reports another version of ACP",
      seen({ initialize: { kind: "answered", version: 7 } }),
      "protocolVersion",
      /version 7/,
      "install",
    ],
    [
      "reports a missing protocol version",
      seen({ initialize: { kind: "answered", version: undefined } }),
      "protocolVersion",
      /version undefined/,
      "install",
    ],
    [
      "reports an error response",
      seen({ initialize: { kind: "error", message: "no licence" } }),
      "refused",
      /no licence/,
      "logs",
    ],
    [
      "reports a required sign-in",
      seen({ initialize: { kind: "answered", version: 1 }, session: { kind: "signIn" } }),
      "signIn",
      /requires a sign-in/,
      "signIn",
    ],
    [
      "reports a failed session",
      seen({ initialize: { kind: "answered", version: 1 }, session: { kind: "error", message: "no model" } }),
      "refused",
      /no model/,
      "logs",
    ],
    [
      "reports npm without a network",
      exitedWith(
        "npm error code ENOTFOUND\nnpm error network request to https://example.invalid/ada failed, reason: getaddrinfo ENOTFOUND example.invalid",
      ),
      "offline",
      /not reachable/,
      "retry",
    ],
    ["reports npm behind a firewall", exitedWith("npm error code ECONNREFUSED"), "offline", /not reachable/, "retry"],
    [
      "reports uv without a network",
      exitedWith(
        "error: Failed to fetch: `https://example.invalid/simple/ada/`\n  Caused by: dns error: failed to lookup address information",
      ),
      "offline",
      /not reachable/,
      "retry",
    ],
    [
      "reports a missing package",
      exitedWith("npm error code E404\nnpm error 404 Not Found - GET https://example.invalid/ada"),
      "noPackage",
      /package of Ada/,
      "settings",
    ],
    [
      "reports a missing version",
      exitedWith("npm error code ETARGET\nnpm error notarget No matching version found for ada@9.9.9."),
      "noPackage",
      /version/,
      "settings",
    ],
    [
      "reports a package missing for uv",
      exitedWith("  × No solution found when resolving tool dependencies:"),
      "noPackage",
      /package of Ada/,
      "settings",
    ],
    [
      "reports a crate missing for cargo",
      exitedWith("error: could not find `ada` in registry `example` with version `*`"),
      "noPackage",
      /package of Ada/,
      "settings",
    ],
    [
      "reports an incomplete node_modules",
      exitedWith("Error: Cannot find module './cli.js'\n  code: 'MODULE_NOT_FOUND'"),
      "halfInstalled",
      /only partly installed/,
      "reinstall",
    ],
    [
      "reports a broken npx cache",
      exitedWith("npm error ENOTEMPTY: directory not empty, rename '/home/u/.npm/_npx/1a2b/node_modules/ada'"),
      "halfInstalled",
      /only partly installed/,
      "reinstall",
    ],
    [
      "reports an incomplete venv",
      exitedWith("ModuleNotFoundError: No module named 'ada'"),
      "halfInstalled",
      /only partly installed/,
      "reinstall",
    ],
    [
      "reports a script whose Node is not on the PATH",
      exitedWith("/usr/bin/env: ‘node’: No such file or directory", { exit: "exit code 127" }),
      "noNode",
      /“node” is not on your PATH/,
      "page",
    ],
    [
      "reports a script without Node on macOS",
      exitedWith("env: node: No such file or directory", { exit: "exit code 127" }),
      "noNode",
      /“node” is not on your PATH/,
      "page",
    ],
    [
      "reports a script without Node on Windows",
      exitedWith("'node' is not recognized as an internal or external command,\noperable program or batch file."),
      "noNode",
      /“node” is not on your PATH/,
      "page",
    ],
    [
      "reports a command that the shell does not find",
      exitedWith("/bin/sh: line 1: ada-helper: command not found", { exit: "exit code 127" }),
      "notFound",
      /needs “ada-helper”/,
      "settings",
    ],
    [
      "reports a command that dash does not find",
      exitedWith("sh: 1: ada-helper: not found", { exit: "exit code 127" }),
      "notFound",
      /needs “ada-helper”/,
      "settings",
    ],
    ["reports exit code 127 without output", seen({ exit: "exit code 127" }), "notFound", /was not found/, "settings"],
    [
      "reports exit code 126 without output",
      seen({ exit: "exit code 126" }),
      "noPermission",
      /not executable/,
      "settings",
    ],
    [
      "reports a file without permission",
      exitedWith("Error: EACCES: permission denied, open '/etc/ada'"),
      "noPermission",
      /no permission to open/,
      "logs",
    ],
  ];
  for (const [what, observed, cause, pattern, act] of CASES)
    test(what, () => {
      const { cause: found, sentence, fix } = diagnose(observed);
      deepEqual([found, fix?.action], [cause, act], sentence);
      match(sentence, pattern);
    });

  test("contains the last output without secrets", () => {
    const { detail } = diagnose(
      exitedWith(`${"x\n".repeat(20)}OPENAI_API_KEY=sk-abcdefghijklmnop\n${"y".repeat(1000)}`),
    );
    doesNotMatch(detail ?? "", /abcdefghijklmnop/);
    equal(detail?.split("\n").length, 5);
    ok((detail?.length ?? 0) < 700);
  });

  test("contains one sentence and a known cause for any output", () =>
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.boolean(), (stderr, first, runs) => {
        const { cause, sentence } = diagnose(
          seen({ stderr, exit: runs ? undefined : "exit code 1", garbage: { lines: Number(first !== ""), first } }),
        );
        ok(CAUSES.includes(cause) && sentence.length < 600);
      }),
    ));
});
