import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import type { AgentConfig } from "../../src/protocol/agents/agents";
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import type { ProxyComponent } from "../conductor/component";
import type { Channel, Closed } from "../rpc/channel";
import { realClock, type Clock } from "../rpc/clock";
import { objectOr } from "../rpc/json";
import { hurriedClock } from "../testing/accelerated-clock";
import { temporaryFolder } from "../testing/drive";
import { serveMcpOverHttp } from "../testing/mcp/mcp-server";
import { WireProxy } from "../testing/chain/memory-chain";
import { program, scriptedAgent } from "../testing/programs/programs";
import type { StatusEvent } from "./agent-status-tracker";
import type { AgentConnection } from "../acp/connection";
import { commandOf, type AgentCommand } from "./distributions/agent-command";
import { launch, type LaunchDeps } from "./launch";
import { openLedger } from "../process/process-ledger";
import { startProcess, type ProcessSpec } from "../process/stdio-process";
import { newRun } from "../process/run-id";

const NEVER = new AbortController().signal;
const local = ({ command, args }: ProcessSpec) => ({ local: { command, args } });
const extension = (name: string, distribution: ExtensionConfig["distribution"]): ExtensionConfig => ({
  id: name.toLowerCase().replaceAll(" ", "-"),
  name,
  distribution,
  _source: "custom",
});
const rule = (name: string, ...rules: readonly string[]) => extension(name, local(program("house-rules-proxy", rules)));
const rogue = (name: string, ...flags: readonly string[]) => extension(name, local(program("rogue-proxy", flags)));
const ADA: AgentConfig = { id: "ada", name: "Ada", distribution: local(scriptedAgent()) };
const ELIZA: AgentConfig = {
  id: "eliza",
  name: "Eliza",
  distribution: { symposium: { subcommand: "eliza", args: ["--deterministic"] } },
};

class Fixture implements AsyncDisposable {
  /** Sender and receiver of each prompt. */
  readonly passed: string[] = [];
  readonly statuses: string[] = [];
  readonly warned: string[] = [];
  readonly started: string[] = [];
  readonly folder = temporaryFolder();
  readonly #ledger = openLedger(this.folder.path, newRun());
  readonly #connections: AgentConnection[] = [];
  clock: Clock = realClock;
  command: NonNullable<LaunchDeps["extensionCommand"]> = async config => commandOf(config);

  /** Additional proxies of the chain. */
  proxies: readonly ProxyComponent[] = [];

  async launch(
    agent: AgentConfig,
    extensions: readonly ExtensionConfig[],
    signal = NEVER,
    agentCommand?: () => Promise<AgentCommand>,
  ): Promise<AgentConnection> {
    const connection = await launch({ agent, cwd: this.folder.path, protocol: 1, extensions }, signal, {
      version: "1",
      clock: this.clock,
      log: (level, message) => {
        if (level === "warn") this.warned.push(message);
      },
      proxies: () => this.proxies,
      extensionCommand: (config, signal) => this.command(config, signal),
      ...(agentCommand ? { command: agentCommand } : {}),
      trace: {
        message: (from, to, { envelope }) => {
          if (envelope.kind === "request" && envelope.method === "session/prompt") this.passed.push(`${from} → ${to}`);
        },
      },
      onStatus: (id, status) => this.statuses.push(`${id} ${statusText(status)}`),
      startProcess: spec => {
        this.started.push(spec.name);
        return startProcess(spec, {
          clock: realClock,
          ledger: this.#ledger,
          report: { started: () => undefined, ended: () => undefined },
          log: () => undefined,
        });
      },
    });
    this.#connections.push(connection);
    return connection;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#connections.map(connection => connection[Symbol.asyncDispose]()));
    this.#ledger.close();
    this.folder[Symbol.dispose]();
  }
}

function statusText(status: StatusEvent): string {
  return "why" in status && status.why !== undefined ? `${status.kind}: ${status.why}` : status.kind;
}

function passThrough(up: Channel, down: Channel): AsyncDisposable {
  const end = async (): Promise<void> => {
    await Promise.all([up[Symbol.asyncDispose](), down[Symbol.asyncDispose]()]);
  };
  up.start({
    receive: frame => {
      down.send(frame);
    },
    closed: () => void end(),
  });
  down.start({
    receive: frame => {
      up.send(frame);
    },
    closed: () => void end(),
  });
  return { [Symbol.asyncDispose]: end };
}

/** Sends one prompt in a new session. Returns the agent's text, and the reason if the session closes. */
async function replyTo(
  connection: AgentConnection,
  text: string,
  opened: (sessionId: string) => void = () => undefined,
): Promise<{ readonly text: string; readonly closed?: Closed }> {
  let replyText = "",
    onClosed: (closed?: Closed) => void = () => undefined;
  const ended = new Promise<Closed | undefined>(resolve => {
    onClosed = resolve;
  });
  const { sessionId } = await connection.newSession(process.cwd(), {
    opened: () => undefined,
    isAsking: () => false,
    request: request => request.fail(new Error("unexpected request")),
    elicitationCompleted: () => undefined,
    closed: onClosed,
    update: update => {
      replyText += String(objectOr(objectOr(update).content).text ?? "");
    },
  });
  opened(sessionId);
  connection.prompt(sessionId, [{ type: "text", text }], () => onClosed());
  const closed = await ended;
  return { text: replyText, ...(closed === undefined ? {} : { closed }) };
}

suite("launch with extensions", () => {
  test("runs them before the agent in order, with their changes to its messages", async () => {
    await using fixture = new Fixture();
    const connection = await fixture.launch(ADA, [
      rule("House rules", "Be brief."),
      extension("Pass", local(program("pass-proxy"))),
      rule("Other rules", "received"),
    ]);
    match((await replyTo(connection, "hello")).text, /"Be brief\.".*"hello"/);
    deepEqual(fixture.passed.slice(0, 3), [
      "client → 1 House rules",
      "1 House rules → 2 Pass",
      "2 Pass → 3 Other rules",
    ]);
    equal(fixture.passed.at(-1)?.endsWith("→ agent"), true);
    deepEqual(
      [connection.missing, fixture.statuses],
      [[], ["house-rules started", "pass started", "other-rules started"]],
    );
    deepEqual(fixture.started.toSorted(), ["Ada", "“House rules”", "“Other rules”", "“Pass”"]);
  });

  test("reports the activity of each extension in a session and the reason for a missing one", async () => {
    await using fixture = new Fixture();
    const connection = await fixture.launch(ELIZA, [
      rule("House rules", "Be brief."),
      extension("Bad", { local: { command: "/nowhere/bad" } }),
      extension("Pass", local(program("pass-proxy"))),
    ]);
    let sessionId = "";
    const notified = new Promise<void>(
      resolve =>
        void replyTo(connection, "hello", id => {
          sessionId = id;
          connection.extensions?.listen(id, resolve);
        }),
    );
    await notified;
    const all = connection.extensions
      ?.of(sessionId)
      .map(({ time, ...rest }) => ({ ...rest, timed: time?.setup !== undefined && time.prompt !== undefined }));
    deepEqual(all, [
      {
        id: "house-rules",
        name: "House rules",
        prompts: { count: 1, last: { added: 1, removed: 0, altered: 0, text: "Be brief." } },
        timed: true,
      },
      {
        id: "bad",
        name: "Bad",
        leftOut: "The agent extension “Bad” could not be started: “/nowhere/bad” was not found or is not executable.",
        timed: false,
      },
      { id: "pass", name: "Pass", timed: true },
    ]);
  });

  test("starts an MCP server extension once per session and offers its tools over http", async () => {
    await using fixture = new Fixture();
    const tools = { ...extension("My Tools", local(program("mcp-server"))), kind: "mcp" as const },
      twin = { ...tools, id: "twin" };
    const connection = await fixture.launch(ELIZA, [tools, { ...tools, id: "my tools" }, twin]);
    let sessionId = "";
    match(
      (
        await replyTo(connection, `use tool my-tools_2::echo with {"text": "hello"}`, id => {
          sessionId = id;
        })
      ).text,
      /^OK: /,
    );
    deepEqual(
      connection.extensions?.of(sessionId).map(({ setup }) => setup),
      [{ added: ["my-tools"] }, { added: ["my-tools_2"] }, { added: ["twin"] }],
    );
    deepEqual(
      fixture.started,
      Array.from({ length: 3 }, () => "The MCP server “My Tools”"),
    );
    deepEqual(
      connection.extensions
        ?.of(sessionId)
        .map(({ tools }) => tools?.map(({ transport, stage, calls }) => [transport, stage, calls]).slice(0, 1)),
      [[["http", "offered", 0]], [["http", "called", 1]], [["http", "offered", 0]]],
    );
  });

  test("declares a remote MCP server to the agent with its headers", async () => {
    await using fixture = new Fixture();
    await using server = await serveMcpOverHttp(() => undefined);
    const docs: ExtensionConfig = {
        ...extension("Docs", { http: { url: server.url, headers: { Authorization: "Bearer secret" } } }),
        kind: "mcp",
      },
      wrong: ExtensionConfig = { ...docs, id: "wrong", name: "Wrong", distribution: { http: { url: "nowhere" } } };
    const connection = await fixture.launch(ELIZA, [docs, wrong]);
    let sessionId = "";
    match(
      (
        await replyTo(connection, `use tool docs::echo with {"text": "hello"}`, id => {
          sessionId = id;
        })
      ).text,
      /^OK: .*hello/,
    );
    deepEqual(
      connection.missing.map(({ sentence }) => sentence),
      [
        "The agent extension “Wrong” is skipped: its URL is invalid: enter a complete URL that starts with https:// or http://, such as https://example.com/mcp.",
      ],
    );
    deepEqual(
      connection.extensions
        ?.of(sessionId)
        .map(({ setup, time, leftOut }) => [setup, time?.setup !== undefined, leftOut !== undefined]),
      [
        [{ added: ["docs"] }, true, false],
        [undefined, false, true],
      ],
    );
    deepEqual(
      [fixture.started, fixture.statuses],
      [[], [`wrong failed: ${connection.missing[0]?.sentence}`, "docs started"]],
    );
  });

  test("runs additional proxies, such as VS Code's tools, behind them", async () => {
    await using fixture = new Fixture();
    fixture.proxies = [{ kind: "internal", name: "tools", serve: passThrough }];
    await replyTo(await fixture.launch(ELIZA, [rule("House rules", "Be brief.")]), "hello");
    deepEqual(fixture.passed.slice(0, 2), ["client → 1 House rules", "1 House rules → 2 tools"]);
  });

  test("supports Eliza and distinguishes two extensions with the same name", async () => {
    await using fixture = new Fixture();
    const twin: ExtensionConfig = { ...rule("House rules", "Be brief."), id: "twin" };
    ok((await replyTo(await fixture.launch(ELIZA, [rule("House rules", "Be kind."), twin]), "hello")).text.length > 0);
    deepEqual(fixture.passed.slice(0, 2), ["client → 1 House rules", "1 House rules → 2 House rules (twin)"]);
  });

  const LEFT_OUT: readonly (readonly [what: string, extension: ExtensionConfig, sentence: string])[] = [
    [
      "is missing",
      extension("Bad", { local: { command: "/nowhere/bad" } }),
      "The agent extension “Bad” could not be started: “/nowhere/bad” was not found or is not executable.",
    ],
    [
      "has no usable distribution",
      extension("Bad", { cargo: { crate: "bad" } }),
      "The agent extension Bad has no command for this computer.",
    ],
    [
      "belongs to another version",
      extension("Bad", { symposium: { subcommand: "bad" } }),
      "The agent extension “Bad” is not part of this version of Symposium.",
    ],
    [
      "exits before its request",
      rogue("Bad", "--die-on-initialize"),
      "The agent extension “Bad” exited unexpectedly (exit code 3).",
    ],
    [
      "exits during its request",
      rogue("Bad", "--die-after-forward"),
      "The agent extension “Bad” exited unexpectedly (exit code 3).",
    ],
    [
      "is not an extension",
      rogue("Bad", "--not-a-proxy"),
      "The agent extension “Bad” is skipped: it is not an agent extension: it implements neither proxy/initialize nor _proxy/initialize.",
    ],
    [
      "violates the protocol",
      rogue("Bad", "--change-version"),
      "The agent extension “Bad” is skipped: it responded with protocol version 99, its successor with 1.",
    ],
  ];
  for (const [what, bad, sentence] of LEFT_OUT) {
    test(`excludes an extension that ${what}, with a sentence, and keeps the others`, async () => {
      await using fixture = new Fixture();
      const connection = await fixture.launch(ADA, [rule("House rules", "Be brief."), bad]);
      deepEqual(connection.missing, [{ id: "bad", sentence }]);
      equal((await replyTo(connection, "hello")).text, "You said: Be brief.\nhello");
      deepEqual(fixture.statuses, [`bad failed: ${sentence}`, "house-rules started"]);
    });
  }

  test("excludes an extension that hangs after the proxy time limit", async () => {
    await using fixture = new Fixture();
    fixture.clock = hurriedClock(1000);
    const connection = await fixture.launch(ELIZA, [rogue("Bad", "--hang-initialize")]);
    deepEqual(
      connection.missing.map(({ sentence }) => sentence),
      ["The agent extension “Bad” is skipped: it did not respond within 30 seconds."],
    );
  });

  test("excludes an extension whose installation fails, with its reason", async () => {
    await using fixture = new Fixture();
    fixture.command = async config =>
      config.id === "bad" ? Promise.reject(new Error("npm stopped (exit code 1).")) : commandOf(config);
    const connection = await fixture.launch(ADA, [
      extension("Bad", { npx: { package: "bad" } }),
      rule("House rules", "Be brief."),
    ]);
    deepEqual(connection.missing, [
      { id: "bad", sentence: "The agent extension “Bad” is skipped: npm stopped (exit code 1)." },
    ]);
    equal((await replyTo(connection, "hello")).text, "You said: Be brief.\nhello");
  });

  test("logs each excluded extension without the advice for the user", async () => {
    await using fixture = new Fixture();
    await fixture.launch(ELIZA, [
      extension("Gone", { symposium: { subcommand: "gone" } }),
      rogue("Bad", "--die-on-initialize"),
    ]);
    deepEqual(fixture.warned, [
      "The agent extension “Gone” is not part of this version of Symposium.",
      "The agent extension “Bad” is skipped: “Bad” exited unexpectedly (exit code 3).",
    ]);
  });

  test("ends the agent when an extension exits later, naming the extension", async () => {
    await using fixture = new Fixture();
    const connection = await fixture.launch(ADA, [
        rule("House rules", "Be brief."),
        rogue("Bad", "--die-on", "session/prompt"),
      ]),
      { closed } = await replyTo(connection, "hello");
    equal(
      closed?.message,
      "The agent extension “Bad” exited unexpectedly (exit code 3). The agent exited with it. Both restart with your next prompt.",
    );
    match(String(closed.cause), /session\/prompt came/);
    await connection[Symbol.asyncDispose]();
    deepEqual(fixture.statuses.slice(2), [
      "house-rules ended",
      "bad ended: The agent extension “Bad” exited unexpectedly (exit code 3).",
    ]);
  });

  test("fails when an initialized extension exits while another still initializes", async () => {
    const statuses: string[] = [],
      answered: (() => void)[] = [];
    const wires = [
      new WireProxy("slow", {
        initialize: (request, proxy) =>
          void proxy.successor("initialize", request.params).then(() => answered.forEach(each => each())),
      }),
      new WireProxy("bad", {}),
    ];
    const both = new Promise<void>(resolve => answered.push(resolve)),
      configs = [extension("Slow", { local: { command: "slow" } }), extension("Bad", { local: { command: "bad" } })];
    const launching = launch({ agent: ELIZA, cwd: "/", protocol: 1, extensions: configs }, NEVER, {
      version: "1",
      clock: realClock,
      log: () => undefined,
      onStatus: (id, status) => statuses.push(`${id} ${statusText(status)}`),
      startProcess: ({ command }) => {
        const { running } = wires.find(({ name }) => name === command)!;
        return {
          pid: undefined,
          channel: running.channel,
          stderr: () => "",
          exited: new Promise(() => undefined),
          [Symbol.asyncDispose]: () => running.stop(),
        };
      },
    });
    await both;
    await wires[1]!.die();
    await rejects(launching, /^AgentError: The agent extension bad died\./);
    deepEqual(statuses, ["bad failed: The agent extension bad died."]);
  });

  test("reports no failed extension when the agent exits", async () => {
    await using fixture = new Fixture();
    const connection = await fixture.launch(ADA, [extension("Pass", local(program("pass-proxy")))]);
    const { closed } = await replyTo(connection, "crash 3");
    equal(closed?.message, "Ada exited unexpectedly (exit code 3). Ada restarts with your next prompt.");
    await connection[Symbol.asyncDispose]();
    deepEqual(fixture.statuses, ["pass started", "pass ended"]);
  });

  test("looks up extensions and agent concurrently and starts nothing before the last lookup", async () => {
    await using fixture = new Fixture();
    const lookups: string[] = [],
      finish = new Map<string, () => void>();
    const delayed = (name: string, command: AgentCommand) =>
      new Promise<AgentCommand>(resolve => {
        lookups.push(name);
        finish.set(name, () => resolve(command));
      });
    fixture.command = config => delayed(config.id, commandOf(config));
    const launching = fixture.launch(
      ADA,
      [rule("House rules", "Be brief."), rule("Other rules", "Be kind.")],
      NEVER,
      () => delayed("ada", commandOf(ADA)),
    );
    deepEqual(lookups.toSorted(), ["ada", "house-rules", "other-rules"]);
    for (const name of ["ada", "other-rules"]) finish.get(name)?.();
    await new Promise(resolve => setImmediate(resolve));
    deepEqual(fixture.started, []);
    finish.get("house-rules")?.();
    await launching;
    equal(fixture.started.length, 3);
  });

  test("cancels the lookups without a failure when the agent is unavailable or the launch is cancelled", async () => {
    await using fixture = new Fixture();
    const signals: AbortSignal[] = [],
      aborted = new AbortController();
    fixture.command = (_, signal) => {
      signals.push(signal);
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("cancelled"))));
    };
    await rejects(
      fixture.launch(ADA, [rule("House rules")], NEVER, () => Promise.reject(new Error("no network"))),
      /no network/,
    );
    const launching = fixture.launch(ADA, [rule("House rules")], aborted.signal);
    aborted.abort(new Error("closed"));
    await rejects(launching, /closed/);
    deepEqual([signals.map(signal => signal.aborted), fixture.statuses, fixture.started], [[true, true], [], []]);
  });
});
