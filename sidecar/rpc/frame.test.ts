import { deepEqual, equal, throws } from "node:assert/strict";
import fc from "fast-check";
import { Frame, FrameError } from "./frame";
import type { Message } from "./message";

const raw = (text: string) => Frame.raw(Buffer.from(text));
const parsed = (frame: Frame): unknown => JSON.parse(Buffer.from(frame.bytes).toString());
const id = fc.oneof(fc.maxSafeInteger(), fc.string({ unit: "binary" }));

suite("Frame", () => {
  test("keeps raw bytes and unknown members and parses once", () => {
    const bytes = Buffer.from('{ "vendor" : 1, "method":"m", "params":{"future":[1, 2]} }');
    const frame = Frame.raw(bytes);
    equal(frame.bytes, bytes);
    deepEqual(frame.message, { jsonrpc: "2.0", vendor: 1, method: "m", params: { future: [1, 2] } });
    equal(frame.message, frame.message);
  });

  test("keeps a message and serializes it once, on demand", () => {
    let serialised = 0;
    const message: Message = { jsonrpc: "2.0", id: 1, method: "m", params: { toJSON: () => ++serialised } };
    const frame = Frame.of(message);
    equal(frame.message, message);
    deepEqual(frame.envelope, { kind: "request", id: 1, method: "m" });
    equal(serialised, 0);
    deepEqual(frame.bytes, frame.bytes);
    equal(serialised, 1);
  });

  test("replaces only the id and keeps unknown members and spaces", () => {
    equal(
      Buffer.from(raw('{ "x":{"id":5}, "id" : 41 ,"method":"m","y":"\\u00e9"}').withId('a"b').bytes).toString(),
      '{ "x":{"id":5}, "id" : "a\\"b" ,"method":"m","y":"\\u00e9"}',
    );
  });

  test("replaces the id of bytes and messages like parse, change and stringify (property)", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        id,
        id,
        fc.constantFrom("method", "result"),
        fc.boolean(),
        (params, old, id, kind, last) => {
          const members = kind === "method" ? { method: "m", params } : { result: params };
          const message = last ? { jsonrpc: "2.0", ...members, id: old } : { id: old, jsonrpc: "2.0", ...members };
          const frame = raw(JSON.stringify(message)),
            changed = frame.withId(id);
          deepEqual(parsed(changed), JSON.parse(JSON.stringify({ ...message, id })));
          deepEqual(changed.envelope, raw(JSON.stringify({ ...message, id })).envelope);
          deepEqual(Frame.of(frame.message).withId(id).message, changed.message);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("replaces the effective id of a message with duplicate ids", () => {
    deepEqual(parsed(raw('{"id":1,"method":"m","id":2}').withId(7)), { id: 7, method: "m" });
  });

  test("ends with a newline and replaces the id of a large frame without a copy", () => {
    const line = Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"text":"${"x".repeat(100_000)}"}}\n`),
      frame = Frame.raw(line);
    const renumbered = frame.withId("b"),
      wrapped = frame.wrapped("proxy"),
      unwrapped = Frame.raw(Buffer.concat(wrapped.pieces)).unwrapped(7);
    deepEqual(frame.pieces, [line]);
    equal(frame.bytes.length, line.length - 1);
    for (const each of [renumbered, wrapped])
      equal(
        each.pieces.some(piece => piece.buffer === line.buffer),
        true,
      );
    for (const [each, id] of [
      [renumbered, "b"],
      [wrapped, 1],
      [unwrapped, 7],
    ] as const) {
      equal(
        each.pieces.some(piece => piece.length > 90_000 && piece.length < line.length),
        true,
      );
      const written = String(Buffer.concat(each.pieces));
      deepEqual(
        [written.endsWith("}\n"), (JSON.parse(written) as { id: unknown }).id, written],
        [true, id, `${String(Buffer.from(each.bytes))}\n`],
      );
    }
    deepEqual(String(Buffer.concat(raw('{"method":"m"}').pieces)), '{"method":"m"}\n');
  });

  test("keeps an integer beyond 2⁵³ as written", () => {
    const request = raw('{"id":9007199254740993,"method":"m"}');
    equal(Buffer.from(request.idBytes).toString(), "9007199254740993");
    equal(
      Buffer.from(Frame.of({ jsonrpc: "2.0", id: 0, result: 1 }).withId(request.idBytes).bytes).toString(),
      '{"jsonrpc":"2.0","id":9007199254740993,"result":1}',
    );
  });

  test("throws for the id of a notification", () => {
    throws(() => raw('{"method":"m"}').withId(1), /no id/);
    throws(() => Frame.of({ jsonrpc: "2.0", method: "m" }).withId(1), /no id/);
  });

  const invalid: readonly [line: string, code: number][] = [
    ['{"id":1,"method":"m","params":NaN}', -32700],
    ["{", -32700],
    ["[]", -32600],
    ["null", -32600],
    ['{"id":null,"method":"m"}', -32600],
    ['{"id":1}', -32600],
    ['{"id":null,"result":1}', -32600],
    ['{"id":1,"error":"boom"}', -32600],
    ['{"id":1,"error":null}', -32600],
    ['{"id":1,"error":{"code":"x","message":"m"}}', -32600],
  ];
  for (const [line, code] of invalid)
    test(`rejects ${line} with ${code}`, () => {
      throws(
        () => raw(line).message,
        error => error instanceof FrameError && error.code === code,
      );
    });

  test("adds a missing version and accepts an error with a null id", () => {
    deepEqual(raw('{"method":"m"}').message, { jsonrpc: "2.0", method: "m" });
    deepEqual(raw('{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m","data":0}}').message, {
      jsonrpc: "2.0",
      id: null,
      error: { code: 1, message: "m", data: 0 },
    });
  });
});
