import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { RegistryServer, serving, status, type Answer } from "../testing/install/registry-server";
import {
  fetchDocument,
  MAX_DOCUMENT_BYTES,
  TIMEOUT_MS,
  RegistryError,
  type Fetched,
  type FetchDeps,
} from "./fetch-document";
import { httpGet } from "./http-get";

suite("fetchDocument", () => {
  let server: RegistryServer, clock: FakeClock;
  setup(async () => {
    server = await RegistryServer.start();
    clock = new FakeClock();
  });
  teardown(async () => {
    await server[Symbol.asyncDispose]();
    equal(clock.waiting, 0, "the timer is released");
  });

  const get = (overrides: Partial<FetchDeps> & { readonly url?: string } = {}): Promise<Fetched> =>
    fetchDocument(overrides.url ?? server.url, {
      signal: new AbortController().signal,
      clock,
      fetch: httpGet(),
      version: "1.2.3",
      ...overrides,
    });
  const fails = (code: string, answer: Answer, sentence: RegExp = /./, url = server.url): Promise<void> => {
    server.answer = answer;
    return rejects(get({ url }), (error: unknown) => {
      ok(error instanceof RegistryError);
      equal(error.code, code);
      match(error.message, sentence);
      match(error.message, /^[A-Z][^\n]*\.$/);
      return true;
    });
  };

  test("returns text and ETag and sends no user data", async () => {
    server.answer = serving('{"agents": ["ä"]}');
    deepEqual(await get(), { kind: "fresh", text: '{"agents": ["ä"]}', etag: '"1"' });
    const { headers } = server.requests[0]!;
    deepEqual(
      [
        headers["user-agent"],
        headers.accept,
        headers.cookie,
        headers.authorization,
        headers["if-none-match"],
        headers.referer,
      ],
      ["symposium/1.2.3", "application/json", undefined, undefined, undefined, undefined],
    );
  });

  test("returns “same” for unchanged content", async () => {
    server.answer = serving({}, 'W/"a"');
    deepEqual(await get({ etag: 'W/"a"' }), { kind: "same" });
    deepEqual(await get({ etag: '"b"' }), { kind: "fresh", text: "{}", etag: 'W/"a"' });
    await fails("refused", status(304), /status 304/);
  });

  test("ignores an ETag that is not valid in a request", async () => {
    for (const etag of ["1", '"a b"', `"${"x".repeat(201)}"`, ""]) {
      server.answer = (_, response) => {
        response.writeHead(200, { etag }).end("{}");
      };
      deepEqual(await get(), { kind: "fresh", text: "{}", etag: undefined });
    }
  });

  test("follows at most five redirects", async () => {
    const hops =
      (most: number): Answer =>
      (request, response) => {
        const n = Number(request.url?.slice(1)) || 0;
        if (n < most) response.writeHead([301, 302, 303, 307, 308][n % 5]!, { location: `/${n + 1}` }).end();
        else response.end("{}");
      };
    server.answer = hops(5);
    equal((await get()).kind, "fresh");
    equal(server.requests.length, 6);
    await fails("refused", hops(6), /redirected more than 5 times/);
  });

  test("rejects an insecure address or redirect", async () => {
    for (const location of [
      "http://example.com/registry.json",
      "file:///etc/passwd",
      "https://me:pw@example.com/",
      "http://127.0.0.1.example.com/",
      "http://[",
      "data:,x",
    ])
      await fails("insecure", status(302, { location }), /not https/);
    equal(server.requests.length, 6);
    for (const url of ["http://example.com/", "file:///etc/passwd", "x", "https://me:pw@example.com/"])
      await fails("insecure", status(200), /not https/, url);
    equal(server.requests.length, 6);
  });

  test("rejects a redirect from a remote server to localhost", async () => {
    const asked: string[] = [];
    const elsewhere: typeof fetch = async input => {
      asked.push(String(input));
      return new Response(null, { status: 302, headers: { location: server.url } });
    };
    await rejects(get({ url: "https://example.com/registry.json", fetch: elsewhere }), { code: "insecure" });
    deepEqual([asked, server.requests], [["https://example.com/registry.json"], []]);
  });

  for (const code of [204, 302, 400, 401, 403, 404, 429, 500, 503])
    test(`rejects for status ${code}`, () => fails("refused", status(code), new RegExp(`status ${code}`)));

  test("closes the connection to a server that keeps sending after an error", async () => {
    const closed = new Promise<void>(resolve => {
      server.answer = (_, response) => {
        response.on("close", resolve).writeHead(500).write("{");
      };
    });
    await rejects(get(), { code: "refused" });
    await closed;
  });

  test("rejects if the server is unreachable", async () => {
    const { url } = server;
    await server[Symbol.asyncDispose]();
    server = await RegistryServer.start();
    await fails("offline", status(200), /could not be reached/, url);
    await fails("offline", request => request.destroy(), /could not be reached/);
  });

  test("rejects a truncated response", async () => {
    await fails("truncated", (_, response) => {
      response.writeHead(200, { "content-length": "100" }).write('{"agents"');
      setImmediate(() => response.destroy());
    });
    await fails("truncated", (_, response) => {
      response.writeHead(200).write('{"agents"');
      setImmediate(() => response.destroy());
    });
  });

  test("rejects a response above the size limit, announced or not", async () => {
    const much = Buffer.alloc(MAX_DOCUMENT_BYTES + 1024 * 1024, " ");
    await fails(
      "tooLarge",
      (_, response) => {
        response.writeHead(200, { "content-length": String(much.length) }).write("{");
      },
      /larger than 16 megabytes/,
    );
    await fails("tooLarge", (_, response) => {
      response.writeHead(200);
      response.end(much);
    });
    const bomb = gzipSync(much);
    await fails("tooLarge", (_, response) => {
      response.writeHead(200, { "content-encoding": "gzip", "content-length": String(bomb.length) }).end(bomb);
    });
    server.answer = (_, response) => {
      response.end(much.subarray(0, MAX_DOCUMENT_BYTES));
    };
    equal((await get()).kind, "fresh");
  });

  for (const [name, begin] of [
    ["does not respond", () => undefined],
    [
      "stops in the middle of the response",
      (_, response) => {
        response.writeHead(200).write("{");
      },
    ],
  ] as readonly [string, Answer][]) {
    test(`rejects when the server ${name} and when the request is cancelled`, async () => {
      server.answer = begin;
      const slow = rejects(get(), { code: "slow", message: "The server did not respond within 30 seconds." });
      await server.asked(1);
      clock.advance(TIMEOUT_MS - 1);
      equal(clock.waiting, 1);
      clock.advance(1);
      await slow;
      const user = new AbortController(),
        cancelled = rejects(get({ signal: user.signal }), { code: "cancelled" });
      await server.asked(2);
      user.abort();
      await cancelled;
      await rejects(get({ signal: user.signal }), { code: "cancelled" });
    });
  }
});
