import { deepEqual, equal } from "node:assert/strict";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { PartSender } from "./part-sender";

suite("PartSender", () => {
  function fixture(isBatched = false) {
    const clock = new FakeClock(),
      sent: string[] = [],
      wire = { isBehind: false };
    const parts = new PartSender(
      {
        send: part => sent.push("value" in part ? part.value : part.type),
        isCongested: () => wire.isBehind,
        ...(isBatched ? { soon: run => clock.after(0, run) } : {}),
      },
      clock,
    );
    return { clock, sent, wire, parts };
  }

  test("sends each part immediately", () => {
    const { sent, parts } = fixture();
    parts.add({ type: "text", value: "a" });
    parts.add({ type: "text", value: "b" });
    deepEqual(sent, ["a", "b"]);
  });

  test("merges texts of one tick if the connection requires it", () => {
    const { clock, sent, parts } = fixture(true);
    parts.add({ type: "text", value: "a" });
    parts.add({ type: "text", value: "b" });
    clock.advance(0);
    parts.add({ type: "text", value: "c" });
    clock.advance(0);
    deepEqual(sent, ["ab", "c"]);
    equal(clock.waiting, 0);
  });

  test("merges texts while the connection is congested and sends a call after them", () => {
    const { clock, sent, wire, parts } = fixture();
    wire.isBehind = true;
    for (const value of ["a", "b", "c"]) parts.add({ type: "text", value });
    clock.advance(60);
    deepEqual(sent, []);
    parts.add({ type: "tool_call", toolCallId: "1", toolName: "t", parameters: {} });
    deepEqual(sent, ["abc", "tool_call"]);
    equal(clock.waiting, 0);
    parts.add({ type: "text", value: "d" });
    wire.isBehind = false;
    clock.advance(60);
    deepEqual(sent, ["abc", "tool_call", "d"]);
    equal(clock.waiting, 0);
  });

  test("sends the buffered parts at the end", () => {
    const { clock, sent, wire, parts } = fixture();
    wire.isBehind = true;
    parts.add({ type: "text", value: "a" });
    parts.flush();
    parts.flush();
    deepEqual(sent, ["a"]);
    equal(clock.waiting, 0);
  });

  test("bounds the buffer", () => {
    const { sent, wire, parts } = fixture();
    wire.isBehind = true;
    for (let i = 0; i < 5; i++) parts.add({ type: "text", value: "a".repeat(1024 * 1024) });
    equal(sent.length, 1);
    parts.flush();
  });
});
