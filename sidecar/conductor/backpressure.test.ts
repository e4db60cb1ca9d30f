import { deepEqual, equal, ok } from "node:assert/strict";
import type { Channel } from "../rpc/channel";
import { Frame } from "../rpc/frame";
import { memoryChannels } from "../rpc/memory-channel";
import { Backpressure } from "./backpressure";

const note = (n: number, text = ""): Frame => Frame.of({ jsonrpc: "2.0", method: "n", params: { n, text } });

/** A channel whose other end does not read until `read` is called. */
function unread(): { readonly channel: Channel; readonly received: number[]; read(): Promise<void> } {
  const [channel, end] = memoryChannels(),
    received: number[] = [];
  return {
    channel,
    received,
    read: async () => {
      end.start({
        receive: ({ message }) => {
          received.push((message as unknown as { params: { n: number } }).params.n);
        },
        closed: () => undefined,
      });
      await channel.drained();
    },
  };
}

/** Pushes until the source is paused. Returns the number of pushes. */
function fill(backpressure: Backpressure, channel: Channel): number {
  for (let n = 0; n < 10_000; n++) {
    void backpressure.push(note(n), channel);
    if (backpressure.paused(undefined)) return n + 1;
  }
  throw new Error("the source was never paused");
}

suite("Backpressure", () => {
  test("pauses the source only while a receiving channel is behind", async () => {
    const backpressure = new Backpressure(),
      first = unread(),
      second = unread();
    equal(backpressure.paused(undefined), undefined);
    const count = fill(backpressure, first.channel);
    const waits = backpressure.paused(undefined);
    ok(waits);
    for (let n = 0; n < count; n++) void backpressure.push(note(n), second.channel);
    await first.read();
    ok(backpressure.paused(undefined), "the other is still behind");
    await second.read();
    await waits;
    equal(backpressure.paused(undefined), undefined);
    deepEqual(
      first.received,
      Array.from({ length: count }, (_, n) => n),
    );
  });

  test("combines the pause with a pending promise of the source", async () => {
    const backpressure = new Backpressure(),
      slow = unread();
    fill(backpressure, slow.channel);
    const order: string[] = [];
    const waits = Promise.resolve(
      backpressure.paused(
        Promise.resolve().then(() => {
          order.push("own");
        }),
      ),
    ).then(() => order.push("both"));
    await slow.read();
    await waits;
    deepEqual(order, ["own", "both"]);
  });

  test("keeps reading a proxy while its neighbour is behind, up to the limit, without losing messages", async () => {
    const backpressure = new Backpressure(10_000),
      slow = unread();
    let n = fill(backpressure, slow.channel),
      waits: void | Promise<void> = undefined;
    const first = n;
    while (!waits && n < 10_000) waits = backpressure.push(note(n++, "x".repeat(1000)), slow.channel);
    ok(waits && n > first + 5 && n < first + 15, `${n - first} more were taken`);
    await slow.read();
    await waits;
    deepEqual(
      slow.received,
      Array.from({ length: n }, (_, i) => i),
    );
    equal(backpressure.push(note(n), slow.channel), undefined);
  });
});
