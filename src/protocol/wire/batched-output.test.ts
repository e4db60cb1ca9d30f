import { deepEqual } from "node:assert/strict";
import { BatchedOutput } from "./batched-output";

suite("BatchedOutput", () => {
  function fixture() {
    const calls: string[] = [],
      due: (() => void)[] = [],
      listeners = new Map<string, (error: Error) => void>();
    const output = new BatchedOutput(
      {
        cork: () => {
          calls.push("cork");
        },
        uncork: () => {
          calls.push("uncork");
        },
        write: data => calls.push(String(data)),
        end: () => calls.push("end"),
        on: (event, listener) => listeners.set(event, listener),
        off: event => listeners.delete(event),
      },
      flush => {
        due.push(flush);
      },
    );
    return {
      output,
      calls,
      listeners,
      pass: () => {
        for (const flush of due.splice(0)) flush();
      },
    };
  }

  test("merges writes of one tick in order", async () => {
    const { output, calls, pass } = fixture();
    for (const data of ["a", "b", "c"]) await output.write(data);
    deepEqual(calls, []);
    pass();
    await output.write("d");
    pass();
    pass();
    deepEqual(calls, ["cork", "a", "b", "c", "uncork", "cork", "d", "uncork"]);
  });

  test("flushes before the end", async () => {
    const { output, calls } = fixture();
    await output.write("a");
    output.end();
    deepEqual(calls, ["cork", "a", "uncork", "end"]);
  });

  test("forwards the stream's events until disposal", () => {
    const { output, listeners } = fixture(),
      received: string[] = [];
    const listening = [
      output.onClose(() => {
        received.push("close");
      }),
      output.onError(({ message }) => {
        received.push(message);
      }),
      output.onEnd(() => {
        received.push("end");
      }),
    ];
    for (const event of ["close", "error", "end"]) listeners.get(event)?.(new Error("broken"));
    for (const each of listening) each.dispose();
    deepEqual([received, listeners.size], [["close", "broken", "end"], 0]);
  });
});
