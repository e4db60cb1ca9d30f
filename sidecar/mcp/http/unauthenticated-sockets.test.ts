import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { eventually } from "../../testing/eventually";
import { ask, auth, head, HttpFixture, JSON_HEADERS, request, wire } from "../../testing/mcp/http-fixture";

suite("MCP HTTP server: unauthenticated connections", () => {
  const ASK = { host: "", ...JSON_HEADERS };

  test("closes a rejected connection with its response, even while the client still sends", async () => {
    await using fixture = new HttpFixture();
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
    await using fixture = new HttpFixture();
    const host = await fixture.open(),
      silent = wire(host),
      half = wire(host),
      good = wire(host);
    half.socket.write("POST / HTTP/1.1\r\nhost: ");
    good.socket.write(request(host));
    await eventually(
      () => good.received().includes("serverInfo") && fixture.clock.waiting === 2,
      "one is known, two are not",
    );
    fixture.clock.advance(5000);
    deepEqual([await silent.ended, await half.ended], ["", ""]);
    good.socket.write(request(host));
    await eventually(() => good.received().match(/serverInfo/g)?.length === 2, "the connection is used again");
    good.socket.destroy();
  });

  test("closes the oldest unauthenticated connection above the limit and serves authenticated requests", async () => {
    await using fixture = new HttpFixture({ unknownSockets: 3 });
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
    await using fixture = new HttpFixture({ sockets: 3 });
    const host = await fixture.open(),
      kept = [wire(host), wire(host), wire(host)];
    for (const each of kept) {
      each.socket.write(request(host));
      await eventually(() => each.received().startsWith("HTTP/1.1 200"), "the response");
    }
    equal(await wire(host).ended, "");
    await rejects(ask(host, auth(host)));
    ok(kept.every(({ socket }) => !socket.destroyed));
    kept[0]?.socket.destroy();
    await kept[0]?.ended;
    await eventually(async () => {
      const { socket, ended, received } = wire(host);
      socket.write(request(host));
      await Promise.race([ended, new Promise(resolve => socket.once("data", resolve))]);
      socket.destroy();
      return received().startsWith("HTTP/1.1 200");
    }, "a free connection");
    for (const { socket } of kept) socket.destroy();
  });
});
