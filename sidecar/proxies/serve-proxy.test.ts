import { deepEqual, equal, ok, strictEqual } from "node:assert/strict";
import { Frame } from "../rpc/frame";
import { RpcError, type Message } from "../rpc/message";
import { intercepts, rig } from "../testing/chain/proxy-rig";
import { turn } from "../testing/turn";
import type { InterceptedNotification, InterceptedRequest, Proxy } from "./proxy";

suite("proxy kit: forwarding", () => {
  const all: Message[] = [
    { jsonrpc: "2.0", id: 1, method: "session/prompt", params: { a: 1 } },
    { jsonrpc: "2.0", method: "session/cancel" },
    { jsonrpc: "2.0", id: 2, result: null },
    { jsonrpc: "2.0", id: null, error: { code: -32700, message: "?" } },
    { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: 1 } },
    { jsonrpc: "2.0", id: 3, method: "constructor" },
  ];

  test("forwards messages that are not intercepted as the same frame, synchronously, in both directions", () => {
    const proxies: Proxy[] = [
      {},
      {
        fromClient: { requests: { x: () => 1 }, notifications: { x: () => {} } },
        fromSuccessor: { requests: { x: () => 1 } },
      },
    ];
    for (const proxy of proxies) {
      const { client, successor } = rig(proxy),
        frames = all.map(message => Frame.of(message));
      for (const frame of frames) {
        equal(client.offers(frame), undefined);
        equal(successor.offers(frame), undefined);
      }
      successor.frames.forEach((frame, i) => strictEqual(frame, frames[i]));
      client.frames.forEach((frame, i) => strictEqual(frame, frames[i]));
      equal(successor.frames.length + client.frames.length, 2 * all.length);
    }
  });

  test("forwards invalid bytes without interceptors and open requests", () => {
    const { client, successor } = rig({ fromSuccessor: { notifications: { x: () => {} } } }),
      garbage = Frame.raw(Buffer.from("garbage"));
    const { frames } = successor;
    successor.send = frame => {
      frames.push(frame);
      return true;
    };
    client.deliver(garbage);
    strictEqual(frames[0], garbage);
  });

  test("parses only the envelope of messages that are not intercepted", () => {
    for (const offers of [false, true]) {
      const { client, successor, chain } = rig({ fromSuccessor: { notifications: { x: () => {} } } });
      if (offers) chain.offerMcp("x", () => Promise.resolve());
      client.send = frame => {
        client.frames.push(frame);
        return true;
      };
      for (const message of all.filter(message => !("method" in message && message.method.startsWith("$")))) {
        const frame = Frame.raw(Buffer.from(JSON.stringify(message)));
        Object.defineProperty(frame, "message", {
          get: () => {
            throw new Error("it was parsed");
          },
        });
        successor.deliver(frame);
        strictEqual(client.frames.at(-1), frame);
      }
    }
  });

  for (const proxy of [{}, intercepts("m", request => request.pass({ seen: true }))])
    test(`applies back-pressure ${proxy.fromClient ? "with" : "without"} interceptors`, async () => {
      const { client, successor } = rig(proxy);
      for (const method of ["n", "m"]) {
        successor.isSlow();
        const busy = client.offers({ id: 1, method });
        ok(busy, method);
        let isOver = false;
        void busy.then(() => {
          isOver = true;
        });
        await turn();
        equal(isOver, false);
        successor.catchesUp();
        await busy;
        equal(client.offers({ method: "n" }), undefined);
      }
    });
});

suite("proxy kit: requests", () => {
  test("forwards the frame or changed params and returns the response with the original id", async () => {
    const { client, successor } = rig(
      intercepts("m", async request => {
        const { twice } = request.params as { twice?: boolean };
        const answer = await request.pass(twice ? { n: 2 } : undefined);
        return twice ? { answer } : answer;
      }),
    );
    const request = Frame.of({ jsonrpc: "2.0", id: 7, method: "m", params: { n: 1 } }),
      answered = Frame.raw(Buffer.from('{"id":7,"result":{"big":12345678901234567890}}'));
    client.deliver(request);
    strictEqual(successor.frames[0], request);
    successor.deliver(answered);
    await turn();
    strictEqual(client.frames[0], answered);
    client.deliver('{"id":8,"method":"m","params":{"twice":true},"_meta":{"kept":1}}');
    deepEqual(successor.frames[1]!.message, {
      jsonrpc: "2.0",
      id: 8,
      method: "m",
      params: { n: 2 },
      _meta: { kept: 1 },
    });
    successor.deliver({ id: 8, result: 5 });
    await turn();
    deepEqual(client.received.slice(1), ['#8 = {"answer":5}']);
  });

  test("forwards an error response unchanged unless an interceptor handles it", async () => {
    const { client, successor } = rig(
      intercepts("m", async request => {
        try {
          return await request.pass();
        } catch (error) {
          if (error instanceof RpcError && error.code === 5) return "mended";
          throw error;
        }
      }),
    );
    const failed = Frame.raw(Buffer.from('{"id":1,"error":{"code":6,"message":"no","data":{"x":1},"more":2}}'));
    client.deliver({ id: 1, method: "m" });
    successor.deliver(failed);
    await turn();
    strictEqual(client.frames[0], failed);
    client.deliver({ id: 2, method: "m" });
    successor.deliver({ id: 2, error: { code: 5, message: "no" } });
    await turn();
    deepEqual(client.received.slice(1), ['#2 = "mended"']);
  });

  test("responds without forwarding and returns a thrown error with the proxy's name", async () => {
    const { client, successor, warnings } = rig(
      {
        fromClient: {
          requests: {
            now: () => ({ a: 1 }),
            nothing: () => undefined,
            later: async () => 2,
            refused: () => {
              throw new RpcError(-32001, "not here", { why: 1 });
            },
            broken: () => {
              throw new Error("oh");
            },
            brokenLater: async () => {
              throw new TypeError("dear");
            },
          },
        },
      },
      "Guard",
    );
    for (const [i, method] of ["now", "nothing", "later", "refused", "broken", "brokenLater"].entries())
      client.deliver({ id: i, method });
    await turn();
    deepEqual(client.received.sort(), [
      '#0 = {"a":1}',
      "#1 = null",
      "#2 = 2",
      "#3 ! -32001 not here",
      "#4 ! -32603 The agent extension “Guard” failed: oh",
      "#5 ! -32603 The agent extension “Guard” failed: dear",
    ]);
    deepEqual(client.frames.map(({ message }) => "error" in message && message.error.data).filter(Boolean), [
      { why: 1 },
    ]);
    deepEqual(
      [successor.received, warnings],
      [[], ["Guard failed at broken: oh", "Guard failed at brokenLater: dear"]],
    );
  });

  test("rejects an invalid request if it is intercepted and forwards it otherwise", () => {
    const line = (method: string) => `{"id":1,"method":"${method}","params":{"a":nonsense}}`;
    const { client, successor, warnings } = rig({
      fromClient: {
        requests: { looks: request => request.params, passes: request => request.pass() },
        notifications: {
          looks: note => {
            void note.params;
          },
        },
      },
    });
    const received: Frame[] = [];
    successor.send = frame => {
      received.push(frame);
      return true;
    };
    client.deliver(line("looks"));
    client.deliver(line("passes"));
    client.deliver('{"method":"looks","params":{"a":nonsense}}');
    equal(client.received.length, 1);
    ok(client.received[0]!.startsWith("#1 ! -32700 “looks” is invalid"), client.received[0]);
    deepEqual(
      received.map(({ bytes }) => Buffer.from(bytes).toString()),
      [line("passes")],
    );
    deepEqual(
      warnings.map(what => what.split(":")[0]),
      ["Test failed at looks"],
    );
  });

  test("rejects pass for an invalid response", async () => {
    const { client, successor } = rig(
      intercepts("m", request =>
        request.pass().catch((error: RpcError) => `${error.code} ${error.message.slice(0, 29)}`),
      ),
    );
    client.deliver({ id: 1, method: "m" });
    successor.deliver('{"id":1,"result":{"a":nonsense}}');
    await turn();
    deepEqual(client.received, ['#1 = "-32603 The response could not be rea"']);
  });

  test("rejects a second pass or a pass after the response without an unhandled rejection", async () => {
    const errors: string[] = [],
      note = (error: Error) => {
        errors.push(error.message);
      };
    let late: InterceptedRequest | undefined;
    const { client, successor } = rig(
      intercepts("m", async request => {
        late = request;
        const first = request.pass();
        void request.pass();
        await request.pass().catch(note);
        return await first;
      }),
    );
    client.deliver({ id: 1, method: "m" });
    successor.deliver({ id: 1, result: 1 });
    await turn();
    await late!.pass().catch(note);
    void late!.pass();
    await turn();
    deepEqual([successor.received, client.received], [["m#1"], ["#1 = 1"]]);
    deepEqual(errors, Array(2).fill("“m” can be forwarded once, before its response"));
  });

  test("drops the successor's response after an early response", async () => {
    const { client, successor } = rig(
      intercepts("m", request => {
        void request.pass();
        return "early";
      }),
    );
    client.deliver({ id: 1, method: "m" });
    deepEqual(client.news(), ['#1 = "early"']);
    successor.deliver({ id: 1, error: { code: 1, message: "late" } });
    successor.deliver({ method: "n" });
    await turn();
    deepEqual(client.news(), ["n"]);
    successor.deliver({ id: 1, result: "a response without a request" });
    equal(client.news().length, 1);
  });

  test("responds with an error if the result is not serializable", async () => {
    const { client, served } = rig(intercepts("m", async () => 1n));
    const sent: string[] = [];
    client.send = frame => {
      sent.push(Buffer.from(frame.bytes).toString());
      return true;
    };
    client.deliver({ id: 1, method: "m" });
    await turn();
    equal(sent.length, 1);
    ok(sent[0]!.includes("-32603"));
    await served[Symbol.asyncDispose]();
  });
});

suite("proxy kit: notifications", () => {
  test("forwards them unchanged, changed or not at all, and logs and drops them on an error", async () => {
    const proxy: Proxy = {
      fromSuccessor: {
        notifications: {
          same: note => note.pass(),
          other: async note => {
            await turn();
            note.pass({ b: 2 });
          },
          dropped: () => {},
          broken: () => {
            throw new Error("oh");
          },
          brokenLater: async () => {
            throw new Error("dear");
          },
          passedAndBroken: note => {
            note.pass();
            throw new Error("well");
          },
        },
      },
    };
    const { client, successor, warnings } = rig(proxy, "Guard"),
      same = Frame.of({ jsonrpc: "2.0", method: "same" });
    successor.deliver(same);
    for (const method of ["other", "dropped", "broken", "brokenLater", "passedAndBroken"])
      successor.deliver({ method, params: { a: 1 } });
    await turn();
    await turn();
    strictEqual(client.frames[0], same);
    deepEqual(client.received, ["same", 'other {"b":2}', 'passedAndBroken {"a":1}']);
    deepEqual(warnings, [
      "Guard failed at broken: oh",
      "Guard failed at brokenLater: dear",
      "Guard failed at passedAndBroken: well",
    ]);
  });

  test("releases later messages as soon as a notification passes", () => {
    const { client, successor } = rig({
      fromSuccessor: {
        notifications: {
          busy: note => {
            note.pass();
            return new Promise(() => {});
          },
        },
      },
    });
    successor.deliver({ method: "busy" });
    successor.deliver({ method: "n" });
    deepEqual(client.received, ["busy", "n"]);
  });

  test("forwards each at most once and never after it was dropped", async () => {
    const notes: InterceptedNotification[] = [];
    const { client, successor, warnings } = rig({
      fromSuccessor: {
        notifications: {
          twice: note => {
            note.pass();
            note.pass();
          },
          late: note => {
            notes.push(note);
          },
        },
      },
    });
    successor.deliver({ method: "twice" });
    successor.deliver({ method: "late" });
    notes[0]!.pass({ x: 1 });
    deepEqual(client.received, ["twice"]);
    deepEqual(
      warnings.map(what => what.split(":")[0]),
      ["Test forwarded twice when it was passed", "Test forwarded late when it was dropped"],
    );
  });
});
