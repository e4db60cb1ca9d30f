/**
 * Kills each component with SIGKILL at each step of a turn, in a chain of programs and in the command that runs a
 * conductor. Steps are detected from messages, so that they are reproducible.
 */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import path from "node:path";
import { timeLimit } from "../../scripts/time-limits.mjs";
import { objectOr } from "../rpc/json";
import { ndjsonChannel } from "../rpc/ndjson-channel";
import { RpcError } from "../rpc/message";
import { Peer, type IncomingRequest } from "../rpc/peer";
import { temporaryFolder } from "../testing/drive";
import { MemoryAgent } from "../testing/memory-agent";
import { memoryChain, type MemoryChain } from "../testing/chain/memory-chain";
import { ProcessChain, observed } from "../testing/chain/process-chain";
import { program, scriptedAgent } from "../testing/programs/programs";
import { skipped } from "../testing/skipped";
import type { ProxyComponent, Start } from "./component";
import { FIRST_MESSAGE_MS } from "./agent-stage";
import { LAST_ANSWERS_MS } from "./proxy-stage";
import { settled } from "../testing/turn";

const RUNS = Number(process.env["SYMPOSIUM_RUNS"] ?? 10_000);
/** For a longer search: SYMPOSIUM_RUNS=100000 node scripts/units.mjs sidecar/conductor/killed */
const ROUNDS = Math.max(1, Math.round(RUNS / 10_000));

const PROXIES = { One: "pass-proxy", Two: "rogue-proxy", Three: "pass-proxy" } as const;
const VICTIMS = RUNS < 10_000 ? ["Two", "Agent"] : [...Object.keys(PROXIES), "Agent"];

interface Step {
  /** The component is killed at the `nth` occurrence of this event. */
  readonly when: string;
  readonly nth?: number;
  readonly prompt?: string;
  /** Flags of the agent. */
  readonly flags?: readonly string[];
  /** Whether no request is pending at this step. */
  readonly idle?: true;
}

const BEFORE_INITIALIZED: Readonly<Record<string, Step>> = {
  "as it starts": { when: "start" },
  "while initialize is pending": { when: "Agent received initialize" },
};
/** The request may be sent before the agent's process is running. */
const AGENT_INITIALIZES: Step = { when: "Agent wrote stderr and received initialize", flags: ["--hang-init"] };
const INITIALIZED: Readonly<Record<string, Step>> = {
  "after initialize": { when: "client received the response to initialize", idle: true },
  "while session/new is pending": { when: "Agent received session/new" },
  "before the first update": { when: "Agent received session/prompt", prompt: "say one\nhang-forever" },
  "between updates": {
    when: "client received an update",
    nth: 3,
    prompt: "stream 100 chunks of 20 chars\nhang-forever",
  },
  "while a permission request is pending": { when: "client received a question", prompt: "ask t1" },
  "while a cancellation is pending": { when: "Agent received session/cancel", prompt: "say cancel me\nhang-forever" },
  "after the response": { when: "client received the response to session/prompt", prompt: "say done", idle: true },
};

/** Converts a name in a trace to the component's name. */
function nameOf(traced: string): string {
  return traced === "agent" ? "Agent" : traced.replace(/^\d+ /, "");
}

/** A chain whose `victim` is killed at a step, and its client. */
class KilledChain implements AsyncDisposable {
  readonly processes = new ProcessChain();
  readonly chain: MemoryChain;
  readonly questions: IncomingRequest[] = [];
  /** The method of each request, by id. The id differs on each side of a proxy. */
  readonly #methods = new Map<unknown, string>();
  readonly #before = new Set<string>();
  #times = 0;
  #killed = false;

  constructor(
    readonly victim: string,
    readonly step: Step,
  ) {
    const proxies = Object.entries(PROXIES).map(
      ([name, file]): ProxyComponent => ({
        kind: "external",
        name,
        start: this.#starting(name, this.processes.start(observed(name, program(file)))),
      }),
    );
    this.chain = memoryChain(proxies, {
      options: {
        last: {
          kind: "agent",
          name: "Agent",
          start: this.#starting("Agent", this.processes.start(observed("Agent", scriptedAgent(step.flags)))),
        },
        trace: {
          message: (sender, receiver, { envelope }) => {
            const [from, to] = [nameOf(sender), nameOf(receiver)];
            if (envelope.kind === "response")
              return this.#happens(`${from} answers ${this.#methods.get(envelope.id) ?? ""}`);
            if (envelope.kind === "request") this.#methods.set(envelope.id, envelope.method);
            this.#happens(`${to} received ${envelope.method}`);
          },
        },
      },
      client: {
        request: request => {
          this.questions.push(request);
          this.#happens("client received a question");
        },
        notification: () => {
          this.#happens("client received an update");
          if (step.when === "Agent received session/cancel")
            this.chain.client.notify("session/cancel", { sessionId: "session-1" });
        },
      },
    });
    this.processes.spoke = name => {
      if (name === "Agent") this.#happens("Agent wrote stderr");
    };
  }

  /** Runs one turn. Returns the error of the failed request, if any. */
  async turn(): Promise<RpcError | undefined> {
    const requests = [
      ["initialize", { protocolVersion: 1 }],
      ["session/new", { cwd: process.cwd(), mcpServers: [] }],
      ["session/prompt", { sessionId: "session-1", prompt: [{ type: "text", text: this.step.prompt ?? "say done" }] }],
    ] as const;
    for (const [method, params] of requests) {
      try {
        await this.chain.client.request(method, params);
      } catch (error) {
        return error as RpcError;
      }
      this.#happens(`client received the response to ${method}`);
      if (this.#killed && this.step.idle) return undefined;
    }
    return undefined;
  }

  #starting(name: string, start: Start): Start {
    return async signal => {
      const running = await start(signal);
      if (name === this.victim) this.#happens("start");
      return running;
    };
  }

  #happens(what: string): void {
    if (what === "Agent wrote stderr" || what === "Agent received initialize") {
      this.#before.add(what);
      if (this.#before.size === 2) this.#happens("Agent wrote stderr and received initialize");
    }
    if (what !== this.step.when || ++this.#times !== (this.step.nth ?? 1)) return;
    this.#killed = true;
    this.processes.kill(this.victim);
  }

  get killed(): boolean {
    return this.#killed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.chain.conductor[Symbol.asyncDispose]();
    await this.processes[Symbol.asyncDispose]();
  }
}

const KILLED = "exited unexpectedly (signal SIGKILL).";
const lastOutput = (name: string): string => `${name}: this is how it goes\nthese are the last words of ${name}`;

/** Asserts that the chain has closed because of the victim. */
async function ended({ chain, victim, processes }: KilledChain, hasOutput = true): Promise<void> {
  const { component, message, cause } = await chain.conductor.closed;
  deepEqual(processes.living, []);
  equal(component, victim);
  ok(message.startsWith(`${victim} ${KILLED}`), message);
  deepEqual(chain.notices, [{ kind: "failed", component: victim, message, cause }]);
  if (hasOutput) equal(cause, lastOutput(victim));
}

function names(error: RpcError | undefined, victim: string, hasOutput = true): void {
  ok(error?.message.startsWith(`${victim} ${KILLED}`), error?.message ?? "no request failed");
  const { component, details } = objectOr(error?.data);
  equal(component, victim);
  if (hasOutput) equal(details, lastOutput(victim));
}

suite("killed process in a chain", function () {
  this.timeout(timeLimit(120_000));
  suiteSetup(function () {
    if (process.platform === "win32") skipped(this, "Windows has no signals that tell how a process ended");
  });

  for (const [when, early] of Object.entries(BEFORE_INITIALIZED))
    for (const victim of VICTIMS)
      test(`reports the exit of ${victim}, ${when}`, async () => {
        const step = victim === "Agent" && early.when !== "start" ? AGENT_INITIALIZES : early;
        const hasOutput = step.when !== "start";
        for (let n = 0; n < ROUNDS; n++) {
          await using killedChain = new KilledChain(victim, step);
          const { chain, processes } = killedChain;
          const error = await killedChain.turn();
          ok(killedChain.killed);
          if (victim === "Agent") {
            names(error, victim, hasOutput);
            await ended(killedChain, hasOutput);
            continue;
          }
          equal(error, undefined, "the chain continues without the victim");
          deepEqual(
            chain.notices.map(({ kind, component }) => [kind, component]),
            [["bypassed", victim]],
          );
          match(
            chain.notices[0]?.message ?? "",
            new RegExp(
              `^The agent extension “${victim}” is skipped: ${victim} exited unexpectedly \\(signal SIGKILL\\)\.`,
            ),
          );
          if (hasOutput) equal(chain.notices[0]?.cause, lastOutput(victim));
          await chain.conductor[Symbol.asyncDispose]();
          deepEqual(processes.living, []);
        }
      });

  for (const [when, step] of Object.entries(INITIALIZED))
    for (const victim of VICTIMS)
      test(`rejects the turn when ${victim} is killed: ${when}`, async () => {
        for (let n = 0; n < ROUNDS; n++) {
          await using killedChain = new KilledChain(victim, step);
          const error = await killedChain.turn();
          ok(killedChain.killed);
          if (step.idle) equal(error, undefined);
          else names(error, victim);
          await ended(killedChain);
          deepEqual(
            killedChain.questions.map(({ signal }) => signal.aborted),
            step.when.includes("question") ? [true] : [],
          );
          await rejects(killedChain.chain.client.request("session/new", {}), "the chain has closed");
        }
      });

  for (const victim of VICTIMS)
    test(`delivers the response that ${victim} sent before it was killed`, async () => {
      for (let n = 0; n < ROUNDS; n++) {
        await using killedChain = new KilledChain(victim, {
          when: `${victim} answers session/prompt`,
          prompt: "stream 20 chunks of 2000 chars",
        });
        equal(await killedChain.turn(), undefined);
        ok(killedChain.killed);
        equal(killedChain.chain.notifications.length, 0);
        await ended(killedChain);
      }
    });
});

suite("proxy whose successor exited", () => {
  const DEAD = {
    code: -32603,
    message: "agent died.",
    data: { component: "agent", details: "The other side closed the connection." },
  };
  const errorObject = (error: unknown): unknown => (error instanceof RpcError ? { ...error.toJSON() } : error);

  /**
   * A chain whose second proxy holds `_hold`. The agent exits while the client waits for that request and for a prompt.
   */
  async function dying() {
    let take: (request: IncomingRequest) => void = () => undefined;
    const pending = new Promise<IncomingRequest>(resolve => {
      take = resolve;
    });
    const chain = memoryChain([
      {},
      {
        request: request => {
          if (request.method !== "_hold") return false;
          take(request);
          return true;
        },
      },
    ]);
    await chain.client.request("initialize", { protocolVersion: 1 });
    const passed = chain.client.request("session/prompt", {}).catch(errorObject),
      held = chain.client.request("_hold", {}).catch(errorObject);
    await chain.agent.next("session/prompt");
    const heldRequest = await pending;
    await chain.agent.die();
    await settled();
    return { chain, passed, held, heldRequest, holds: chain.proxies[1]! };
  }

  test("receives errors for its requests while its earlier messages still reach its client", async () => {
    const { chain, passed, held, heldRequest, holds } = await dying();
    deepEqual(await passed, DEAD);
    deepEqual(await holds.successor("session/new", {}).catch(errorObject), DEAD);
    holds.peer.notify("session/update", { n: 1 });
    heldRequest.respond("in time");
    equal(await held, "in time");
    equal((await chain.conductor.closed).component, "agent");
    deepEqual(chain.notifications[0], ["session/update", { n: 1 }]);
  });

  test("fails the client's request with the successor's error after one second without a response", async () => {
    const { chain, passed, held } = await dying();
    await passed;
    let isAnswered = false;
    void held.then(() => {
      isAnswered = true;
    });
    chain.clock.advance(LAST_ANSWERS_MS - 1);
    await settled();
    equal(isAnswered, false);
    chain.clock.advance(1);
    deepEqual(await held, DEAD);
    equal((await chain.conductor.closed).component, "agent");
  });

  test("forwards the successor's response to initialize", async () => {
    const agent = new MemoryAgent(["initialize"]),
      chain = memoryChain(
        [
          {},
          {
            initialize: (request, proxy) => {
              void proxy.successor("initialize", request.params).catch(async (error: unknown) => {
                await settled();
                request.fail(error);
              });
            },
          },
        ],
        { agent },
      );
    const pending = chain.client.request("initialize", { protocolVersion: 1 }).catch(errorObject);
    (await agent.next("initialize")).fail(new RpcError(-32000, "There is no licence."));
    await agent.die();
    deepEqual(await pending, { code: -32000, message: "There is no licence." });
    equal((await chain.conductor.closed).component, "agent");
  });

  test("is not reported as failed when it has not forwarded initialize", async () => {
    const chain = memoryChain([{ initialize: () => undefined }]);
    const pending = chain.client.request("initialize", { protocolVersion: 1 }).catch(errorObject);
    await settled();
    await chain.agent.die();
    chain.clock.advance(FIRST_MESSAGE_MS);
    deepEqual(await pending, DEAD);
    await chain.conductor.closed;
    deepEqual(
      chain.notices.map(({ kind, component }) => [kind, component]),
      [["failed", "agent"]],
    );
  });
});

suite("internal proxy that ends", () => {
  test("closes the chain without blaming another component", async () => {
    let end = (): Promise<void> => Promise.resolve();
    const chain = memoryChain([
      {
        kind: "internal",
        name: "inside",
        serve: (up, down) => {
          up.start({ receive: frame => void down.send(frame), closed: () => undefined });
          down.start({ receive: frame => void up.send(frame), closed: () => undefined });
          end = async () => {
            await down[Symbol.asyncDispose]();
            await settled();
            await up[Symbol.asyncDispose]();
          };
          return { [Symbol.asyncDispose]: () => end() };
        },
      },
    ]);
    await chain.client.request("initialize", { protocolVersion: 1 });
    const waiting = rejects(chain.client.request("session/prompt", {}), { message: "The chain has ended." });
    await chain.agent.next("session/prompt");
    await end();
    await waiting;
    deepEqual([await chain.conductor.closed, chain.notices], [{ message: "The chain has ended." }, []]);
    equal(chain.agent.received.at(-1), "closed");
  });
});

/** An editor that starts `symposium-acp-agent run-with`. */
class Editor implements AsyncDisposable {
  readonly peer: Peer;
  readonly questions: IncomingRequest[] = [];
  readonly exit: Promise<unknown[]>;
  readonly closed: Promise<void>;
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #happened: (what: string) => void;

  constructor(observer: ProcessObserver, home: string, happened: (what: string, editor: Editor) => void) {
    const agent = observed("Agent", scriptedAgent(["--early-commands"]), observer.address);
    const proxies = Object.entries(PROXIES).flatMap(([name, file]) => [
      "--proxy",
      asJson(observed(name, program(file), observer.address)),
    ]);
    const { command, args, env } = observed(
      "conductor",
      program("symposium-acp-agent", ["run-with", "--log", "debug", ...proxies, "--agent", asJson(agent)]),
      observer.address,
    );
    this.#happened = what => happened(what, this);
    this.#process = spawn(command, [...args], { env: { ...process.env, ...env, HOME: home, USERPROFILE: home } });
    this.exit = once(this.#process, "exit");
    this.#process.stderr.setEncoding("utf8").on("data", (text: string) => {
      for (const [, word = ""] of text.matchAll(/now: (\w+)/g)) this.#happened(word);
    });
    let onClosed = (): void => undefined;
    this.closed = new Promise(resolve => {
      onClosed = resolve;
    });
    this.peer = new Peer(ndjsonChannel(this.#process.stdout, this.#process.stdin), {
      request: request => {
        this.questions.push(request);
        this.#happened(`received ${request.method}`);
      },
      notification: (_, params) =>
        this.#happened(`received ${String(objectOr(objectOr(params).update).sessionUpdate)}`),
      closed: onClosed,
    });
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }

  /** Runs one turn. Returns the error of the pending request when the command is killed. */
  async turn(prompt: string): Promise<unknown> {
    try {
      await this.peer.request("initialize", { protocolVersion: 1 });
      this.#happened("initialized");
      await this.peer.request("session/new", { cwd: process.cwd(), mcpServers: [] });
      await this.peer.request("session/prompt", { sessionId: "session-1", prompt: [{ type: "text", text: prompt }] });
      this.#happened("answered");
      return undefined;
    } catch (error) {
      return error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.exit;
  }
}

function asJson({ name, command, args, env }: ReturnType<typeof program>): string {
  return JSON.stringify({ name, local: { command, args, env } });
}

/** Detects the start and the end of each process. */
class ProcessObserver implements AsyncDisposable {
  readonly ended = new Map<string, Promise<unknown>>();
  readonly #server: Server;

  constructor(
    readonly address: string,
    onStarted: (name: string) => void,
  ) {
    this.#server = createServer(socket =>
      socket
        .setEncoding("utf8")
        .on("error", () => undefined)
        .on("data", (name: string) => {
          this.ended.set(name, once(socket, "close"));
          onStarted(name);
        }),
    );
  }

  async listen(): Promise<void> {
    await once(this.#server.listen(this.address), "listening");
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise(resolve => this.#server.close(resolve));
  }
}

suite("killed conductor command", function () {
  this.timeout(timeLimit(120_000));
  suiteSetup(function () {
    if (process.platform === "win32") skipped(this, "Windows has no signals that tell how a process ended");
  });

  const ALL_PROCESSES = ["conductor", ...Object.keys(PROXIES), "Agent"];
  const STEPS: Readonly<Record<string, { readonly when: string; readonly prompt?: string; readonly nth?: number }>> = {
    "before initialize": { when: "conductor has started" },
    "while initialize is pending": { when: "Agent has started" },
    "after initialize": { when: "initialized" },
    "while session/new is pending": { when: "received available_commands_update" },
    "before the first update": { when: "prompted", prompt: "stderr now: prompted\nhang-forever" },
    "between updates": {
      when: "received agent_message_chunk",
      nth: 3,
      prompt: "stream 100 chunks of 20 chars\nhang-forever",
    },
    "while a permission request is pending": { when: "received session/request_permission", prompt: "ask t1" },
    "while a cancellation is pending": {
      when: "cancelled",
      prompt: "stderr now: ready\nwait-cancel\nstderr now: cancelled\nhang-forever",
    },
    "after the response": { when: "answered", prompt: "say done" },
  };
  for (const [when, { when: moment, prompt = "hang-forever", nth = 1 }] of Object.entries(STEPS))
    test(`ends all waiting requests and processes: ${when}`, async () => {
      using folder = temporaryFolder();
      let times = 0,
        started: Editor | undefined;
      const happened = (what: string, editor: Editor | undefined): void => {
        if (what === "ready") editor?.peer.notify("session/cancel", { sessionId: "session-1" });
        if (what === moment && ++times === nth) editor?.kill();
      };
      await using observer = new ProcessObserver(path.join(folder.path, "witness"), name =>
        happened(`${name} has started`, started),
      );
      await observer.listen();
      await using editor = (started = new Editor(observer, folder.path, happened));
      const error = await editor.turn(prompt);
      await editor.closed;
      deepEqual(await editor.exit, [null, "SIGKILL"]);
      equal(error instanceof RpcError, moment !== "answered");
      deepEqual(
        editor.questions.map(({ signal }) => signal.aborted),
        moment === "received session/request_permission" ? [true] : [],
      );
      if (moment !== "conductor has started" && moment !== "Agent has started")
        deepEqual([...observer.ended.keys()].sort(), [...ALL_PROCESSES].sort());
      await Promise.all(observer.ended.values());
    });
});
