/**
 * A conductor without an agent is a proxy of another conductor. At both ends, a nested chain behaves like the flat
 * chain.
 */
import { deepEqual, equal, match } from "node:assert/strict";
import { timeLimit } from "../../scripts/time-limits.mjs";
import fc from "fast-check";
import type { ProxyDefinition } from "../proxies/proxy";
import { isObject } from "../rpc/json";
import { ndjsonChannel } from "../rpc/ndjson-channel";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { internalProxy, LineEnd, nestedConductor, pipes, wiredChain, wiredProxy } from "../testing/chain/stream-chain";
import type { ProxyComponent } from "./component";
import { conduct } from "./conductor";

const RUNS = Number(process.env["SYMPOSIUM_RUNS"] ?? 10_000);
const TREES = Math.ceil(RUNS / 50);

/** Adds its name to every message, answers one method itself, and sends one request in every prompt. */
const signingProxy = (name: string): ProxyDefinition => ({
  name,
  create: chain => ({
    fromClient: {
      requests: {
        initialize: async request => ({
          ...((await request.pass({ ...(request.params as object), [name]: true })) as object),
          [name]: "here",
        }),
        "session/prompt": async request => {
          request.release();
          const { prompt } = request.params as { prompt: readonly string[] };
          const answer = await chain.successor.request("_own", { of: name });
          return request.pass({ prompt: [...prompt, name, answer] });
        },
        [`_${name}/method`]: () => ({ mine: name }),
      },
    },
    fromSuccessor: {
      notifications: {
        "session/update": update => update.pass({ by: [...(update.params as { by: readonly string[] }).by, name] }),
      },
      requests: {
        _refused: () => {
          throw new Error(`no, says ${name}`);
        },
      },
    },
  }),
});

type Tree = string | readonly Tree[];

/** All ways to group these names into nested chains. */
const trees = (names: readonly string[], depth: number): fc.Arbitrary<readonly Tree[]> =>
  depth === 0
    ? fc.constant(names)
    : fc.array(fc.nat(names.length), { maxLength: 3 }).chain(cuts => {
        const at = [0, ...[...cuts].sort((a, b) => a - b), names.length];
        const groups = at.slice(1).map((end, i) => names.slice(at[i], end));
        return fc
          .tuple(
            ...groups.map(group =>
              fc
                .boolean()
                .chain(
                  (inner): fc.Arbitrary<readonly Tree[]> =>
                    inner ? trees(group, depth - 1).map(tree => [tree]) : fc.constant(group),
                ),
            ),
          )
          .map(parts => parts.flat());
      });

function component(tree: Tree, isInside: () => boolean): ProxyComponent {
  if (typeof tree !== "string")
    return nestedConductor(
      "chain",
      tree.map(part => component(part, isInside)),
    );
  return isInside() ? internalProxy(tree, signingProxy(tree)) : wiredProxy(tree, signingProxy(tree));
}

/** The messages that both ends receive, with the agent's ids in order of arrival. */
async function transcript(proxies: readonly ProxyComponent[]): Promise<readonly unknown[]> {
  await using chain = await wiredChain(proxies);
  const { client, agent } = chain,
    parse = (line: string): Record<string, unknown> => JSON.parse(line) as Record<string, unknown>;
  const written: unknown[] = [parse(client.lines[0] ?? ""), { ...parse(agent.lines[0] ?? ""), id: "first" }];
  const onEvent = async (end: LineEnd, n: number): Promise<Record<string, unknown>> => {
    const message = parse(await end.line(n));
    written.push("method" in message && "id" in message ? { ...message, id: "its own" } : message);
    return message;
  };
  let atClient = 1,
    atAgent = 1;
  client.report('{"jsonrpc":"2.0","id":"p","method":"session/prompt","params":{"prompt":["hello"]}}');
  for (let own = 0; own < 4; own++) {
    const { id, params } = await onEvent(agent, atAgent++);
    agent.report(JSON.stringify({ jsonrpc: "2.0", id, result: `to ${isObject(params) ? String(params.of) : "?"}` }));
  }
  const { id } = await onEvent(agent, atAgent++);
  for (let n = 0; n < 3; n++)
    agent.report(JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { by: [n] } }));
  agent.report('{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"which":1}}');
  for (let n = 0; n < 3; n++) await onEvent(client, atClient++);
  const asked = await onEvent(client, atClient++);
  client.report(JSON.stringify({ jsonrpc: "2.0", id: asked.id, result: { outcome: "selected" } }));
  await onEvent(agent, atAgent++);
  agent.report('{"jsonrpc":"2.0","id":"x","method":"_refused"}');
  await onEvent(agent, atAgent++);
  client.report('{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p"}}');
  const cancelled = await onEvent(agent, atAgent++);
  equal((cancelled.params as { requestId: unknown }).requestId, id, "uses the id of this hop");
  written.pop();
  agent.report(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32800, message: "cancelled", data: [1] } }));
  await onEvent(client, atClient++);
  for (const name of ["b", "d"]) client.report(`{"jsonrpc":"2.0","id":"${name}","method":"_${name}/method"}`);
  await onEvent(client, atClient++);
  await onEvent(client, atClient++);
  deepEqual([chain.notices, chain.warnings], [[], []]);
  return written;
}

suite("nested chain", function () {
  this.timeout(timeLimit(120_000));
  const NAMES = ["a", "b", "c", "d"];

  test("produces the transcript of the flat chain for every grouping of internal and external proxies", async () => {
    const flat = await transcript(NAMES.map(name => internalProxy(name, signingProxy(name))));
    deepEqual((flat[6] as { params: unknown }).params, {
      prompt: ["hello", "a", "to a", "b", "to b", "c", "to c", "d", "to d"],
    });
    await fc.assert(
      fc.asyncProperty(
        trees(NAMES, 2),
        fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
        async (tree, inside) => {
          let next = 0;
          deepEqual(await transcript(tree.map(part => component(part, () => inside[next++] ?? false))), flat);
        },
      ),
      { numRuns: TREES },
    );
  });

  test("bypasses an inner proxy that cannot start, unnoticed by the outer chain", async () => {
    const broken: ProxyComponent = {
      kind: "external",
      name: "nix",
      start: () => Promise.reject(new Error("nix was not found.")),
    };
    await using chain = await wiredChain([
      nestedConductor("outer", [broken, nestedConductor("inner", [broken, wiredProxy("a", signingProxy("a"))])]),
    ]);
    chain.client.report('{"jsonrpc":"2.0","id":1,"method":"_a/method"}');
    deepEqual(JSON.parse(await chain.client.line(1)), { jsonrpc: "2.0", id: 1, result: { mine: "a" } });
    deepEqual(chain.notices, []);
  });

  test("names the inner proxy that exits in all waiting responses and closes the outer chain", async () => {
    let die = (): Promise<void> => Promise.resolve();
    const inner = wiredProxy("mortal");
    const mortal: ProxyComponent = {
      ...inner,
      start: async signal => {
        const running = await inner.start(signal);
        die = () => running.stop();
        return running;
      },
    };
    await using chain = await wiredChain([
      wiredProxy("before"),
      nestedConductor("outer", [nestedConductor("inner", [mortal])]),
      wiredProxy("behind"),
    ]);
    chain.client.report('{"jsonrpc":"2.0","id":"p","method":"session/prompt"}');
    await chain.agent.line(1);
    await die();
    const { id, error } = JSON.parse(await chain.client.line(1)) as { id: unknown; error: { data: unknown } };
    deepEqual([id, (error.data as { component: unknown }).component], ["p", "mortal"]);
    equal((await chain.conductor.closed).component, "outer");
  });
});

suite("conductor as a proxy", () => {
  const asProxy = (proxies: readonly ProxyComponent[] = []): LineEnd => {
    const [ours, theirs] = pipes();
    conduct(ndjsonChannel(theirs.input, theirs.output), {
      proxies,
      last: { kind: "successor" },
      clock: new FakeClock(),
      notice: () => undefined,
      onWarning: () => undefined,
    });
    return new LineEnd(ours.input, ours.output);
  };

  for (const spelling of ["proxy", "_proxy"])
    test(`uses the spelling of ${spelling}/initialize in its envelopes`, async () => {
      const outer = asProxy([wiredProxy("a")]);
      outer.report(`{"jsonrpc":"2.0","id":"i","method":"${spelling}/initialize","params":{"protocolVersion":1}}`);
      const { id, ...forwarded } = JSON.parse(await outer.line(0)) as { id: number };
      deepEqual(forwarded, {
        jsonrpc: "2.0",
        method: `${spelling}/successor`,
        params: { method: "initialize", params: { protocolVersion: 1 } },
      });
      outer.report(JSON.stringify({ jsonrpc: "2.0", id, result: { protocolVersion: 1 } }));
      deepEqual(JSON.parse(await outer.line(1)), { jsonrpc: "2.0", id: "i", result: { protocolVersion: 1 } });
      outer.report('{"jsonrpc":"2.0","method":"session/cancel","params":{"x":1}}');
      deepEqual(JSON.parse(await outer.line(2)), {
        jsonrpc: "2.0",
        method: `${spelling}/successor`,
        params: { method: "session/cancel", params: { x: 1 } },
      });
      outer.report(
        `{"jsonrpc":"2.0","method":"${spelling}/successor","params":{"method":"session/update","params":{"x":2}}}`,
      );
      deepEqual(JSON.parse(await outer.line(3)), { jsonrpc: "2.0", method: "session/update", params: { x: 2 } });
      outer.output.end();
    });

  test("rejects initialize, and successor messages that precede its initialization", async () => {
    const outer = asProxy();
    outer.report('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}');
    match(await outer.line(0), /"id":1,"error":.*expects proxy\/initialize/);
    outer.report(
      '{"jsonrpc":"2.0","id":2,"method":"proxy/successor","params":{"method":"session/request_permission"}}',
    );
    match(await outer.line(1), /"id":2,"error":.*was received before initialize/);
    outer.output.end();
  });
});
