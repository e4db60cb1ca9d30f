import { deepEqual, equal, ok } from "node:assert/strict";
import { PassThrough, Readable, Writable } from "node:stream";
import { memoryChannels } from "./memory-channel";
import { ndjsonChannel } from "./ndjson-channel";
import { Peer } from "./peer";
import { turn } from "../testing/turn";
import { bench, outcomeText } from "../testing/peer-bench";

suite("Peer", () => {
  suite("back-pressure", () => {
    test("pauses the source while a notification handler waits", async () => {
      const [left, right] = memoryChannels();
      let letGo = () => {};
      const received: string[] = [];
      const sender = new Peer(left, { request: () => {}, notification: () => {}, closed: () => {} });
      await using receiver = new Peer(right, {
        request: () => {},
        closed: () => {},
        notification: method => {
          received.push(method);
          return received.length === 1
            ? new Promise(resolve => {
                letGo = resolve;
              })
            : undefined;
        },
      });
      for (let i = 0; i < 200; i++) sender.notify(String(i), {});
      await turn();
      equal(received.length, 1);
      let drained = false;
      const waiting = sender.drained().then(() => {
        drained = true;
      });
      await turn();
      equal(drained, false);
      letGo();
      await waiting;
      await receiver.drained();
      await turn();
      equal(received.length, 200);
    });

    test("pauses a requester that does not read responses, with bounded buffers", async () => {
      let made = 0;
      const source = new Readable({
        read() {
          this.push(made < 10_000 ? `{"id":${made++},"method":"m"}\n` : null);
        },
      });
      const stuck = new Writable({ write() {} });
      await using peer = new Peer(ndjsonChannel(source, stuck), {
        request: request => request.respond("x".repeat(1000)),
        notification: () => {},
        closed: () => {},
      });
      for (let i = 0; i < 50; i++) await turn();
      const before = made;
      for (let i = 0; i < 50; i++) await turn();
      equal(made, before);
      ok(made < 10_000);
      ok(stuck.writableLength < 256 * 1024, `${stuck.writableLength} bytes wait`);
      source.destroy();
      equal(await Promise.race([peer.drained().then(() => "drained"), turn().then(() => "waits")]), "waits");
    });

    test("pauses requests each time the other side stops reading and resumes them", async () => {
      const { channel } = bench({ request: request => request.respond(1) });
      channel.wire('{"id":0,"method":"m"}');
      equal(channel.busy.length, 0);
      for (const round of [1, 2]) {
        let read = () => {};
        channel.send = () => false;
        channel.drained = () =>
          new Promise(resolve => {
            read = resolve;
          });
        channel.wire(`{"id":${round},"method":"m"}`);
        equal(channel.busy.length, round);
        equal(await Promise.race([channel.busy.at(-1)!.then(() => "continues"), turn().then(() => "waits")]), "waits");
        read();
        await channel.busy.at(-1);
      }
      channel.send = () => true;
      channel.wire('{"id":3,"method":"m"}');
      equal(channel.busy.length, 2);
    });

    test("keeps reading notifications and responses while the other side does not read", async () => {
      const input = new PassThrough(),
        received: string[] = [];
      await using peer = new Peer(ndjsonChannel(input, new Writable({ write() {} })), {
        request: () => {},
        notification: method => {
          received.push(method);
        },
        closed: () => {},
      });
      peer.call("m", "x".repeat(200_000), outcome => received.push(outcomeText(outcome)));
      input.write('{"method":"n"}\n{"id":1,"result":1}\n');
      await turn();
      deepEqual(received, ["n", "= 1"]);
    });
  });
});
