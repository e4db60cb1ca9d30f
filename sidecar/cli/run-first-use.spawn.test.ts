/** The command `run` without a configuration: it asks for an agent and creates the file. */
import { deepEqual, equal, match } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { timeLimit } from "../../scripts/time-limits.mjs";
import { census } from "../testing/census";
import { NEEDS_PROC, skipped } from "../testing/skipped";
import { configurationOf, KNOWN_AGENTS } from "./run/known-agents";
import { failure, RunFixture, SCRIPT } from "../testing/run-fixture";

const KIRO = KNOWN_AGENTS[3]!;

suite("symposium-acp-agent run", function () {
  this.timeout(timeLimit(120_000));
  let fixture: RunFixture;
  setup(() => {
    fixture = new RunFixture();
  });
  teardown(() => fixture[Symbol.asyncDispose]());

  suite("without a configuration", () => {
    test("asks for an agent, creates the file, and answers the next session by that agent", async () => {
      fixture.addKiro();
      const run = fixture.start();
      await run.initialize({ fs: { readTextFile: true, writeTextFile: true } });
      const setup = await run.openSetup();
      await run.ask(setup, "hello");
      await run.ask(setup, "7");
      match(await run.ask(setup, "4"), /^You selected Kiro CLI\.[^]*Kiro CLI has started\./);
      equal(readFileSync(fixture.file, "utf8"), configurationOf(KIRO));
      if (process.platform !== "win32") equal(statSync(fixture.file).mode & 0o777, 0o600);
      deepEqual(
        readdirSync(path.dirname(fixture.file)).filter(name => name.startsWith("config")),
        ["config.jsonc"],
      );
      const session = await run.open();
      match(await run.ask(session, SCRIPT), /Hello from the agent\.$/);
      await run.ask(setup, "Write a test.");
      run.transcript.match("sidecar/testing/transcripts/run-first.golden");
      await run.end();
      equal(run.stderr, "");
      if (process.platform === "linux") deepEqual(census(run.id), []);

      const next = fixture.start();
      await next.initialize();
      match(await next.ask(await next.open(), SCRIPT), /Hello from the agent\.$/);
      await next.end();
    });

    test("lets two editors at once create one file, which both use", async () => {
      fixture.addKiro();
      const both = [fixture.start(), fixture.start()];
      const setups = await Promise.all(
        both.map(async run => {
          await run.initialize();
          return run.openSetup();
        }),
      );
      const texts = await Promise.all(
        both.map(async (run, i) => {
          const text = await run.ask(setups[i]!, "4");
          match(await run.ask(await run.open(), SCRIPT), /Hello from the agent\.$/);
          return text;
        }),
      );
      deepEqual(texts.filter(text => text.startsWith("You selected Kiro CLI.")).length, 1, texts.join("\n---\n"));
      deepEqual(texts.filter(text => text.startsWith("Another window has created ")).length, 1);
      equal(readFileSync(fixture.file, "utf8"), configurationOf(KIRO));
      for (const run of both) await run.end();
    });

    test("keeps a file that appears before the answer, and reports its mistake", async () => {
      const run = fixture.start();
      await run.initialize();
      const setup = await run.openSetup();
      fixture.write('{ "agent": 1 }');
      match(
        await run.ask(setup, "1"),
        /^Another window has created [^]*The agent could not be started: .*config\.jsonc:1:12: “agent” must be text/,
      );
      equal(readFileSync(fixture.file, "utf8"), '{ "agent": 1 }');
      match(await failure(run.open()), /config\.jsonc:1:12: “agent” must be text/);
      fixture.configured();
      equal(await run.ask(await run.open(), SCRIPT), "Hello from the agent.");
      await run.end();
    });

    test("uses a file that appears before the next session, with its notices", async () => {
      const run = fixture.start();
      await run.initialize({ session: { notices: {} } });
      await run.open();
      fixture.configured([{ name: "rust", enabled: true }]);
      equal(await run.ask(await run.open(), SCRIPT), "Hello from the agent.");
      equal(run.updates.filter(({ sessionUpdate }) => sessionUpdate === "notice").length, 1);
      await run.end();
    });

    test("reports an agent that cannot be started, and starts it for a later session", async () => {
      const run = fixture.start({ env: { PATH: path.join(fixture.home, "bin") } });
      await run.initialize();
      const setup = await run.openSetup();
      match(await run.ask(setup, "4"), /Kiro CLI could not be started: .*“kiro-cli-chat” was not found/);
      match(await failure(run.open()), /“kiro-cli-chat” was not found/);
      fixture.addKiro();
      match(await run.ask(await run.open(), SCRIPT), /Hello from the agent\.$/);
      await run.end();
    });

    test("exits with 1 if the agent exits after the hand-over", async function () {
      if (process.platform !== "linux") skipped(this, NEEDS_PROC);
      fixture.addKiro();
      const run = fixture.start();
      await run.initialize();
      await run.ask(await run.openSetup(), "4");
      const session = await run.open();
      const prompt = [{ type: "text", text: "crash 3" }];
      match(await failure(run.peer.request("session/prompt", { sessionId: session, prompt })), /kiro-cli-chat/);
      deepEqual(await run.exit, [1, null]);
      deepEqual(census(run.id), []);
    });

    test("ends the started agent when the client disconnects or on a signal", async function () {
      if (process.platform !== "linux") skipped(this, NEEDS_PROC);
      fixture.addKiro();
      for (const end of ["stdin", "SIGTERM"] as const) {
        const run = fixture.start();
        await run.initialize();
        await run.ask(await run.openSetup(), "4");
        if (end === "stdin") run.process.stdin.end();
        else run.process.kill(end);
        deepEqual(await run.exit, [end === "stdin" ? 0 : 143, null]);
        deepEqual(census(run.id), []);
        rmSync(fixture.file);
      }
    });

    test("creates no file without an answer", async () => {
      const run = fixture.start();
      await run.initialize();
      await run.open();
      await run.end();
      equal(existsSync(path.join(fixture.home, ".symposium", "config.jsonc")), false);
    });

    test("explains why the file cannot be created, and asks again", async function () {
      if (process.platform !== "linux") skipped(this, NEEDS_PROC);
      const full = (command: readonly string[]): readonly string[] => [
        "/bin/sh",
        "-c",
        'ulimit -f 0; exec "$0" "$@"',
        ...command,
      ];
      for (const [wrap, why] of [
        [full, /^\S+config\.jsonc cannot be created: its disk is full\. Nothing is saved\./],
        [readOnly(fixture.home), /^\S+config\.jsonc cannot be created: (its disk is read-only|you have no permission)/],
      ] as const) {
        const run = fixture.start({ wrap });
        await run.initialize();
        const setup = await run.openSetup();
        match(await run.ask(setup, "2"), why);
        match(await run.ask(setup, "nothing"), /^Welcome to Symposium!/);
        await run.end();
        equal(existsSync(fixture.file), false);
      }
    });
  });
});

/** Runs the command with a read-only home. For a user without mount permission it changes the mode of the folder. */
function readOnly(home: string): (command: readonly string[]) => readonly string[] {
  const canMount = spawnSync("unshare", ["--mount", "true"]).status === 0;
  const script = canMount ? 'mount -t tmpfs -o ro tmpfs "$0" && exec "$@"' : 'chmod 500 "$0" && exec "$@"';
  return command => [...(canMount ? ["unshare", "--mount"] : []), "/bin/sh", "-c", script, home, ...command];
}
