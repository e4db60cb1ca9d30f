import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { PassThrough } from "node:stream";
import { memoryChannels } from "./memory-channel";
import type { RpcError } from "./message";
import { ndjsonChannel } from "./ndjson-channel";
import { ConnectionClosed, Peer, type PeerHandlers } from "./peer";
import { bench, outcomeText } from "../testing/peer-bench";

suite("Peer", () => {
  suite("closed connection", () => {
    test("settles all calls with the reason and aborts open requests before it reports the close", () => {
      const { channel, peer, log, requests } = bench();
      for (const method of ["a", "b"])
        peer.call(method, {}, outcome => {
          log.push(`${method} ${outcomeText(outcome)}`);
          ok(!outcome.ok && outcome.error instanceof ConnectionClosed && outcome.error.cause === "segfault");
        });
      channel.wire('{"id":1,"method":"m"}');
      requests[0]!.signal.addEventListener("abort", () => log.push("aborted"));
      channel.closed({ message: "The agent stopped.", cause: "segfault" });
      deepEqual(log, [
        "request m",
        "a ! -32603 The agent stopped.",
        "b ! -32603 The agent stopped.",
        "aborted",
        "closed: The agent stopped.",
      ]);
    });

    test("settles the other calls when one callback fails", () => {
      const { channel, peer, log } = bench();
      peer.call("a", {}, () => {
        throw new Error();
      });
      peer.call("b", {}, outcome => log.push(outcomeText(outcome)));
      channel.closed({ message: "gone" });
      deepEqual(log, ["odd: handling a response failed", "! -32603 gone", "closed: gone"]);
    });

    test("settles a later call asynchronously without sending it", async () => {
      const { channel, peer, log, requests, sent } = bench();
      channel.wire('{"id":1,"method":"m"}');
      channel.closed({ message: "gone" });
      requests[0]!.respond(1);
      peer.notify("n", {});
      const pending = peer.call("a", {}, outcome => log.push(outcomeText(outcome)));
      pending.cancel();
      log.push("returned");
      await rejects(peer.request("b", {}), { message: "gone" });
      deepEqual([log, sent], [["request m", "closed: gone", "returned", "! -32603 gone"], []]);
    });

    test("settles pending calls at both ends on dispose", async () => {
      const [left, right] = memoryChannels(),
        log: string[] = [];
      const handlers = (end: string): PeerHandlers => ({
        request: () => {},
        notification: () => {},
        closed: ({ message }) => log.push(`${end}: ${message}`),
      });
      const leftPeer = new Peer(left, handlers("left")),
        rightPeer = new Peer(right, handlers("right"));
      const pending = [leftPeer.request("a", {}), rightPeer.request("b", {})].map(promise =>
        promise.catch((error: RpcError) => log.push(error.message)),
      );
      await leftPeer[Symbol.asyncDispose]();
      await Promise.all(pending);
      deepEqual(log.sort(), [
        "The connection was closed.",
        "The other side closed the connection.",
        "left: The connection was closed.",
        "right: The other side closed the connection.",
      ]);
    });

    test("settles pending calls when a process exits in the middle of a message", async () => {
      const input = new PassThrough();
      const peer = new Peer(
        ndjsonChannel(input, new PassThrough(), { closedReason: () => ({ message: "The agent was killed." }) }),
        { request: () => {}, notification: () => {}, closed: () => {} },
      );
      const pending = [peer.request("a", {}), peer.request("b", {})];
      input.end('{"id":1,"result":"in time"}\n{"id":2,"res');
      equal(await pending[0], "in time");
      await rejects(pending[1]!, { message: "The agent was killed." });
    });
  });
});
