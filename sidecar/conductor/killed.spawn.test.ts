/**
 * kill -9 of each component at each step of a turn: in a chain of three programs and an agent, and in the command that
 * runs a conductor. The step is detected from the messages that cross the chain, so that it is always the same.
 */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import path from "node:path";
import { timeLimit } from "../../scripts/time-limits.mjs";
import { objectOr } from "../rpc/json";
import { ndjsonChannel } from "../rpc/ndjson";
import { RpcError } from "../rpc/message";
import { Peer, type IncomingRequest } from "../rpc/peer";
import { temporaryFolder } from "../testing/drive";
import { MemoryAgent } from "../testing/memory-agent";
import { memoryChain, type MemoryChain } from "../testing/chain/memory-chain";
import { ProcessChain, observed } from "../testing/chain/process-chain";
import { program, scriptedAgent } from "../testing/programs/programs";
import { skipped } from "../testing/skipped";
import type { ProxyComponent, Start } from "./component";
import { LAST_ANSWERS_MS } from "./proxy-stage";

const RUNS = Number(process.env["SYMPOSIUM_RUNS"] ?? 10_000);
/** For a longer search: SYMPOSIUM_RUNS=100000 node scripts/units.mjs sidecar/conductor/killed */
const ROUNDS = Math.max(1, Math.round(RUNS / 10_000));

const PROXIES = { One: "pass-proxy", Two: "rogue-proxy", Three: "pass-proxy" } as const;
const VICTIMS = RUNS < 10_000 ? ["Two", "Agent"] : [...Object.keys(PROXIES), "Agent"];

interface Step {
  /** The event, as recorded by `Doomed`, and its occurrence, after which the component is killed. */
  readonly when: string;
  readonly nth?: number;
  readonly prompt?: string;
  /** Flags of the agent. */
  readonly flags?: readonly string[];
  /** No request is pending then. */
  readonly idle?: true;
}

const BEFORE_INITIALIZED: Readonly<Record<string, Step>> = {
  "as it starts": { when: "start" },
  "while initialize is under way": { when: "Agent is asked initialize" },
};
/** The agent may receive the request before it runs. */
const AGENT_INITIALIZES: Step = { when: "Agent has spoken, and is asked initialize", flags: ["--hang-init"] };
const INITIALIZED: Readonly<Record<string, Step>> = {
  "after initialize": { when: "client has the answer to initialize", idle: true },
  "while session/new is under way": { when: "Agent is asked session/new" },
  "before the first update": { when: "Agent is asked session/prompt", prompt: "say one\nhang-forever" },
  "between updates": { when: "client has an update", nth: 3, prompt: "stream 100 chunks of 20 chars\nhang-forever" },
  "while a question is open": { when: "client has a question", prompt: "ask t1" },
  "while a cancellation is under way": { when: "Agent hears session/cancel", prompt: "say cancel me\nhang-forever" },
  "after the answer": { when: "client has the answer to session/prompt", prompt: "say done", idle: true },
};

/** The component's name, from its name in a trace. */
function nameOf(traced: string): string {
  return traced === "agent" ? "Agent" : traced.replace(/^\d+ /, "");
}

/** A chain in which one component is killed, and a client that continues as long as it can. */
class Doomed implements AsyncDisposable {
  readonly processes = new ProcessChain();
  readonly chain: MemoryChain;
  readonly questions: IncomingRequest[] = [];
  /** The method of each request id; the id differs on each side of a proxy. */
  readonly #asked = new Map<unknown, string>();
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
              return this.#happens(`${from} answers ${this.#asked.get(envelope.id) ?? ""}`);
            if (envelope.kind === "request") this.#asked.set(envelope.id, envelope.method);
            this.#happens(`${to} ${envelope.kind === "request" ? "is asked" : "hears"} ${envelope.method}`);
          },
        },
      },
      client: {
        request: request => {
          this.questions.push(request);
          this.#happens("client has a question");
        },
        notification: () => {
          this.#happens("client has an update");
          if (step.when === "Agent hears session/cancel")
            this.chain.client.notify("session/cancel", { sessionId: "session-1" });
        },
      },
    });
    this.processes.spoke = name => {
      if (name === "Agent") this.#happens("Agent has spoken");
    };
  }

  /** Returns undefined if every request was answered and a dying chain had no more requests to answer. */
  async turn(): Promise<RpcError | undefined> {
    const asks = [
      ["initialize", { protocolVersion: 1 }],
      ["session/new", { cwd: process.cwd(), mcpServers: [] }],
      ["session/prompt", { sessionId: "session-1", prompt: [{ type: "text", text: this.step.prompt ?? "say done" }] }],
    ] as const;
    for (const [method, params] of asks) {
      try {
        await this.chain.client.request(method, params);
      } catch (error) {
        return error as RpcError;
      }
      this.#happens(`client has the answer to ${method}`);
      if (this.#killed && this.step.idle) return undefined;
    }
    return undefined;
  }

  #starting(name: string, start: Start): Start {
    return async () => {
      const running = await start();
      if (name === this.victim) this.#happens("start");
      return running;
    };
  }

  #happens(what: string): void {
    if (what === "Agent has spoken" || what === "Agent is asked initialize") {
      this.#before.add(what);
      if (this.#before.size === 2) this.#happens("Agent has spoken, and is asked initialize");
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
const lastWords = (name: string): string => `${name}: this is how it goes\nthese are the last words of ${name}`;

/** Checks the chain after it has ended because of the victim. */
async function ended({ chain, victim, processes }: Doomed, hasSpoken = true): Promise<void> {
  const { component, message, cause } = await chain.conductor.closed;
  deepEqual(processes.living, []);
  equal(component, victim);
  ok(message.startsWith(`${victim} ${KILLED}`), message);
  deepEqual(chain.notices, [{ kind: "failed", component: victim, message, cause }]);
  if (hasSpoken) equal(cause, lastWords(victim));
}

function names(error: RpcError | undefined, victim: string, hasSpoken = true): void {
  ok(error?.message.startsWith(`${victim} ${KILLED}`), error?.message ?? "everything was answered");
  const { component, details } = objectOr(error?.data);
  equal(component, victim);
  if (hasSpoken) equal(details, lastWords(victim));
}

const settled = async (): Promise<void> => {
  for (let i = 0; i < 20; i++)
    await new Promise(resolve => {
      setImmediate(resolve);
    });
};

suite("killed process in a chain", function () {
  this.timeout(timeLimit(120_000));
  suiteSetup(function () {
    if (process.platform === "win32") skipped(this, "Windows has no signals that tell how a process ended");
  });

  for (const [when, other] of Object.entries(BEFORE_INITIALIZED))
    for (const victim of VICTIMS)
      test(`reports the exit of ${victim}, ${when}`, async () => {
        const step = victim === "Agent" && other.when !== "start" ? AGENT_INITIALIZES : other;
        const hasSpoken = step.when !== "start";
        for (let n = 0; n < ROUNDS; n++) {
          await using doomed = new Doomed(victim, step);
          const { chain, processes } = doomed;
          const error = await doomed.turn();
          ok(doomed.killed);
          if (victim === "Agent") {
            names(error, victim, hasSpoken);
            await ended(doomed, hasSpoken);
            continue;
          }
          equal(error, undefined, "the chain goes on without it");
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
          if (hasSpoken) equal(chain.notices[0]?.cause, lastWords(victim));
          await chain.conductor[Symbol.asyncDispose]();
          deepEqual(processes.living, []);
        }
      });

  for (const [when, step] of Object.entries(INITIALIZED))
    for (const victim of VICTIMS)
      test(`rejects the turn when ${victim} is killed: ${when}`, async () => {
        for (let n = 0; n < ROUNDS; n++) {
          await using doomed = new Doomed(victim, step);
          const error = await doomed.turn();
          ok(doomed.killed);
          if (step.idle) equal(error, undefined);
          else names(error, victim);
          await ended(doomed);
          deepEqual(
            doomed.questions.map(({ signal }) => signal.aborted),
            step.when.includes("question") ? [true] : [],
          );
          await rejects(doomed.chain.client.request("session/new", {}), "nobody is left to answer");
        }
      });

  for (const victim of VICTIMS)
    test(`delivers the response that ${victim} sent before it was killed`, async () => {
      for (let n = 0; n < ROUNDS; n++) {
        await using doomed = new Doomed(victim, {
          when: `${victim} answers session/prompt`,
          prompt: "stream 20 chunks of 2000 chars",
        });
        equal(await doomed.turn(), undefined);
        ok(doomed.killed);
        equal(doomed.chain.notifications.length, 0);
        await ended(doomed);
      }
    });
});

suite("proxy whose successor exited", () => {
  const DEAD = {
    code: -32603,
    message: "agent died.",
    data: { component: "agent", details: "The other side closed the connection." },
  };
  const told = (error: unknown): unknown => (error instanceof RpcError ? { ...error.toJSON() } : error);

  /**
   * A proxy that holds `_hold`, behind one that forwards everything; the client waits for that request and for a
   * prompt.
   */
  async function dying() {
    let take: (request: IncomingRequest) => void = () => undefined;
    const asked = new Promise<IncomingRequest>(resolve => {
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
    const passed = chain.client.request("session/prompt", {}).catch(told),
      held = chain.client.request("_hold", {}).catch(told);
    await chain.agent.next("session/prompt");
    const kept = await asked;
    await chain.agent.die();
    await settled();
    return { chain, passed, held, kept, holds: chain.proxies[1]! };
  }

  test("receives errors for its requests while its earlier messages still reach its client", async () => {
    const { chain, passed, held, kept, holds } = await dying();
    deepEqual(await passed, DEAD);
    deepEqual(await holds.successor("session/new", {}).catch(told), DEAD);
    holds.peer.notify("session/update", { n: 1 });
    kept.respond("in time");
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
    const asked = chain.client.request("initialize", { protocolVersion: 1 }).catch(told);
    (await agent.next("initialize")).fail(new RpcError(-32000, "There is no licence."));
    await agent.die();
    deepEqual(await asked, { code: -32000, message: "There is no licence." });
    equal((await chain.conductor.closed).component, "agent");
  });

  test("is not reported as failed when it has not forwarded initialize", async () => {
    const chain = memoryChain([{ initialize: () => undefined }]);
    const asked = chain.client.request("initialize", { protocolVersion: 1 }).catch(told);
    await settled();
    await chain.agent.die();
    deepEqual(await asked, DEAD);
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

/** `symposium-acp-agent run-with` as an editor starts it, and the editor. */
class Editor implements AsyncDisposable {
  readonly peer: Peer;
  readonly questions: IncomingRequest[] = [];
  readonly exit: Promise<unknown[]>;
  readonly closed: Promise<void>;
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #happened: (what: string) => void;

  constructor(witnesses: Witnesses, home: string, happened: (what: string, editor: Editor) => void) {
    const agent = observed("Agent", scriptedAgent(["--early-commands"]), witnesses.address);
    const proxies = Object.entries(PROXIES).flatMap(([name, file]) => [
      "--proxy",
      asJson(observed(name, program(file), witnesses.address)),
    ]);
    const { command, args, env } = observed(
      "conductor",
      program("symposium-acp-agent", ["run-with", "--log", "debug", ...proxies, "--agent", asJson(agent)]),
      witnesses.address,
    );
    this.#happened = what => happened(what, this);
    this.#process = spawn(command, [...args], { env: { ...process.env, ...env, HOME: home, USERPROFILE: home } });
    this.exit = once(this.#process, "exit");
    this.#process.stderr.setEncoding("utf8").on("data", (text: string) => {
      for (const [, word = ""] of text.matchAll(/now: (\w+)/g)) this.#happened(word);
    });
    let leave = (): void => undefined;
    this.closed = new Promise(resolve => {
      leave = resolve;
    });
    this.peer = new Peer(ndjsonChannel(this.#process.stdout, this.#process.stdin), {
      request: request => {
        this.questions.push(request);
        this.#happened(`is asked ${request.method}`);
      },
      notification: (_, params) => this.#happened(`hears ${String(objectOr(objectOr(params).update).sessionUpdate)}`),
      closed: leave,
    });
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }

  /** The error of the pending request when the command is killed. */
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
class Witnesses implements AsyncDisposable {
  readonly ended = new Map<string, Promise<unknown>>();
  readonly #server: Server;

  constructor(
    readonly address: string,
    seen: (name: string) => void,
  ) {
    this.#server = createServer(socket =>
      socket
        .setEncoding("utf8")
        .on("error", () => undefined)
        .on("data", (name: string) => {
          this.ended.set(name, once(socket, "close"));
          seen(name);
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

  const EVERYBODY = ["conductor", ...Object.keys(PROXIES), "Agent"];
  const STEPS: Readonly<Record<string, { readonly when: string; readonly prompt?: string; readonly nth?: number }>> = {
    "before initialize": { when: "conductor has started" },
    "while initialize is under way": { when: "Agent has started" },
    "after initialize": { when: "initialized" },
    "while session/new is under way": { when: "hears available_commands_update" },
    "before the first update": { when: "prompted", prompt: "stderr now: prompted\nhang-forever" },
    "between updates": {
      when: "hears agent_message_chunk",
      nth: 3,
      prompt: "stream 100 chunks of 20 chars\nhang-forever",
    },
    "while a question is open": { when: "is asked session/request_permission", prompt: "ask t1" },
    "while a cancellation is under way": {
      when: "cancelled",
      prompt: "stderr now: ready\nwait-cancel\nstderr now: cancelled\nhang-forever",
    },
    "after the answer": { when: "answered", prompt: "say done" },
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
      await using witnesses = new Witnesses(path.join(folder.path, "witness"), name =>
        happened(`${name} has started`, started),
      );
      await witnesses.listen();
      await using editor = (started = new Editor(witnesses, folder.path, happened));
      const error = await editor.turn(prompt);
      await editor.closed;
      deepEqual(await editor.exit, [null, "SIGKILL"]);
      equal(error instanceof RpcError, moment !== "answered");
      deepEqual(
        editor.questions.map(({ signal }) => signal.aborted),
        moment.startsWith("is asked") ? [true] : [],
      );
      if (moment !== "conductor has started" && moment !== "Agent has started")
        deepEqual([...witnesses.ended.keys()].sort(), [...EVERYBODY].sort());
      await Promise.all(witnesses.ended.values());
    });
});
