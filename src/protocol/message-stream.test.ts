import { deepEqual, equal, match, throws } from "node:assert/strict";
import { EventEmitter } from "node:events";
import fc from "fast-check";
import { MessageInput, MessageOutput, type Utf8 } from "./message-stream";

const UTF8: Utf8 = { length: text => Buffer.byteLength(text), decode: bytes => Buffer.from(bytes).toString() };

suite("message stream", () => {
  function output() {
    const writes: string[] = [], due: (() => void)[] = [], stream = Object.assign(new EventEmitter(), { write: (text: string) => writes.push(text) });
    return { stream, writes, output: new MessageOutput(stream, UTF8, flush => { due.push(flush); }), pass: () => { for (const flush of due.splice(0)) flush(); } };
  }

  function input() {
    const stream = new EventEmitter(), reader = new MessageInput<unknown>(stream, UTF8), received: unknown[] = [], errors: string[] = [];
    reader.onError(({ message }) => { errors.push(message); });
    const listening = reader.listen(message => { received.push(message); });
    return { stream, reader, received, errors, listening, push: (bytes: string | Uint8Array) => stream.emit("data", Buffer.from(bytes)) };
  }

  test("joins the messages of one tick into one write, in their order", () => {
    const { output: out, writes, pass } = output();
    for (const message of [{ a: 1 }, { b: "ü" }]) out.write(message);
    deepEqual(writes, []);
    pass();
    out.write({ c: 3 });
    pass();
    pass();
    deepEqual(writes, ['Content-Length: 7\r\n\r\n{"a":1}Content-Length: 10\r\n\r\n{"b":"ü"}', 'Content-Length: 7\r\n\r\n{"c":3}']);
  });

  test("throws for a message that cannot be JSON, and sends the others", () => {
    const { output: out, writes, pass } = output(), circle: Record<string, unknown> = {};
    circle["self"] = circle;
    throws(() => out.write(circle), TypeError);
    out.write({});
    pass();
    deepEqual(writes, ["Content-Length: 2\r\n\r\n{}"]);
  });

  test("delivers the messages that were written, however the bytes are cut", () => {
    fc.assert(fc.property(fc.array(fc.object()), fc.array(fc.nat(40), { minLength: 1 }), (messages, cuts) => {
      const { output: out, writes, pass } = output(), { push, received, errors } = input();
      for (const message of messages) out.write(message);
      pass();
      const bytes = Buffer.from(writes.join(""));
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const end = at + 1 + (cuts[i % cuts.length] ?? 0);
        push(bytes.subarray(at, end));
        at = end;
      }
      deepEqual([received, errors], [messages.map(message => JSON.parse(JSON.stringify(message)) as unknown), []]);
    }));
  });

  test("takes other headers, and any spelling of the name", () => {
    const { push, received } = input();
    push('Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:2\r\n\r\n{}');
    deepEqual(received, [{}]);
  });

  test("reports a body that is no JSON, and delivers the next message", () => {
    const { push, received, errors } = input();
    push("Content-Length: 2\r\n\r\n{]Content-Length: 2\r\n\r\n[]");
    deepEqual([received, errors.length], [[[]], 1]);
  });

  for (const [what, bytes] of [["a header without a length", "Content-Type: x\r\n\r\n"], ["a program's own output", "hello\n".repeat(1_000)]] as const) {
    test(`reports ${what} once, and delivers nothing more`, () => {
      const { push, received, errors } = input();
      push(bytes);
      push("Content-Length: 2\r\n\r\n[]");
      deepEqual([received, errors.length], [[], 1]);
      match(errors.join(), /header/);
    });
  }

  test("passes the stream's own events on, until the listener is removed", () => {
    const { stream: to, output: out } = output(), { stream: from, reader, listening, errors } = input(), events: string[] = [];
    const added = [out.onClose(() => { events.push("out close"); }), out.onError(({ message }) => { events.push(message); }), reader.onClose(() => { events.push("in close"); })];
    for (const stream of [to, from]) {
      stream.emit("error", new Error("broken"));
      stream.emit("close");
    }
    deepEqual([events, errors], [["broken", "out close", "in close"], ["broken"]]);
    for (const each of [...added, listening]) each.dispose();
    equal(to.listenerCount("close") + to.listenerCount("error") + from.listenerCount("close") + from.listenerCount("data"), 0);
  });
});
