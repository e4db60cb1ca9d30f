import { equal } from "node:assert/strict";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { memoryChannels } from "../rpc/memory-channel";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { ProgramServer } from "./program-server";
import { deferred } from "../../src/protocol/wire/deferred";

suite("ProgramServer", () => {
  test("waits on disposal for the process of a connection that is already closing", async () => {
    const { promise: exited, resolve: exit } = deferred<void>();
    const [channel] = memoryChannels();
    const server = new ProgramServer({
      title: "Git",
      start: () => ({ channel, stop: () => exited }),
      clock: new FakeClock(),
      onWarning: () => undefined,
    });
    const [agent, transport] = InMemoryTransport.createLinkedPair();
    await server.connect(transport);
    await agent.close();
    let isOver = false;
    const over = server[Symbol.asyncDispose]().then(() => {
      isOver = true;
    });
    for (let i = 0; i < 10; i++) await new Promise(setImmediate);
    equal(isOver, false);
    exit();
    await over;
  });
});
