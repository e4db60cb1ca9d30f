/** The command `run` with a configuration. */
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { timeLimit } from "../../scripts/time-limits.mjs";
import { scriptedAgent } from "../testing/programs/programs";
import { skipped } from "../testing/skipped";
import { commandLine, failure, RunFixture, SCRIPT } from "../testing/run-fixture";

suite("symposium-acp-agent run", function () {
  this.timeout(timeLimit(120_000));
  let fixture: RunFixture;
  setup(() => {
    fixture = new RunFixture();
  });
  teardown(() => fixture[Symbol.asyncDispose]());

  suite("with a configuration", () => {
    test("runs its agent and its enabled proxies like run-with", async () => {
      fixture.configured([
        { name: "cargo", enabled: true },
        { name: "ferris", enabled: false },
      ]);
      const answers = await Promise.all(
        [["run"], ["run-with", "--proxy", "cargo", "--agent", commandLine(scriptedAgent())]].map(async args => {
          const run = fixture.start({ args });
          const initialized = await run.initialize(),
            answer = await run.ask(await run.open(), SCRIPT);
          await run.end();
          equal(run.stderr, "");
          return [initialized, answer];
        }),
      );
      deepEqual(answers[0], answers[1]);
      equal(answers[0]?.[1], "Hello from the agent.");
    });

    test("reports a mistake with file, line and column as the error of initialize, and exits with 1", async () => {
      fixture.write('{\n  // mine\n  "agent": "npx -y x",\n  "proxies": [{ "name": "cargo", "enabled": "yes" }]\n}\n');
      const run = fixture.start();
      const message = `${fixture.file}:4:45: “enabled” must be true or false.`;
      equal(await failure(run.initialize()), message);
      deepEqual(await run.exit, [1, null]);
      match(run.stderr, / error /);
      ok(run.stderr.includes(message));
      equal(readFileSync(fixture.file, "utf8").includes("// mine"), true);
    });

    test("exits with 1 after a mistake if the client disconnects", async () => {
      fixture.write("");
      const run = fixture.start();
      run.process.stdin.end();
      deepEqual(await run.exit, [1, null]);
      match(run.stderr, /config\.jsonc:1:1: The file is empty\./);
    });

    test("reports a file that cannot be read", async function () {
      if (process.platform === "win32") skipped(this, "Windows has other kinds of files");
      const messages: string[] = [];
      for (const make of [
        () => mkdirSync(fixture.file, { recursive: true }),
        () => fixture.write("\u{1}".repeat(16 * 1024 * 1024 + 1)),
        () => writeFileSync(path.join(fixture.home, ".symposium"), ""),
        () => {
          mkdirSync(path.dirname(fixture.file));
          symlinkSync("elsewhere.jsonc", fixture.file);
        },
      ]) {
        make();
        const run = fixture.start();
        messages.push((await failure(run.initialize())).replace(`${fixture.file}: The file cannot be read: `, ""));
        deepEqual(await run.exit, [1, null]);
        rmSync(path.join(fixture.home, ".symposium"), { recursive: true });
      }
      deepEqual(messages, [
        "it is not a file.",
        "it is larger than 16 MB.",
        "its folder is a file.",
        "it is a link to a file that does not exist.",
      ]);
    });

    test("reports an unknown home directory", async function () {
      if (process.platform === "win32") skipped(this, "Windows does not use HOME");
      const run = fixture.start({ env: { HOME: "" } });
      match(await failure(run.initialize()), /^The home directory is unknown\. Set the variable HOME /);
      deepEqual(await run.exit, [1, null]);
    });

    test("leaves out an unknown proxy and shows a notice once, in the first turn", async () => {
      fixture.configured([
        { name: "rust", enabled: true },
        { name: "cargo", enabled: true },
      ]);
      const notice = `${fixture.file}:5:15: The proxy “rust” is unknown and is left out. Known proxies: sparkle, ferris, cargo, workspace and ide.`;
      const run = fixture.start();
      await run.initialize();
      const sessionId = await run.open();
      equal(await run.ask(sessionId, SCRIPT), `Symposium: ${notice}\n\nHello from the agent.`);
      equal(await run.ask(sessionId, SCRIPT), "Hello from the agent.");
      equal(await run.ask(await run.open(), SCRIPT), "Hello from the agent.");
      await run.end();
      equal(run.stderr.split(notice).length, 2);

      const supporting = fixture.start();
      await supporting.initialize({ session: { notices: {} } });
      equal(await supporting.ask(await supporting.open(), SCRIPT), "Hello from the agent.");
      deepEqual(
        supporting.updates.filter(({ sessionUpdate }) => sessionUpdate === "notice"),
        [{ sessionUpdate: "notice", severity: "warning", title: notice }],
      );
      await supporting.end();
    });

    test("continues with the old configuration after a change, with one notice", async () => {
      fixture.configured();
      const run = fixture.start(),
        original = readFileSync(fixture.file, "utf8");
      await run.initialize();
      const sessionId = await run.open();
      writeFileSync(fixture.file, original); // another time, the same text
      equal(await run.ask(sessionId, SCRIPT), "Hello from the agent.");
      fixture.write("{ broken");
      const notice = `${fixture.file} has changed. Restart your editor to apply the change.`;
      equal(await run.ask(sessionId, SCRIPT), `Symposium: ${notice}\n\nHello from the agent.`);
      fixture.write("{ again");
      equal(await run.ask(await run.open(), SCRIPT), "Hello from the agent.");
      await run.end();
      equal(run.stderr.split(notice).length, 2);
    });

    test("writes redacted log and trace files", async () => {
      fixture.configured([], `SECRET_TOKEN=hunter2hunter2 ${commandLine(scriptedAgent())}`);
      const args = [
        "--log",
        "debug",
        "run",
        "--trace-dir",
        path.join(fixture.home, "t"),
        "--log-dir",
        path.join(fixture.home, "l"),
      ];
      const run = fixture.start({ args });
      await run.initialize();
      await run.ask(await run.open(), SCRIPT);
      await run.end();
      const [trace = ""] = readdirSync(path.join(fixture.home, "t")),
        [log = ""] = readdirSync(path.join(fixture.home, "l"));
      const text = readFileSync(path.join(fixture.home, "t", trace), "utf8");
      match(text, /"method":"session\/prompt"/);
      equal(readFileSync(path.join(fixture.home, "l", log), "utf8"), run.stderr);
      doesNotMatch(text + run.stderr, /hunter2/);
    });

    test("is read by two editors at once", async () => {
      fixture.configured();
      const both = [fixture.start(), fixture.start()];
      const answers = await Promise.all(
        both.map(async run => {
          await run.initialize();
          return run.ask(await run.open(), SCRIPT);
        }),
      );
      deepEqual(answers, ["Hello from the agent.", "Hello from the agent."]);
      for (const run of both) await run.end();
    });
  });
});
