/** Agents of a window that run, exit, and sign out. */
import { deepEqual, doesNotMatch, equal, match, ok, rejects } from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import { census } from "../../testing/census";
import { eventually } from "../../testing/eventually";
import { scriptedAgent } from "../../testing/programs/programs";
import { NEEDS_PROC, skipped } from "../../testing/skipped";
import { ServeWindow } from "../../testing/serve-window";

const scripted = (flags: readonly string[]): AgentConfig => {
  const { command, args } = scriptedAgent(flags);
  return { id: "ada", name: "Ada", distribution: { local: { command, args } } };
};

/** Kills the process and waits until it is dead. On a busy machine a signal takes longer than the next prompt. */
function killAndWait(pid: number): void {
  process.kill(pid, "SIGKILL");
  for (let i = 0; i < 1_000_000 && isAlive(pid); i++);
}

/** Also `false` without `/proc`. A zombie counts as dead: only its parent can reap it. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

suite("agent of a window", () => {
  test("is counted while it runs, and shows the reason of its exit until the next start", async () => {
    await using window = await ServeWindow.open();
    const ada = scripted([]),
      isRunning = async () => (await window.state(ada))?.running === 1;
    const { sessionId } = await window.ask("chat/new", {
      conversation: "one",
      agent: ada,
      cwd: window.home,
    });
    await window.until(isRunning);
    equal((await window.state(ada))?.signIn, undefined, "it knows no users");
    await window.ask("chat/prompt", { sessionId, messageId: "1", blocks: [{ type: "text", text: "crash 7" }] });
    await window.until(async () => (await window.state(ada))?.lastError !== undefined);
    match((await window.state(ada))?.lastError?.sentence ?? "", /^Ada exited unexpectedly \(exit code 7\)\./);
    await window.ask("chat/restartAgent", { sessionId });
    await window.until(isRunning);
    equal((await window.state(ada))?.lastError, undefined);
    await window.ask("chat/close", { sessionId });
    await window.until(async () => (await window.state(ada))?.running === 0);
    equal((await window.state(ada))?.lastError, undefined, "we have stopped it");
  });

  test("answers a prompt sent when an idle agent is killed after the restart", async () => {
    await using window = await ServeWindow.open();
    const { sessionId } = await window.ask("chat/new", {
      conversation: "one",
      agent: scripted([]),
      cwd: window.home,
    });
    const shown = (): string => JSON.stringify(window.notesOf("chat/event").map(({ event }) => event));
    const prompt = (messageId: string, text: string): Promise<unknown> =>
      window.ask("chat/prompt", { sessionId, messageId, blocks: [{ type: "text", text }] });
    let before = 0;
    for (const round of [1, 2, 3]) {
      await prompt(`pid-${round}`, "pid");
      const pid = (): number => Number([...shown().matchAll(/pid (\d+)/g)].at(-1)?.[1] ?? before);
      await window.until(() => pid() !== before && /"state":"idle"\}\}\]$/.test(shown()));
      killAndWait((before = pid()));
      await prompt(`after-${round}`, `say answer ${round}`);
      await window.until(() => shown().includes(`"text":"answer ${round}"`) || shown().includes("sendAgain"));
      doesNotMatch(shown(), /sendAgain/);
      await window.until(() => /"state":"idle"\}\}\]$/.test(shown()));
    }
  });

  test("sign-out sends logout, deletes keys, ends processes, and the next session asks", async () => {
    await using window = await ServeWindow.open();
    const file = window.at("signed-in"),
      ada = scripted(["--auth-required", "--auth-file", file, "--logout", ""]);
    writeFileSync(file, "");
    window.keys = { ADA_KEY: "abc" };
    const { sessionId } = await window.ask("chat/new", {
      conversation: "one",
      agent: ada,
      cwd: window.home,
    });
    await window.until(async () => (await window.state(ada))?.signIn === "in");
    equal((await window.state(ada))?.canSignOut, true);
    await window.ask("agents/signOut", { agent: ada, cwd: window.home });
    deepEqual([existsSync(file), window.keys], [false, {}]);
    await window.until(async () => (await window.state(ada))?.running === 0);
    deepEqual(
      [(await window.state(ada))?.signIn, (await window.state(ada))?.canSignOut, (await window.state(ada))?.lastError],
      ["needed", undefined, undefined],
    );
    await window.until(() =>
      window
        .notesOf("chat/event")
        .some(
          ({ sessionId: of, event }) => of === sessionId && JSON.stringify(event).includes("You signed out of Ada."),
        ),
    );
    equal((await window.ask("agents/examine", { agent: ada, cwd: window.home })).diagnosis.cause, "signIn");
    await rejects(
      window.ask("agents/signOut", { agent: scripted([]), cwd: window.home }),
      /Ada does not support signing out/,
    );
  });

  test("signs out without installation by deleting the keys", async () => {
    await using window = await ServeWindow.open();
    const ada: AgentConfig = { id: "ada", name: "Ada", distribution: { npx: { package: "@s/proxy" } } };
    window.keys = { ADA_KEY: "abc" };
    await window.ask("agents/signOut", { agent: ada, cwd: window.home });
    deepEqual(
      [window.keys, (await window.state(ada))?.install, window.notesOf("agents/installing")],
      [{}, { kind: "missing" }, []],
    );
  });

  test("logs the stderr of agents at their own level, which changes without a restart", async () => {
    await using window = await ServeWindow.open();
    const examined = async (): Promise<number> => {
      await window.ask("agents/examine", { agent: scripted(["--exit-at-start", "3"]), cwd: window.home });
      return window.notesOf("log").filter(({ message }) => message === "stderr").length;
    };
    equal(await examined(), 0);
    window.notify("settings/logLevels", { logLevel: "error", agentLogLevel: "debug" });
    ok((await examined()) > 0);
    ok(window.notesOf("log").every(({ category }) => category === "agent"));
  });

  test("leaves no processes if the window closes during an examination", async function () {
    if (process.platform !== "linux") skipped(this, NEEDS_PROC);
    const window = await ServeWindow.open(),
      log = window.at("log.jsonl"),
      ada = scripted(["--hang-init", "--ignore-stdin-end", "--log", log]),
      { bootId } = window;
    window.ask("agents/examine", { agent: ada, cwd: window.home }).catch(() => undefined);
    await window.ask("agents/find", { programs: [] });
    await eventually(() => existsSync(log) && readFileSync(log, "utf8") !== "", "the agent has heard initialize");
    await window[Symbol.asyncDispose]();
    deepEqual(census(bootId), []);
  });
});
