import { deepEqual, equal, match, ok } from "node:assert/strict";
import { eventually } from "../../testing/eventually";
import {
  ask,
  auth,
  errorMessage,
  head,
  http,
  HttpFixture,
  INITIALIZE,
  message,
  request,
  startSession,
  wire,
} from "../../testing/mcp/http-fixture";
import { connected, Signal } from "../../testing/mcp/mcp-fixture";

suite("MCP HTTP server: limits", () => {
  test("rejects an oversized body unread if declared, otherwise as soon as it exceeds the limit", async () => {
    await using fixture = new HttpFixture({ bodyBytes: 1000 });
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
    await using fixture = new HttpFixture();
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
    await using fixture = new HttpFixture({ headMs: 100 });
    const { socket, ended } = wire(await fixture.open());
    socket.write("POST / HTTP/1.1\r\nhost: ");
    match(await ended, /^HTTP\/1\.1 408 /);
  });

  test("releases the timer of a client that disconnects during the body", async () => {
    await using fixture = new HttpFixture();
    const host = await fixture.open(),
      { socket } = wire(host);
    socket.write(`${head(host, { "content-length": "100" })}{"jsonrpc"`);
    await eventually(() => fixture.clock.waiting === 1, "the body is awaited");
    socket.destroy();
    await eventually(() => fixture.clock.waiting === 0, "no timer left");
  });

  test("asks clients to retry above the limit of concurrent requests", async () => {
    await using fixture = new HttpFixture({ requests: 2 });
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
    await using fixture = new HttpFixture();
    const host = await fixture.open();
    await using client = await connected(http(host));
    const headers = await startSession(host),
      { socket, ended } = wire(host),
      flood = { name: "flood", arguments: { messages: 40 }, _meta: { progressToken: 5 } };
    socket.pause();
    socket.write(request(host, message(1, "tools/call", flood), headers));
    const progress = new Signal();
    await client.callTool({ name: "flood", arguments: { messages: 3 } }, undefined, { onprogress: progress.fire });
    equal(progress.count, 3);
    await eventually(() => fixture.log.length > 0 || socket.destroyed, "the client exceeds the limit");
    socket.resume();
    ok(!(await ended).includes("flooded"));
  });

  test("closes the session idle longest above the session limit", async () => {
    await using fixture = new HttpFixture();
    const host = await fixture.open();
    const ids: string[] = [];
    for (let i = 0; i < 65; i++) ids.push((await startSession(host))["mcp-session-id"]);
    const status = async (id: string | undefined) =>
      (await ask(host, { ...auth(host), "mcp-session-id": String(id) }, { body: message(1, "ping") })).status;
    deepEqual([await status(ids[0]), await status(ids[1]), await status(ids[64])], [404, 200, 200]);
  });
});
