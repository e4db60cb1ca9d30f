import { deepEqual, equal, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { FrameError, envelopeOf, scanEnvelope } from "./envelope";
import { RpcCode } from "./message";

/** The result of a read, or the error that it throws. */
function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof FrameError) return `${error.code} ${error.message}`;
    throw error;
  }
}
const scanned = (text: string) => outcome(() => scanEnvelope(Buffer.from(text)).envelope);
const parsed = (text: string) => outcome(() => envelopeOf(JSON.parse(text)));

const space = fc.constantFrom("", "", "", " ", "\t", "\r\n  ");
const escaped = (text: string, which: number) =>
  [...text].map((c, i) => ((which >> i) & 1 ? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}` : c)).join("");
const key = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom("id", "method", "result", "error", "params", "jsonrpc")
      .map(name => JSON.stringify(name)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom("id", "method", "result", "error"), fc.nat(63))
      .map(([name, which]) => `"${escaped(name, which)}"`),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }).map(name => JSON.stringify(name)) },
  { weight: 1, arbitrary: fc.constantFrom('"i"', '"idd"', '"Id"', '"\\\\u0069d"', '"\\"id"', '""', '"__proto__"') },
);
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom('"', "\\", "{", "}", "[", "]", ",", ":", "é", "\u2028", "a"), maxLength: 200 }),
);
const value = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "0",
      "-1",
      "41",
      "1e2",
      "1.0",
      "1.5",
      "9007199254740993",
      "-0",
      "null",
      "true",
      '"0"',
      '"a\\u0041"',
      '"session/prompt"',
      "{}",
      "[]",
    ),
  },
  { weight: 2, arbitrary: text.map(value => JSON.stringify(value)) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }).map(value => JSON.stringify(value)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.nat(300), text)
      .map(([depth, value]) => '[{"id":'.repeat(depth) + JSON.stringify(value) + "}]".repeat(depth)),
  },
);
const long = fc
  .tuple(
    fc.constantFrom("x", '"', "\\", "}"),
    fc.constantFrom("", ',"id":1', ',"\\u0069d":2', ',"error":0', ',"m\\u0065thod":""'),
    fc.constantFrom("{", "["),
  )
  .map(([text, inner, open]) =>
    open === "{"
      ? `{"text":${JSON.stringify(text.repeat(5000))}${inner}}`
      : `[${JSON.stringify(text.repeat(5000))}${inner && `,{"x":0${inner}}`}]`,
  );
/** Many short strings, which are searched instead of skipped. */
const dense = fc
  .tuple(fc.constantFrom("", ',"id":1', ',"\\u0069d":2', ',"error":0'), fc.nat(999))
  .map(([inner, at]) => `[${Array.from({ length: 1000 }, (_, i) => `{"a":"b"${i === at ? inner : ""}}`).join(",")}]`);
const lineOf = (value: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.array(fc.tuple(key, value, space), { maxLength: 8 }), space)
    .map(
      ([members, gap]) =>
        `${gap}{${gap}${members.map(([key, value, gap]) => `${key}${gap}:${gap}${value}${gap}`).join(`,${gap}`)}}${gap}`,
    );
const line = lineOf(value),
  longLine = lineOf(
    fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: long }, { weight: 1, arbitrary: dense }),
  );

suite("envelope", () => {
  const table: readonly [line: string, expected: unknown][] = [
    ['{"jsonrpc":"2.0","id":0,"method":"m"}', { kind: "request", id: 0, method: "m" }],
    ['{"jsonrpc":"2.0","id":"0","method":"m"}', { kind: "request", id: "0", method: "m" }],
    ['{"params":{"id":7,"method":"inner"},"method":"m","id":-3}', { kind: "request", id: -3, method: "m" }],
    ['{"\\u0069d":1,"m\\u0065thod":"m"}', { kind: "request", id: 1, method: "m" }],
    ['{"id":1,"method":"first","id":2,"method":"last"}', { kind: "request", id: 2, method: "last" }],
    ['{"method":"session/\\u0075pdate"}', { kind: "notification", method: "session/update" }],
    ['{"result":{"error":1},"id":"é"}', { kind: "response", id: "é", failed: false }],
    ['{"id":1,"result":null}', { kind: "response", id: 1, failed: false }],
    ['{"id":1,"result":{},"error":null}', { kind: "response", id: 1, failed: false }],
    ['{"id":1,"error":{"code":1,"message":""}}', { kind: "response", id: 1, failed: true }],
    ['{"id":null,"error":{"code":1,"message":""}}', { kind: "response", id: null, failed: true }],
    ['{"error":{"code":1,"message":""}}', { kind: "response", id: null, failed: true }],
    ['{"id":null,"method":"m"}', "-32600 its id is neither a string nor an integer"],
    ['{"id":1.5,"method":"m"}', "-32600 its id is neither a string nor an integer"],
    ['{"id":{},"result":1}', "-32600 its id is neither a string nor an integer"],
    ['{"id":1,"method":{}}', "-32600 its method is not a string"],
    ['{"level":"info","msg":"starting"}', "-32600 it has neither a method nor a result nor an error"],
    ['[{"id":1,"method":"m"}]', "-32600 it is a batch, and batches are not part of this protocol"],
    ["[INFO] starting", "-32700 it is not JSON"],
    ["{starting}", "-32700 it is not JSON from byte 1 on"],
    ['{"id":1,}', "-32700 it is not JSON from byte 8 on"],
    ['{"id" 1}', "-32700 it is not JSON from byte 6 on"],
    ['{"id":,"method":"m"}', "-32700 it is not JSON from byte 6 on"],
    ['{"id":1 "method":"m"}', "-32700 it is not JSON from byte 8 on"],
    ['{"id":1x,"method":"m"}', "-32700 it is not JSON: 1x"],
    ['{"method":"m"} {"method":"m"}', "-32700 it is not JSON from byte 15 on"],
    ['{"method":"m","params":{"a":"\\"}', "-32700 it ends in the middle"],
    ["", "-32700 it ends in the middle"],
  ];
  for (const [line, expected] of table)
    test(`scans ${line || "an empty line"} as ${JSON.stringify(expected)}`, () => deepEqual(scanned(line), expected));

  test("agrees with JSON.parse for any valid line: key order, escapes, repetition, nesting, spaces", () => {
    fc.assert(
      fc.property(line, line => deepEqual(scanned(line), parsed(line))),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(longLine, line => deepEqual(scanned(line), parsed(line))),
      { numRuns: 1000 },
    );
  });

  test("rejects a line truncated anywhere", () => {
    fc.assert(
      fc.property(line, fc.nat(), (line, n) => {
        const whole = Buffer.from(line.trimEnd());
        throws(() => scanEnvelope(whole.subarray(0, n % whole.length)), { code: RpcCode.parseError });
      }),
      { numRuns: 500 },
    );
  });

  test("returns an envelope or a FrameError for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.boolean(), (bytes, object) => {
        outcome(() => scanEnvelope(Buffer.concat([Buffer.from(object ? '{"id":' : ""), bytes])));
      }),
      { numRuns: 1000 },
    );
  });

  for (const [rest, expected] of [
    ["", { kind: "request", id: 1, method: "m" }],
    [',"id":2', { kind: "request", id: 2, method: "m" }],
    [',"\\u0069d":2', { kind: "request", id: 2, method: "m" }],
    [',"me\\u0074hod":"n"', { kind: "request", id: 1, method: "n" }],
  ] as const)
    test(`reads members after a long value: ${rest || "none"}`, () => {
      for (const text of ["x", '"', "\\"])
        deepEqual(
          scanned(`{"id":1,"method":"m","params":{"text":${JSON.stringify(text.repeat(10_000))}}${rest}}`),
          expected,
        );
      deepEqual(
        scanned(
          `{"id":1,"method":"m","params":${JSON.stringify(Array.from({ length: 1000 }, () => ({ a: "b" })))}${rest}}`,
        ),
        expected,
      );
    });

  test("reads a result before many other members", () => {
    const more = `"more":${JSON.stringify(Array.from({ length: 1000 }, () => "b"))}`;
    deepEqual(scanned(`{"id":1,"result":null,${more}}`), { kind: "response", id: 1, failed: false });
    deepEqual(scanned(`{"id":1,"error":null,${more}}`), parsed(`{"id":1,"error":null,${more}}`));
    deepEqual(scanned(`{"id":1,"error":{},${more}}`), { kind: "response", id: 1, failed: true });
  });

  test("rejects a long truncated line", () => {
    equal(scanned(`{"id":1,"method":"m","params":{"text":"${"x".repeat(10_000)}`), "-32700 it ends in the middle");
  });

  test("returns the position of the effective id", () => {
    const line = Buffer.from('{"id":1,"method":"m","id": "é" }');
    const { idStart, idEnd } = scanEnvelope(line);
    equal(line.toString("utf8", idStart, idEnd), '"é"');
  });

  test("scans many members in linear time, for any position of the envelope", () => {
    for (const rest of ["", `,"x":[${"1,".repeat(1_000_000)}1]`]) {
      const started = process.cpuUsage();
      deepEqual(scanned(`{${'"a":1,'.repeat(300_000)}"id":1,"method":"m"${rest}}`), {
        kind: "request",
        id: 1,
        method: "m",
      });
      const { user, system } = process.cpuUsage(started);
      ok(user + system < 5_000_000, "seconds for what takes milliseconds");
    }
  });

  test("scans deep nesting without recursion, and escaped strings in linear time", () => {
    const depth = 200_000;
    deepEqual(scanned(`{"params":${"[".repeat(depth)}${"]".repeat(depth)},"method":"m"}`), {
      kind: "notification",
      method: "m",
    });
    for (const text of ["\\".repeat(300_000), '"'.repeat(300_000), '\\"x'.repeat(100_000)]) {
      deepEqual(scanned(JSON.stringify({ params: text, method: "m" })), { kind: "notification", method: "m" });
    }
  });
});
