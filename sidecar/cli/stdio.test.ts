import { deepEqual } from "node:assert/strict";
import { Writable } from "node:stream";
import { FakeClock } from "../testing/fake-clock";
import { flushed } from "./stdio";

const turn = (): Promise<void> =>
  new Promise(resolve => {
    setImmediate(resolve);
  });

suite("the last words to a client", () => {
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

  test("are waited for until it has read them", async () => {
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

  test("are waited for when the stream was ended behind them", async () => {
    const reader = slow();
    reader.stdout.end("last");
    const done = flushed(new FakeClock(), reader.stdout);
    await turn();
    reader.take();
    await done;
    deepEqual(reader.stdout.writableFinished, true);
  });

  test("are not waited for for ever, nor where nobody listens any more", async () => {
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

  test("may have been said and read before", async () => {
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done() });
    stdout.end("last");
    await turn();
    await flushed(new FakeClock(), stdout);
  });
});
