import { deepEqual, equal, throws } from "node:assert/strict";
import type { Channel, Closed } from "./channel";
import { Frame } from "./frame";
import { memoryChannels } from "./memory-channel";
import { turn } from "../testing/turn";

const note = (method: string) => Frame.of({ jsonrpc: "2.0", method });

function listen(channel: Channel, busy: (received: readonly string[]) => void | Promise<void> = () => {}) {
  const received: string[] = [];
  channel.start({
    receive: frame => {
      received.push("method" in frame.message ? frame.message.method : "answer");
      return busy(received);
    },
    closed: reason => received.push(`closed: ${reason.message}`),
  });
  return received;
}

suite("memory channels", () => {
  test("delivers the same frames in order, asynchronously, and buffers frames before the start", async () => {
    const [left, right] = memoryChannels(),
      frames = [note("a"), note("b"), note("c")],
      received: Frame[] = [];
    left.send(frames[0]!);
    right.start({
      receive: frame => {
        received.push(frame);
      },
      closed: () => {},
    });
    left.send(frames[1]!);
    left.send(frames[2]!);
    equal(received.length, 0);
    await turn();
    deepEqual(
      received.map((frame, i) => frame === frames[i]),
      [true, true, true],
    );
  });

  test("pauses the sender while the receiver is busy, without losing frames", async () => {
    const [left, right] = memoryChannels();
    let letGo = () => {};
    const received = listen(right, received =>
      received.length === 1
        ? new Promise<void>(resolve => {
            letGo = resolve;
          })
        : undefined,
    );
    let n = 0;
    while (n < 1000 && left.send(note(String(n++)))) await turn();
    deepEqual([received.length, n], [1, 65]);
    let drained = false;
    const waiting = left.drained().then(() => {
      drained = true;
    });
    await turn();
    equal(drained, false);
    letGo();
    await waiting;
    await turn();
    deepEqual(
      received,
      Array.from({ length: n }, (_, i) => String(i)),
    );
  });

  test("delivers frames sent before a dispose, drops later ones, and reports the end once per side", async () => {
    const [left, right] = memoryChannels(),
      atLeft = listen(left),
      atRight = listen(right);
    left.send(note("last"));
    right.send(note("too late"));
    await left[Symbol.asyncDispose]();
    left.send(note("dropped"));
    await left[Symbol.asyncDispose]();
    await turn();
    equal(right.send(note("to nobody")), true);
    await right[Symbol.asyncDispose]();
    await turn();
    deepEqual(atLeft, ["closed: The connection was closed."]);
    deepEqual(atRight, ["last", "closed: The other side closed the connection."]);
  });

  for (const end of ["sender", "receiver"] as const)
    test(`releases a waiting sender when the ${end} closes`, async () => {
      const [left, right] = memoryChannels();
      listen(right, () => new Promise(() => {}));
      listen(left, () => new Promise(() => {}));
      right.send(note("never finished"));
      for (let n = 0; n < 1000 && left.send(note("m")); n++) continue;
      const drained = left.drained();
      await (end === "sender" ? left : right)[Symbol.asyncDispose]();
      await drained;
    });

  test("drops frames after the close without back-pressure", async () => {
    const [left, right] = memoryChannels();
    listen(left);
    listen(right, () => new Promise(() => {}));
    left.send(note("never finished"));
    await turn();
    await left[Symbol.asyncDispose]();
    for (let i = 0; i < 100; i++) deepEqual([left.send(note("from it")), right.send(note("to it"))], [true, true]);
    await Promise.all([left.drained(), right.drained()]);
  });

  test("throws when it starts twice", () => {
    const [left] = memoryChannels();
    listen(left);
    throws(() => listen(left), /once/);
  });

  test("closes both ends when a receiver throws", async () => {
    const [left, right] = memoryChannels(),
      bug = new Error("bug");
    const closed = new Promise<Closed>(closed => left.start({ receive: () => {}, closed }));
    const received = listen(right, () => {
      throw bug;
    });
    left.send(note("m"));
    equal((await closed).cause, bug);
    deepEqual(received, ["m", "closed: A message could not be handled."]);
  });

  test("reports a close before the start when it starts", async () => {
    const [left, right] = memoryChannels();
    await left[Symbol.asyncDispose]();
    const received = [listen(left), listen(right)];
    await turn();
    deepEqual(received, [["closed: The connection was closed."], ["closed: The other side closed the connection."]]);
  });
});
