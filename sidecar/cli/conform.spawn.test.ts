import { deepEqual, equal, match, ok } from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { BUILT_IN_EXTENSIONS } from "../../src/protocol/extensions";
import { arrayOr, objectOr } from "../rpc/json";
import { program } from "../testing/programs";

const words = (name: string, ...args: readonly string[]): readonly string[] => {
  const { command, args: first } = program(name);
  return [command, ...first, ...args];
};
const ours = (...args: readonly string[]): readonly string[] => words("symposium-acp-agent", ...args);
const agentWords = "{agent}";

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

suite("symposium-acp-agent conform", () => {
  let home = "";
  setup(() => {
    home = mkdtempSync(path.join(tmpdir(), "symposium-"));
  });
  teardown(() => rmSync(home, { recursive: true, force: true }));

  function conform(...args: readonly string[]): Promise<Ended> {
    const [command = "", ...first] = ours("conform", ...args);
    const child = spawn(command, first, {
      env: { ...process.env, HOME: home, USERPROFILE: home },
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
    return new Promise(resolve => {
      child.once("close", code => resolve({ code, stdout, stderr }));
    });
  }

  const notFailed = ({ code, stdout }: Ended): void => {
    match(stdout, /, 0 failed, 0 warnings, /);
    equal(code, 0, stdout);
  };

  test("Eliza passes", async () => notFailed(await conform("agent", "--", ...ours("eliza"))));
  test("a chain in front of Eliza passes", async () =>
    notFailed(await conform("agent", "--", ...ours("run-with", "--proxy", "defaults", "--agent", "eliza"))));
  test("an agent without faults passes in both versions, through the conductor too", async () => {
    const agent = words("faulty-agent")
      .map(word => `'${word}'`)
      .join(" ");
    notFailed(await conform("agent", "--", ...ours("run-with", "--proxy", "cargo", "--agent", agent)));
  });
  for (const { id } of BUILT_IN_EXTENSIONS) {
    test(`the proxy ${id} passes`, async () => notFailed(await conform("proxy", "--", ...ours("proxy", id))));
  }
  test("a chain as one proxy passes", async () =>
    notFailed(await conform("proxy", "--", ...ours("run-with", "--proxy", "cargo", "--proxy", "ferris"))));
  test("doctor passes as a client, which starts the kit's agent", async () => {
    const ended = await conform("client", "--", ...ours("doctor", "--agent", agentWords));
    notFailed(ended);
    match(ended.stdout, /ok {4}client\/initialize/);
  });

  test("a fault makes the exit code 1; the JSON names the rule, and the recording has both directions", async () => {
    const folder = path.join(home, "recordings");
    const { code, stdout } = await conform(
      "agent",
      "--json",
      "--record",
      folder,
      "--",
      ...words("faulty-agent", "agent/list"),
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

  test("a program that cannot be started fails with the reason", async () => {
    const { code, stdout } = await conform("agent", "--", "symposium-conform-no-such-program");
    equal(code, 1);
    match(stdout, /FAIL {2}agent\/initialize/);
    ok(stdout.includes("symposium-conform-no-such-program"));
  });
});
