/** Tests the endpoint against hostile, malformed and slow clients, with real sockets and raw bytes. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { ask, auth, errorMessage, http, HttpFixture, JSON_HEADERS, startSession } from "../../testing/mcp/http-fixture";
import { connected } from "../../testing/mcp/mcp-fixture";

suite("MCP HTTP server: access control", () => {
  test("listens only on 127.0.0.1 and sends no CORS headers to other origins", async () => {
    await using fixture = new HttpFixture();
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
    await using fixture = new HttpFixture();
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
    await using fixture = new HttpFixture();
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
    const fixture = new HttpFixture(),
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

suite("MCP HTTP server: closed server", () => {
  test("answers its authenticated clients after it closed, without a warning", async () => {
    await using fixture = new HttpFixture();
    const host = await fixture.open(),
      headers = await startSession(host);
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
    await using fixture = new HttpFixture();
    const host = await fixture.open();
    await using client = await connected(http(host));
    await client.listTools();
    await host[Symbol.asyncDispose]();
    await rejects(client.listTools(), /404|closed/);
    deepEqual(fixture.log, []);
  });
});
