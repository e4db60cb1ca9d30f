import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { FakeClock } from "../testing/fake-clock";
import { listen, PIXEL, serveMcpOverHttp } from "../testing/mcp-server";
import { McpFailure, useMcp, type McpConnection, type McpFailureCode } from "./client";
import type { McpServer } from "./client-servers";

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
  #waiting: { readonly line: string; readonly heard: () => void }[] = [];
  readonly note = (line: string): void => {
    this.lines.push(line);
    for (const waiting of this.#waiting) if (waiting.line === line) waiting.heard();
  };
  heard(line: string): Promise<void> {
    return this.lines.includes(line) ? Promise.resolve() : new Promise(heard => this.#waiting.push({ line, heard }));
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
    test(`over ${name}, all pages of tools are listed`, async () => {
      await using opened = await open();
      const fixture = new Fixture();
      const tools = await fixture.use(opened.server, connection => connection.tools());
      deepEqual(
        tools.map(tool => tool.name),
        ["echo", "add", "fail", "image", "structured", "where", "slow", "die"],
      );
      await fixture.over();
    });

    test(`over ${name}, tools are called one after another and at once, and their failures are results`, async () => {
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

    test(`over ${name}, what the server refuses is a failure with its words`, async () => {
      await using opened = await open();
      const fixture = new Fixture();
      await rejects(
        fixture.use(opened.server, connection => connection.call("nothing", {})),
        fails("answered", /^The MCP server “test” answered with an error: There is no tool nothing\.$/),
      );
      await fixture.over();
    });
  }

  test("a process runs in the folder, with few variables of ours, and is gone afterwards", async () => {
    const fixture = new Fixture();
    process.env.SECRET_OF_OURS = "x";
    const { content } = await fixture.use(program(), connection => connection.call("where", {}));
    delete process.env.SECRET_OF_OURS;
    const { pid, cwd, env } = JSON.parse(String(content[0]?.text));
    deepEqual([cwd, env.DECLARED, env.INHERITED, env.SECRET_OF_OURS], [fixture.cwd, "yes", "yes", undefined]);
    await fixture.over();
    await rejects(async () => process.kill(pid, 0), /ESRCH/);
  });

  test("a command that is not there is one sentence", async () => {
    const fixture = new Fixture();
    await rejects(
      fixture.use({ kind: "stdio", name: "test", command: "no-such-command", args: [], env: {} }, connection =>
        connection.tools(),
      ),
      fails(
        "unreachable",
        /^The MCP server “test” could not be started: “no-such-command” was not found or may not be run\.$/,
      ),
    );
    await fixture.over();
  });

  test("a process that dies at once is quoted", async () => {
    const fixture = new Fixture();
    await rejects(
      fixture.use(program("--die"), connection => connection.tools()),
      fails("unreachable", /^The MCP server “test” could not be started: no licence was found\.$/),
    );
    await fixture.over();
  });

  test("a process that dies in a call is quoted", async () => {
    const fixture = new Fixture();
    await rejects(
      fixture.use(program(), connection => connection.call("die", {})),
      fails("unreachable", /^The MCP server “test” stopped before it answered: the last words\.$/),
    );
    await fixture.over();
  });

  test("a process that does not even greet is given up after 60 seconds", async () => {
    const fixture = new Fixture();
    const asked = fixture.use(program("--hang"), connection => connection.tools());
    fixture.clock.advance(59_999);
    equal(fixture.clock.waiting, 1);
    fixture.clock.advance(1);
    await rejects(asked, fails("timeout", /^The MCP server “test” did not answer within 60 seconds\.$/));
  });

  test("a process that does not answer a call is given up after 60 seconds from the start, and ended", async () => {
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

  test("an HTTP server that never answers is given up after 60 seconds", async () => {
    let heard = (): void => undefined;
    const asked = new Promise<void>(resolve => {
      heard = resolve;
    });
    await using http = await listen(() => heard());
    const fixture = new Fixture();
    const tools = fixture.use(over(http.url), connection => connection.tools());
    await asked;
    fixture.clock.advance(60_000);
    await rejects(tools, fails("timeout", /within 60 seconds/));
    await fixture.over();
  });

  test("an HTTP server that is not there, or does not know us, is one sentence without secrets", async () => {
    const http = await serveMcpOverHttp(() => undefined);
    const unknown = new Fixture(),
      gone = new Fixture();
    await rejects(
      unknown.use(over(http.url, {}), connection => connection.tools()),
      fails(
        "unreachable",
        /^The MCP server “test” could not be reached at http:\/\/127\.0\.0\.1:\d+\/mcp: .*Who are you\?$/,
      ),
    );
    await http[Symbol.asyncDispose]();
    await rejects(
      gone.use(over(`${http.url}?key=hidden`), connection => connection.tools()),
      fails(
        "unreachable",
        /^The MCP server “test” could not be reached at http:\/\/127\.0\.0\.1:\d+\/mcp: ECONNREFUSED\.$/,
      ),
    );
    await unknown.over();
    await gone.over();
  });

  /** Handwritten MCP server over HTTP. `answer` returns the response to a method; undefined leaves the request open. */
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

  test("a list of tools without end, and a leave that is not taken, have an end", async () => {
    const notes = new Notes();
    let pages = 0;
    await using http = await byHand(method => {
      notes.note(method);
      return { tools: [{ name: `tool${++pages}`, inputSchema: { type: "object" } }], nextCursor: "more" };
    });
    const fixture = new Fixture();
    const tools = await fixture.use(over(http.url), connection => connection.tools());
    equal(tools.length, 100);
    await notes.heard("DELETE");
    fixture.clock.advance(1000);
    await fixture.over();
  });

  test("a request that is given up is cancelled at the server", async () => {
    const notes = new Notes();
    await using http = await byHand(method => {
      notes.note(method);
      return undefined;
    });
    const fixture = new Fixture();
    const tools = fixture.use(over(http.url), connection => connection.tools());
    await notes.heard("tools/list");
    fixture.stop.abort();
    await rejects(tools, fails("cancelled", /was cancelled/));
    await notes.heard("notifications/cancelled");
    await notes.heard("DELETE");
    fixture.clock.advance(1000);
    await fixture.over();
  });

  test("a cancelled call ends at the server, and its session is closed", async () => {
    const notes = new Notes();
    await using http = await serveMcpOverHttp(notes.note);
    const fixture = new Fixture();
    const slow = fixture.use(over(http.url), connection => connection.call("slow", {}));
    await notes.heard("slow began");
    fixture.stop.abort();
    await rejects(slow, fails("cancelled", /was cancelled/));
    await notes.heard("slow was cancelled");
    await notes.heard("session closed");
    await fixture.over();
  });

  test("what is cancelled before it began starts nothing", async () => {
    const fixture = new Fixture();
    fixture.stop.abort();
    await rejects(
      fixture.use(program(), connection => connection.tools()),
      fails("cancelled", /was cancelled/),
    );
    for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve)); // enough time to start it
    deepEqual(
      process.getActiveResourcesInfo().filter(resource => resource === "ProcessWrap"),
      [],
    );
    equal(fixture.clock.waiting, 0);
  });

  test("another transport is refused with a sentence", async () => {
    await rejects(
      new Fixture().use({ kind: "unsupported", name: "old", transport: "sse" }, connection => connection.tools()),
      fails("unsupported", /“old” is reached by “sse”/),
    );
  });

  test("what its user throws is passed on, and the server closed all the same", async () => {
    const fixture = new Fixture();
    await rejects(
      fixture.use(program(), () => Promise.reject(new Error("mine"))),
      /^Error: mine$/,
    );
    await fixture.over();
  });
});
