import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { httpGet } from "./http-get";

suite("httpGet", () => {
  /** A server that responds to every request with raw bytes. */
  class RawServer implements AsyncDisposable {
    readonly asked: string[] = [];
    readonly #sockets: Socket[] = [];
    private constructor(readonly server: Server) {}
    get url(): string {
      return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/x`;
    }
    static async open(respond: (socket: Socket) => void): Promise<RawServer> {
      const rawServer: RawServer = new RawServer(
        createServer(socket => {
          rawServer.#sockets.push(
            socket.on("error", () => undefined).on("close", () => setImmediate(() => rawServer.server.emit("broken"))),
          );
          socket.once("data", data => {
            rawServer.asked.push(String(data));
            respond(socket);
          });
        }),
      );
      rawServer.server.listen(0, "127.0.0.1");
      await once(rawServer.server, "listening");
      return rawServer;
    }
    async [Symbol.asyncDispose](): Promise<void> {
      for (const socket of this.#sockets) socket.destroy();
      await new Promise(resolve => this.server.close(resolve));
    }
  }
  const answer =
    (head: string, body: string | Buffer) =>
    (socket: Socket): void => {
      socket.end(
        Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nConnection: close\r\n${head}\r\n`), Buffer.from(body)]),
      );
    };
  const get = httpGet();

  for (const head of ["", "Content-Length: 300000\r\n"]) {
    test(`buffers a response that is read after the server closed (${head.trim() || "without a length"})`, async () => {
      await using server = await RawServer.open(answer(head, Buffer.alloc(300_000, "a")));
      const { body } = await get(server.url),
        reader = body!.getReader();
      let length = 0;
      for (;;) {
        // the connection closes while no read is pending: an error in the event of a chunk would be uncaught
        await new Promise(setImmediate);
        const { done, value } = await reader.read();
        if (done) break;
        length += value.length;
      }
      equal(length, 300_000);
    });
  }

  test("does not block other requests if a response is not read", async () => {
    await using server = await RawServer.open(answer("", Buffer.alloc(64 * 1024)));
    const first = await get(server.url);
    equal((await (await get(server.url)).arrayBuffer()).byteLength, 64 * 1024);
    await first.body?.cancel();
    for (const [head, body] of [
      ["Content-Encoding: gzip\r\n", "garbage"],
      ["Content-Encoding: gzip\r\nContent-Length: 1000\r\n", gzipSync("x").subarray(0, 12)],
      ["Content-Length: 1000\r\n", "x"],
    ] as const) {
      await using broken = await RawServer.open(answer(head, body));
      const { body: unread } = await get(broken.url);
      await once(broken.server, "broken");
      await rejects(new Response(unread).text(), head);
    }
  });

  test("sends the given headers, requests uncompressed bytes and merges repeated response headers", async () => {
    await using server = await RawServer.open(answer('Link: <a>\r\nLink: <b>\r\nETag: "1"\r\n', "x"));
    const response = await get(server.url, { headers: { range: "bytes=4-" } });
    ok(response instanceof Response);
    deepEqual(
      [response.status, response.headers.get("link"), response.headers.get("etag"), await response.text()],
      [200, "<a>, <b>", '"1"', "x"],
    );
    const [asked = ""] = server.asked;
    ok(
      /^GET \/x HTTP\/1\.1\r\n/.test(asked) &&
        /\r\nrange: bytes=4-\r\n/i.test(asked) &&
        /\r\naccept-encoding: identity\r\n/i.test(asked) &&
        !/cookie|user-agent/i.test(asked),
      asked,
    );
  });

  test("decompresses a response that is compressed without a request", async () => {
    for (const [name, compress] of [
      ["gzip", gzipSync],
      ["deflate", deflateSync],
      ["br", brotliCompressSync],
    ] as const) {
      await using server = await RawServer.open(answer(`Content-Encoding: ${name}\r\n`, compress("as it was")));
      equal(await (await get(server.url)).text(), "as it was", name);
      await using half = await RawServer.open(
        answer(`Content-Encoding: ${name}\r\nContent-Length: 1000\r\n`, compress("x".repeat(5000)).subarray(0, 9)),
      );
      await rejects((await get(half.url)).text(), TypeError, `${name}, cut off`);
    }
  });

  test("returns no body if absent and rejects truncated or invalid responses with the cause", async () => {
    await using same = await RawServer.open(socket => socket.end("HTTP/1.1 304 Not Modified\r\n\r\n"));
    const nothing = await get(same.url);
    deepEqual([nothing.status, nothing.body], [304, null]);
    await using broken = await RawServer.open(answer("Content-Length: 10\r\n", "12345"));
    await rejects(
      (await get(broken.url)).text(),
      (error: unknown) => error instanceof TypeError && error.cause instanceof Error,
    );
    for (const respond of ["garbage\r\n\r\n", "HTTP/1.1 777 What\r\nConnection: close\r\n\r\n", ""]) {
      await using server = await RawServer.open(socket => socket.end(respond));
      await rejects(
        get(server.url),
        (error: unknown) => error instanceof TypeError && error.cause instanceof Error,
        respond,
      );
    }
    const { url } = same;
    await same[Symbol.asyncDispose]();
    await rejects(
      get(url),
      (error: unknown) =>
        error instanceof TypeError &&
        error.cause instanceof Error &&
        "code" in error.cause &&
        error.cause.code === "ECONNREFUSED",
    );
  });

  test("rejects with the signal's reason before, during and after the response headers", async () => {
    const ending = new AbortController(),
      reason = new Error("enough");
    await using silent = await RawServer.open(() => ending.abort(reason));
    await rejects(get(silent.url, { signal: ending.signal }), reason);
    await rejects(get(silent.url, { signal: ending.signal }), reason);
    equal(silent.asked.length, 1);
    const later = new AbortController();
    await using slow = await RawServer.open(socket => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
    });
    const reader = (await get(slow.url, { signal: later.signal })).body!.getReader();
    equal((await reader.read()).value?.length, 5);
    const more = reader.read();
    later.abort(reason);
    await rejects(more, reason);
  });
});
