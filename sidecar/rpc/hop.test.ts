import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import type { Channel, Closed } from "./channel";
import { Frame } from "./frame";
import { countingIds, hop, proxyHop, type ProxyHop } from "./hop";
import { memoryChannels } from "./memory-channel";
import { turn } from "../testing/turn";

/** One end of a channel; records the messages that it receives. */
class Recorder {
  readonly messages: unknown[] = [];
  closed: Closed | undefined;
  constructor(readonly channel: Channel) {
    channel.start({
      receive: frame => {
        this.messages.push(JSON.parse(Buffer.from(frame.bytes).toString()));
      },
      closed: reason => {
        this.closed = reason;
      },
    });
  }
  report(message: object | string): void {
    this.channel.send(
      Frame.raw(Buffer.from(typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message }))),
    );
  }
  take(): unknown[] {
    return this.messages.splice(0);
  }
}

interface Fixture {
  readonly otherEnd: Recorder;
  readonly plain: Recorder;
  readonly wrapped: Recorder;
  readonly hop: ProxyHop;
  readonly warnings: string[];
}

/** A hop to a proxy. `otherEnd` is the other end of its connection. */
function proxyFixture(): Fixture {
  const [ours, theirs] = memoryChannels(),
    warnings: string[] = [];
  const proxyConnection = proxyHop(ours, {
    ids: countingIds(),
    onWarning: what => warnings.push(what),
    unanswered: ({ message }) => ({ code: -32603, message: `gone: ${message}` }),
  });
  return {
    hop: proxyConnection,
    warnings,
    otherEnd: new Recorder(theirs),
    plain: new Recorder(proxyConnection.plain),
    wrapped: new Recorder(proxyConnection.wrapped),
  };
}

function agentFixture(): { readonly otherEnd: Recorder; readonly inside: Recorder; readonly warnings: string[] } {
  const [ours, theirs] = memoryChannels(),
    warnings: string[] = [];
  return {
    warnings,
    otherEnd: new Recorder(theirs),
    inside: new Recorder(hop(ours, { ids: countingIds(), onWarning: what => warnings.push(what) }).plain),
  };
}

const message = (rest: object) => ({ jsonrpc: "2.0", ...rest });
const envelope = (rest: object, inside: object) => message({ ...rest, method: "proxy/successor", params: inside });

suite("Hop", () => {
  test("assigns an id to a request and returns the response with the original id", async () => {
    const { otherEnd, inside } = agentFixture();
    const ids = ["7", '"x"', "0", "-3", "12345678901234567890", "1e2", '"\\u0041"'];
    for (const id of ids) otherEnd.report(`{"jsonrpc":"2.0","id":${id},"method":"m","params":{"a":1.0}}`);
    await turn();
    deepEqual(
      inside.messages,
      ids.map((_, i) => message({ id: i + 1, method: "m", params: { a: 1 } })),
    );
    for (const i of ids.keys()) inside.report({ id: i + 1, result: i });
    await turn();
    deepEqual(
      otherEnd.messages,
      ids.map((id, i) => message({ id: JSON.parse(id) as unknown, result: i })),
    );
  });

  test("returns an id beyond 2⁵³ digit by digit", async () => {
    const [ours, theirs] = memoryChannels();
    const inside = new Recorder(hop(ours, { ids: countingIds(), onWarning: () => undefined }).plain);
    let line = "";
    theirs.start({
      receive: frame => {
        line = Buffer.from(frame.bytes).toString();
      },
      closed: () => undefined,
    });
    theirs.send(Frame.raw(Buffer.from('{"jsonrpc":"2.0","id":12345678901234567891,"method":"m"}')));
    await turn();
    inside.report({ id: 1, result: {} });
    await turn();
    equal(line, '{"jsonrpc":"2.0","id":12345678901234567891,"result":{}}');
  });

  test("answers two requests with the same id", async () => {
    const { otherEnd, inside } = agentFixture();
    otherEnd.report({ id: 1, method: "a" });
    otherEnd.report({ id: 1, method: "b" });
    await turn();
    inside.report({ id: 2, result: "b" });
    inside.report({ id: 1, result: "a" });
    await turn();
    deepEqual(otherEnd.messages, [message({ id: 1, result: "b" }), message({ id: 1, result: "a" })]);
  });

  test("translates the request id in a cancellation", async () => {
    const { otherEnd, inside } = agentFixture();
    otherEnd.report({ id: "p", method: "session/prompt" });
    otherEnd.report({ method: "$/cancel_request", params: { requestId: "p" } });
    otherEnd.report({ method: "$/cancel_request", params: { requestId: "unknown" } });
    inside.report({ id: 9, method: "fs/read_text_file" });
    inside.report({ method: "$/cancel_request", params: { requestId: 9 } });
    inside.report({ method: "$/cancel_request", params: { requestId: 8 } });
    await turn();
    deepEqual(inside.messages, [
      message({ id: 1, method: "session/prompt" }),
      message({ method: "$/cancel_request", params: { requestId: 1 } }),
    ]);
    deepEqual(otherEnd.messages, [
      message({ id: 9, method: "fs/read_text_file" }),
      message({ method: "$/cancel_request", params: { requestId: 9 } }),
    ]);
  });

  test("ignores an invalid cancellation and keeps the connection", async () => {
    const { otherEnd, inside } = agentFixture();
    otherEnd.report({ id: "p", method: "session/prompt" });
    otherEnd.report('{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p",}}');
    otherEnd.report({ method: "after" });
    await turn();
    deepEqual(
      [inside.messages, inside.closed],
      [[message({ id: 1, method: "session/prompt" }), message({ method: "after" })], undefined],
    );
  });

  test("ignores duplicate responses and cancellations of answered requests", async () => {
    const { otherEnd, inside, warnings } = agentFixture();
    otherEnd.report({ id: 1, method: "m" });
    inside.report({ id: 77, method: "n" });
    await turn();
    otherEnd.take();
    inside.take();
    for (let i = 0; i < 2; i++) {
      inside.report({ id: 1, result: i });
      otherEnd.report({ id: 77, result: i });
    }
    await turn();
    otherEnd.report({ method: "$/cancel_request", params: { requestId: 1 } });
    inside.report({ method: "$/cancel_request", params: { requestId: 77 } });
    otherEnd.report({ id: null, error: { code: -32700, message: "?" } });
    await turn();
    deepEqual(
      [otherEnd.messages, inside.messages],
      [[message({ id: 1, result: 0 })], [message({ id: 77, result: 0 })]],
    );
    equal(warnings.length, 3);
  });

  test("settles all open requests before the connection closes", async () => {
    const { otherEnd, plain, wrapped } = proxyFixture();
    plain.report({ id: 11, method: "from-client" });
    wrapped.report({ id: 12, method: "from-successor" });
    otherEnd.report({ id: 1, method: "to-client" });
    otherEnd.report(envelope({ id: 2 }, { method: "to-successor" }));
    await turn();
    plain.take();
    wrapped.take();
    await otherEnd.channel[Symbol.asyncDispose]();
    await turn();
    const gone = (id: number) =>
      message({ id, error: { code: -32603, message: "gone: The other side closed the connection." } });
    const cancelled = (requestId: number) => message({ method: "$/cancel_request", params: { requestId } });
    deepEqual(
      [plain.messages, wrapped.messages],
      [
        [gone(11), cancelled(1)],
        [gone(12), cancelled(2)],
      ],
    );
    equal(plain.closed?.message, "The other side closed the connection.");
    equal(wrapped.closed?.message, plain.closed?.message);
    plain.report({ id: 1, result: "too late" });
    await turn();
    deepEqual(plain.messages.length, 2);
  });

  test("rejects the open requests", async () => {
    const [ours, theirs] = memoryChannels();
    const proxyConnection = hop(ours, { ids: countingIds(), onWarning: () => undefined }),
      heard = new Recorder(theirs);
    new Recorder(proxyConnection.plain);
    heard.report({ id: "a", method: "m" });
    await turn();
    proxyConnection.refuseOpen({ code: -32603, message: "no" });
    await turn();
    deepEqual(heard.messages, [message({ id: "a", error: { code: -32603, message: "no" } })]);
  });
});

suite("Hop to a proxy", () => {
  test("wraps the successor's messages in envelopes in both directions, but not responses", async () => {
    const { otherEnd, plain, wrapped } = proxyFixture();
    otherEnd.report({ id: 1, method: "up", params: [1] });
    otherEnd.report(envelope({ id: 2 }, { method: "down", params: { a: 1 } }));
    otherEnd.report(envelope({}, { method: "note", params: {} }));
    plain.report({ id: 21, method: "prompt" });
    wrapped.report({ id: 22, method: "permission", params: { b: 1 } });
    wrapped.report({ method: "update", params: { c: 1 } });
    await turn();
    deepEqual(plain.take(), [message({ id: 1, method: "up", params: [1] })]);
    deepEqual(wrapped.take(), [
      message({ id: 2, method: "down", params: { a: 1 } }),
      message({ method: "note", params: {} }),
    ]);
    deepEqual(otherEnd.take(), [
      message({ id: 21, method: "prompt" }),
      envelope({ id: 22 }, { method: "permission", params: { b: 1 } }),
      envelope({}, { method: "update", params: { c: 1 } }),
    ]);
    plain.report({ id: 1, result: "r1" });
    wrapped.report({ id: 2, result: "r2" });
    otherEnd.report({ id: 21, result: "r21" });
    otherEnd.report({ id: 22, error: { code: 1, message: "r22" } });
    await turn();
    deepEqual(otherEnd.messages, [message({ id: 1, result: "r1" }), message({ id: 2, result: "r2" })]);
    deepEqual(
      [plain.messages, wrapped.messages],
      [[message({ id: 21, result: "r21" })], [message({ id: 22, error: { code: 1, message: "r22" } })]],
    );
  });

  test("finds the request of a cancellation on either side, bare or in an envelope", async () => {
    for (const cancel of [
      { method: "$/cancel_request", params: { requestId: "x" } },
      envelope({}, { method: "$/cancel_request", params: { requestId: "x" } }),
      { ...envelope({}, { method: "$/cancel_request", params: { requestId: "x" } }), method: "_proxy/successor" },
    ]) {
      const { otherEnd, plain, wrapped } = proxyFixture();
      otherEnd.report(envelope({ id: "x" }, { method: "down" }));
      otherEnd.report(cancel);
      await turn();
      deepEqual(
        [plain.messages, wrapped.messages],
        [[], [message({ id: 1, method: "down" }), message({ method: "$/cancel_request", params: { requestId: 1 } })]],
      );
    }
  });

  test("uses the selected spelling of envelopes, including cancellations in the older one", async () => {
    const { otherEnd, wrapped, hop } = proxyFixture();
    wrapped.report({ id: 5, method: "a" });
    wrapped.report({ method: "$/cancel_request", params: { requestId: 5 } });
    await turn();
    deepEqual(otherEnd.take(), [
      envelope({ id: 5 }, { method: "a" }),
      message({ method: "$/cancel_request", params: { requestId: 5 } }),
    ]);
    hop.spell("_proxy");
    wrapped.report({ id: 6, method: "a" });
    wrapped.report({ method: "$/cancel_request", params: { requestId: 6 } });
    await turn();
    deepEqual(otherEnd.take(), [
      { ...envelope({ id: 6 }, { method: "a" }), method: "_proxy/successor" },
      { ...envelope({}, { method: "$/cancel_request", params: { requestId: 6 } }), method: "_proxy/successor" },
    ]);
  });

  test("resolves when all client requests are answered or the connection closes", async () => {
    const { otherEnd, plain, wrapped, hop } = proxyFixture(),
      notifications: string[] = [];
    const notify = (what: string): void =>
      void hop.answered().then(() => {
        notifications.push(`${what}, ${plain.messages.length} received`);
      });
    notify("no request");
    for (const id of [5, 6]) plain.report({ id, method: "prompt" });
    wrapped.report({ id: 7, method: "permission" });
    notify("two");
    otherEnd.report({ id: 5, result: {} });
    await turn();
    deepEqual(notifications, ["no request, 0 received"]);
    otherEnd.report({ id: 6, result: {} });
    await turn();
    deepEqual(notifications.splice(1), ["two, 2 received"]);
    plain.report({ id: 8, method: "prompt" });
    notify("one");
    await otherEnd.channel[Symbol.asyncDispose]();
    await turn();
    deepEqual(notifications.splice(1), ["one, 3 received"]);
  });

  test("rejects a request in an invalid envelope and reports a notification", async () => {
    const { otherEnd, plain, wrapped, warnings } = proxyFixture();
    otherEnd.report({ id: 4, method: "proxy/successor", params: { method: 1 } });
    otherEnd.report({ method: "proxy/successor" });
    await turn();
    deepEqual([plain.messages, wrapped.messages, warnings.length], [[], [], 2]);
    equal(JSON.stringify(otherEnd.messages).includes('"id":4,"error":{"code":-32602'), true);
  });

  test("treats an envelope as a regular message without a successor", async () => {
    const { otherEnd, inside } = agentFixture();
    otherEnd.report(envelope({ id: 3 }, { method: "x" }));
    await turn();
    deepEqual(inside.messages, [envelope({ id: 1 }, { method: "x" })]);
  });

  test("delivers any mix of messages in order, and each response to its requester", async () => {
    const side = fc.constantFrom("plain" as const, "wrapped" as const);
    const step = fc.record({
      from: fc.constantFrom("other" as const, "inside" as const),
      side,
      isRequest: fc.boolean(),
      params: fc.jsonValue({ maxDepth: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
        const fixture = proxyFixture();
        const expected: Record<"plain" | "wrapped" | "other", unknown[]> = { plain: [], wrapped: [], other: [] };
        let chainId = 0;
        for (const [i, { from, side, isRequest, params: value }] of steps.entries()) {
          const body = { method: `m${i}`, params: [value] };
          if (from === "other") {
            fixture.otherEnd.report(
              side === "wrapped"
                ? envelope(isRequest ? { id: `o${i}` } : {}, body)
                : { ...(isRequest ? { id: `o${i}` } : {}), ...body },
            );
            expected[side].push(message({ ...(isRequest ? { id: ++chainId } : {}), ...body }));
          } else {
            fixture[side].report({ ...(isRequest ? { id: 1000 + i } : {}), ...body });
            expected.other.push(
              side === "wrapped"
                ? envelope(isRequest ? { id: 1000 + i } : {}, body)
                : message({ ...(isRequest ? { id: 1000 + i } : {}), ...body }),
            );
          }
        }
        await turn();
        const canonical = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
        deepEqual(
          [fixture.plain.messages, fixture.wrapped.messages, fixture.otherEnd.messages].map(canonical),
          [expected.plain, expected.wrapped, expected.other].map(canonical),
        );
      }),
      { numRuns: 60 },
    );
  });
});
