import { deepEqual } from "node:assert/strict";
import { PassThrough, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { firstInput, flushed } from "./stdio";
import { turn } from "../../testing/turn";

suite("output flush", () => {
  const slow = (): { readonly stdout: Writable; take: () => void } => {
    const reader = {
      take: (): void => undefined,
      stdout: new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          if (chunk.length === 0) return done();
          reader.take = done;
        },
      }),
    };
    return reader;
  };

  test("waits until the client has read the output", async () => {
    const reader = slow(),
      seen: string[] = [];
    reader.stdout.write("last");
    const done = flushed(new FakeClock(), reader.stdout).then(() => seen.push("flushed"));
    await turn();
    seen.push("taken");
    reader.take();
    await done;
    deepEqual(seen, ["taken", "flushed"]);
  });

  test("waits if the stream has already ended", async () => {
    const reader = slow();
    reader.stdout.end("last");
    const done = flushed(new FakeClock(), reader.stdout);
    await turn();
    reader.take();
    await done;
    deepEqual(reader.stdout.writableFinished, true);
  });

  test("stops waiting after a time limit or without a reader", async () => {
    const clock = new FakeClock(),
      reader = slow();
    reader.stdout.write("last");
    const done = flushed(clock, reader.stdout);
    clock.advance(1000);
    await done;

    const gone = new Writable({ write: (_chunk, _encoding, failed) => failed(new Error("EPIPE")) }).on(
      "error",
      () => undefined,
    );
    gone.write("last");
    await flushed(new FakeClock(), gone);
    await flushed(new FakeClock(), gone);
  });

  test("returns immediately after the output was read", async () => {
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done() });
    stdout.end("last");
    await turn();
    await flushed(new FakeClock(), stdout);
  });
});

suite("first input", () => {
  test("is reported without being read", async () => {
    const stdin = new PassThrough(),
      input = firstInput(stdin);
    stdin.write("first ");
    await input;
    stdin.end("second");
    deepEqual(String(Buffer.concat(await stdin.toArray())), "first second");
  });

  test("is not reported at the end of an empty stdin, which is still noticed", async () => {
    const stdin = new PassThrough(),
      seen: string[] = [];
    void firstInput(stdin).then(() => seen.push("input"));
    stdin.end();
    await turn();
    stdin.on("data", () => seen.push("data"));
    await finished(stdin);
    deepEqual(seen, []);
  });
});
