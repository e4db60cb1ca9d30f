import { deepEqual, equal } from "node:assert/strict";
import { PassThrough, Readable } from "node:stream";
import { LineReader, type LineConsumer } from "./line-reader";
import { turn } from "../testing/turn";

/** Records the events of a reader, then calls `take`. */
function read(
  input: Readable,
  take: (line: string, reader: () => LineReader) => void | Promise<void> = () => undefined,
) {
  const notifications: string[] = [];
  const taker: LineConsumer = {
    take: line => {
      notifications.push(String(line).trim());
      return take(String(line).trim(), () => reader);
    },
    takeLast: line => {
      notifications.push(`last ${String(line)}`);
      return take(String(line), () => reader);
    },
    ended: cause => {
      notifications.push(cause ? `broken: ${cause.message}` : "ended");
    },
    failed: error => {
      notifications.push(`failed: ${String(error)}`);
    },
  };
  const reader: LineReader = new LineReader(input, 1000, taker);
  return { notifications, reader };
}

suite("LineReader", () => {
  test("delivers each line, the last line and the end after the previous line is handled", async () => {
    let release = () => {};
    const { notifications } = read(
      Readable.from([Buffer.from("a\nb"), Buffer.from("c\nrest")]),
      () =>
        new Promise(resolve => {
          release = resolve;
        }),
    );
    for (const expected of [["a"], ["a", "bc"], ["a", "bc", "last rest"], ["a", "bc", "last rest", "ended"]]) {
      for (let i = 0; i < 5; i++) await turn();
      deepEqual(notifications, expected);
      release();
    }
  });

  test("loses no data of a stream that continues after pause", async () => {
    const input = new PassThrough();
    let release = () => {};
    const { notifications } = read(input, line =>
      line === "a"
        ? new Promise(resolve => {
            release = resolve;
          })
        : undefined,
    );
    for (const chunk of ["a\nb\n", "c\n", "d\ne", "\n"]) input.emit("data", Buffer.from(chunk));
    deepEqual(notifications, ["a"]);
    release();
    await turn();
    deepEqual(notifications, ["a", "b", "c", "d", "e"]);
    equal(input.isPaused(), false);
  });

  test("delivers nothing after stop and drains the stream", async () => {
    const input = Readable.from([Buffer.from("a\nb\n"), Buffer.from("c\n")]);
    const { notifications } = read(input, async (_, reader) => {
      reader().stop();
    });
    for (let i = 0; i < 10; i++) await turn();
    deepEqual([notifications, input.readableEnded], [["a"], true]);
  });

  for (const [how, fail] of [
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    [
      "rejects",
      async () => {
        await turn();
        throw new Error("no");
      },
    ],
  ] as const) {
    test(`reports once that take ${how}`, async () => {
      const { notifications } = read(Readable.from([Buffer.from("a\nb\n"), Buffer.from("c\n")]), fail);
      for (let i = 0; i < 10; i++) await turn();
      deepEqual(notifications, ["a", "failed: Error: no"]);
    });
  }

  test("reports a stream error after the pending line", async () => {
    const input = new PassThrough();
    let release = () => {};
    const { notifications } = read(
      input,
      () =>
        new Promise(resolve => {
          release = resolve;
        }),
    );
    input.write("a\n");
    await turn();
    input.destroy(new Error("EIO"));
    for (let i = 0; i < 5; i++) await turn();
    deepEqual(notifications, ["a"]);
    release();
    await turn();
    deepEqual(notifications, ["a", "broken: EIO"]);
  });
});
