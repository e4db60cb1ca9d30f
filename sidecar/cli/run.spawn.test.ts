import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { timeLimit } from "../../scripts/time-limits.mjs";
import type { Channel } from "../rpc/channel";
import { objectOr, type JsonObject } from "../rpc/json";
import { RpcError } from "../rpc/message";
import { ndjsonChannel } from "../rpc/ndjson-channel";
import { Peer } from "../rpc/peer";
import { census } from "../testing/census";
import { program, scriptedAgent } from "../testing/programs/programs";
import { NEEDS_PROC, skipped } from "../testing/skipped";
import { Transcript } from "../testing/transcript";
import { configurationOf, KNOWN_AGENTS } from "./run/known-agents";

const KIRO = KNOWN_AGENTS[3]!;
/** Text of a script of the scripted agent that identifies it. */
const SCRIPT = "say Hello from the agent.";

interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Wraps the command. */
  readonly wrap?: (command: readonly string[]) => readonly string[];
}

/** The command as a child process of an editor, and the editor's end of the connection. */
class Run {
  /** Id of this test's run. Processes that the command starts inherit it. */
  readonly id = randomUUID();
  readonly process: ChildProcessWithoutNullStreams;
  readonly exit: Promise<readonly [code: number | null, signal: string | null]>;
  readonly peer: Peer;
  readonly transcript = new Transcript();
  readonly updates: JsonObject[] = [];
  stderr = "";
  #updated: () => void = () => undefined;

  constructor(home: string, { args = ["run"], env = {}, wrap = words => words }: RunOptions = {}) {
    const sidecar = program("symposium-acp-agent"),
      [file = "", ...rest] = wrap([sidecar.command, ...sidecar.args, ...args]);
    this.process = spawn(file, rest, {
      env: {
        ...process.env,
        HOME: home,
        USERPROFILE: home,
        PATH: [path.join(home, "bin"), process.env.PATH].join(path.delimiter),
        SYMPOSIUM_RUN_ID: this.id,
        ...env,
      },
    });
    this.exit = new Promise(resolve => {
      this.process.once("close", (code, signal) => resolve([code, signal]));
    });
    this.process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    const channel = ndjsonChannel(this.process.stdout, this.process.stdin);
    this.peer = new Peer(recorded(channel, this.transcript, home), {
      request: request => request.fail(new Error("the client answers no requests")),
      notification: (_method, params) => {
        this.updates.push(objectOr(objectOr(params).update));
        this.#updated();
      },
      closed: () => undefined,
    });
  }

  initialize(clientCapabilities: object = {}): Promise<unknown> {
    return this.peer.request("initialize", { protocolVersion: 1, clientCapabilities });
  }

  async open(): Promise<string> {
    return String(objectOr(await this.peer.request("session/new", { cwd: process.cwd(), mcpServers: [] })).sessionId);
  }

  /** Opens a session of the configuration agent. Resolves after its question. */
  async openSetup(): Promise<string> {
    const asked = new Promise<void>(resolve => {
      this.#updated = resolve;
    });
    const sessionId = await this.open();
    await asked;
    return sessionId;
  }

  /** Returns the text of the updates of one turn. */
  async ask(sessionId: string, text: string): Promise<string> {
    const from = this.updates.length;
    deepEqual(await this.peer.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }), {
      stopReason: "end_turn",
    });
    return this.updates
      .slice(from)
      .map(({ content }) => String(objectOr(content).text ?? ""))
      .join("");
  }

  async end(): Promise<void> {
    this.process.stdin.end();
    deepEqual(await this.exit, [0, null]);
  }

  get agents(): readonly { readonly pid: number }[] {
    return census(this.id).filter(({ runId }) => runId !== this.id);
  }
}

function recorded(channel: Channel, transcript: Transcript, home: string): Channel {
  const shown = (message: unknown): unknown =>
    JSON.parse(JSON.stringify(message).replaceAll(home, "~").replaceAll(process.cwd(), "/workspace"));
  return {
    start: receiver =>
      channel.start({
        receive: frame => {
          transcript.record("←", shown(frame.message));
          return receiver.receive(frame);
        },
        closed: reason => receiver.closed(reason),
      }),
    send: frame => {
      transcript.record("→", shown(frame.message));
      return channel.send(frame);
    },
    drained: () => channel.drained(),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}

const failure = (request: Promise<unknown>): Promise<string> =>
  request.then(
    result => JSON.stringify(result),
    (error: unknown) => (error instanceof RpcError ? error.message : String(error)),
  );

suite("symposium-acp-agent run", function () {
  this.timeout(timeLimit(120_000));
  let home: string, file: string;
  const runs: Run[] = [];
  const start = (options?: RunOptions): Run => {
    const run = new Run(home, options);
    runs.push(run);
    return run;
  };
  setup(() => {
    home = mkdtempSync(path.join(tmpdir(), "symposium-"));
    file = path.join(home, ".symposium", "config.jsonc");
  });
  teardown(async () => {
    for (const run of runs.splice(0)) {
      run.process.kill("SIGKILL");
      await run.exit;
      for (const { pid } of process.platform === "linux" ? run.agents : []) process.kill(pid, "SIGKILL");
    }
    rmSync(home, { recursive: true, force: true });
  });

  const write = (text: string): void => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const words = ({ command, args }: { readonly command: string; readonly args: readonly string[] }): string =>
    [command, ...args].map(word => `'${word}'`).join(" ");
  const configured = (proxies: readonly object[] = [], agent = words(scriptedAgent())): void =>
    write(JSON.stringify({ agent, proxies }, undefined, 2));
  /** Puts a program with the name of Kiro's on the PATH: the scripted agent. */
  const addKiro = (): void => {
    const { command, args } = scriptedAgent(),
      bin = path.join(home, "bin");
    mkdirSync(bin, { recursive: true });
    if (process.platform === "win32")
      writeFileSync(path.join(bin, "kiro-cli-chat.cmd"), `@"${command}" ${args.map(arg => `"${arg}"`).join(" ")}\r\n`);
    else
      writeFileSync(path.join(bin, "kiro-cli-chat"), `#!/bin/sh\nexec ${words({ command, args })}\n`, { mode: 0o755 });
  };

  suite("with a configuration", () => {
    test("runs its agent and its enabled proxies like run-with", async () => {
      configured([
        { name: "cargo", enabled: true },
        { name: "ferris", enabled: false },
      ]);
      const answers = await Promise.all(
        [["run"], ["run-with", "--proxy", "cargo", "--agent", words(scriptedAgent())]].map(async args => {
          const run = start({ args });
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
      write('{\n  // mine\n  "agent": "npx -y x",\n  "proxies": [{ "name": "cargo", "enabled": "yes" }]\n}\n');
      const run = start();
      const message = `${file}:4:45: “enabled” must be true or false.`;
      equal(await failure(run.initialize()), message);
      deepEqual(await run.exit, [1, null]);
      match(run.stderr, / error /);
      ok(run.stderr.includes(message));
      equal(readFileSync(file, "utf8").includes("// mine"), true);
    });

    test("exits with 1 after a mistake if the client disconnects", async () => {
      write("");
      const run = start();
      run.process.stdin.end();
      deepEqual(await run.exit, [1, null]);
      match(run.stderr, /config\.jsonc:1:1: The file is empty\./);
    });

    test("reports a file that cannot be read", async function () {
      if (process.platform === "win32") skipped(this, "Windows has other kinds of files");
      const messages: string[] = [];
      for (const make of [
        () => mkdirSync(file, { recursive: true }),
        () => write("\u{1}".repeat(16 * 1024 * 1024 + 1)),
        () => writeFileSync(path.join(home, ".symposium"), ""),
        () => {
          mkdirSync(path.dirname(file));
          symlinkSync("elsewhere.jsonc", file);
        },
      ]) {
        make();
        const run = start();
        messages.push((await failure(run.initialize())).replace(`${file}: The file cannot be read: `, ""));
        deepEqual(await run.exit, [1, null]);
        rmSync(path.join(home, ".symposium"), { recursive: true });
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
      const run = start({ env: { HOME: "" } });
      match(await failure(run.initialize()), /^The home directory is unknown\. Set the variable HOME /);
      deepEqual(await run.exit, [1, null]);
    });

    test("leaves out an unknown proxy and shows a notice once, in the first turn", async () => {
      configured([
        { name: "rust", enabled: true },
        { name: "cargo", enabled: true },
      ]);
      const notice = `${file}:5:15: The proxy “rust” is unknown and is left out. Known proxies: sparkle, ferris, cargo, workspace and ide.`;
      const run = start();
      await run.initialize();
      const sessionId = await run.open();
      equal(await run.ask(sessionId, SCRIPT), `Symposium: ${notice}\n\nHello from the agent.`);
      equal(await run.ask(sessionId, SCRIPT), "Hello from the agent.");
      equal(await run.ask(await run.open(), SCRIPT), "Hello from the agent.");
      await run.end();
      equal(run.stderr.split(notice).length, 2);

      const supporting = start();
      await supporting.initialize({ session: { notices: {} } });
      equal(await supporting.ask(await supporting.open(), SCRIPT), "Hello from the agent.");
      deepEqual(
        supporting.updates.filter(({ sessionUpdate }) => sessionUpdate === "notice"),
        [{ sessionUpdate: "notice", severity: "warning", title: notice }],
      );
      await supporting.end();
    });

    test("continues with the old configuration after a change, with one notice", async () => {
      configured();
      const run = start(),
        original = readFileSync(file, "utf8");
      await run.initialize();
      const sessionId = await run.open();
      writeFileSync(file, original); // another time, the same text
      equal(await run.ask(sessionId, SCRIPT), "Hello from the agent.");
      write("{ broken");
      const notice = `${file} has changed. Restart your editor to apply the change.`;
      equal(await run.ask(sessionId, SCRIPT), `Symposium: ${notice}\n\nHello from the agent.`);
      write("{ again");
      equal(await run.ask(await run.open(), SCRIPT), "Hello from the agent.");
      await run.end();
      equal(run.stderr.split(notice).length, 2);
    });

    test("writes redacted log and trace files", async () => {
      configured([], `SECRET_TOKEN=hunter2hunter2 ${words(scriptedAgent())}`);
      const args = ["--log", "debug", "run", "--trace-dir", path.join(home, "t"), "--log-dir", path.join(home, "l")];
      const run = start({ args });
      await run.initialize();
      await run.ask(await run.open(), SCRIPT);
      await run.end();
      const [trace = ""] = readdirSync(path.join(home, "t")),
        [log = ""] = readdirSync(path.join(home, "l"));
      const text = readFileSync(path.join(home, "t", trace), "utf8");
      match(text, /"method":"session\/prompt"/);
      equal(readFileSync(path.join(home, "l", log), "utf8"), run.stderr);
      doesNotMatch(text + run.stderr, /hunter2/);
    });

    test("is read by two editors at once", async () => {
      configured();
      const both = [start(), start()];
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

  suite("without a configuration", () => {
    test("asks for an agent, creates the file, and answers the next session by that agent", async () => {
      addKiro();
      const run = start();
      await run.initialize({ fs: { readTextFile: true, writeTextFile: true } });
      const setup = await run.openSetup();
      await run.ask(setup, "hello");
      await run.ask(setup, "7");
      match(await run.ask(setup, "4"), /^You selected Kiro CLI\.[^]*Kiro CLI has started\./);
      equal(readFileSync(file, "utf8"), configurationOf(KIRO));
      if (process.platform !== "win32") equal(statSync(file).mode & 0o777, 0o600);
      deepEqual(
        readdirSync(path.dirname(file)).filter(name => name.startsWith("config")),
        ["config.jsonc"],
      );
      const session = await run.open();
      match(await run.ask(session, SCRIPT), /Hello from the agent\.$/);
      await run.ask(setup, "Write a test.");
      run.transcript.match("sidecar/testing/transcripts/run-first.golden");
      await run.end();
      equal(run.stderr, "");
      if (process.platform === "linux") deepEqual(census(run.id), []);

      const next = start();
      await next.initialize();
      match(await next.ask(await next.open(), SCRIPT), /Hello from the agent\.$/);
      await next.end();
    });

    test("lets two editors at once create one file, which both use", async () => {
      addKiro();
      const both = [start(), start()];
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
      equal(readFileSync(file, "utf8"), configurationOf(KIRO));
      for (const run of both) await run.end();
    });

    test("keeps a file that appears before the answer, and reports its mistake", async () => {
      const run = start();
      await run.initialize();
      const setup = await run.openSetup();
      write('{ "agent": 1 }');
      match(
        await run.ask(setup, "1"),
        /^Another window has created [^]*The agent could not be started: .*config\.jsonc:1:12: “agent” must be text/,
      );
      equal(readFileSync(file, "utf8"), '{ "agent": 1 }');
      match(await failure(run.open()), /config\.jsonc:1:12: “agent” must be text/);
      configured();
      equal(await run.ask(await run.open(), SCRIPT), "Hello from the agent.");
      await run.end();
    });

    test("uses a file that appears before the next session, with its notices", async () => {
      const run = start();
      await run.initialize({ session: { notices: {} } });
      await run.open();
      configured([{ name: "rust", enabled: true }]);
      equal(await run.ask(await run.open(), SCRIPT), "Hello from the agent.");
      equal(run.updates.filter(({ sessionUpdate }) => sessionUpdate === "notice").length, 1);
      await run.end();
    });

    test("reports an agent that cannot be started, and starts it for a later session", async () => {
      const run = start({ env: { PATH: path.join(home, "bin") } });
      await run.initialize();
      const setup = await run.openSetup();
      match(await run.ask(setup, "4"), /Kiro CLI could not be started: .*“kiro-cli-chat” was not found/);
      match(await failure(run.open()), /“kiro-cli-chat” was not found/);
      addKiro();
      match(await run.ask(await run.open(), SCRIPT), /Hello from the agent\.$/);
      await run.end();
    });

    test("exits with 1 if the agent exits after the hand-over", async function () {
      if (process.platform !== "linux") skipped(this, NEEDS_PROC);
      addKiro();
      const run = start();
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
      addKiro();
      for (const end of ["stdin", "SIGTERM"] as const) {
        const run = start();
        await run.initialize();
        await run.ask(await run.openSetup(), "4");
        if (end === "stdin") run.process.stdin.end();
        else run.process.kill(end);
        deepEqual(await run.exit, [end === "stdin" ? 0 : 143, null]);
        deepEqual(census(run.id), []);
        rmSync(file);
      }
    });

    test("creates no file without an answer", async () => {
      const run = start();
      await run.initialize();
      await run.open();
      await run.end();
      equal(existsSync(path.join(home, ".symposium", "config.jsonc")), false);
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
        [readOnly(home), /^\S+config\.jsonc cannot be created: (its disk is read-only|you have no permission)/],
      ] as const) {
        const run = start({ wrap });
        await run.initialize();
        const setup = await run.openSetup();
        match(await run.ask(setup, "2"), why);
        match(await run.ask(setup, "nothing"), /^Welcome to Symposium!/);
        await run.end();
        equal(existsSync(file), false);
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
