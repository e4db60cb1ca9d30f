import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import fc from "fast-check";
import { RpcError } from "../rpc/message";
import { rig, type FakeNeighbour } from "../testing/chain/proxy-rig";
import { turn } from "../testing/turn";
import type { Chain, OwnSessionListener } from "./proxy";

const update = (sessionId: string, text: unknown) => ({
  method: "session/update",
  params: { sessionId, update: text },
});

/** A listener that records its calls, and answers every request with its method. */
function listener() {
  const received: unknown[] = [];
  const listens: OwnSessionListener = {
    update: text => {
      received.push(text);
    },
    request: method => {
      received.push(method);
      return { method };
    },
  };
  return { received, listens };
}

/** Opens the session `own`. The proxy's next request id is then 1002. */
async function opened(
  { chain, successor }: { chain: Chain; successor: FakeNeighbour },
  listens: OwnSessionListener = listener().listens,
) {
  const opening = chain.openSession({ cwd: "/x" }, listens);
  successor.deliver({ id: 1001, result: { sessionId: "own", modes: 1 } });
  const session = await opening;
  successor.news();
  return session;
}

suite("proxy kit: own sessions", () => {
  test("opens with the given params and routes its updates and requests to the listener", async () => {
    const { client, successor, chain } = rig({}),
      { received, listens } = listener();
    const opening = chain.openSession({ cwd: "/x" }, listens);
    deepEqual(successor.news(), ['session/new#1001 {"cwd":"/x"}']);
    successor.deliver({ id: 1001, result: { sessionId: "own", modes: 1 } });
    const session = await opening;
    deepEqual([session.sessionId, session.opened], ["own", { sessionId: "own", modes: 1 }]);
    successor.deliver(update("own", 1));
    successor.deliver(update("another", 2));
    successor.deliver({ id: 1, method: "fs/read_text_file", params: { sessionId: "own" } });
    successor.deliver({ id: 2, method: "fs/read_text_file", params: { sessionId: "another" } });
    successor.deliver({ method: "_vendor/about", params: { sessionId: "own" } });
    successor.deliver({ method: "_vendor/about" });
    await turn();
    deepEqual(received, [1, "fs/read_text_file"]);
    deepEqual(successor.news(), ['#1 = {"method":"fs/read_text_file"}']);
    deepEqual(client.news(), [
      'session/update {"sessionId":"another","update":2}',
      'fs/read_text_file#2 {"sessionId":"another"}',
      "_vendor/about",
    ]);
  });

  test("delivers earlier messages in order, to the listener or to the client", async () => {
    const { client, successor, chain } = rig({}),
      { received, listens } = listener();
    const opening = chain.openSession({}, listens);
    successor.deliver(update("own", 1));
    successor.deliver(update("another", 2));
    successor.deliver({ id: 9, result: "an answer keeps its place" });
    successor.deliver(update("own", 3));
    successor.deliver({ method: "n" });
    deepEqual([received, client.news()], [[], []]);
    successor.deliver({ id: 1001, result: { sessionId: "own" } });
    deepEqual(received, [1, 3]);
    deepEqual(client.news(), [
      'session/update {"sessionId":"another","update":2}',
      '#9 = "an answer keeps its place"',
      "n",
    ]);
    successor.deliver(update("own", 4));
    await opening;
    deepEqual(received, [1, 3, 4]);
    void chain.openSession({}, listens);
    successor.deliver(update("another", 5)); // already belongs to the client, so it is not buffered again
    deepEqual(client.news().length, 1);
  });

  test("receives its own messages when several open concurrently, for any response order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { maxLength: 40, size: "max" }), async script => {
        const { client, successor, chain } = rig({}),
          sessions = [0, 1, 2].map(() => listener()),
          expected: number[][] = [[], [], [], []],
          answered = new Set<number>();
        for (const { listens } of sessions) void chain.openSession({}, listens);
        for (const [n, [what, who]] of [...script, [0, 0], [0, 1], [0, 2]].entries()) {
          if (what! > 0) {
            successor.deliver(update(`s${who!}`, n));
            expected[who!]!.push(n);
          } else if (who! < 3 && !answered.has(who!)) {
            answered.add(who!);
            successor.deliver({ id: 1001 + who!, result: { sessionId: `s${who!}` } });
          }
        }
        deepEqual(
          sessions.map(({ received }) => received),
          expected.slice(0, 3),
        );
        deepEqual(
          client.frames.map(({ message }) => "params" in message && message.params),
          expected[3]!.map(n => update("s3", n).params),
        );
      }),
      { numRuns: 100 },
    );
  });

  test("forwards a request that the agent sends while one opens, behind its earlier messages", () => {
    const { client, successor, chain } = rig({}),
      { received, listens } = listener();
    void chain.openSession({}, listens);
    successor.deliver(update("another", 1));
    successor.deliver({ id: 7, method: "session/request_permission", params: { sessionId: "another" } });
    successor.deliver(update("another", 2));
    deepEqual(client.news(), [
      'session/update {"sessionId":"another","update":1}',
      'session/request_permission#7 {"sessionId":"another"}',
      'session/update {"sessionId":"another","update":2}',
    ]);
    successor.deliver(update("own", 3));
    successor.deliver({ id: 1001, result: { sessionId: "own" } });
    deepEqual([received, client.news()], [[3], []]);
  });

  test("serves MCP connections that the agent opens before its response", async () => {
    const { client, successor, chain } = rig({}),
      offer = chain.offerMcp("x", async transport => {
        await transport.start();
      });
    void chain.openSession({ mcpServers: [offer.declaration] }, listener().listens);
    successor.deliver(update("own", 1));
    successor.deliver({ id: 7, method: "mcp/connect", params: { serverId: offer.declaration.serverId } });
    await turn();
    deepEqual([client.news(), successor.news().length], [[], 2]);
  });

  test("receives its messages in order while another one opens", async () => {
    const log: unknown[] = [],
      all = rig({}),
      session = await opened(all, {
        update: text => {
          log.push(text);
        },
        request: () => null,
      });
    void session.prompt([]).then(() => log.push("answer"));
    void all.chain.openSession({}, listener().listens);
    all.successor.deliver(update("another", 1));
    all.successor.deliver(update("own", 2));
    all.successor.deliver({ id: 1002, result: {} });
    await turn();
    deepEqual([log, all.client.received], [[2, "answer"], []]);
  });

  test("forwards invalid messages to the client", async () => {
    const all = rig({}),
      sent: string[] = [];
    await opened(all);
    all.client.send = frame => {
      sent.push(Buffer.from(frame.bytes).toString());
      return true;
    };
    const line = '{"method":"session/update","params":{"sessionId":"own",nonsense}}';
    all.successor.deliver(line);
    deepEqual(sent, [line]);
  });

  test("buffers 1,000 messages during a slow start and then forwards them to the client", async () => {
    const { client, successor, chain, warnings } = rig({}),
      { received, listens } = listener();
    const opening = chain.openSession({}, listens);
    for (let i = 0; i < 999; i++) equal(successor.offers(update(`s${i % 2}`, i)), undefined);
    equal(client.received.length, 0);
    successor.deliver(update("s0", 999));
    equal(client.received.length, 1000);
    equal(warnings.length, 1);
    successor.deliver({ id: 1001, result: { sessionId: "s0" } });
    await opening;
    successor.deliver(update("s0", "ours from now on"));
    deepEqual([received, client.received.length], [["ours from now on"], 1000]);
  });

  test("receives its messages immediately although others are held, and before the response", async () => {
    const all = rig({ fromSuccessor: { notifications: { held: () => new Promise(() => {}) } } }),
      log: unknown[] = [];
    const session = await opened(all, {
      update: text => {
        log.push(text);
      },
      request: method => {
        log.push(method);
      },
    });
    all.successor.deliver({ method: "held" });
    void session.prompt([{ type: "text", text: "hi" }]).then(answer => log.push(answer));
    deepEqual(all.successor.news(), ['session/prompt#1002 {"sessionId":"own","prompt":[{"type":"text","text":"hi"}]}']);
    all.successor.deliver({ method: "held" });
    all.successor.deliver(update("own", "chunk"));
    all.successor.deliver({ id: 5, method: "session/request_permission", params: { sessionId: "own" } });
    all.successor.deliver({ id: 1002, result: { stopReason: "end_turn" } });
    await turn();
    deepEqual(log, ["chunk", "session/request_permission", { stopReason: "end_turn" }]);
    deepEqual(all.successor.news(), ["#5 = null"]);
  });

  test("answers requests with an error and logs updates when a listener fails", async () => {
    const all = rig({}, "Scout");
    const aborted = new Promise(resolve => {
      void opened(all, {
        update: () => {
          throw new Error("oh");
        },
        request: async (method, _, signal) => {
          if (method === "refuse") throw new RpcError(-32001, "no");
          if (method === "break") throw new Error("dear");
          return await new Promise(answer =>
            signal.addEventListener("abort", () => {
              resolve(true);
              answer("stopped");
            }),
          );
        },
      });
    });
    await turn();
    all.successor.deliver(update("own", 1));
    for (const [id, method] of ["refuse", "break", "wait"].entries())
      all.successor.deliver({ id, method, params: { sessionId: "own" } });
    all.successor.deliver({ method: "$/cancel_request", params: { requestId: 2 } });
    await aborted;
    await turn();
    deepEqual(all.warnings, ["the listener of a session failed: oh", "Scout failed at break: dear"]);
    deepEqual(all.successor.news().sort(), [
      "#0 ! -32001 no",
      "#1 ! -32603 The agent extension “Scout” failed: dear",
      '#2 = "stopped"',
    ]);
    deepEqual(all.client.received, []);
  });

  test("cancels a prompt with session/cancel and awaits its response", async () => {
    const all = rig({}),
      session = await opened(all),
      aborting = new AbortController();
    const answer = session.prompt([], { signal: aborting.signal });
    aborting.abort();
    deepEqual(all.successor.news(), [
      'session/prompt#1002 {"sessionId":"own","prompt":[]}',
      'session/cancel {"sessionId":"own"}',
    ]);
    all.successor.deliver({ id: 1002, result: { stopReason: "cancelled" } });
    deepEqual(await answer, { stopReason: "cancelled" });
    await rejects(session.prompt([], { signal: aborting.signal }), { code: -32800 });
    deepEqual(all.successor.news(), []);
  });

  test("cancels the prompt on close and drops messages until the agent responds", async () => {
    const { received, listens } = listener(),
      all = rig({}),
      session = await opened(all, listens);
    const prompt = session.prompt([]);
    all.successor.news();
    await session[Symbol.asyncDispose]();
    await session[Symbol.asyncDispose]();
    deepEqual(all.successor.news(), ['session/cancel {"sessionId":"own"}', 'session/close#1003 {"sessionId":"own"}']);
    await rejects(session.prompt([]), { message: "This session was closed." });
    all.successor.deliver({ id: 1003, error: { code: -32601, message: "what is that?" } });
    await turn();
    all.successor.deliver(update("own", 1));
    all.successor.deliver({ id: 5, method: "fs/read_text_file", params: { sessionId: "own" } });
    deepEqual(all.successor.news(), ["#5 ! -32002 This session was closed."]);
    all.successor.deliver({ id: 1002, result: { stopReason: "cancelled" } });
    await prompt;
    await turn();
    deepEqual([received, all.client.received], [[], []]);
    all.client.send = frame => {
      ok(frame.bytes.length > 0);
      all.client.received.push("unread");
      return true;
    };
    all.successor.deliver('{"garbage that is ignored');
    deepEqual(all.client.received, ["unread"]);
  });

  test("accepts the cancellation of a request that outlives the session, without messages to the client", async () => {
    let signal: AbortSignal | undefined;
    const all = rig({}),
      session = await opened(all, {
        update: () => {},
        request: (_method, _params, aborts) => {
          signal = aborts;
          return new Promise(() => {});
        },
      });
    all.successor.deliver({ id: 5, method: "fs/read_text_file", params: { sessionId: "own" } });
    await session[Symbol.asyncDispose]();
    all.successor.deliver({ id: 1002, result: {} });
    await turn();
    all.successor.deliver({ method: "$/cancel_request", params: { requestId: 5 } });
    deepEqual([signal?.aborted, all.client.received], [true, []]);
  });

  test("rejects if opening fails, returns an invalid response or never completes", async () => {
    const { client, successor, chain, served } = rig({});
    const openings = [1, 2, 3].map(() =>
      chain.openSession({}, listener().listens).then(
        () => "",
        (error: RpcError) => `${error.code} ${error.message}`,
      ),
    );
    successor.deliver({ id: 1001, error: { code: -32000, message: "Sign in." } });
    successor.deliver({ id: 1002, result: { sessionId: 5 } });
    successor.deliver(update("s", 1));
    void chain.openSession({}, listener().listens); // must not cause an unhandled rejection
    successor.leaves({ message: "Gone." });
    deepEqual(await Promise.all(openings), [
      "-32000 Sign in.",
      "-32603 The response to session/new has no session id.",
      "-32603 Gone.",
    ]);
    await served[Symbol.asyncDispose]();
    deepEqual(client.received, ['session/update {"sessionId":"s","update":1}']);
  });
});
