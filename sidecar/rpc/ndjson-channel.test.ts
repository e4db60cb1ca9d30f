import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { once } from "node:events";
import { PassThrough, Readable, Writable } from "node:stream";
import fc from "fast-check";
import type { Closed } from "./channel";
import { Frame } from "./frame";
import { ndjsonChannel, type NdjsonOptions } from "./ndjson-channel";
import { turn } from "../testing/turn";

const note = (method: string, params?: unknown) =>
  Frame.of({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
const sent = (output: PassThrough): string => String(output.read() ?? "");

/**
 * Starts a channel over `input` and records frames, garbage and the close reason. `busy` may return a promise to delay
 * the next frame.
 */
function listen(
  input: Readable,
  options: NdjsonOptions & { output?: Writable; busy?: (frame: Frame) => void | Promise<void> } = {},
) {
  const output = options.output ?? new PassThrough();
  const frames: string[] = [],
    garbage: string[] = [];
  const channel = ndjsonChannel(input, output, { garbage: (line, why) => garbage.push(`${line}: ${why}`), ...options });
  const closed = new Promise<Closed>(resolve =>
    channel.start({
      receive: frame => {
        frames.push(Buffer.from(frame.bytes).toString());
        return options.busy?.(frame);
      },
      closed: resolve,
    }),
  );
  return { channel, output, frames, garbage, closed };
}

suite("ndjsonChannel", () => {
  test("reads one frame per line, with CRLF, U+2028, blank lines and without a last newline", async () => {
    const { frames, garbage, closed } = listen(
      Readable.from([Buffer.from('{"method":"a"}\r\n\n  \n {"method":"\u2028"}\n{"method":"last"}')]),
    );
    equal((await closed).message, "The other side closed the connection.");
    deepEqual(frames, ['{"method":"a"}', ' {"method":"\u2028"}', '{"method":"last"}']);
    deepEqual(garbage, []);
  });

  test("reads the same frames for any chunks, also within a character", async () => {
    const methods = fc.array(fc.string({ unit: fc.constantFrom("é", "😀", "\u2028", "\n", "\r", '"', "\\", "a") }), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(
        methods,
        fc.constantFrom("\n", "\r\n"),
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.boolean(),
        async (methods, newline, places, single) => {
          const lines = methods.map(method => JSON.stringify({ method })),
            bytes = Buffer.from(lines.map(line => line + newline).join(""));
          const cuts = single
            ? [...bytes.keys()]
            : [0, ...places.map(place => place % (bytes.length + 1)).sort((a, b) => a - b)];
          const { frames, closed } = listen(Readable.from(cuts.map((from, i) => bytes.subarray(from, cuts[i + 1]))));
          await closed;
          deepEqual(frames, lines);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("reports non-JSON lines, rejects invalid JSON and batches with a null id, and continues", async () => {
    const input = new PassThrough(),
      output = new PassThrough();
    const { frames, garbage, closed } = listen(input, { output });
    input.end(
      [
        "Debugger listening",
        '{"id":1,',
        '[{"id":1,"method":"m"}]',
        "[INFO] ready",
        '{"level":"info"}',
        '{"method":"m"}',
      ].join("\n") + "\n",
    );
    await closed;
    deepEqual(frames, ['{"method":"m"}']);
    deepEqual(garbage, [
      "Debugger listening: it is not JSON",
      '{"id":1,: it ends in the middle',
      '[{"id":1,"method":"m"}]: it is a batch, and batches are not part of this protocol',
      "[INFO] ready: it is not JSON",
      '{"level":"info"}: it has neither a method nor a result nor an error',
    ]);
    const answers = sent(output)
      .trim()
      .split("\n")
      .map(line => JSON.parse(line));
    deepEqual(
      answers.map(({ id, error }) => [id, error.code]),
      [
        [null, -32700],
        [null, -32600],
        [null, -32700],
        [null, -32600],
      ],
    );
  });

  test("truncates reported invalid lines", async () => {
    const { garbage, closed } = listen(Readable.from([Buffer.from("x".repeat(5000) + "\n")]));
    await closed;
    deepEqual(garbage, [`${"x".repeat(1000)}: it is not JSON`]);
  });

  test("reports a truncated last message without a response", async () => {
    const output = new PassThrough();
    const { frames, garbage, closed } = listen(Readable.from([Buffer.from('{"method":"m"}\n{"id":1,"res')]), {
      output,
    });
    await closed;
    deepEqual(
      [frames, garbage, sent(output)],
      [['{"method":"m"}'], ['{"id":1,"res: the stream ended in the middle of it'], ""],
    );
  });

  test("rejects a line above the limit, closes and discards the line", async () => {
    const output = new PassThrough(),
      maxLine = 1024 * 1024;
    let produced = 0;
    const endless = new Readable({
      read() {
        produced += 65_536;
        this.push(produced < 8 * maxLine ? Buffer.alloc(65_536, "x") : null);
      },
    });
    const { closed } = listen(endless, { output, maxLine });
    equal((await closed).message, "The other side sent a message of more than 1 MiB.");
    match(
      sent(output),
      /^\{"jsonrpc":"2.0","id":null,"error":\{"code":-32600,"message":"A message can have at most 1 MiB/,
    );
    equal(endless.destroyed, true);
    ok(produced < maxLine + 512 * 1024, `${produced} bytes were read`);
  });

  test("pauses reading while receive waits and then delivers everything in order", async () => {
    const total = 2000,
      line = (n: number) => JSON.stringify({ method: String(n), params: "x".repeat(1000) }) + "\n";
    let made = 0;
    const source = new Readable({
      highWaterMark: 16_384,
      read() {
        this.push(made < total ? line(made++) : null);
      },
    });
    let letGo = () => {};
    const { frames, closed } = listen(source, {
      busy: frame =>
        frame.message.jsonrpc && frames.length === 3
          ? new Promise(resolve => {
              letGo = resolve;
            })
          : undefined,
    });
    for (let i = 0; i < 50; i++) await turn();
    equal(frames.length, 3);
    ok(made < 100, `${made} lines were read ahead`);
    letGo();
    await closed;
    deepEqual(
      frames,
      Array.from({ length: total }, (_, n) => line(n).trim()),
    );
  });

  test("slows the source to the speed of the sink with bounded buffers", async () => {
    let made = 0;
    const line = Buffer.from(JSON.stringify({ method: "m", params: "x".repeat(1000) }) + "\n");
    const source = new Readable({
      read() {
        made += line.length;
        this.push(made < 8 * 1024 * 1024 ? line : null);
      },
    });
    const stuck = new Writable({ write() {} });
    const sink = ndjsonChannel(new PassThrough(), stuck);
    const { channel } = listen(source, { busy: frame => (sink.send(frame) ? undefined : sink.drained()) });
    for (let i = 0; i < 100; i++) await turn();
    const before = made;
    for (let i = 0; i < 100; i++) await turn();
    equal(made, before);
    ok(made < 512 * 1024, `${made} bytes were read`);
    ok(stuck.writableLength < 256 * 1024, `${stuck.writableLength} bytes wait`);
    await sink[Symbol.asyncDispose]();
    await channel[Symbol.asyncDispose]();
    source.destroy();
  });

  test("returns false from send while the sink is full, and drained waits for it", async () => {
    const held: (() => void)[] = [];
    const slow = new Writable({
      highWaterMark: 100,
      write(_chunk, _encoding, done) {
        held.push(done);
      },
    });
    const channel = ndjsonChannel(new PassThrough(), slow);
    equal(channel.send(note("a")), true);
    await channel.drained();
    equal(channel.send(note("b", "x".repeat(100))), true);
    await turn();
    equal(channel.send(note("c")), false);
    let drained = false;
    const waiting = channel.drained().then(() => {
      drained = true;
    });
    await turn();
    equal(drained, false);
    while (held.length > 0) {
      held.shift()!();
      await turn();
    }
    await waiting;
    equal(channel.send(note("d")), true);
    await channel[Symbol.asyncDispose]();
  });

  test("writes the frames of one tick in one write, and large frames immediately", async () => {
    const writes: string[] = [];
    const output = new Writable({
      decodeStrings: true,
      write(chunk, _encoding, done) {
        writes.push(String(chunk));
        done();
      },
    });
    const channel = ndjsonChannel(new PassThrough(), output);
    await turn();
    channel.send(note("a"));
    channel.send(Frame.raw(Buffer.from('{ "method":"raw" }')));
    await Promise.resolve().then(() => channel.send(note("b")));
    await turn();
    deepEqual(writes, ['{"jsonrpc":"2.0","method":"a"}\n{ "method":"raw" }\n{"jsonrpc":"2.0","method":"b"}\n']);
    channel.send(note("big", "x".repeat(100_000)));
    equal(writes.length, 2);
    await channel[Symbol.asyncDispose]();
  });

  test("writes frames sent before dispose, drops later ones, and reports the close once", async () => {
    const input = new PassThrough(),
      output = new PassThrough();
    let ends = 0;
    const channel = ndjsonChannel(input, output),
      frames: Frame[] = [];
    channel.start({
      receive: frame => {
        frames.push(frame);
      },
      closed: ({ message }) => {
        ends++;
        equal(message, "The connection was closed.");
      },
    });
    channel.send(note("before"));
    await channel[Symbol.asyncDispose]();
    equal(channel.send(note("after")), true);
    await channel[Symbol.asyncDispose]();
    await channel.drained();
    deepEqual([sent(output), output.writableEnded, ends], ['{"jsonrpc":"2.0","method":"before"}\n', true, 1]);
    input.end('{"method":"discarded"}\n{"method":"this too"}');
    await once(input, "end");
    await turn();
    deepEqual(frames, []);
  });

  test("does not deliver a message that was incomplete at dispose", async () => {
    const input = new PassThrough();
    const { channel, frames, garbage } = listen(input);
    input.write('{"method":"a"}');
    await turn();
    await channel[Symbol.asyncDispose]();
    input.end();
    await once(input, "end");
    await turn();
    deepEqual([frames, garbage], [[], []]);
  });

  test("drops the rest of a chunk when its first line closes the channel", async () => {
    const { channel, frames, closed } = listen(Readable.from([Buffer.from('{"method":"a"}\n{"method":"b"}\n')]), {
      busy: async () => {
        await channel[Symbol.asyncDispose]();
      },
    });
    await closed;
    await turn();
    deepEqual(frames, ['{"method":"a"}']);
  });

  test("sends nothing while it waits for the close reason", async () => {
    const output = new PassThrough();
    let exited = (_: Closed) => {};
    const { channel, closed } = listen(Readable.from([]), {
      output,
      closedReason: () =>
        new Promise(resolve => {
          exited = resolve;
        }),
    });
    for (let i = 0; i < 5; i++) await turn();
    channel.send(note("late"));
    exited({ message: "The agent stopped (exit code 3)." });
    equal((await closed).message, "The agent stopped (exit code 3).");
    equal(sent(output), "");
  });

  test("requests the close reason once when both streams end, after it releases waiting senders", async () => {
    let asked = 0;
    const input = new PassThrough(),
      output = new Writable({ write() {} });
    const { channel } = listen(input, {
      output,
      closedReason: () => {
        asked++;
        return new Promise(() => {});
      },
    });
    channel.send(note("m", "x".repeat(100_000)));
    const drained = channel.drained();
    output.destroy();
    input.end();
    await drained;
    await channel.drained();
    for (let i = 0; i < 10; i++) await turn();
    equal(asked, 1);
    await channel[Symbol.asyncDispose]();
  });

  test("uses a default reason if closedReason rejects", async () => {
    const { closed } = listen(Readable.from([]), { closedReason: () => Promise.reject(new Error("no status")) });
    equal((await closed).message, "The other side closed the connection.");
  });

  test("closes with the cause of an input error", async () => {
    const input = new PassThrough(),
      failure = new Error("EIO");
    const { closed } = listen(input);
    await turn();
    input.destroy(failure);
    deepEqual(await closed, { message: "The connection failed while it was read.", cause: failure });
  });

  test("closes on an output error after it reads the buffered input", async () => {
    const input = new PassThrough(),
      failure = new Error("EPIPE");
    const output = new Writable({
      write(_chunk, _encoding, done) {
        done(failure);
      },
    });
    const { channel, frames, closed } = listen(input, { output });
    await turn();
    channel.send(note("a"));
    await once(output, "error").catch(error => equal(error, failure));
    for (let i = 0; i < 10; i++) {
      input.write(`{"method":"${i}"}\n`);
      await turn();
    }
    deepEqual(await closed, { message: "The other side no longer reads.", cause: failure });
    deepEqual(
      frames,
      Array.from({ length: 10 }, (_, i) => `{"method":"${i}"}`),
    );
  });

  test("releases waiting senders on an output error while the input continues", async () => {
    const input = new PassThrough(),
      output = new Writable({ write() {} });
    const { channel, closed } = listen(input, { output });
    channel.send(note("a", "x".repeat(100_000)));
    let isReleased = false;
    const drained = channel.drained().then(() => {
      isReleased = true;
    });
    output.destroy();
    for (let i = 0; i < 10; i++) {
      input.write(`{"method":"${i}"}\n`);
      await turn();
    }
    equal(isReleased, true);
    await Promise.all([drained, closed]);
  });

  test("closes when the output closes without an error", async () => {
    const output = new PassThrough();
    const { closed } = listen(new PassThrough(), { output });
    output.destroy();
    equal((await closed).message, "The other side no longer reads.");
  });

  test("reports a failure before the start when it starts, and ignores a failure after dispose", async () => {
    const input = new PassThrough(),
      failure = new Error("EIO");
    const channel = ndjsonChannel(input, new PassThrough());
    input.destroy(failure);
    await turn();
    equal((await new Promise<Closed>(closed => channel.start({ receive: () => {}, closed }))).cause, failure);
    const late = new PassThrough(),
      closed = ndjsonChannel(late, new PassThrough());
    await closed[Symbol.asyncDispose]();
    late.destroy(failure);
    await turn();
  });

  test("releases waiting senders when it closes", async () => {
    const channel = ndjsonChannel(new PassThrough(), new Writable({ write() {} }));
    channel.send(note("a", "x".repeat(100_000)));
    const drained = channel.drained();
    await channel[Symbol.asyncDispose]();
    await drained;
  });

  test("closes with the error that a receiver throws", async () => {
    const bug = new Error("bug");
    const { closed } = listen(Readable.from([Buffer.from('{"method":"m"}\n')]), {
      busy: () => {
        throw bug;
      },
    });
    deepEqual(await closed, { message: "A message could not be handled.", cause: bug });
  });

  test("throws when it starts twice", async () => {
    const { channel } = listen(new PassThrough());
    throws(() => channel.start({ receive: () => {}, closed: () => {} }), /once/);
    await channel[Symbol.asyncDispose]();
  });

  test("discards its input if disposed before the start, and reports it when it starts", async () => {
    const input = new PassThrough(),
      channel = ndjsonChannel(input, new PassThrough());
    await channel[Symbol.asyncDispose]();
    input.end("discarded");
    await once(input, "end");
    equal(
      (await new Promise<Closed>(closed => channel.start({ receive: () => {}, closed }))).message,
      "The connection was closed.",
    );
  });

  test("bounds its error responses if they are not read", async () => {
    const stuck = new Writable({ write() {} });
    const { garbage, closed } = listen(Readable.from([Buffer.from("{\n".repeat(50_000))]), { output: stuck });
    await closed;
    equal(garbage.length, 50_000);
    ok(stuck.writableLength < 256 * 1024, `${stuck.writableLength} bytes wait`);
  });
});
