import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { listen, PIXEL, serveMcpOverHttp } from "../testing/mcp/mcp-server";
import { McpFailure, useMcp, type McpConnection, type McpFailureCode } from "./client";
import type { McpServer } from "./read-mcp-servers";
import { deferred } from "../../src/protocol/wire/deferred";

const program = (...args: string[]): McpServer => ({
  kind: "stdio",
  name: "test",
  command: process.execPath,
  args: [`${process.env.SYMPOSIUM_TEST_PROGRAMS}/mcp-server.program.mjs`, ...args],
  env: { DECLARED: "yes" },
});
const over = (url: string, headers: Record<string, string> = { authorization: "Bearer secret" }): McpServer => ({
  kind: "http",
  name: "test",
  url,
  headers,
});

class Fixture {
  readonly clock = new FakeClock();
  readonly stop = new AbortController();
  readonly closings: Promise<void>[] = [];
  readonly cwd = realpathSync(tmpdir());

  use<T>(server: McpServer, use: (connection: McpConnection) => Promise<T>): Promise<T> {
    return useMcp(
      server,
      {
        cwd: this.cwd,
        clock: this.clock,
        signal: this.stop.signal,
        client: { name: "test", version: "1" },
        environment: { INHERITED: "yes", DECLARED: "no" },
        closing: done => this.closings.push(done),
      },
      use,
    );
  }

  /** Asserts that every connection was closed and no timer remains. */
  async over(): Promise<void> {
    await Promise.all(this.closings);
    equal(this.closings.length, 1, "closed once");
    equal(this.clock.waiting, 0, "no timer left");
  }
}

const fails =
  (code: McpFailureCode, message: RegExp) =>
  (error: unknown): true => {
    if (!(error instanceof McpFailure)) throw error;
    match(error.message, message);
    equal(error.code, code);
    return true;
  };

class Notes {
  readonly lines: string[] = [];
  #waiting: { readonly line: string; readonly onEvent: () => void }[] = [];
  readonly note = (line: string): void => {
    this.lines.push(line);
    for (const waiting of this.#waiting) if (waiting.line === line) waiting.onEvent();
  };
  onEvent(line: string): Promise<void> {
    return this.lines.includes(line)
      ? Promise.resolve()
      : new Promise(onEvent => this.#waiting.push({ line, onEvent }));
  }
}

suite("MCP client", () => {
  const transports: readonly (readonly [
    name: string,
    open: () => Promise<{ readonly server: McpServer } & AsyncDisposable>,
  ])[] = [
    ["stdio", async () => ({ server: program(), [Symbol.asyncDispose]: async () => undefined })],
    [
      "http",
      async () => {
        const http = await serveMcpOverHttp(() => undefined);
        return { server: over(http.url), [Symbol.asyncDispose]: () => http[Symbol.asyncDispose]() };
      },
    ],
  ];
  for (const [name, open] of transports) {
    test(`lists all pages of tools over ${name}`, async () => {
      await using opened = await open();
      const fixture = new Fixture();
      const tools = await fixture.use(opened.server, connection => connection.tools());
      deepEqual(
        tools.map(tool => tool.name),
        ["echo", "add", "fail", "image", "structured", "where", "slow", "die"],
      );
      await fixture.over();
    });

    test(`calls tools sequentially and concurrently over ${name}, and returns tool failures as results`, async () => {
      await using opened = await open();
      const fixture = new Fixture();
      const results = await fixture.use(opened.server, async connection => {
        const echo = await connection.call("echo", { text: "hé" });
        return [
          echo,
          ...(await Promise.all([
            connection.call("add", { a: 1, b: 2 }),
            connection.call("fail", {}),
            connection.call("image", {}),
            connection.call("structured", {}),
          ])),
        ];
      });
      deepEqual(results, [
        { failed: false, content: [{ type: "text", text: "hé" }], structured: undefined },
        { failed: false, content: [{ type: "text", text: "3" }], structured: undefined },
        { failed: true, content: [{ type: "text", text: "It failed, as it should." }], structured: undefined },
        {
          failed: false,
          content: [
            { type: "text", text: "Behold:" },
            { type: "image", data: PIXEL, mimeType: "image/png" },
          ],
          structured: undefined,
        },
        { failed: false, content: [], structured: { answer: 42 } },
      ]);
      await fixture.over();
    });

    test(`rejects with the server's message over ${name}`, async () => {
      await using opened = await open();
      const fixture = new Fixture();
      await rejects(
        fixture.use(opened.server, connection => connection.call("nothing", {})),
        fails("answered", /^The MCP server “test” returned an error: There is no tool nothing\.$/),
      );
      await fixture.over();
    });
  }

  test("runs a process in the folder with few of its own environment variables, and stops it", async () => {
    const fixture = new Fixture();
    process.env.SECRET_OF_OURS = "x";
    const { content } = await fixture.use(program(), connection => connection.call("where", {}));
    delete process.env.SECRET_OF_OURS;
    const { pid, cwd, env } = JSON.parse(String(content[0]?.text));
    deepEqual([cwd, env.DECLARED, env.INHERITED, env.SECRET_OF_OURS], [fixture.cwd, "yes", "yes", undefined]);
    await fixture.over();
    await rejects(async () => process.kill(pid, 0), /ESRCH/);
  });

  test("rejects a command that does not exist with one sentence", async () => {
    const fixture = new Fixture();
    await rejects(
      fixture.use({ kind: "stdio", name: "test", command: "no-such-command", args: [], env: {} }, connection =>
        connection.tools(),
      ),
      fails(
        "unreachable",
        /^The MCP server “test” could not be started: “no-such-command” was not found or is not executable\.$/,
      ),
    );
    await fixture.over();
  });

  test("quotes a process that exits immediately", async () => {
    const fixture = new Fixture();
    await rejects(
      fixture.use(program("--die"), connection => connection.tools()),
      fails("unreachable", /^The MCP server “test” could not be started: no licence was found\.$/),
    );
    await fixture.over();
  });

  test("quotes a process that exits during a call", async () => {
    const fixture = new Fixture();
    await rejects(
      fixture.use(program(), connection => connection.call("die", {})),
      fails("unreachable", /^The MCP server “test” exited before it responded: the last words\.$/),
    );
    await fixture.over();
  });

  test("times out a process that does not answer initialize within 60 seconds", async () => {
    const fixture = new Fixture();
    const requested = fixture.use(program("--hang"), connection => connection.tools());
    fixture.clock.advance(59_999);
    equal(fixture.clock.waiting, 1);
    fixture.clock.advance(1);
    await rejects(requested, fails("timeout", /^The MCP server “test” did not respond within 60 seconds\.$/));
  });

  test("times out and stops a process that does not answer a call within 60 seconds of the start", async () => {
    const fixture = new Fixture();
    let pid = 0;
    await rejects(
      fixture.use(program(), async connection => {
        pid = JSON.parse(String((await connection.call("where", {})).content[0]?.text)).pid;
        const slow = connection.call("slow", {});
        fixture.clock.advance(60_000);
        return slow;
      }),
      fails("timeout", /within 60 seconds/),
    );
    await fixture.over();
    await rejects(async () => process.kill(pid, 0), /ESRCH/);
  });

  test("times out an HTTP server that does not answer within 60 seconds", async () => {
    const { promise: requested, resolve: onEvent } = deferred<void>();
    await using http = await listen(() => onEvent());
    const fixture = new Fixture();
    const tools = fixture.use(over(http.url), connection => connection.tools());
    await requested;
    fixture.clock.advance(60_000);
    await rejects(tools, fails("timeout", /within 60 seconds/));
    await fixture.over();
  });

  test("rejects an unreachable or unauthorized HTTP server with one sentence without secrets", async () => {
    const http = await serveMcpOverHttp(() => undefined);
    const unknown = new Fixture(),
      unreachable = new Fixture();
    await rejects(
      unknown.use(over(http.url, {}), connection => connection.tools()),
      fails(
        "unreachable",
        /^The MCP server “test” could not be reached at http:\/\/127\.0\.0\.1:\d+\/mcp: .*Who are you\?$/,
      ),
    );
    await http[Symbol.asyncDispose]();
    await rejects(
      unreachable.use(over(`${http.url}?key=hidden`), connection => connection.tools()),
      fails(
        "unreachable",
        /^The MCP server “test” could not be reached at http:\/\/127\.0\.0\.1:\d+\/mcp: ECONNREFUSED\.$/,
      ),
    );
    await unknown.over();
    await unreachable.over();
  });

  /**
   * A handwritten MCP server over HTTP. `answer` returns the result of a method; undefined leaves the request pending.
   */
  const byHand = (answer: (method: string) => object | undefined) =>
    listen((request, response) => {
      if (request.method === "GET") {
        response.writeHead(405).end();
        return;
      }
      if (request.method === "DELETE") {
        answer("DELETE");
        return;
      }
      let body = "";
      request
        .on("data", (chunk: Buffer) => {
          body += chunk.toString();
        })
        .on("end", () => {
          const { id, method } = JSON.parse(body);
          const result =
            method === "initialize"
              ? {
                  protocolVersion: "2025-06-18",
                  capabilities: { tools: {} },
                  serverInfo: { name: "by hand", version: "1" },
                }
              : answer(method);
          if (id === undefined) response.writeHead(202).end();
          else if (result !== undefined)
            response
              .writeHead(200, { "content-type": "application/json", "mcp-session-id": "s" })
              .end(JSON.stringify({ jsonrpc: "2.0", id, result }));
        });
    });

  test("limits an endless tool list and the wait for session deletion", async () => {
    const notes = new Notes();
    let pages = 0;
    await using http = await byHand(method => {
      notes.note(method);
      return { tools: [{ name: `tool${++pages}`, inputSchema: { type: "object" } }], nextCursor: "more" };
    });
    const fixture = new Fixture();
    const tools = await fixture.use(over(http.url), connection => connection.tools());
    equal(tools.length, 100);
    await notes.onEvent("DELETE");
    fixture.clock.advance(1000);
    await fixture.over();
  });

  test("cancels a timed-out request at the server", async () => {
    const notes = new Notes();
    await using http = await byHand(method => {
      notes.note(method);
      return undefined;
    });
    const fixture = new Fixture();
    const tools = fixture.use(over(http.url), connection => connection.tools());
    await notes.onEvent("tools/list");
    fixture.stop.abort();
    await rejects(tools, fails("cancelled", /was cancelled/));
    await notes.onEvent("notifications/cancelled");
    await notes.onEvent("DELETE");
    fixture.clock.advance(1000);
    await fixture.over();
  });

  test("cancels a call at the server and closes its session", async () => {
    const notes = new Notes();
    await using http = await serveMcpOverHttp(notes.note);
    const fixture = new Fixture();
    const slow = fixture.use(over(http.url), connection => connection.call("slow", {}));
    await notes.onEvent("slow began");
    fixture.stop.abort();
    await rejects(slow, fails("cancelled", /was cancelled/));
    await notes.onEvent("slow was cancelled");
    await notes.onEvent("session closed");
    await fixture.over();
  });

  test("starts no process for a call that is already cancelled", async () => {
    const fixture = new Fixture();
    fixture.stop.abort();
    await rejects(
      fixture.use(program(), connection => connection.tools()),
      fails("cancelled", /was cancelled/),
    );
    for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve)); // enough time to start a process
    deepEqual(
      process.getActiveResourcesInfo().filter(resource => resource === "ProcessWrap"),
      [],
    );
    equal(fixture.clock.waiting, 0);
  });

  test("rejects an unsupported transport with a sentence", async () => {
    await rejects(
      new Fixture().use({ kind: "unsupported", name: "old", transport: "sse" }, connection => connection.tools()),
      fails("unsupported", /“old” uses the transport “sse”/),
    );
  });

  test("rethrows the callback's error and closes the server", async () => {
    const fixture = new Fixture();
    await rejects(
      fixture.use(program(), () => Promise.reject(new Error("mine"))),
      /^Error: mine$/,
    );
    await fixture.over();
  });
});
