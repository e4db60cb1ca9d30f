/** Exits of the agent and the sidecar, commands in terminals, and a trace of the built sidecar as a transcript. */
import { deepEqual, doesNotMatch, equal, rejects, throws } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import path from "node:path";
import { AGENT_METHODS } from "../../acp/methods";
import { lossesBetween } from "../crash/survival";
import { NEEDS_PROC, skipped } from "../skipped";
import { BuiltSidecar, ended, isIdle, shows } from "./built-sidecar";
import { compare, onlyPosix } from "./golden";

/** `starts`: number of the agent's starts in the transcript. */
function golden(name: string, behavior: string, run: (sidecar: BuiltSidecar) => Promise<void>, starts?: number): void {
  test(`${behavior} (${name})`, async () => {
    await using sidecar = await BuiltSidecar.start();
    await run(sidecar);
    const [, ...lines] = await sidecar.transcript(behavior, starts);
    compare(name, behavior, lines);
  });
}

suite("golden transcripts: processes", () => {
  suiteSetup(function () {
    onlyPosix(this);
  });

  golden(
    "agent-killed",
    "reports an agent killed in the middle of a turn and starts it with the next prompt",
    async sidecar => {
      await sidecar.newChat();
      await sidecar.prompt("say Half an answer; hang", shows("Half an answer"));
      const agent = [...sidecar.children].at(-1);
      if (agent === undefined) throw new Error("no agent runs");
      process.kill(agent, "SIGKILL");
      await sidecar.until(isIdle);
      await sidecar.until(shows("does not remember"));
      await sidecar.prompt("say A new process.", shows("A new process."));
      await sidecar.until(isIdle);
    },
    2,
  );

  golden("agent-crashed", "shows the last words of an agent that exits with an error", async sidecar => {
    await sidecar.newChat();
    await sidecar.prompt("stderr out of memory; crash 7", ended);
  });

  golden("agent-exits-at-start", "shows why an agent could not start", async sidecar => {
    await sidecar.newChat(["--exit-at-start", "3"]);
    await sidecar.until(shows("no licence was found"));
  });

  golden("terminal-run", "runs a command for the agent and returns its output and exit code", async sidecar => {
    await sidecar.newChat();
    await sidecar.prompt("terminal echo hello", ended);
  });

  golden("terminal-killed", "kills a command at the agent's request", async sidecar => {
    await sidecar.newChat();
    await sidecar.prompt("terminal-start sleep 100; terminal-kill; terminal-wait", ended);
  });

  test("continues a chat in a new sidecar after the first one was killed (sidecar-killed)", async () => {
    const behavior = "continues a chat in a new sidecar after the first one was killed";
    await using first = await BuiltSidecar.start();
    const conversation = randomUUID();
    await first.newChat([], { conversation });
    await first.prompt("say Half an answer; hang", shows("Half an answer"));
    await first.kill();
    await using second = await BuiltSidecar.start(first);
    await second.newChat([], { conversation });
    await second.replay();
    await second.until(shows("does not remember"));
    await second.prompt("say I start anew.", shows("I start anew."));
    await second.until(isIdle);
    const [, ...lines] = await second.transcript(behavior);
    compare("sidecar-killed", behavior, lines);
  });

  test("continues a chat while the sidecar of a reloaded window still ends an agent that ignores SIGTERM", async () => {
    await using first = await BuiltSidecar.start();
    const chat = { conversation: randomUUID(), cwd: first.cwd },
      memory = path.join(first.home, "memory"),
      stubborn = ["--memory", memory, "--ignore-sigterm", "--ignore-stdin-end"];
    await first.newChat(stubborn, chat);
    await first.prompt("stream 20000 chunks of 6 chars every 5 ms", shows("w20"));
    const before = first.conversation,
      [agent] = first.children;
    const ended = first.hangUp();
    await using second = await BuiltSidecar.start(first);
    await second.newChat(stubborn, chat);
    await second.replay();
    await second.until(shows("w20"));
    deepEqual(lossesBetween(before, second.conversation), []);
    await second.prompt("recall", shows("remembered: stream 20000"));
    await ended;
    throws(() => process.kill(agent ?? 0, 0), /ESRCH/);
  });

  test("is read-only in a second sidecar, until the user takes the conversation over", async () => {
    await using first = await BuiltSidecar.start();
    const conversation = randomUUID();
    await first.newChat([], { conversation });
    await first.prompt("say One.", ended);
    await using second = await BuiltSidecar.start(first);
    await second.newChat([], { conversation });
    await second.replay();
    await second.until(shows("open in another window"));
    equal(second.children.size, 0, "no agent");
    await rejects(
      second.ask("chat/prompt", { sessionId: second.sessionId, messageId: "p", blocks: [] }),
      /another window/,
    );
    await second.ask("chat/close", { sessionId: second.sessionId });
    await second.newChat([], { conversation, start: "takeOver" });
    await second.replay();
    await second.until(shows("One."));
    await second.prompt("say Two.", shows("Two."));
    await rejects(
      first.ask("chat/prompt", { sessionId: first.sessionId, messageId: "q", blocks: [] }),
      /another window/,
    );
    await first.until(shows("open in another window"));
    await second.until(isIdle);
    await second.kill();
    await using third = await BuiltSidecar.start(first);
    await third.newChat([], { conversation });
    await third.replay();
    await third.until(shows("Two."));
  });

  test("can be read in an untrusted workspace, where no process starts", async function () {
    if (process.platform !== "linux") skipped(this, NEEDS_PROC);
    await using first = await BuiltSidecar.start();
    const conversation = randomUUID();
    await first.newChat([], { conversation });
    await first.prompt("say Read me.", ended);
    await first.kill();
    await using second = await BuiltSidecar.start(first, { restricted: true });
    await second.newChat([], { conversation });
    await second.replay();
    await second.until(shows("Read me."));
    await rejects(second.ask("chat/prompt", { sessionId: second.sessionId, messageId: "p", blocks: [] }), /Trust this/);
    await second.ask("chat/restartAgent", { sessionId: second.sessionId });
    // Looks for programs with the user's shell, if it may.
    await second.ask("agents/find", { programs: ["git"] }).catch(() => undefined);
    deepEqual(second.childPids(), []);
  });

  test("converts a trace of the built sidecar with scripts/trace-to-golden.mjs (trace-two-sessions)", async () => {
    await using sidecar = await BuiltSidecar.start();
    await sidecar.newChat();
    await sidecar.prompt("say The key is sk-ant-api03-planted0planted0planted0planted0planted0AA.", ended);
    const folder = sidecar.traceFolder;
    await sidecar.newChat();
    await sidecar.prompt("say The second session.", shows("The second session."));
    await sidecar.until(isIdle);
    await sidecar.transcript("");
    const [file] = readdirSync(folder);
    const convert = (...args: readonly string[]): string => {
      const script = path.resolve("scripts/trace-to-golden.mjs");
      const ran = spawnSync(process.execPath, [script, path.join(folder, String(file)), ...args], { encoding: "utf8" });
      equal(ran.status, 0, ran.stderr);
      return ran.stdout;
    };
    const all = convert("trace", "--out", "-");
    doesNotMatch(all, /planted0/);
    doesNotMatch(all, new RegExp(sidecar.home.replaceAll("\\", ".")));
    const [, ...one] = convert("trace", "--out", "-", "--session", "session-2").trimEnd().split("\n");
    const end = one.findIndex(line => line.includes(AGENT_METHODS.session_close));
    compare("trace-two-sessions", "keeps one session of a trace", one.slice(0, end));
    deepEqual(
      one.filter(line => line.includes("The key is")),
      [],
    );
  });
});
