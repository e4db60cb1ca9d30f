/** Tests that `$/cancel_request` cancels exactly the request that it names, at every hop. */
import { deepEqual, equal } from "node:assert/strict";
import { timeLimit } from "../../scripts/time-limits.mjs";
import fc from "fast-check";
import type { Chain, ProxyDefinition } from "../proxies/proxy";
import { RpcError } from "../rpc/message";
import type { IncomingRequest, Outcome, Peer, PendingCall } from "../rpc/peer";
import { memoryChain, type MemoryChain, type ProxyScript } from "../testing/chain/memory-chain";
import { ProcessChain } from "../testing/chain/process-chain";
import { internalProxy, nestedConductor, wiredProxy } from "../testing/chain/stream-chain";
import type { ProxyComponent } from "./component";
import { settled } from "../testing/turn";

const RUNS = Number(process.env["SYMPOSIUM_RUNS"] ?? 10_000);
const CHAINS = Math.ceil(RUNS / 50);

/** A proxy that inspects every message and forwards it. */
const INSPECTS: ProxyDefinition = {
  name: "looks",
  create: () => ({
    fromClient: { requests: { "session/prompt": request => request.pass() } },
    fromSuccessor: { requests: { "session/prompt": request => request.pass({ ...(request.params as object) }) } },
  }),
};

const COMPONENTS: Readonly<Record<string, (definition?: ProxyDefinition) => ProxyScript | ProxyComponent>> = {
  scripted: () => ({}),
  "scripted, older spelling": () => ({ spelling: "_proxy" }),
  internal: definition => internalProxy("inside", definition),
  "internal, inspects": () => internalProxy("inside", INSPECTS),
  external: definition => wiredProxy("outside", definition),
  "external, inspects": () => wiredProxy("outside", INSPECTS),
  nested: definition => nestedConductor("chain", [internalProxy("first"), wiredProxy("second", definition)]),
};
const kinds = fc.array(fc.constantFrom(...Object.keys(COMPONENTS)), { maxLength: 3 });

/** The requests of one side, which the other side answers when `answer` is called. */
class PendingRequests {
  readonly outcomes: (Outcome | undefined)[] = [];
  readonly #calls: PendingCall[];

  constructor(
    peer: Peer,
    readonly received: readonly IncomingRequest[],
    count: number,
  ) {
    this.#calls = Array.from({ length: count }, (_, n) =>
      peer.call("session/prompt", { n }, outcome => {
        this.outcomes[n] = outcome;
      }),
    );
  }

  cancel(n: number): void {
    this.#calls[n]?.cancel();
  }
  get cancelled(): number[] {
    return this.received.flatMap(({ signal, params }) => (signal.aborted ? [(params as { n: number }).n] : [])).sort();
  }
  answer(): void {
    for (const { signal, params, fail, respond } of this.received.map(own)) {
      if (signal.aborted) fail(new RpcError(-32800, "cancelled"));
      else respond({ answered: (params as { n: number }).n });
    }
  }
}
const own = (request: IncomingRequest) => ({
  signal: request.signal,
  params: request.params,
  fail: (error: unknown) => request.fail(error),
  respond: (result: unknown) => request.respond(result),
});

async function chainOf(
  names: readonly string[],
): Promise<{ readonly chain: MemoryChain; readonly asked: IncomingRequest[] }> {
  const asked: IncomingRequest[] = [];
  const chain = memoryChain(
    names.map(name => COMPONENTS[name]?.() ?? {}),
    {
      client: {
        request: request => {
          asked.push(request);
        },
      },
    },
  );
  await chain.client.request("initialize", { protocolVersion: 1 });
  return { chain, asked };
}

suite("cancellation", function () {
  this.timeout(timeLimit(120_000));
  const COUNT = 4;
  test(`reaches only its request, in both directions, through ${CHAINS} chains of any kind`, () =>
    fc.assert(
      fc.asyncProperty(
        kinds,
        fc.array(fc.tuple(fc.boolean(), fc.nat(COUNT - 1)), { maxLength: 8 }),
        async (names, cancellations) => {
          const { chain, asked } = await chainOf(names);
          const atAgent: IncomingRequest[] = [],
            down = new PendingRequests(chain.client, atAgent, COUNT);
          const up = new PendingRequests(chain.agent.peer, asked, COUNT);
          for (let n = 0; n < COUNT; n++) atAgent.push(await chain.agent.next("session/prompt"));
          while (asked.length < COUNT) await settled(40);
          for (const [isDown, n] of cancellations) (isDown ? down : up).cancel(n);
          await settled(40);
          const expected = (isDown: boolean): number[] =>
            [...new Set(cancellations.flatMap(([d, n]) => (d === isDown ? [n] : [])))].sort();
          deepEqual([down.cancelled, up.cancelled], [expected(true), expected(false)]);
          down.answer();
          up.answer();
          await settled(40);
          for (const [side, isDown] of [
            [down, true],
            [up, false],
          ] as const) {
            deepEqual(
              side.outcomes.map(outcome => (outcome?.ok ? outcome.result : outcome?.error.code)),
              Array.from({ length: COUNT }, (_, n) => (expected(isDown).includes(n) ? -32800 : { answered: n })),
            );
            for (let n = 0; n < COUNT; n++) side.cancel(n); // after the response
          }
          await settled(40);
          deepEqual([chain.warnings, chain.agent.received.filter(method => method.includes("cancel"))], [[], []]);
          await chain.conductor[Symbol.asyncDispose]();
        },
      ),
      { numRuns: CHAINS },
    ));

  for (const place of [0, 1, 2])
    for (const kind of ["internal", "external", "nested"]) {
      test(`reaches the other end for a proxy's own request (${kind}, proxy ${place + 1} of three)`, async () => {
        let own: Chain | undefined;
        const requester: ProxyDefinition = {
          name: "makes",
          create: chain => {
            own = chain;
            return {};
          },
        };
        const components = ["scripted, older spelling", "external", "internal"].map(name => COMPONENTS[name]?.() ?? {});
        const asked: IncomingRequest[] = [];
        const chain = memoryChain(
          components.map((item, i) => (i === place ? (COMPONENTS[kind]?.(requester) ?? {}) : item)),
          {
            client: {
              request: request => {
                asked.push(request);
              },
            },
          },
        );
        await chain.client.request("initialize", { protocolVersion: 1 });
        const clients = chain.client.call("session/prompt", { of: "client" }, () => undefined),
          agents = chain.agent.peer.call("_ask", { of: "agent" }, () => undefined);
        const [stopDown, stopUp] = [new AbortController(), new AbortController()];
        const answers = Promise.allSettled([
          own?.successor.request("session/prompt", { of: "proxy" }, { signal: stopDown.signal }),
          own?.client.request("_ask", { of: "proxy" }, { signal: stopUp.signal }),
        ]);
        const atAgent = [await chain.agent.next("session/prompt"), await chain.agent.next("session/prompt")];
        while (asked.length < 2) await settled(40);
        const aborted = (): unknown[] =>
          [...atAgent, ...asked].flatMap(({ signal, params, method }) => (signal.aborted ? [[method, params]] : []));
        stopDown.abort();
        await settled(40);
        deepEqual(aborted(), [["session/prompt", { of: "proxy" }]]);
        stopUp.abort();
        await settled(40);
        deepEqual(aborted(), [
          ["session/prompt", { of: "proxy" }],
          ["_ask", { of: "proxy" }],
        ]);
        for (const request of [...atAgent, ...asked]) request.fail(new RpcError(-32800, "cancelled"));
        deepEqual(
          (await answers).map(({ status }) => status),
          ["rejected", "rejected"],
        );
        clients.cancel();
        agents.cancel();
        await settled(40);
        equal(aborted().length, 2);
        deepEqual(chain.warnings, []);
        await chain.conductor[Symbol.asyncDispose]();
      });
    }

  for (const flags of [[], ["--old"]])
    test(`passes external proxies${flags.length > 0 ? ", in the older spelling" : ""}`, async () => {
      await using processes = new ProcessChain();
      const asked: IncomingRequest[] = [];
      let onRequested: () => void = () => undefined;
      const requested = new Promise<void>(resolve => {
        onRequested = resolve;
      });
      const chain = memoryChain(
        [processes.proxy("one", "rogue-proxy", flags), processes.proxy("two", "rogue-proxy", flags)],
        {
          client: {
            request: request => {
              asked.push(request);
              onRequested();
            },
          },
        },
      );
      await chain.client.request("initialize", { protocolVersion: 1 });
      const down = chain.client.call("session/prompt", {}, () => undefined);
      const atAgent = await chain.agent.next("session/prompt");
      const stopped = new Promise(resolve => {
        atAgent.signal.addEventListener("abort", resolve);
      });
      down.cancel();
      await stopped;
      const up = chain.agent.peer.call("_ask", {}, () => undefined);
      await requested;
      const stoppedUp = new Promise(resolve => {
        asked[0]?.signal.addEventListener("abort", resolve);
      });
      up.cancel();
      await stoppedUp;
      await chain.conductor[Symbol.asyncDispose]();
      deepEqual([chain.notices, chain.warnings], [[], []]);
    });
});
