import { deepEqual } from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { KEEP_ALIVE_MS, ResponseWriter } from "./response-writer";
import { turn } from "../../testing/turn";

suite("ResponseWriter", () => {
  for (const [type, expected] of [
    ["text/event-stream", ["a", ": keepalive\n\n", ": keepalive\n\n", "b", "end"]],
    ["application/json", ["a", "b", "end"]],
  ] as const)
    test(`writes ${type} in ${expected.length} pieces`, async () => {
      const written: string[] = [],
        clock = new FakeClock(),
        bytes = new TextEncoder();
      const response = Object.assign(new EventEmitter(), {
        write: (piece: string | Uint8Array) =>
          written.push(typeof piece === "string" ? piece : new TextDecoder().decode(piece)) > 0,
        writeHead: () => undefined,
        flushHeaders: () => undefined,
        end: () => written.push("end"),
      }) as unknown as ServerResponse;
      let body: ReadableStreamDefaultController<Uint8Array> | undefined;
      const poured = new ResponseWriter(response, clock).pour(
        new Response(
          new ReadableStream({
            start: controller => {
              body = controller;
            },
          }),
          { headers: { "content-type": type } },
        ),
      );
      body?.enqueue(bytes.encode("a"));
      await turn();
      clock.advance(2 * KEEP_ALIVE_MS);
      body?.enqueue(bytes.encode("b"));
      body?.close();
      await poured;
      clock.advance(KEEP_ALIVE_MS);
      deepEqual(written, expected);
    });
});
