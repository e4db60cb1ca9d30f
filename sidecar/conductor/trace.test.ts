import { deepEqual, equal, ok } from "node:assert/strict";
import { Writable } from "node:stream";
import { Frame } from "../rpc/frame";
import type { Message } from "../rpc/message";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { traceEvent } from "./trace";
import { traceNames } from "./traced-channel";
import { TraceWriter } from "./trace-writer";

const event = (message: Message | string) =>
  traceEvent("client", "agent", typeof message === "string" ? Frame.raw(Buffer.from(message)) : Frame.of(message), 1.5);
const hop = { ts: 1.5, from: "client", to: "agent" };

suite("trace event", () => {
  test("contains requests and notifications, with the session that they name", () => {
    deepEqual(event({ jsonrpc: "2.0", id: 0, method: "session/prompt", params: { sessionId: "s", prompt: [] } }), {
      type: "request",
      ...hop,
      protocol: "acp",
      id: 0,
      method: "session/prompt",
      session: "s",
      params: { sessionId: "s", prompt: [] },
    });
    deepEqual(event({ jsonrpc: "2.0", id: "x", method: "initialize" }), {
      type: "request",
      ...hop,
      protocol: "acp",
      id: "x",
      method: "initialize",
      params: null,
    });
    deepEqual(event({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s" } }), {
      type: "notification",
      ...hop,
      protocol: "acp",
      method: "session/cancel",
      session: "s",
      params: { sessionId: "s" },
    });
  });

  test("contains responses: results, errors, and both at once", () => {
    deepEqual(event({ jsonrpc: "2.0", id: 1, result: { stopReason: "end_turn" } }), {
      type: "response",
      ...hop,
      id: 1,
      is_error: false,
      payload: { stopReason: "end_turn" },
    });
    deepEqual(event({ jsonrpc: "2.0", id: 1, result: null }), {
      type: "response",
      ...hop,
      id: 1,
      is_error: false,
      payload: null,
    });
    deepEqual(event({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "what?" } }), {
      type: "response",
      ...hop,
      id: null,
      is_error: true,
      payload: { code: -32700, message: "what?" },
    });
    deepEqual(event(`{"id":2,"error":null,"result":7}`), {
      type: "response",
      ...hop,
      id: 2,
      is_error: false,
      payload: 7,
    });
  });

  test("shows MCP messages inside ACP envelopes as MCP, in both spellings", () => {
    for (const method of ["mcp/message", "_mcp/message"]) {
      deepEqual(
        event({
          jsonrpc: "2.0",
          id: 1,
          method,
          params: { connectionId: "c", method: "tools/call", params: { name: "echo" } },
        }),
        { type: "request", ...hop, protocol: "mcp", id: 1, method: "tools/call", params: { name: "echo" } },
      );
      deepEqual(event({ jsonrpc: "2.0", method, params: { connectionId: "c", method: "notifications/initialized" } }), {
        type: "notification",
        ...hop,
        protocol: "mcp",
        method: "notifications/initialized",
        params: null,
      });
    }
    equal(event({ jsonrpc: "2.0", id: 1, method: "mcp/message", params: { odd: true } })?.type, "request");
  });

  test("redacts secrets in requests and responses", () => {
    const text = JSON.stringify([
      event({
        jsonrpc: "2.0",
        id: 1,
        method: "session/new",
        params: {
          mcpServers: [{ env: [{ name: "A", value: "hunter2" }] }, { headers: [{ name: "B", value: "hunter2" }] }],
        },
      }),
      event({ jsonrpc: "2.0", id: 1, result: { token: "hunter2" } }),
      event({ jsonrpc: "2.0", id: 1, error: { code: 1, message: "x", data: { apiKey: "hunter2" } } }),
      event({ jsonrpc: "2.0", method: "mcp/message", params: { method: "x", params: { password: "hunter2" } } }),
    ]);
    equal(text.includes("hunter2"), false);
  });

  test("names components so that the reference viewer sorts them in chain order", () => {
    const inViewer = (a: string, b: string): number => {
      if (a === "client" || b === "agent") return -1;
      return b === "client" || a === "agent" ? 1 : a.localeCompare(b);
    };
    for (const middle of [[], ["Zed", "Ada"], Array.from({ length: 12 }, (_, i) => `p${12 - i}`)]) {
      const names = traceNames(middle);
      deepEqual([...names].reverse().sort(inViewer), names);
      deepEqual(
        names.slice(1, -1).map(name => name.replace(/^\d+ /, "")),
        middle,
      );
    }
    deepEqual(traceNames(["Zed"]), ["client", "1 Zed", "agent"]);
  });

  test("excludes invalid messages", () => equal(event(`{"id":1,"method":"x","params":{]}`), undefined));
});

/** A disk that completes writes only on demand. */
class SlowDisk extends Writable {
  text = "";
  #take: (() => void)[] = [];
  constructor() {
    super({ highWaterMark: 1 });
  }
  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#take.push(() => {
      this.text += chunk.toString();
      done();
    });
  }
  /** Completes all pending writes, including writes that follow. */
  async run(): Promise<void> {
    for (let take = this.#take.shift(); take; take = this.#take.shift()) {
      take();
      await new Promise(resolve => {
        setImmediate(resolve);
      });
    }
  }
  get lines(): readonly { readonly [key: string]: unknown }[] {
    return this.text
      .trim()
      .split("\n")
      .map(line => JSON.parse(line));
  }
}

suite("TraceWriter", () => {
  const note = (n: number): Frame => Frame.of({ jsonrpc: "2.0", method: "n", params: { n } });

  test("writes one line per message with the seconds since its start", async () => {
    const clock = new FakeClock(),
      disk = new SlowDisk(),
      trace = new TraceWriter(
        () => disk,
        clock,
        error => {
          throw error;
        },
      );
    trace.message("client", "p", note(1));
    clock.advance(1500);
    trace.message("p", "agent", note(1));
    const closing = trace[Symbol.asyncDispose]();
    await disk.run();
    await closing;
    deepEqual(
      disk.lines.map(({ ts, from, to }) => [ts, from, to]),
      [
        [0, "client", "p"],
        [1.5, "p", "agent"],
      ],
    );
  });

  test("drops messages that exceed the buffer of a slow disk and records their number", async () => {
    const disk = new SlowDisk(),
      trace = new TraceWriter(
        () => disk,
        new FakeClock(),
        error => {
          throw error;
        },
        { waitingBytes: 1000 },
      );
    for (let n = 0; n < 100; n++) trace.message("a", "b", note(n));
    await disk.run();
    trace.message("a", "b", note(100));
    for (let n = 101; n < 200; n++) trace.message("a", "b", note(n));
    const closing = trace[Symbol.asyncDispose]();
    await disk.run();
    await closing;
    const notifications = disk.lines.filter(({ type }) => type === "dropped"),
      written = disk.lines.filter(({ type }) => type === "notification");
    deepEqual(notifications.length, 2);
    equal(notifications.reduce((sum, { count }) => sum + Number(count), 0) + written.length, 200);
    const missing = Number(notifications[0]?.["count"]);
    deepEqual(
      disk.lines.findIndex(({ type }) => type === "dropped"),
      100 - missing,
    );
  });

  test("reports a write failure once and keeps the chain running", async () => {
    const notifications: string[] = [];
    const disk = new Writable({ write: (_chunk, _encoding, done) => done(new Error("disk full")) });
    const trace = new TraceWriter(
      () => disk,
      new FakeClock(),
      error => notifications.push(error.message),
    );
    trace.message("a", "b", note(1));
    await new Promise(resolve => {
      setImmediate(resolve);
    });
    trace.message("a", "b", note(2));
    await trace[Symbol.asyncDispose]();
    deepEqual(notifications, ["disk full"]);
  });

  test("closes after its time limit on a disk that never responds", async () => {
    const clock = new FakeClock(),
      trace = new TraceWriter(
        () => new SlowDisk(),
        clock,
        error => {
          throw error;
        },
      );
    trace.message("a", "b", note(1));
    const closing = trace[Symbol.asyncDispose]();
    clock.advance(2000);
    await closing;
  });

  test("opens a new file when one is full, without losing messages", async () => {
    const disks: SlowDisk[] = [],
      trace = new TraceWriter(
        () => {
          const disk = new SlowDisk();
          disks.push(disk);
          return disk;
        },
        new FakeClock(),
        error => {
          throw error;
        },
        { fileBytes: 500 },
      );
    for (let n = 0; n < 40; n++) {
      trace.message("a", "b", note(n));
      if (n % 4 === 3) for (const disk of disks) await disk.run();
    }
    const closing = trace[Symbol.asyncDispose]();
    for (const disk of disks) await disk.run();
    await closing;
    ok(disks.length > 4, `${disks.length} files`);
    for (const { text } of disks) ok(text.length < 1000, `${text.length} bytes`);
    deepEqual(
      disks.flatMap(({ lines }) => lines).map(({ params }) => (params as { n: number }).n),
      Array.from({ length: 40 }, (_, n) => n),
    );
  });

  test("opens no third file before the first is on disk", async () => {
    const disks: SlowDisk[] = [],
      trace = new TraceWriter(
        () => {
          const disk = new SlowDisk();
          disks.push(disk);
          return disk;
        },
        new FakeClock(),
        error => {
          throw error;
        },
        { fileBytes: 100, waitingBytes: 1000 },
      );
    for (let n = 0; n < 100; n++) trace.message("a", "b", note(n));
    equal(disks.length, 2);
    const closing = trace[Symbol.asyncDispose]();
    for (const disk of disks) await disk.run();
    await closing;
    equal(disks.at(-1)?.lines.at(-1)?.["type"], "dropped");
  });

  test("reports once that a new file cannot be opened", async () => {
    const notifications: string[] = [],
      disk = new SlowDisk();
    let files = 0;
    const trace = new TraceWriter(
      () => {
        if (files++ > 0) throw new Error("no room");
        return disk;
      },
      new FakeClock(),
      error => notifications.push(error.message),
      { fileBytes: 100 },
    );
    for (let n = 0; n < 5; n++) trace.message("a", "b", note(n));
    await trace[Symbol.asyncDispose]();
    deepEqual(notifications, ["no room"]);
  });
});
