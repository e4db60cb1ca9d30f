/** Tests the endpoint against hostile, malformed and slow clients, with real sockets and raw bytes. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { objectOr } from "../../rpc/json";
import { memoryChannels } from "../../rpc/memory-channel";
import { eventually } from "../../testing/eventually";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { manyTools } from "../../testing/mcp/many-tools";
import { connected, Signal } from "../../testing/mcp/mcp-fixture";
import { McpEndpoint, type EndpointLimits, type OpenServerHost } from "./http-server";
import type { DeclaredServer } from "../declared-servers";
import { StatelessAdapter } from "../stateless-adapter";
import { ChannelTransport } from "../transport";

const servers: ReturnType<typeof manyTools>[] = [];
const session = async () => {
  const [near, far] = memoryChannels(),
    server = manyTools();
  servers.push(server);
  await server.connect(new ChannelTransport(far));
  return near;
};

class Fixture implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly log: string[] = [];
  connects = 0;
  readonly endpoint: McpEndpoint;
  constructor(limits: Partial<EndpointLimits> = {}) {
    this.endpoint = new McpEndpoint({
      clock: this.clock,
      onWarning: (what, detail) => this.log.push(`${what} ${String(detail)}`),
      limits,
    });
  }
  open(): Promise<OpenServerHost> {
    const adapter = new StatelessAdapter(session, () => undefined);
    const server: DeclaredServer = {
      connect: () => {
        this.connects++;
        return session();
      },
      stateless: adapter,
      [Symbol.asyncDispose]: () => adapter[Symbol.asyncDispose](),
    };
    return this.endpoint.open(server);
  }
  [Symbol.asyncDispose]() {
    return this.endpoint[Symbol.asyncDispose]();
  }
}

const JSON_HEADERS = { accept: "application/json, text/event-stream", "content-type": "application/json" };
const auth = ({ token }: OpenServerHost) => ({ authorization: `Bearer ${token}`, ...JSON_HEADERS });
const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
});
const http = (host: OpenServerHost) => ({
  type: "http",
  url: host.url,
  headers: [{ name: "Authorization", value: `Bearer ${host.token}` }],
});

interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}
/** Sends a request with any Host and Origin, which `fetch` does not allow. */
function ask(
  host: OpenServerHost,
  headers: Record<string, string>,
  { method = "POST", path = new URL(host.url).pathname, body = INITIALIZE } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host: "127.0.0.1", port: new URL(host.url).port, method, path, headers, agent: false },
      response => {
        let text = "";
        response
          .on("data", (chunk: Buffer) => {
            text += chunk.toString();
          })
          .on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      },
    );
    sent.on("error", reject).end(method === "GET" || method === "DELETE" ? undefined : body);
  });
}
const errorMessage = ({ body }: Answer) => (JSON.parse(body) as { error: { message: string } }).error.message;

/** Opens a raw connection. `ended` resolves with all received bytes when the server has closed it. */
function wire(host: OpenServerHost): { readonly socket: Socket; readonly ended: Promise<string>; received(): string } {
  const socket = connect(Number(new URL(host.url).port), "127.0.0.1");
  let received = "";
  socket
    .on("data", (chunk: Buffer) => {
      received += chunk.toString();
    })
    .on("error", () => undefined);
  return {
    socket,
    ended: new Promise(resolve => socket.on("close", () => resolve(received))),
    received: () => received,
  };
}
const head = (host: OpenServerHost, overrides: Record<string, string>) =>
  [
    `POST ${new URL(host.url).pathname} HTTP/1.1`,
    ...Object.entries({ host: new URL(host.url).host, ...auth(host), ...overrides }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    "",
    "",
  ].join("\r\n");

suite("MCP HTTP server: access control", () => {
  test("listens only on 127.0.0.1 and sends no CORS headers to other origins", async () => {
    await using fixture = new Fixture();
    const host = await fixture.open();
    equal(new URL(host.url).hostname, "127.0.0.1");
    const good = await ask(host, auth(host));
    equal(good.status, 200);
    match(good.body, /"serverInfo":\{"name":"many"/);
    match(String(good.headers["mcp-session-id"]), /^[\w-]{36}$/);
    deepEqual(
      Object.keys(good.headers).filter(name => name.startsWith("access-control")),
      [],
    );
    const preflight = await ask(
      host,
      { origin: "https://evil.example", "access-control-request-method": "POST" },
      { method: "OPTIONS" },
    );
    equal(preflight.status, 403);
    deepEqual(
      Object.keys(preflight.headers).filter(name => name.startsWith("access-control")),
      [],
    );
  });

  test("does not listen on any other address of this machine", async () => {
    await using fixture = new Fixture();
    const port = Number(new URL((await fixture.open()).url).port);
    const others = [
      "127.0.0.2",
      "::1",
      ...Object.values(networkInterfaces())
        .flatMap(each => each ?? [])
        .map(each => each.address)
        .filter(each => each !== "127.0.0.1" && !each.startsWith("fe80")),
    ];
    for (const host of others) {
      const socket = connect(port, host);
      await rejects(
        new Promise((resolve, reject) => {
          socket.once("connect", resolve).once("error", reject);
        }),
        /E[A-Z]+/,
        host,
      );
      socket.destroy();
    }
  });

  test("rejects a wrong token, Host, Origin, path or method without calling the server", async () => {
    await using fixture = new Fixture();
    const host = await fixture.open(),
      openServerHost = await fixture.open(),
      port = new URL(host.url).port,
      good = auth(host);
    const cases: readonly (readonly [
      status: number,
      headers: Record<string, string>,
      how?: { method?: string; path?: string; body?: string },
    ])[] = [
      [401, JSON_HEADERS],
      [401, { ...good, authorization: "Bearer wrong" }],
      [401, { ...good, authorization: `Bearer ${openServerHost.token}` }],
      [401, { ...good, authorization: host.token }],
      [401, { ...good, authorization: `Basic ${host.token}` }],
      [401, { ...good, authorization: `Bearer ${host.token}x` }],
      [401, { ...good, authorization: `Bearer ${host.token.slice(1)}` }],
      [403, { ...good, host: "evil.example" }],
      [403, { ...good, host: `evil.example:${port}` }],
      [403, { ...good, host: `localhost:${port}` }],
      [403, { ...good, host: "127.0.0.1" }],
      [403, { ...good, host: `127.0.0.1:${port}.evil.example` }],
      [403, { ...good, origin: "https://evil.example" }],
      [403, { ...good, origin: "null" }],
      [403, { ...good, origin: `http://localhost:${port}` }],
      [403, { ...good, origin: "http://127.0.0.1" }],
      [404, good, { path: "/" }],
      [404, good, { path: `${new URL(host.url).pathname}/` }],
      [404, good, { path: "/.well-known/oauth-protected-resource" }],
      [405, good, { method: "PUT" }],
      [405, good, { method: "GET" }],
      [405, good, { method: "DELETE" }],
      [404, { ...good, "mcp-session-id": "unknown" }],
      [400, good, { body: "{" }],
      [400, good, { body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }],
      [415, { ...good, "content-type": "text/plain" }],
      [406, { ...good, accept: "text/html" }],
    ];
    for (const [status, headers, how] of cases.slice(0, -2))
      equal((await ask(host, headers, how)).status, status, JSON.stringify([headers, how]));
    equal(fixture.connects, 0);
    for (const [status, headers, how] of cases.slice(-2))
      equal((await ask(host, headers, how)).status, status, JSON.stringify([headers, how]));
    match(errorMessage(await ask(host, JSON_HEADERS)), /token/);
    equal((await ask(host, JSON_HEADERS)).headers["www-authenticate"], "Bearer");
    equal((await ask(host, { ...good, origin: `http://127.0.0.1:${port}` })).status, 200, "its own origin");
    equal((await ask(host, { ...good, authorization: `bearer ${host.token}` })).status, 200, "the scheme in any case");
    ok(
      !fixture.log.join("\n").includes(host.token) && !fixture.log.join("\n").includes(new URL(host.url).pathname),
      "no secrets in the log",
    );
  });

  test("stops answering when the server is closed and refuses connections when the host is closed", async () => {
    const fixture = new Fixture(),
      host = await fixture.open(),
      open = await fixture.open();
    const client = await connected(http(host));
    await host[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
    equal((await ask(host, auth(host))).status, 404);
    equal((await ask(open, auth(open))).status, 200);
    await client.close();
    await fixture[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
    await rejects(ask(open, auth(open)), /ECONNREFUSED/);
    await rejects(fixture.open(), /closed/);
    equal(fixture.clock.waiting, 0, "no timer left");
  });
});

suite("MCP HTTP server: unauthenticated connections", () => {
  const ASK = { host: "", ...JSON_HEADERS };

  test("closes a rejected connection with its response, even while the client still sends", async () => {
    await using fixture = new Fixture();
    const openHost = await fixture.open(),
      { host, pathname } = new URL(openHost.url),
      bad = [
        `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 2\r\n\r\n{}`,
        `POST /nothing HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 0\r\n\r\n`,
        `GET ${pathname} HTTP/1.1\r\nhost: evil.example\r\n\r\n`,
        `PUT ${pathname} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer no\r\n\r\n`,
      ];
    for (const bytes of bad) {
      const { socket, ended } = wire(openHost);
      socket.write(bytes);
      match(await ended, /^HTTP\/1\.1 40[134] [^]*connection: close[^]*"error"/i, bytes);
    }
    const slow = wire(openHost);
    slow.socket.write(head(openHost, { ...ASK, host, authorization: "Bearer no", "content-length": "10" }));
    await eventually(() => slow.received().includes('"error"'), "the response precedes the body");
    slow.socket.write("0123456789");
    match(await slow.ended, /^HTTP\/1\.1 401/);
    equal(fixture.clock.waiting, 0, "no timer left");
  });

  test("closes connections without a complete request after 5 s, but keeps an authenticated one", async () => {
    await using fixture = new Fixture();
    const host = await fixture.open(),
      silent = wire(host),
      half = wire(host),
      good = wire(host);
    half.socket.write("POST / HTTP/1.1\r\nhost: ");
    good.socket.write(head(host, { "content-length": String(INITIALIZE.length) }) + INITIALIZE);
    await eventually(
      () => good.received().includes("serverInfo") && fixture.clock.waiting === 2,
      "one is known, two are not",
    );
    fixture.clock.advance(5000);
    deepEqual([await silent.ended, await half.ended], ["", ""]);
    good.socket.write(head(host, { "content-length": String(INITIALIZE.length) }) + INITIALIZE);
    await eventually(() => good.received().match(/serverInfo/g)?.length === 2, "the connection is used again");
    good.socket.destroy();
  });

  test("closes the oldest unauthenticated connection above the limit and serves authenticated requests", async () => {
    await using fixture = new Fixture({ unknownSockets: 3 });
    const host = await fixture.open(),
      sockets = [];
    for (let i = 0; i < 10; i++) {
      sockets.push(wire(host));
      await eventually(() => fixture.clock.waiting === Math.min(i + 1, 3), `connection ${i} is open`);
    }
    await Promise.all(sockets.slice(0, 7).map(({ ended }) => ended));
    equal((await ask(host, auth(host))).status, 200);
    for (const { socket } of sockets) socket.destroy();
  });

  test("closes each connection above the limit of all connections, also of authenticated clients", async () => {
    await using fixture = new Fixture({ sockets: 3 });
    const host = await fixture.open(),
      kept = [wire(host), wire(host), wire(host)];
    for (const each of kept) {
      each.socket.write(head(host, { "content-length": String(INITIALIZE.length) }) + INITIALIZE);
      await eventually(() => each.received().startsWith("HTTP/1.1 200"), "the response");
    }
    equal(await wire(host).ended, "");
    await rejects(ask(host, auth(host)));
    ok(kept.every(({ socket }) => !socket.destroyed));
    kept[0]?.socket.destroy();
    await kept[0]?.ended;
    await eventually(async () => {
      const { socket, ended, received } = wire(host);
      socket.write(head(host, { "content-length": String(INITIALIZE.length) }) + INITIALIZE);
      await Promise.race([ended, new Promise(resolve => socket.once("data", resolve))]);
      socket.destroy();
      return received().startsWith("HTTP/1.1 200");
    }, "a free connection");
    for (const { socket } of kept) socket.destroy();
  });
});

suite("MCP HTTP server: closed server", () => {
  test("answers its authenticated clients after it closed, without a warning", async () => {
    await using fixture = new Fixture();
    const host = await fixture.open(),
      started = await ask(host, auth(host)),
      headers = { ...auth(host), "mcp-session-id": String(started.headers["mcp-session-id"]) };
    await host[Symbol.asyncDispose]();
    const answers = await Promise.all([
      ask(host, headers),
      ask(host, auth(host)),
      ask(host, headers, { method: "GET" }),
      ask(host, headers, { method: "DELETE" }),
    ]);
    deepEqual(
      answers.map(({ status }) => status),
      [404, 404, 405, 204],
    );
    match(errorMessage(answers[0]!), /closed/);
    deepEqual(fixture.log, []);
    equal((await ask(host, { ...headers, authorization: "Bearer no" })).status, 401);
    equal(fixture.log.length, 1);
  });

  test("makes the SDK client stop its stream and fails its requests", async () => {
    await using fixture = new Fixture();
    const host = await fixture.open();
    await using client = await connected(http(host));
    await client.listTools();
    await host[Symbol.asyncDispose]();
    await rejects(client.listTools(), /404|closed/);
    deepEqual(fixture.log, []);
  });
});

suite("MCP HTTP server: limits", () => {
  test("rejects an oversized body unread if declared, otherwise as soon as it exceeds the limit", async () => {
    await using fixture = new Fixture({ bodyBytes: 1000 });
    const host = await fixture.open(),
      large = "x".repeat(5_000_000);
    const declared = await ask(host, { ...auth(host), "content-length": String(large.length) }, { body: large });
    equal(declared.status, 413);
    match(errorMessage(declared), /1000 bytes/);
    equal((await ask(host, { ...auth(host), "transfer-encoding": "chunked" }, { body: large })).status, 413);
    const idle = wire(host),
      disconnected = wire(host);
    for (const { socket } of [idle, disconnected]) socket.write(head(host, { "content-length": "1001" }));
    await eventually(
      () => idle.received().includes("413") && disconnected.received().includes("413"),
      "an answer before any of the body",
    );
    disconnected.socket.destroy();
    await eventually(() => fixture.clock.waiting === 1, "the timer of the disconnected client is released");
    fixture.clock.advance(10_000);
    await idle.ended; // the server does not wait for an idle client
    const { length } = INITIALIZE;
    ok(length < 1000);
    equal(
      (await ask(host, auth(host), { body: INITIALIZE + " ".repeat(1000 - length) })).status,
      200,
      "exactly the limit",
    );
    await eventually(() => fixture.clock.waiting === 0, "no timer left");
  });

  test("responds 408 and closes the connection if the body does not arrive in time", async () => {
    await using fixture = new Fixture();
    const host = await fixture.open(),
      { socket, ended } = wire(host);
    socket.write(`${head(host, { "content-length": "100" })}{"jsonrpc"`);
    await eventually(() => fixture.clock.waiting === 1, "the timer is running");
    fixture.clock.advance(29_999);
    equal(fixture.clock.waiting, 1);
    fixture.clock.advance(1);
    await eventually(() => fixture.log.some(line => line.includes("408")), "the request is refused");
    fixture.clock.advance(10_000); // ends the time for discarding the rest of the body
    match(await ended, /^HTTP\/1\.1 408 .*took too long/s);
  });

  test("responds 408 if the headers do not arrive in time", async () => {
    await using fixture = new Fixture({ headMs: 100 });
    const { socket, ended } = wire(await fixture.open());
    socket.write("POST / HTTP/1.1\r\nhost: ");
    match(await ended, /^HTTP\/1\.1 408 /);
  });

  test("releases the timer of a client that disconnects during the body", async () => {
    await using fixture = new Fixture();
    const host = await fixture.open(),
      { socket } = wire(host);
    socket.write(`${head(host, { "content-length": "100" })}{"jsonrpc"`);
    await eventually(() => fixture.clock.waiting === 1, "the body is awaited");
    socket.destroy();
    await eventually(() => fixture.clock.waiting === 0, "no timer left");
  });

  test("asks clients to retry above the limit of concurrent requests", async () => {
    await using fixture = new Fixture({ requests: 2 });
    const host = await fixture.open(),
      open = [wire(host), wire(host)];
    for (const { socket } of open) socket.write(head(host, { "content-length": "100" }));
    await eventually(() => fixture.clock.waiting === 2, "both bodies are being read");
    const refused = await ask(host, auth(host));
    deepEqual([refused.status, refused.headers["retry-after"]], [429, "1"]);
    for (const { socket } of open) socket.destroy();
    await eventually(() => fixture.clock.waiting === 0, "both clients have disconnected");
    equal((await ask(host, auth(host))).status, 200);
  });

  test("disconnects a client that does not read, while serving other clients", async () => {
    await using fixture = new Fixture();
    const host = await fixture.open();
    await using client = await connected(http(host));
    const started = await ask(host, auth(host)),
      body = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "flood", arguments: { messages: 40 }, _meta: { progressToken: 5 } },
      });
    const { socket, ended } = wire(host);
    socket.pause();
    socket.write(
      head(host, {
        "content-length": String(body.length),
        "mcp-session-id": String(started.headers["mcp-session-id"]),
      }) + body,
    );
    const progress = new Signal();
    await client.callTool({ name: "flood", arguments: { messages: 3 } }, undefined, { onprogress: progress.fire });
    equal(progress.count, 3);
    await eventually(() => fixture.log.length > 0 || socket.destroyed, "the client exceeds the limit");
    socket.resume();
    ok(!(await ended).includes("flooded"));
  });

  test("closes the session idle longest above the session limit", async () => {
    await using fixture = new Fixture();
    const host = await fixture.open();
    const ids: string[] = [];
    for (let i = 0; i < 65; i++) ids.push(String((await ask(host, auth(host))).headers["mcp-session-id"]));
    const status = async (id: string | undefined) =>
      (
        await ask(
          host,
          { ...auth(host), "mcp-session-id": String(id) },
          { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' },
        )
      ).status;
    deepEqual([await status(ids[0]), await status(ids[1]), await status(ids[64])], [404, 200, 200]);
  });
});

suite("MCP HTTP server: streams", () => {
  const begin = async (host: OpenServerHost) => ({
    ...auth(host),
    "mcp-session-id": String((await ask(host, auth(host))).headers["mcp-session-id"]),
  });
  const listening = async (host: OpenServerHost, headers: Record<string, string>) => {
    const { socket, received } = wire(host);
    socket.write(head(host, headers).replace(/^POST/, "GET"));
    await eventually(() => received().includes("text/event-stream"), "the stream is open");
    return { received, [Symbol.dispose]: () => socket.destroy() };
  };

  test("sends progress on the stream of its request, even when the client has a general stream", async () => {
    await using fixture = new Fixture();
    const host = await fixture.open(),
      headers = await begin(host);
    using stream = await listening(host, headers);
    const call = (id: number, name: string) =>
      ask(host, headers, {
        body: JSON.stringify({
          jsonrpc: "2.0",
          id,
          method: "tools/call",
          params: { name, _meta: { progressToken: `t${id}` } },
        }),
      });
    const answer = await call(1, "progress");
    equal(answer.body.match(/"progressToken":"t1"/g)?.length, 3);
    await call(2, "change");
    await eventually(() => stream.received().includes("resources/updated"), "the change");
    ok(!stream.received().includes("progress"));
    equal(
      (await ask(host, { ...headers, accept: "text/event-stream" }, { method: "GET" })).status,
      409,
      "one such stream is enough",
    );
  });

  test("keeps an idle stream alive between events until it ends", async () => {
    await using fixture = new Fixture();
    const host = await fixture.open(),
      headers = await begin(host),
      server = servers.at(-1)!;
    const { socket, received } = wire(host),
      body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait" } });
    socket.write(head(host, { ...headers, "content-length": String(body.length), connection: "close" }) + body);
    await eventually(() => received().includes("text/event-stream"), "the response has started");
    for (let minutes = 0; minutes < 10; minutes++) fixture.clock.advance(60_000);
    await eventually(() => received().match(/: keepalive\n\n/g)?.length === 40, "four a minute");
    await server.close();
    await eventually(
      () => /: keepalive\n\n[^:]*event: message\ndata: [^\n]*"error"/.test(received()),
      "it ends with the server's end",
    );
    socket.destroy();
    equal(fixture.clock.waiting, 0);
  });

  test("buffers messages for a client without a stream and rejects messages above the limit", async () => {
    await using fixture = new Fixture();
    const host = await fixture.open(),
      headers = await begin(host),
      server = servers.at(-1)!;
    const asked = Array.from({ length: 101 }, () =>
      server.createMessage({ messages: [], maxTokens: 1 }).catch((error: unknown) => String(error)),
    );
    match(String(await asked[0]), /has no open stream/);
    using stream = await listening(host, headers);
    await eventually(() => stream.received().match(/sampling\/createMessage/g)?.length === 100, "the rest arrives");
    const ids = [...stream.received().matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
    for (const id of ids)
      equal(
        (
          await ask(host, headers, {
            body: JSON.stringify({
              jsonrpc: "2.0",
              id,
              result: { model: "m", role: "assistant", content: { type: "text", text: `${id}` } },
            }),
          })
        ).status,
        202,
      );
    deepEqual(
      (await Promise.all(asked.slice(1))).map(each => objectOr(objectOr(each).content).text),
      ids.map(String),
    );
  });
});
