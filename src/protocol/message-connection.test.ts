import { deepEqual, equal, rejects } from "node:assert/strict";
import { PassThrough } from "node:stream";
import { CallFailure, MessageConnection, type ConnectionHandlers, type WireMessage } from "./message-connection";
import { MessageInput, MessageOutput, type Utf8 } from "./message-stream";

const UTF8: Utf8 = { length: text => Buffer.byteLength(text), decode: bytes => Buffer.from(bytes).toString() };
const next = (run: () => void): void => queueMicrotask(() => process.nextTick(run));
const nothing: ConnectionHandlers = { request: () => undefined, notification: () => false, report: () => undefined };

/** Two ends of a connection. */
function pair(handlers: Partial<ConnectionHandlers>, caller: Partial<ConnectionHandlers> = {}) {
  const [there, back] = [new PassThrough(), new PassThrough()];
  const end = (from: PassThrough, to: PassThrough, its: Partial<ConnectionHandlers>): MessageConnection => {
    const streams = { input: new MessageInput<WireMessage>(from, UTF8), output: new MessageOutput(to, UTF8, flush => process.nextTick(flush)), next };
    const connection = new MessageConnection(streams, { ...nothing, ...its });
    connection.listen();
    return connection;
  };
  return { one: end(back, there, caller), other: end(there, back, handlers) };
}

suite("message connection", () => {
  test("answers each request with the handler's result, and `undefined` as null", async () => {
    const { one } = pair({ request: async (method, params) => method === "echo" ? params : undefined });
    deepEqual(await Promise.all([one.request("echo", { a: 1 }), one.request("none", {}), one.request("echo", [2])]), [{ a: 1 }, null, [2]]);
  });

  test("answers with the code of a failure, with an internal error for others, and with −32601 for an unknown method", async () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const { one } = pair({ request: (method): Promise<unknown> | undefined => {
      switch (method) {
        case "refused": return Promise.reject(new CallFailure(7, "No.", { why: "x" }));
        case "rejects": return Promise.reject(new Error("odd"));
        case "throws": throw new Error("at once");
        case "circle": return Promise.resolve(circle);
        default: return undefined;
      }
    } });
    const failure = async (method: string): Promise<readonly unknown[]> => one.request(method, {}).then(() => [], (error: unknown) => error instanceof CallFailure ? [error.code, error.message.split("\n")[0], error.data] : [error]);
    deepEqual(await failure("refused"), [7, "No.", { why: "x" }]);
    deepEqual(await failure("rejects"), [-32603, "Request rejects failed with message: odd", undefined]);
    deepEqual(await failure("throws"), [-32603, "Request throws failed with message: at once", undefined]);
    equal((await failure("circle"))[0], -32603);
    deepEqual(await failure("unknown"), [-32601, "Unhandled method unknown", undefined]);
  });

  test("handles messages in their order, each after the microtasks of the one before", async () => {
    const events: string[] = [];
    const { one } = pair({
      request: async () => {
        events.push("request");
        for (let i = 0; i < 20; i++) await Promise.resolve();
        events.push("its microtasks");
        return 1;
      },
      notification: method => { events.push(method); },
    });
    one.notify("before", {});
    const answer = one.request("request", {});
    one.notify("behind", {});
    await answer;
    await one.request("request", {});
    deepEqual(events.slice(0, 4), ["before", "request", "its microtasks", "behind"]);
  });

  test("settles an answer after the notifications that were sent before it", async () => {
    const events: string[] = [], { one, other } = pair({ request: async () => { other.notify("part", {}); return 1; } }, { notification: method => { events.push(method); } });
    await one.request("x", {}).then(() => events.push("answer"));
    deepEqual(events, ["part", "answer"]);
  });

  test("aborts the handler's signal when the request is cancelled, and awaits the answer", async () => {
    const { one } = pair({ request: (_, __, signal) => new Promise(resolve => { signal.addEventListener("abort", () => resolve(`cancelled ${String(signal.aborted)}`)); }) });
    const cancelling = new AbortController(), answer = one.request("x", {}, cancelling.signal), before = one.request("x", {}, AbortSignal.abort());
    cancelling.abort();
    deepEqual(await Promise.all([answer, before]), ["cancelled true", "cancelled true"]);
  });

  test("rejects what is open and what comes later once it is closed, aborts handlers, and sends nothing more", async () => {
    let isAborted = false, asked = (): void => undefined;
    const isAsked = new Promise<void>(resolve => { asked = resolve; });
    const { one, other } = pair({ request: (_, __, signal) => {
      signal.addEventListener("abort", () => { isAborted = true; });
      asked();
      return new Promise(() => undefined);
    } });
    const open = rejects(one.request("x", {}), { name: "CallCut" });
    await isAsked;
    one.close();
    other.close();
    await open;
    await rejects(one.request("x", {}), { name: "CallCut" });
    equal(isAborted, true);
  });

  test("reports unknown notifications, handlers that throw, and answers to nothing", async () => {
    const reports: string[] = [], [from, to] = [new PassThrough(), new PassThrough()];
    const connection = new MessageConnection({ input: new MessageInput<WireMessage>(from, UTF8), output: new MessageOutput(to, UTF8, flush => process.nextTick(flush)), next }, {
      ...nothing, notification: method => { if (method === "unknown") return false; throw new Error("odd"); }, report: problem => { reports.push(problem); },
    });
    connection.listen();
    for (const message of [{ method: "unknown" }, { method: "broken" }, { id: 9, result: 1 }, { id: null, error: { code: 1, message: "Not understood." } }]) {
      const json = JSON.stringify(message);
      from.write(`Content-Length: ${json.length}\r\n\r\n${json}`);
    }
    while (reports.length < 4) await new Promise(resolve => { setImmediate(resolve); });
    deepEqual(reports, ["There is no handler of unknown.", "The handler of broken failed: odd", "An answer belongs to no request: 9", "An answer belongs to no request: Not understood."]);
  });
});
