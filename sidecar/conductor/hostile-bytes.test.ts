/**
 * Sends messages of arbitrary bytes in arbitrary chunks. The received message equals `JSON.parse` of the sent message,
 * with another id. The bytes of unknown members are preserved.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { timeLimit } from "../../scripts/time-limits.mjs";
import fc from "fast-check";
import { RpcCode } from "../rpc/message";
import {
  internalProxy,
  nestedConductor,
  pieces,
  returns,
  wiredChain,
  wiredProxy,
  type Cut,
  type LineEnd,
} from "../testing/chain/stream-chain";
import type { ProxyComponent } from "./component";

const RUNS = Number(process.env["SYMPOSIUM_RUNS"] ?? 10_000);
/** The number of batches of messages through a chain. */
const BATCHES = Math.ceil(RUNS / 50);

type Json = Readonly<Record<string, unknown>>;
const parsed = (line: string): Json => JSON.parse(line) as Json;

/**
 * Difficult strings: quotes, escapes, text like an envelope, characters that only look like line ends, lone surrogates.
 */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        '"',
        "\\",
        "\\\\",
        '\\"',
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        '"id":1',
        '"method":"x"',
        '"result":',
        "\\u0069d",
        "\u2028",
        "\u0000",
        "\r",
        "\n",
        "\u{1F40E}",
        "ž",
        " ",
      ),
      { maxLength: 30 },
    )
    .map(parts => parts.join("")),
  fc.constantFrom("id", "method", "params", "result", "error", "jsonrpc", "_meta", "", "__proto__"),
);

/** JSON text of any value in any spelling, including numbers that a double cannot represent. */
const written: fc.Arbitrary<string> = fc.letrec<{ value: string }>(tie => ({
  value: fc.oneof(
    { maxDepth: 6, depthSize: "small" },
    text.chain(escaped),
    fc.constantFrom(
      "null",
      "true",
      "false",
      "0",
      "-0",
      "1e400",
      "9007199254740993",
      "123456789012345678901234567890",
      "1.50",
      "-1E-7",
    ),
    fc.array(tie("value"), { maxLength: 4 }).chain(items => space.map(s => `[${s}${items.join(`${s},`)}${s}]`)),
    fc
      .array(fc.tuple(text.chain(escaped), tie("value")), { maxLength: 4 })
      .chain(members => space.map(s => `{${s}${members.map(([k, v]) => `${k}${s}:${v}`).join(`,${s}`)}}`)),
  ),
})).value;
/** Long enough for the shortcuts of the envelope scan. */
const long = written.map(
  value => `[${Array.from({ length: Math.ceil(10_000 / (value.length + 1)) }, () => value).join(",")}]`,
);
const space = fc.constantFrom("", " ", "\t ", "  ");

/** The same string with some of its characters as `\u….`, which JSON allows for every character. */
function escaped(value: string): fc.Arbitrary<string> {
  return fc.constantFrom(0, 0, 3, 1).map(every => {
    const plain = JSON.stringify(value);
    if (every === 0) return plain;
    return `"${[...value].map((c, i) => (i % every === 0 ? [...c].flatMap(ch => Array.from({ length: ch.length }, (_, j) => `\\u${ch.charCodeAt(j).toString(16).padStart(4, "0")}`)).join("") : JSON.stringify(c).slice(1, -1))).join("")}"`;
  });
}

const id = fc.oneof(
  fc.integer({ min: 0 }).map(String),
  text.chain(escaped),
  fc.constantFrom("9007199254740993", "-1", "0"),
);
/** Objects only: a proxy of the drafts can wrap any value, but ACP params are objects. */
const params = fc
  .array(fc.tuple(text.chain(escaped), fc.oneof({ weight: 9, arbitrary: written }, { weight: 1, arbitrary: long })), {
    maxLength: 4,
  })
  .map(members => `{${members.map(([k, v]) => `${k}:${v}`).join(",")}}`);
const method = fc.constantFrom("_vendor/unknown", "session/update", "session/unheard_of", "session/prompt", "§", 'a"b');

/** Members in any order, with keys in any spelling, beside unknown members. */
function line(members: Readonly<Record<string, string>>, extra: boolean): fc.Arbitrary<string> {
  const all = { ...members, jsonrpc: '"2.0"', ...(extra ? { vendor_extra: '{"id":[],"method":3}' } : {}) };
  return fc
    .tuple(fc.shuffledSubarray(Object.entries(all), { minLength: Object.keys(all).length }), space, fc.boolean())
    .map(
      ([entries, s, hasWarning]) =>
        `${s}{${entries.map(([k, v]) => `${s}${hasWarning && k === "id" ? '"\\u0069d"' : JSON.stringify(k)}:${s}${v}`).join(",")}${s}}`,
    );
}

const notification = fc
  .tuple(method, params, fc.boolean())
  .chain(([m, p, extra]) => line({ method: JSON.stringify(m), params: p }, extra));
/** Placeholder for the id of the response. */
const ID = '"the id of the request"';
const answer = fc.oneof(
  fc
    .oneof({ weight: 9, arbitrary: written }, { weight: 1, arbitrary: long })
    .chain(result => line({ id: ID, result }, false)),
  fc
    .tuple(fc.integer(), text.chain(escaped), written)
    .chain(([code, message, data]) =>
      line({ id: ID, error: `{"data":${data},"code":${code},"message":${message}}` }, false),
    ),
);
interface Exchange {
  readonly id: string;
  readonly request: string;
  readonly answer: string;
}
const exchange: fc.Arbitrary<Exchange> = fc
  .tuple(method, params, id, fc.boolean(), answer)
  .chain(([m, p, i, extra, a]) =>
    line({ method: JSON.stringify(m), params: p, id: i }, extra).map(asked => ({ id: i, request: asked, answer: a })),
  );

const CHAINS: Readonly<Record<string, (cut?: Cut) => readonly ProxyComponent[]>> = {
  "no proxy": () => [],
  "three external proxies": cut => ["a", "b", "c"].map(name => wiredProxy(name, undefined, cut)),
  "internal, external and nested proxies": cut => [
    internalProxy("a"),
    wiredProxy("b", undefined, cut),
    nestedConductor("c", [internalProxy("d"), wiredProxy("e", undefined, cut)], cut),
  ],
};
/** Slow, so that it runs fewer batches. */
const ONE_BY_ONE = "single bytes";
const CUTS: Readonly<Record<string, Cut | undefined>> = {
  [ONE_BY_ONE]: pieces(1),
  "pieces of 64 kB": pieces(65_536),
  "CRLF line ends": returns,
  "chunks of the stream": undefined,
};

/**
 * Sends lines from one end and asserts that the other end receives them, except for ids. Returns the received messages.
 */
async function across(from: LineEnd, to: LineEnd, lines: readonly string[]): Promise<readonly Json[]> {
  const already = to.lines.length;
  for (const item of lines) from.report(item);
  const received: Json[] = [];
  for (let i = 0; i < lines.length; i++) received.push(parsed(await to.line(already + i)));
  const without = ({ id: _, ...rest }: Json): Json => rest;
  deepEqual(
    received.map(without),
    lines.map(each => without(parsed(each))),
  );
  deepEqual(
    received.map(each => "id" in each),
    lines.map(each => "id" in parsed(each)),
  );
  return received;
}

/** `client` sends the requests and `server` the responses, with these bytes. */
async function conversation(client: LineEnd, server: LineEnd, exchanges: readonly Exchange[]): Promise<void> {
  const asked = await across(
    client,
    server,
    exchanges.map(({ request }) => request),
  );
  const already = client.lines.length;
  for (const [i, { answer }] of exchanges.entries())
    server.report(answer.replace(ID, () => JSON.stringify(asked[i]?.id)));
  for (const [i, { id, answer }] of exchanges.entries()) {
    const arrived = await client.line(already + i);
    deepEqual(parsed(arrived), parsed(answer.replace(ID, () => id)), "the response is unchanged except for its id");
    if (!id.startsWith('"')) ok(arrived.includes(id), `the id ${id} is missing: ${arrived}`);
  }
}

suite("byte-exact messages in a chain", function () {
  this.timeout(timeLimit(240_000));
  for (const [what, proxies] of Object.entries(CHAINS))
    for (const [how, cut] of Object.entries(CUTS)) {
      test(`delivers the sent bytes: ${what}, ${how}`, async () => {
        await using chain = await wiredChain(proxies(cut), cut);
        await fc.assert(
          fc.asyncProperty(
            fc.array(notification, { maxLength: 4 }),
            fc.array(notification, { maxLength: 4 }),
            fc.uniqueArray(exchange, { maxLength: 4, selector: ({ id }) => JSON.stringify(JSON.parse(id)) }),
            async (down, up, exchanges) => {
              await across(chain.client, chain.agent, down);
              await across(chain.agent, chain.client, up);
              await conversation(chain.client, chain.agent, exchanges);
              await conversation(chain.agent, chain.client, exchanges);
            },
          ),
          { numRuns: how === ONE_BY_ONE ? Math.ceil(BATCHES / 20) : BATCHES },
        );
        deepEqual([chain.notices, chain.warnings], [[], []]);
      });
    }
});

suite("unknown messages", function () {
  this.timeout(timeLimit(120_000));
  const three = (): readonly ProxyComponent[] => CHAINS["three external proxies"]?.() ?? [];
  const exact = async (from: LineEnd, to: LineEnd, message: string, contains: string): Promise<void> => {
    const at = to.lines.length;
    from.report(message);
    const arrived = await to.line(at);
    ok(arrived.includes(contains), `${arrived}\ndoes not contain\n${contains}`);
  };

  test("forwards unknown params, updates, results, errors and members byte for byte", async () => {
    await using chain = await wiredChain(three());
    await fc.assert(
      fc.asyncProperty(params, written, fc.constantFrom("client", "agent"), async (sentParams, value, who) => {
        const [from, to] = who === "client" ? [chain.client, chain.agent] : [chain.agent, chain.client];
        await exact(
          from,
          to,
          `{"jsonrpc":"2.0","method":"_vendor/told","params":${sentParams}}`,
          `"params":${sentParams}`,
        );
        await exact(
          from,
          to,
          `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"_future","x":${value}}}}`,
          `"params":{"sessionId":"s","update":{"sessionUpdate":"_future","x":${value}}}`,
        );
        await exact(from, to, `{"vendor": ${value},"method":"_vendor/beside","jsonrpc":"2.0"}`, `"vendor": ${value}`);
        await exact(
          from,
          to,
          `{"jsonrpc":"2.0","id":"q","method":"_vendor/asked","params":${sentParams}}`,
          `"params":${sentParams}`,
        );
        const own = JSON.stringify(parsed(to.lines.at(-1) ?? "").id);
        await exact(
          to,
          from,
          `{"jsonrpc":"2.0","id":${own},"result":${value}}`,
          `{"jsonrpc":"2.0","id":"q","result":${value}}`,
        );
      }),
      { numRuns: BATCHES },
    );
  });

  test("forwards deep nesting, 64 kB of quotes and backslashes, and a thousand members", async () => {
    for (const [cut, n] of [
      [pieces(65_536), 20_000],
      [pieces(1), 1000],
    ] as const) {
      await using chain = await wiredChain(CHAINS["three external proxies"]?.(cut) ?? [], cut);
      for (const value of [
        "[".repeat(n) + "]".repeat(n),
        '{"a":'.repeat(n) + "1" + "}".repeat(n),
        `"${'\\"'.repeat(n)}${"\\\\".repeat(n)}"`,
        `"${'\\"id\\":'.repeat(n)}"`,
        `{${Array.from({ length: n / 10 }, (_, i) => `"id${i}":{"id":${i},"method":"m"}`).join(",")}}`,
        `"${"é🐎".repeat(n)}"`,
      ]) {
        await exact(
          chain.client,
          chain.agent,
          `{"jsonrpc":"2.0","method":"_v/x","params":{"v":${value}}}`,
          `"params":{"v":${value}}`,
        );
        await exact(
          chain.agent,
          chain.client,
          `{"params":{"v":${value}},"method":"_v/x","id":9,"jsonrpc":"2.0"}`,
          `"params":{"v":${value}}`,
        );
      }
    }
  });

  test("reports invalid messages at their source and forwards the messages that follow", async () => {
    await using chain = await wiredChain(three());
    for (const [text, code] of [
      ['{"jsonrpc":', RpcCode.parseError],
      ["[]", RpcCode.invalidRequest],
      ['{"jsonrpc":"2.0","id":{},"method":"x"}', RpcCode.invalidRequest],
    ] as const) {
      for (const [from, to] of [
        [chain.client, chain.agent],
        [chain.agent, chain.client],
      ] as const) {
        const answered = from.lines.length,
          received = to.lines.length;
        from.report(text);
        match(await from.line(answered), new RegExp(`"id":null,"error":\\{"code":${code},`));
        from.report('{"jsonrpc":"2.0","method":"_after","params":{}}');
        equal(parsed(await to.line(received)).method, "_after");
      }
    }
  });
});
