import { deepEqual, equal, match, ok } from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { BUILT_IN_EXTENSIONS } from "../../src/protocol/agents/extensions";
import { arrayOr, objectOr } from "../rpc/json";
import { program } from "../testing/programs/programs";
import { skipped } from "../testing/skipped";

const commandLine = (name: string, ...args: readonly string[]): readonly string[] => {
  const { command, args: first } = program(name);
  return [command, ...first, ...args];
};
const ours = (...args: readonly string[]): readonly string[] => commandLine("symposium-acp-agent", ...args);
const PLACEHOLDER = "{agent}";

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

suite("symposium-acp-agent conform and proxy check", () => {
  let home = "";
  setup(() => {
    home = mkdtempSync(path.join(tmpdir(), "symposium-"));
  });
  teardown(() => rmSync(home, { recursive: true, force: true }));

  const conform = (...args: readonly string[]): Promise<Ended> => start("conform", ...args).ended;
  const check = (...args: readonly string[]): Promise<Ended> => start("proxy", "check", ...args).ended;

  function start(...args: readonly string[]): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
    const [command = "", ...first] = ours(...args);
    const child = spawn(command, first, {
      env: { ...process.env, HOME: home, USERPROFILE: home, TMPDIR: home },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "",
      stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const ended = new Promise<Ended>(resolve => {
      child.once("close", code => resolve({ code, stdout, stderr }));
    });
    return { child, ended };
  }

  const notFailed = ({ code, stdout }: Ended): void => {
    match(stdout, /, 0 failed, 0 warnings, /);
    equal(code, 0, stdout);
  };

  test("passes Eliza", async () => notFailed(await conform("agent", "--", ...ours("eliza"))));
  test("passes a chain in front of Eliza", async () =>
    notFailed(await conform("agent", "--", ...ours("run-with", "--proxy", "defaults", "--agent", "eliza"))));
  test("passes a faultless agent in both versions, also through the conductor", async () => {
    const agent = commandLine("faulty", "agent")
      .map(word => `'${word}'`)
      .join(" ");
    notFailed(await conform("agent", "--", ...ours("run-with", "--proxy", "cargo", "--agent", agent)));
  });
  for (const { id } of BUILT_IN_EXTENSIONS) {
    test(`passes the proxy ${id}`, async () => notFailed(await check("--", ...ours("proxy", id))));
  }
  test("passes a chain as one proxy", async () =>
    notFailed(await conform("proxy", "--", ...ours("run-with", "--proxy", "cargo", "--proxy", "ferris"))));
  test("passes doctor as a client that starts the kit's agent", async () => {
    const ended = await conform("client", "--", ...ours("doctor", "--agent", PLACEHOLDER));
    notFailed(ended);
    match(ended.stdout, /ok {4}client\/initialize/);
  });

  test("exits with 1 for a fault, names the rule in JSON and records both directions", async () => {
    const folder = path.join(home, "recordings");
    const { code, stdout } = await conform(
      "agent",
      "--json",
      "--record",
      folder,
      "--",
      ...commandLine("faulty", "agent", "agent/list"),
    );
    const failed = arrayOr(objectOr(JSON.parse(stdout)).results)
      .map(objectOr)
      .filter(({ result }) => result === "fail");
    deepEqual(
      [code, failed.map(({ rule, version }) => [rule, version])],
      [
        1,
        [
          ["agent/list", 1],
          ["agent/list", 2],
        ],
      ],
    );
    const [first = ""] = readdirSync(folder);
    equal(first, "01-too-old-v1.jsonl");
    const from = readFileSync(path.join(folder, first), "utf8")
      .trimEnd()
      .split("\n")
      .map(line => objectOr(JSON.parse(line)).from);
    deepEqual(from, ["kit", "program", undefined]);
  });

  test("prints the source and the remedy of a finding, and exits with 1 for an error", async () => {
    const { code, stdout } = await check(
      commandLine("faulty", "proxy", "proxy/mcp-resume")
        .map(word => `'${word}'`)
        .join(" "),
    );
    match(
      stdout,
      /warn {2}proxy\/mcp-resume +https:\/\/agentclientprotocol\.com\/protocol\/v1\/draft\/session-setup#mcp-servers\n.*: Servers of the proxy: 1 in session\/new, 0 in session\/resume\.\n.*"session\/resume".*\n +Remedy: Add your servers in session\/new, /,
    );
    equal(code, 0);
    equal((await check("--", ...commandLine("faulty", "proxy", "proxy/errors"))).code, 1);
  });

  const failedRules = async (...args: readonly string[]): Promise<readonly unknown[]> =>
    arrayOr(objectOr(JSON.parse((await conform(...args)).stdout)).results)
      .map(objectOr)
      .flatMap(({ result, rule, version }) => (result === "fail" ? [[rule, version]] : []));

  test("finds the fault of a real proxy", async () => {
    notFailed(await conform("proxy", "--", ...commandLine("faulty", "proxy")));
    deepEqual(await failedRules("proxy", "--json", "--", ...commandLine("faulty", "proxy", "proxy/errors")), [
      ["proxy/errors", 1],
      ["proxy/errors", 2],
    ]);
  });

  test("finds the fault of a real client", async function () {
    if (process.platform === "win32") skipped(this, "the client runs the agent's command in a POSIX shell");
    const client = (...args: readonly string[]): readonly string[] => [
      ...commandLine("faulty", "client", ...args),
      "--agent",
      PLACEHOLDER,
    ];
    notFailed(await conform("client", "--", ...client()));
    deepEqual(await failedRules("client", "--json", "--", ...client("client/absolute-paths")), [
      ["client/absolute-paths", 1],
      ["client/absolute-paths", 2],
    ]);
  });

  const failsWithoutReport = async (reason: RegExp, ...args: readonly string[]): Promise<void> => {
    const { code, stdout, stderr } = await conform("client", "--", ...args);
    deepEqual([code, stdout], [1, ""], stderr);
    match(stderr, reason);
  };

  test("fails with the reason for a client that does not exist", () =>
    failsWithoutReport(/symposium-conform-no-such-program/, "symposium-conform-no-such-program", PLACEHOLDER));

  test("fails with exit code and stderr of a client that exits before it starts the agent", () =>
    failsWithoutReport(
      /exit code 3[^]*No configuration\./,
      process.execPath,
      "-e",
      `console.error("No configuration."); process.exitCode = 3`,
      PLACEHOLDER,
    ));

  test("stops the tested program and removes the temporary folder on a signal", async function () {
    if (process.platform === "win32") skipped(this, "Windows has no signals that a process can handle");
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address(),
      port = typeof address === "object" && address ? address.port : 0;
    const connected = once(server, "connection");
    const started = start(
      "conform",
      "agent",
      "--",
      process.execPath,
      "-e",
      `require("net").connect(${port}, "127.0.0.1")`,
    );
    const [socket] = (await connected) as [Socket];
    const closed = once(socket.on("error", () => undefined).resume(), "close");
    started.child.kill("SIGTERM");
    equal((await started.ended).code, 128 + 15);
    await closed;
    server.close();
    deepEqual(
      readdirSync(home).filter(name => name.startsWith("symposium-conform-")),
      [],
    );
  });

  test("exits before the run if the recording folder is not writable", async () => {
    const folder = path.join(home, "file");
    writeFileSync(folder, "");
    const { stdout, stderr, code } = await conform("agent", "--record", folder, "--", ...ours("eliza"));
    deepEqual([stdout, code === 0], ["", false]);
    match(stderr, /The recordings cannot be written/);
  });

  test("fails with the reason for a program that cannot start", async () => {
    const { code, stdout } = await conform("agent", "--", "symposium-conform-no-such-program");
    equal(code, 1);
    match(stdout, /FAIL {2}agent\/initialize/);
    ok(stdout.includes("symposium-conform-no-such-program"));
  });
});
