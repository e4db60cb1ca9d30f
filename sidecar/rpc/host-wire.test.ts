import { doesNotThrow } from "node:assert/strict";
import { PassThrough } from "node:stream";
import { HostWire } from "./host-wire";

suite("HostWire", () => {
  test("drops messages after the host disconnects, while agents still stop and log", async () => {
    const input = new PassThrough(),
      output = new PassThrough();
    const wire = new HostWire(input, output);
    wire.serve({} as Parameters<HostWire["serve"]>[0]);
    output.resume();
    input.destroy();
    await wire.closed;
    await new Promise(resolve => {
      setImmediate(resolve);
    });
    doesNotThrow(() => wire.notify("process/ended", { pid: 1 }));
  });
});
