/** Tests the order of 100,000 mixed messages, and the memory use of a chain while one of its ends does not read. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { timeLimit } from "../../scripts/time-limits.mjs";
import type { Channel } from "../rpc/channel";
import { Frame } from "../rpc/frame";
import { memoryChannels } from "../rpc/memory-channel";
import { ndjsonChannel } from "../rpc/ndjson-channel";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { ProcessChain } from "../testing/chain/process-chain";
import { program } from "../testing/programs/programs";
import { Talker } from "../testing/chain/talker";
import { endingIn, internalProxy, nestedConductor, pieces, pipes, wiredProxy } from "../testing/chain/stream-chain";
import type { LastComponent, ProxyComponent } from "./component";
import { conduct, type Conductor } from "./conductor";
import { settled } from "../testing/turn";

const RUNS = Number(process.env["SYMPOSIUM_RUNS"] ?? 10_000);
/**
 * The number of messages in all chains together. For a longer search: SYMPOSIUM_RUNS=100000 node scripts/units.mjs
 * sidecar/conductor/order
 */
const MESSAGES = 10 * RUNS;

const CHAINS: Readonly<Record<string, () => readonly ProxyComponent[]>> = {
  "no proxy": () => [],
  "one external proxy": () => [wiredProxy("a")],
  "one internal proxy": () => [internalProxy("a")],
  "three external proxies": () => [wiredProxy("a"), wiredProxy("b"), wiredProxy("c")],
  "three internal and external proxies": () => [internalProxy("a"), wiredProxy("b"), internalProxy("c")],
  "a nested chain": () => [
    wiredProxy("a"),
    nestedConductor("b", [internalProxy("c"), wiredProxy("d"), wiredProxy("e")]),
  ],
};
const ENOUGH_TO_FILL_EVERY_PIPE = 150;
/** A third of all messages are responses, and both ends send. */
const COUNT = Math.max(ENOUGH_TO_FILL_EVERY_PIPE, Math.round(MESSAGES / 3 / Object.keys(CHAINS).length / 3));

function between(proxies: readonly ProxyComponent[], upstream: Channel, last: LastComponent): Conductor {
  return conduct(upstream, {
    proxies,
    last,
    clock: new FakeClock(),
    notice: ({ message }) => {
      throw new Error(message);
    },
    onWarning: () => undefined,
  });
}

suite("order of messages in a chain", function () {
  this.timeout(timeLimit(120_000));
  for (const [what, proxies] of Object.entries(CHAINS)) {
    for (const [who, slow] of [
      ["no slow end", []],
      ["a slow client", ["client"]],
      ["a slow agent", ["agent"]],
    ] as const) {
      test(`delivers each message once and in order, in both directions: ${what}, ${who}`, async () => {
        const [ours, theirs] = memoryChannels(),
          [near, far] = pipes(pieces(65_536));
        const conductor = between(proxies(), theirs, endingIn(near));
        const slowEvery = (as: string): number => (slow.some(item => item === as) ? 20 : 0);
        const agent = new Talker(ndjsonChannel(far.input, far.output), {
          as: "agent",
          seed: 1,
          count: COUNT,
          slowEvery: slowEvery("agent"),
        });
        const client = new Talker(ours, { as: "client", seed: 2, count: COUNT, slowEvery: slowEvery("client") });
        const [atClient, atAgent] = await Promise.all([client.over, agent.over]);
        deepEqual([atClient.received, atAgent.received], [atAgent.sent, atClient.sent]);
        ok(atClient.sent > COUNT);
        await conductor[Symbol.asyncDispose]();
        equal((await conductor.closed).component, undefined);
      });
    }
  }

  for (const length of RUNS < 10_000 ? [3] : [0, 1, 3])
    test(`delivers in order through ${length} external proxies to an agent process`, async () => {
      await using processes = new ProcessChain();
      const proxies = Array.from({ length }, (_, i) => [
        processes.proxy(`p${i}`, i === 1 ? "rogue-proxy" : "pass-proxy"),
        internalProxy(`between ${i}`),
      ]).flat();
      const [ours, theirs] = memoryChannels(),
        count = Math.round(COUNT / 2);
      const start = processes.start(program("talker", ["3", String(count), "50"]));
      const conductor = between(proxies, theirs, { kind: "agent", name: "agent", start });
      const { sent, received: received } = await new Talker(ours, { as: "client", seed: 4, count, slowEvery: 30 }).over;
      ok(sent > count && received > count);
      await conductor[Symbol.asyncDispose]();
    });
});

/** An end that sends or answers `initialize`, then floods the chain. It does not read until `reads` is called. */
class Flooded {
  readonly received: number[] = [];
  sent = 0;
  #reading: Promise<void>;
  #read: () => void = () => undefined;

  constructor(
    readonly channel: Channel,
    initialize: "ask" | "answer",
    readonly ready: () => void,
  ) {
    this.#reading = new Promise(resolve => {
      this.#read = resolve;
    });
    channel.start({ receive: frame => this.#receive(frame), closed: () => undefined });
    if (initialize === "ask")
      channel.send(Frame.of({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } }));
  }

  reads(): void {
    this.#read();
  }

  async floods(count: number): Promise<void> {
    for (; this.sent < count; this.sent++) {
      const frame = Frame.raw(
        Buffer.from(
          `{"jsonrpc":"2.0","method":"session/update","params":{"n":${this.sent},"text":"${"x".repeat(1000)}"}}`,
        ),
      );
      if (!this.channel.send(frame)) await this.channel.drained();
    }
  }

  #receive({ message }: Frame): void | Promise<void> {
    if (!("method" in message)) return this.ready();
    if ("id" in message)
      return void this.channel.send(Frame.of({ jsonrpc: "2.0", id: message.id, result: { protocolVersion: 1 } }));
    this.received.push((message.params as { n: number }).n);
    return this.#reading;
  }
}

suite("chain with an end that does not read", function () {
  this.timeout(timeLimit(120_000));
  const MANY = RUNS < 10_000 ? 1500 : 5000;
  for (const [what, proxies] of Object.entries(CHAINS)) {
    test(`applies back-pressure, bounds its buffers and loses no message: ${what}`, async () => {
      const [[ours, theirs], [near, far]] = [pipes(), pipes()];
      const conductor = between(proxies(), ndjsonChannel(theirs.input, theirs.output), endingIn(near));
      const agent = new Flooded(ndjsonChannel(far.input, far.output), "answer", () => undefined);
      const client = await new Promise<Flooded>(resolve => {
        const end: Flooded = new Flooded(ndjsonChannel(ours.input, ours.output), "ask", () => resolve(end));
      });
      const flooding = Promise.all([agent.floods(MANY), client.floods(MANY)]);
      for (let before = -1; before !== agent.sent + client.sent; ) {
        before = agent.sent + client.sent;
        await settled(50);
      }
      ok(
        agent.sent < MANY / 2 && client.sent < MANY / 2,
        `${agent.sent} and ${client.sent} of ${MANY} were sent although no end reads`,
      );
      agent.reads(); // the client does not read
      for (let before = -1; before !== agent.received.length; ) {
        before = agent.received.length;
        await settled(50);
      }
      equal(agent.received.length, MANY, "the directions are independent");
      client.reads();
      await flooding;
      for (let before = -1; before !== client.received.length; ) {
        before = client.received.length;
        await settled(50);
      }
      const all = Array.from({ length: MANY }, (_, n) => n);
      deepEqual(agent.received, all);
      deepEqual(client.received, all);
      await conductor[Symbol.asyncDispose]();
    });
  }
});
