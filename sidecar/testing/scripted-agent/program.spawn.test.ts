import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { objectOr } from "../../rpc/json";
import { RpcError } from "../../rpc/message";
import { census } from "../census";
import { Drive, temporaryFolder, type DriveOptions } from "../drive";
import { eventually } from "../eventually";
import { hurriedClock } from "../accelerated-clock";
import { scriptedAgent } from "../programs/programs";
import { numberedWords } from "./script";
import { NEEDS_PROC, skipped } from "../skipped";

/** Opens a session with an agent that was started with these flags. */
async function open(
  flags: readonly string[] = [],
  mcpServers: readonly unknown[] = [],
  options: DriveOptions = {},
): Promise<{ drive: Drive; session: string } & AsyncDisposable> {
  const drive = new Drive(scriptedAgent(flags), options);
  return { drive, session: await drive.open(mcpServers), [Symbol.asyncDispose]: () => drive[Symbol.asyncDispose]() };
}

const failsWith =
  (code: number, message: string) =>
  (error: unknown): boolean =>
    error instanceof RpcError && error.code === code && error.message === message;

/**
 * Covers only misbehaviour and logs, because product tests detect neither missing misbehaviour nor missing log lines. A
 * fault in any other step fails the tests that use it.
 */
suite("scripted agent", () => {
  test("streams numbered words in order", async () => {
    await using agent = await open();
    await agent.drive.prompt(agent.session, "stream 2000 chunks of 100 chars");
    equal(agent.drive.updates.length, 2000);
    equal(agent.drive.text, numberedWords(200_000));
  });

  for (const script of ["hang", "sleep 60000", "await /no-such-file", "stream 10000 chunks of 10 chars every 1 ms"]) {
    test(`ends ${script} on cancellation`, async () => {
      await using agent = await open();
      const ended = agent.drive.prompt(agent.session, `say begun\n${script}\nsay never`);
      await agent.drive.until(() => agent.drive.text.startsWith("begun"));
      agent.drive.cancel(agent.session);
      deepEqual(await ended, { stopReason: "cancelled" });
      ok(!agent.drive.text.includes("never"));
    });
  }

  test("continues after a cancellation if the script requires it", async () => {
    await using agent = await open();
    const ended = agent.drive.prompt(agent.session, "say a; wait-cancel; say b");
    await agent.drive.until(() => agent.drive.text === "a");
    agent.drive.cancel(agent.session);
    deepEqual(await ended, { stopReason: "cancelled" });
    equal(agent.drive.text, "ab");
  });

  test("ignores a cancellation with hang-forever, and its exit settles the prompt", async () => {
    await using agent = await open();
    const ended = agent.drive.prompt(agent.session, "say a; hang-forever");
    await agent.drive.until(() => agent.drive.text === "a");
    agent.drive.cancel(agent.session);
    await agent.drive.prompt(await agent.drive.newSession(), "say still here");
    process.kill(agent.drive.process.pid!, "SIGKILL");
    await rejects(ended, /signal SIGKILL/);
  });

  test("exits with a status and fails every pending call", async () => {
    await using agent = await open();
    await rejects(
      agent.drive.prompt(agent.session, "stderr last words; crash 3"),
      /Scripted exited unexpectedly \(exit code 3\)/,
    );
    equal((await agent.drive.closed).cause, "last words");
  });

  test("exits in the middle of a message", async () => {
    await using agent = await open();
    await rejects(agent.drive.prompt(agent.session, "say whole; kill"), /signal SIGKILL/);
    equal(agent.drive.text, "whole");
    match(String(agent.drive.logged.find(([message]) => message === "garbage on stdout")?.[1].line), /"sessionUp$/);
  });

  test("writes invalid lines on stdout between valid messages", async () => {
    await using agent = await open();
    await agent.drive.prompt(agent.session, "say a; garbage npm WARN deprecated; say b");
    equal(agent.drive.text, "ab");
    equal(agent.drive.logged.find(([message]) => message === "garbage on stdout")?.[1].line, "npm WARN deprecated");
  });

  test("sends updates after the turn, answers twice and ends as scripted", async () => {
    await using agent = await open();
    deepEqual(await agent.drive.prompt(agent.session, "late 1 too late; answer-twice; stop refusal"), {
      stopReason: "refusal",
    });
    await agent.drive.until(() => agent.drive.text === "too late" && agent.drive.warnings.length === 1);
    match(agent.drive.warnings[0]!, /answered before/);
    await rejects(agent.drive.prompt(agent.session, "error -32603 no luck"), failsWith(-32603, "no luck"));
  });

  test("has a clean environment and prints it", async () => {
    await using agent = await open();
    await agent.drive.prompt(agent.session, "env ELECTRON_RUN_AS_NODE; pid");
    equal(agent.drive.text, `ELECTRON_RUN_AS_NODE=(not set)pid ${agent.drive.process.pid}`);
  });
});

suite("scripted agent flags", () => {
  const started = (flags: readonly string[], options?: DriveOptions): Drive => new Drive(scriptedAgent(flags), options);
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [["--fail-init"], /scripted failure of initialize/],
    [["--fail-new-session", "no account"], /no account/],
    [["--auth-required"], /Authentication required/],
    [["--exit-at-start", "7"], /exit code 7/],
    [["--exit-after-init", "4"], /exit code 4/],
    [["--no-such-flag"], /exit code 1/],
  ];
  for (const [flags, expected] of cases) {
    test(flags.join(" "), async () => {
      await using drive = started(flags);
      await rejects(drive.open(), expected);
    });
  }

  test("delays the response with --slow-init and never responds with --hang-init", async () => {
    await using slow = started(["--slow-init", "20"]);
    equal((await slow.initialize()).protocolVersion, 1);
    await using hanging = started(["--hang-init"]);
    const refused = rejects(hanging.initialize(), /closed/);
    await hanging.process[Symbol.asyncDispose]();
    await refused;
  });

  test("logs every received message with --log", async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, "log");
    await using drive = started(["--log", file]);
    await drive.prompt(await drive.open(), "say x");
    deepEqual(
      readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map(line => objectOr(JSON.parse(line)).method),
      ["initialize", "session/new", "session/prompt"],
    );
  });

  test("leaves stubborn processes with --with-child and --setsid-child", async function () {
    if (process.platform !== "linux") return skipped(this, NEEDS_PROC);
    await using drive = started(["--with-child", "--setsid-child"], { clock: hurriedClock(3) });
    await drive.initialize();
    const { pid } = drive.process;
    const counted = census(drive.run);
    equal(counted.length, 3);
    deepEqual(
      counted
        .map(({ pid: each, group }) =>
          each === pid ? "agent" : group === pid ? "its group" : group === each ? "apart" : "?",
        )
        .sort(),
      ["agent", "apart", "its group"],
    );
    await drive.process[Symbol.asyncDispose]();
    await eventually(() => census(drive.run).length === 0, "all gone");
  });
});
