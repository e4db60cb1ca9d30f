/**
 * Kills each component of a chain with SIGKILL at each step of a turn. Steps are detected from messages, so that they
 * are reproducible.
 */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { timeLimit } from "../../scripts/time-limits.mjs";
import { objectOr } from "../rpc/json";
import type { RpcError } from "../rpc/message";
import type { IncomingRequest } from "../rpc/peer";
import { memoryChain, type MemoryChain } from "../testing/chain/memory-chain";
import { ProcessChain, observed, THREE_PROXIES } from "../testing/chain/process-chain";
import { program, scriptedAgent } from "../testing/programs/programs";
import { skipped } from "../testing/skipped";
import type { ProxyComponent, Start } from "./component";

const RUNS = Number(process.env["SYMPOSIUM_RUNS"] ?? 10_000);
/** For a longer search: SYMPOSIUM_RUNS=100000 node scripts/units.mjs sidecar/conductor/killed */
const ROUNDS = Math.max(1, Math.round(RUNS / 10_000));

const VICTIMS = RUNS < 10_000 ? ["Two", "Agent"] : [...Object.keys(THREE_PROXIES), "Agent"];

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
    const proxies = Object.entries(THREE_PROXIES).map(
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
