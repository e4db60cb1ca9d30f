import { deepEqual, equal, match, ok } from "node:assert/strict";
import { objectOr } from "../../rpc/json";
import { eventually } from "../../testing/eventually";
import { ask, head, HttpFixture, message, request, startSession, wire } from "../../testing/mcp/http-fixture";
import type { OpenServerHost } from "./http-server";

suite("MCP HTTP server: streams", () => {
  const listening = async (host: OpenServerHost, headers: Record<string, string>) => {
    const { socket, received } = wire(host);
    socket.write(head(host, headers).replace(/^POST/, "GET"));
    await eventually(() => received().includes("text/event-stream"), "the stream is open");
    return { received, [Symbol.dispose]: () => socket.destroy() };
  };

  test("sends progress on the stream of its request, even when the client has a general stream", async () => {
    await using fixture = new HttpFixture();
    const host = await fixture.open(),
      headers = await startSession(host);
    using stream = await listening(host, headers);
    const call = (id: number, name: string) =>
      ask(host, headers, {
        body: message(id, "tools/call", { name, _meta: { progressToken: `t${id}` } }),
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
    await using fixture = new HttpFixture();
    const host = await fixture.open(),
      headers = await startSession(host),
      server = fixture.servers.at(-1)!;
    const { socket, received } = wire(host);
    socket.write(request(host, message(1, "tools/call", { name: "wait" }), { ...headers, connection: "close" }));
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
    await using fixture = new HttpFixture();
    const host = await fixture.open(),
      headers = await startSession(host),
      server = fixture.servers.at(-1)!;
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
