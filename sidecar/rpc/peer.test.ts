import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import { getEventListeners } from "node:events";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { RpcError } from "./message";
import { ndjsonChannel } from "./ndjson-channel";
import { methodNotFound, Peer } from "./peer";
import { bench, outcomeText } from "../testing/peer-bench";

suite("Peer", () => {
  test("handles responses, requests and notifications synchronously in wire order", () => {
    const { channel, peer, log } = bench();
    peer.call("a", {}, outcome => log.push(`answer ${outcomeText(outcome)}`));
    peer.call("b", undefined, outcome => log.push(`answer ${outcomeText(outcome)}`));
    channel.wire(
      '{"method":"n1"}',
      '{"id":2,"result":"b"}',
      '{"id":"x","method":"r"}',
      '{"method":"n2"}',
      '{"id":1,"error":{"code":7,"message":"no","data":[1]}}',
    );
    deepEqual(log, ["notification n1", 'answer = "b"', "request r", "notification n2", "answer ! 7 no"]);
    deepEqual(channel.sent, [
      { jsonrpc: "2.0", id: 1, method: "a", params: {} },
      { jsonrpc: "2.0", id: 2, method: "b" },
    ]);
  });

  test("keeps the order of 10,000 mixed messages for any chunks", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1 }),
        fc.infiniteStream(fc.nat(2)),
        async (sizes, kinds) => {
          const toPeer = new PassThrough(),
            fromPeer = new PassThrough().resume(),
            expected: string[] = [],
            received: string[] = [],
            lines: string[] = [];
          const done = new Promise<void>(resolve => {
            const peer = new Peer(ndjsonChannel(toPeer, fromPeer), {
              request: request => {
                received.push(`r${String(request.id)}`);
                request.respond(null);
              },
              notification: (_, params) => {
                received.push(`n${String(params)}`);
              },
              closed: () => resolve(),
            });
            for (let i = 0, asked = 0; i < 10_000; i++) {
              const kind = kinds.next().value;
              if (kind === 0) {
                peer.call("m", i, () => received.push(`a${i}`));
                lines.push(`{"result":1,"id":${++asked}}`);
                expected.push(`a${i}`);
              } else if (kind === 1) {
                lines.push(`{"method":"m","id":${-i},"params":[]}`);
                expected.push(`r${-i}`);
              } else {
                lines.push(`{"method":"m","params":[${i}]}`);
                expected.push(`n${i}`);
              }
            }
          });
          const bytes = Buffer.from(lines.join("\n") + "\n");
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const end = at + sizes[i % sizes.length]!;
            toPeer.write(bytes.subarray(at, end));
            at = end;
          }
          toPeer.end();
          await done;
          deepEqual(received, expected);
        },
      ),
      { numRuns: 5 },
    );
  });

  test('returns ids unchanged: 0, negative, beyond 2⁵³, and "0" distinct from 0', () => {
    const { channel, requests } = bench();
    const ids = ["0", '"0"', "-7", "9007199254740993", '"é\\"\\u2028"', '""'];
    const lines: string[] = [];
    channel.send = frame => {
      lines.push(Buffer.from(frame.bytes).toString());
      return true;
    };
    channel.wire(...ids.map(id => `{"id":${id},"method":"m"}`));
    for (const request of requests) request.respond(1);
    deepEqual(
      lines,
      ids.map(id => `{"jsonrpc":"2.0","id":${id.replace("\\u2028", "\u2028")},"result":1}`),
    );
  });

  test("rejects and reports a second request with an open id, and frees the id after the response", () => {
    const { channel, log, requests, sent } = bench();
    channel.wire('{"id":0,"method":"a"}', '{"id":0,"method":"b"}', '{"id":"0","method":"c"}');
    requests[0]!.respond({});
    channel.wire('{"id":0,"method":"d"}');
    deepEqual(log, [
      "request a",
      "odd: a request with the id of one that is not answered yet",
      "request c",
      "request d",
    ]);
    deepEqual(sent, [
      { jsonrpc: "2.0", id: 0, error: { code: -32600, message: "The id 0 is in use." } },
      { jsonrpc: "2.0", id: 0, result: {} },
    ]);
  });

  test("reports and ignores responses that match no open request", () => {
    const { channel, peer, log } = bench();
    peer.call("a", {}, outcome => log.push(outcomeText(outcome)));
    channel.wire(
      '{"id":"1","result":0}',
      '{"id":9,"result":0}',
      '{"id":1,"result":1}',
      '{"id":1,"result":2}',
      '{"id":null,"error":{"code":-32700,"message":"?"}}',
    );
    deepEqual(log, [
      "odd: a response to a request that was never made",
      "odd: a response to a request that was never made",
      "= 1",
      "odd: a response to a request that was answered before",
      "odd: the other side could not read a message",
    ]);
  });

  test("responds once per request and converts undefined to null", () => {
    const { channel, requests, sent } = bench();
    channel.wire('{"id":1,"method":"m"}', '{"id":2,"method":"m"}', '{"id":3,"method":"m"}');
    requests[0]!.respond(undefined);
    requests[0]!.fail(new Error("late"));
    requests[1]!.fail(new RpcError(-32000, "Sign in.", { how: 1 }));
    requests[1]!.respond(1);
    requests[2]!.fail(new Error("boom"));
    deepEqual(sent, [
      { jsonrpc: "2.0", id: 1, result: null },
      { jsonrpc: "2.0", id: 2, error: { code: -32000, message: "Sign in.", data: { how: 1 } } },
      { jsonrpc: "2.0", id: 3, error: { code: -32603, message: "boom" } },
    ]);
  });

  test("responds with the error that a request handler throws, and reports an unexpected one", () => {
    const thrown = [methodNotFound("x/y"), new TypeError("bug")];
    const { channel, log, sent } = bench({
      request: () => {
        throw thrown.shift()!;
      },
    });
    channel.wire('{"id":1,"method":"x/y"}', '{"id":2,"method":"m"}');
    deepEqual(sent, [
      {
        jsonrpc: "2.0",
        id: 1,
        error: { code: -32601, message: "“x/y” is not a method of this side.", data: { method: "x/y" } },
      },
      { jsonrpc: "2.0", id: 2, error: { code: -32603, message: "bug" } },
    ]);
    deepEqual(log, ["odd: the handler of m failed"]);
  });

  test("throws for a result that is not serializable and still accepts a failure", () => {
    const { channel, requests, sent } = bench();
    channel.wire('{"id":1,"method":"m"}');
    throws(() => requests[0]!.respond(1n), TypeError);
    requests[0]!.fail(new Error("no JSON"));
    deepEqual(sent, [{ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "no JSON" } }]);
  });

  test("reports failing notification and response handlers and continues", async () => {
    const { channel, peer, log } = bench({
      notification: method => {
        if (method === "sync") throw new Error();
        return Promise.reject(new Error());
      },
    });
    peer.call("a", {}, () => {
      throw new Error();
    });
    channel.wire('{"method":"sync"}', '{"method":"async"}', '{"id":1,"result":1}', '{"id":2,"method":"m"}');
    await Promise.all(channel.busy);
    deepEqual(log, [
      "odd: the handler of sync failed",
      "odd: handling a response failed",
      "request m",
      "odd: the handler of async failed",
    ]);
  });

  suite("cancellation", () => {
    test("aborts the signal of an incoming request and responds with the cancellation", () => {
      const { channel, log, requests, sent } = bench();
      channel.wire(
        '{"id":"a","method":"m"}',
        '{"id":2,"method":"m"}',
        '{"id":3,"method":"m"}',
        '{"id":4,"method":"m"}',
      );
      const signals = requests.map(({ signal }) => signal);
      for (const id of ['"a"', 2, 4]) channel.wire(`{"method":"$/cancel_request","params":{"requestId":${id}}}`);
      deepEqual(
        signals.map(({ aborted }) => aborted),
        [true, true, false, true],
      );
      requests[0]!.fail(new Error("aborted"));
      requests[1]!.respond("done already");
      requests[2]!.fail(new RpcError(5, "failed"));
      requests[3]!.fail(new RpcError(-32800, "stopped half way", { done: 1 }));
      deepEqual(sent, [
        { jsonrpc: "2.0", id: "a", error: { code: -32800, message: "The request was cancelled." } },
        { jsonrpc: "2.0", id: 2, result: "done already" },
        { jsonrpc: "2.0", id: 3, error: { code: 5, message: "failed" } },
        { jsonrpc: "2.0", id: 4, error: { code: -32800, message: "stopped half way", data: { done: 1 } } },
      ]);
      deepEqual(log, Array(4).fill("request m"));
    });

    test("aborts the signal before the handler reads it", () => {
      const { channel, requests } = bench();
      channel.wire('{"id":1,"method":"m"}', '{"method":"$/cancel_request","params":{"requestId":1}}');
      equal(requests[0]!.signal.aborted, true);
    });

    test("ignores an answered request and reports a cancellation without a request id", () => {
      const { channel, log, requests } = bench();
      channel.wire('{"id":1,"method":"m"}');
      requests[0]!.respond(1);
      channel.wire('{"method":"$/cancel_request","params":{"requestId":1}}', '{"method":"$/cancel_request"}');
      deepEqual(log, ["request m", "odd: a cancellation that names no request"]);
    });

    test("sends $/cancel_request, awaits the response, and sends nothing after the response", () => {
      const { channel, peer, log, sent } = bench();
      const pending = peer.call("m", {}, outcome => log.push(outcomeText(outcome)));
      pending.cancel();
      deepEqual([log, sent[1]], [[], { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: 1 } }]);
      channel.wire('{"id":1,"error":{"code":-32800,"message":"cancelled"}}');
      pending.cancel();
      deepEqual([log, sent.length], [["! -32800 cancelled"], 2]);
    });

    test("follows the signal of a request, sends nothing if already aborted, and ignores it afterwards", async () => {
      const { channel, peer, sent } = bench();
      const aborting = new AbortController();
      const cancelled = peer.request("m", {}, { signal: aborting.signal });
      const answered = peer.request("m", {}, { signal: aborting.signal });
      channel.wire('{"id":2,"result":2}');
      equal(getEventListeners(aborting.signal, "abort").length, 1);
      aborting.abort();
      channel.wire('{"id":1,"result":"finished anyway"}');
      deepEqual([await cancelled, await answered], ["finished anyway", 2]);
      await rejects(peer.request("m", {}, { signal: aborting.signal }), { code: -32800 });
      deepEqual(sent.slice(2), [{ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: 1 } }]);
    });
  });

  suite("invalid message", () => {
    test("is rejected with the request's id or null, and settles the call of a response", () => {
      const { channel, peer, log, sent } = bench();
      peer.call("a", {}, outcome => log.push(outcomeText(outcome)));
      peer.call("b", {}, outcome => log.push(outcomeText(outcome)));
      channel.wire(
        '{"id":5,"method":"m","params":NaN}',
        '{"id":1,"result":NaN}',
        '{"id":2,"error":"boom"}',
        '{"method":"m","params":NaN}',
        '{"x":1}',
      );
      deepEqual(sent.slice(2), [
        { jsonrpc: "2.0", id: 5, error: { code: -32700, message: "This message is invalid: it is not JSON." } },
        {
          jsonrpc: "2.0",
          id: null,
          error: {
            code: -32600,
            message: "This message is invalid: it has neither a method nor a result nor an error.",
          },
        },
      ]);
      deepEqual(
        log.filter(line => !line.startsWith("odd")),
        [
          "! -32603 The response could not be read: it is not JSON.",
          "! -32603 The response could not be read: its error has no code and message.",
        ],
      );
      equal(log.length, 7);
      channel.closed({ message: "gone" });
      deepEqual(log.slice(7), ["closed: gone"]);
    });

    test("causes no response to a response without an id", () => {
      const { channel, sent } = bench();
      channel.wire(
        '{"error":{"message":"?"}}',
        '{"result":1}',
        '{"id":null,"result":1}',
        '{"error":{"code":1,"message":"?"}}',
      );
      deepEqual(sent, []);
    });
  });
});
