import { deepEqual, equal, throws } from "node:assert/strict";
import fc from "fast-check";
import { Frame, FrameError } from "./frame";
import { isSuccessorMethod } from "./proxy-envelope";

const OWN = ["jsonrpc", "id", "method", "params"],
  LOCAL = ["_meta", "meta", "jsonrpc", "id"];
const raw = (value: unknown): Frame =>
  Frame.raw(Buffer.from(typeof value === "string" ? value : JSON.stringify(value)));
const text = (frame: Frame): string => Buffer.from(frame.bytes).toString();
const read = (frame: Frame): unknown => JSON.parse(text(frame));
/** The same object with its members in another order and whitespace between them. */
const shuffled = (value: object, order: readonly number[], space: string): string =>
  `{${Object.entries(value)
    .map((entry, i) => [order[i] ?? 0, entry] as const)
    .sort(([a], [b]) => a - b)
    .map(([, [key, each]]) => `${space}${JSON.stringify(key)}${space}:${space}${JSON.stringify(each)}`)
    .join(",")}${space}}`;

const params = fc.oneof(
  fc.object({ maxDepth: 3 }),
  fc.array(fc.jsonValue()),
  fc.record({ text: fc.string({ unit: "binary", maxLength: 60 }), id: fc.integer(), method: fc.string() }),
  fc.integer({ min: 4000, max: 9000 }).map(n => ({
    update: { content: Array.from({ length: n / 40 }, (_, i) => ({ type: "text", n: i, text: '"}{' })) },
  })),
  fc.integer({ min: 4000, max: 9000 }).map(n => ({ text: '\\"{['.repeat(n / 4) })),
);
const extras = fc.dictionary(
  fc
    .stringMatching(/^[a-z_"\\]{1,6}$/)
    .filter(key => ![...OWN, ...LOCAL, "result", "error"].includes(key) && key !== "__proto__"),
  fc.jsonValue(),
  { maxKeys: 2 },
);
const message = fc
  .record(
    { method: fc.string(), params, id: fc.option(fc.oneof(fc.integer(), fc.string())), extras },
    { requiredKeys: ["method", "id", "extras"] },
  )
  .map(({ id, method, extras, ...rest }) => ({
    jsonrpc: "2.0",
    ...(id === null ? {} : { id }),
    method,
    ...rest,
    ...extras,
  }))
  .map(message => JSON.parse(JSON.stringify(message)) as typeof message); // as on the wire: no -0, no undefined
const order = fc.array(fc.integer(), { minLength: 8, maxLength: 8 }),
  space = fc.constantFrom("", " ", "\t ");

suite("proxy envelope", () => {
  test("contains the same members as JSON.parse, from bytes and from an object", () => {
    fc.assert(
      fc.property(message, order, space, (message, order, space) => {
        const { jsonrpc, id, ...inside } = { id: undefined, ...message };
        const expected = { jsonrpc, ...(id === undefined ? {} : { id }), method: "proxy/successor", params: inside };
        deepEqual(read(raw(shuffled(message, order, space)).wrapped("proxy")), JSON.parse(JSON.stringify(expected)));
        deepEqual(read(Frame.of(raw(message).message).wrapped("proxy")), JSON.parse(JSON.stringify(expected)));
      }),
    );
  });

  test("is unwrapped to the same bytes with another id", () => {
    fc.assert(
      fc.property(message, order, space, fc.integer(), (message, order, space, id) => {
        const frame = raw(shuffled(message, order, space));
        const back = frame.wrapped("_proxy").unwrapped("id" in message ? id : undefined);
        deepEqual(read(back), { ...message, ...("id" in message ? { id } : {}) });
        deepEqual(back.envelope, raw(text(back)).envelope);
        if ("id" in message) deepEqual(read(frame.withId(id).wrapped("_proxy").unwrapped(0)), { ...message, id: 0 });
        if ("id" in message) deepEqual(read(frame.wrapped("_proxy").withId(id).unwrapped(0)), { ...message, id: 0 });
        if ("id" in message)
          deepEqual(read(frame.withId(id).withMethod("x").withId("y")), { ...message, id: "y", method: "x" });
        if ("params" in message) equal(text(back).includes(JSON.stringify(message.params)), true);
      }),
    );
  });

  test("is unwrapped for any key order, without hop-local members", () => {
    fc.assert(
      fc.property(
        message,
        fc.record(
          { _meta: fc.constant({ a: 1 }), meta: fc.constant(["{"]), jsonrpc: fc.constant("2.0"), id: fc.integer() },
          { requiredKeys: [] },
        ),
        order,
        space,
        fc.boolean(),
        (message, local, order, space, outerFirst) => {
          const { jsonrpc, id: _, ...inside } = { id: 0, ...message };
          const envelope = `{"jsonrpc":"2.0",${outerFirst ? '"id":5,"trace":{"a":[]},' : ""}"method":"proxy/successor","params":${shuffled({ ...inside, ...local }, order, space)}${outerFirst ? "" : ',"id":5,"trace":{"a":[]}'}}`;
          deepEqual(read(raw(envelope).unwrapped(7)), { jsonrpc, id: 7, ...inside });
          deepEqual(read(Frame.of(raw(envelope).message).unwrapped(7)), { jsonrpc, id: 7, ...inside });
        },
      ),
    );
  });

  test("omits hop-local members after long params", () => {
    for (const rest of [',"jsonrpc":"2.0"', ',"id":5', ',"id":5,"jsonrpc":"2.0"', ',"x":1,"jsonrpc":"2.0","y":2']) {
      const {
        jsonrpc: _,
        id,
        ...inside
      } = JSON.parse(
        `{"method":"m","params":${JSON.stringify(Array.from({ length: 1000 }, () => "b"))}${rest}}`,
      ) as Record<string, unknown>;
      deepEqual(
        read(
          raw({
            ...inside,
            ...(id === undefined ? {} : { id }),
            ...(rest.includes("jsonrpc") ? { jsonrpc: "2.0" } : {}),
          }).wrapped("proxy"),
        ),
        { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method: "proxy/successor", params: inside },
      );
    }
  });

  test("is unwrapped with escaped keys", () => {
    deepEqual(
      read(
        raw(
          '{"jsonrpc":"2.0","id":1,"method":"proxy/successor","params":{"\\u005fmeta":{"a":1},"m\\u0065thod":"x"}}',
        ).unwrapped(2),
      ),
      { jsonrpc: "2.0", id: 2, method: "x" },
    );
  });

  test("is rejected if invalid", () => {
    for (const params of ["1", "null", "[]", "{}", '{"params":{}}', '{"method":1}', '{"method":null,"result":1}']) {
      const line = `{"jsonrpc":"2.0","id":1,"method":"proxy/successor","params":${params}}`;
      throws(() => raw(line).unwrapped(2), FrameError, params);
      throws(() => Frame.of(raw(line).message).unwrapped(2), FrameError, params);
    }
    throws(() => raw('{"jsonrpc":"2.0","id":1,"method":"proxy/successor"}').unwrapped(2), FrameError);
  });

  test("replaces the method in its bytes", () => {
    fc.assert(
      fc.property(message, order, space, fc.string(), (message, order, space, method) => {
        deepEqual(read(raw(shuffled(message, order, space)).withMethod(method)), { ...message, method });
        deepEqual(read(Frame.of(raw(message).message).withMethod(method)), { ...message, method });
      }),
    );
  });

  test("is recognized in every spelling, and no other method is", () => {
    deepEqual(
      [
        "proxy/successor",
        "_proxy/successor",
        "_proxy/successor/request",
        "_proxy/successor/notification",
        "proxy/initialize",
        "_proxy/successor/x",
      ].map(isSuccessorMethod),
      [true, true, true, true, false, false],
    );
  });

  test("uses separate methods for requests and notifications in the first drafts", () => {
    for (const message of [
      { jsonrpc: "2.0", id: 1, method: "m", params: { a: 1 } },
      { jsonrpc: "2.0", method: "m", params: { a: 1 } },
    ] as const) {
      const { jsonrpc, id, ...inside } = { id: undefined, ...message },
        method = id === undefined ? "_proxy/successor/notification" : "_proxy/successor/request";
      const expected = { jsonrpc, ...(id === undefined ? {} : { id }), method, params: inside };
      deepEqual(read(raw(JSON.stringify(message)).wrapped("meta")), expected);
      deepEqual(read(Frame.of(message).wrapped("meta")), expected);
      deepEqual(read(raw(JSON.stringify(expected)).unwrapped(id)), message);
    }
  });
});
