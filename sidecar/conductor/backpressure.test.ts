import { deepEqual, equal, ok } from "node:assert/strict";
import type { Channel } from "../rpc/channel";
import { Frame } from "../rpc/frame";
import { memoryChannels } from "../rpc/memory";
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

/** Pushes until the source has to wait; returns the number of pushes. */
function fill(flow: Backpressure, channel: Channel): number {
  for (let n = 0; n < 10_000; n++) {
    void flow.push(note(n), channel);
    if (flow.paused(undefined)) return n + 1;
  }
  throw new Error("nobody was ever asked to wait");
}

suite("Backpressure", () => {
  test("pauses the source only while a receiving channel is behind", async () => {
    const flow = new Backpressure(),
      first = unread(),
      second = unread();
    equal(flow.paused(undefined), undefined);
    const count = fill(flow, first.channel);
    const waits = flow.paused(undefined);
    ok(waits);
    for (let n = 0; n < count; n++) void flow.push(note(n), second.channel);
    await first.read();
    ok(flow.paused(undefined), "the other is still behind");
    await second.read();
    await waits;
    equal(flow.paused(undefined), undefined);
    deepEqual(
      first.received,
      Array.from({ length: count }, (_, n) => n),
    );
  });

  test("also waits for the promise that the source already waits for", async () => {
    const flow = new Backpressure(),
      slow = unread();
    fill(flow, slow.channel);
    const order: string[] = [];
    const waits = Promise.resolve(
      flow.paused(
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
    const flow = new Backpressure(10_000),
      slow = unread();
    let n = fill(flow, slow.channel),
      waits: void | Promise<void> = undefined;
    const first = n;
    while (!waits && n < 10_000) waits = flow.push(note(n++, "x".repeat(1000)), slow.channel);
    ok(waits && n > first + 5 && n < first + 15, `${n - first} more were taken`);
    await slow.read();
    await waits;
    deepEqual(
      slow.received,
      Array.from({ length: n }, (_, i) => i),
    );
    equal(flow.push(note(n), slow.channel), undefined);
  });
});
