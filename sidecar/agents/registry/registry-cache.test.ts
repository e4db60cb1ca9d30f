import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { RegistryServer, serving, status } from "../../testing/install/registry-server";
import { TIMEOUT_MS } from "../../http/fetch-document";
import { httpGet } from "../../http/http-get";
import { RegistryCache, type RegistrySnapshot, type RegistryDeps } from "./registry-cache";

const entry = (id: string): object => ({ id, version: "1.0.0", distribution: { npx: { package: id } } });
const registry = (...ids: readonly string[]): object => ({ version: "1.0.0", agents: ids.map(entry) });
const shown = ({ registry: { agents }, from, fetchedAt, problem }: RegistrySnapshot): string =>
  `${agents.map(({ id }) => id).join(" ")} from ${from}${fetchedAt === undefined ? "" : ` of ${fetchedAt}`}${problem === undefined ? "" : `: ${problem}`}`;

suite("registry cache", () => {
  let server: RegistryServer, folder: string, clock: FakeClock, now: number, warnings: string[];
  const never = new AbortController().signal;
  setup(async () => {
    server = await RegistryServer.start(serving(registry("a")));
    folder = path.join(mkdtempSync(path.join(tmpdir(), "registry-")), "cache");
    clock = new FakeClock();
    now = 1000;
    warnings = [];
  });
  teardown(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(path.dirname(folder), { recursive: true, force: true });
    equal(clock.waiting, 0);
  });

  const cache = (overrides: Partial<RegistryDeps> = {}): RegistryCache =>
    new RegistryCache({
      folder,
      urls: [server.url],
      clock,
      date: () => now,
      fetch: httpGet(),
      version: "0",
      onWarning: what => warnings.push(what),
      ...overrides,
    });
  const refreshed = async (registryCache = cache()): Promise<string> => shown(await registryCache.refresh(never));
  const files = (): readonly string[] => readdirSync(folder);
  const file = (): string => path.join(folder, files()[0]!);
  const problem = (message: string): string =>
    `The registry at ${new URL(server.url).host} could not be read. ${message}`;

  test("is empty before the first refresh and sends no requests by itself", async () => {
    const registryCache = cache();
    equal(shown(await registryCache.current()), " from none");
    equal(server.requests.length, 0);
    equal(await refreshed(registryCache), "a from network of 1000");
    equal(shown(await registryCache.current()), "a from network of 1000");
    equal(server.requests.length, 1);
  });

  test("does not replace network data by disk data that is read later", async () => {
    await refreshed();
    server.answer = serving(registry("b"), '"2"');
    const registryCache = cache(),
      both = [registryCache.current(), registryCache.refresh(never), registryCache.current()];
    deepEqual((await Promise.all(both)).map(shown), [
      "a from disk of 1000",
      "b from network of 1000",
      "a from disk of 1000",
    ]);
    equal(shown(await registryCache.current()), "b from network of 1000");
  });

  test("persists across processes", async () => {
    await refreshed();
    now = 2000;
    const registryCache = cache();
    equal(shown(await registryCache.current()), "a from disk of 1000");
    ok((await registryCache.current()) === (await registryCache.current()), "its file is read once");
    equal(server.requests.length, 1);
  });

  test("revalidates unchanged data with its ETag and updates the time", async () => {
    await refreshed();
    now = 2000;
    equal(await refreshed(), "a from network of 2000");
    equal(server.requests[1]!.headers["if-none-match"], '"1"');
    equal(shown(await cache().current()), "a from disk of 2000");
    server.answer = serving(registry("a", "b"), '"2"');
    equal(await refreshed(), "a b from network of 2000");
    server.answer = status(304);
    equal(await refreshed(), "a b from network of 2000");
    equal(files().length, 1);
  });

  const PROBLEMS: readonly [name: string, answer: () => void, message: string][] = [
    [
      "refuses",
      () => {
        server.answer = status(500);
      },
      "The server returned status 500.",
    ],
    [
      "closes the connection early",
      () => {
        server.answer = (_, response) => {
          response.writeHead(200).write("{");
          setImmediate(() => response.destroy());
        };
      },
      "The connection closed before the download was complete.",
    ],
    [
      "sends a truncated document",
      () => {
        server.answer = serving(JSON.stringify(registry("b")).slice(0, -1), '"2"');
      },
      "It is not JSON.",
    ],
    [
      "sends an HTML page",
      () => {
        server.answer = serving("<!doctype html>", '"2"');
      },
      "It is not JSON.",
    ],
    [
      "sends other JSON",
      () => {
        server.answer = serving({ error: "down" }, '"2"');
      },
      "It is not a registry: it has no list of agents.",
    ],
    [
      "sends no valid entry",
      () => {
        server.answer = serving({ agents: [{ id: "x" }] }, '"2"');
      },
      "None of its entries is usable. The first: “x” has no version.",
    ],
    [
      "sends too much",
      () => {
        server.answer = serving(" ".repeat(17 * 1024 * 1024), '"2"');
      },
      "The document is larger than 16 megabytes.",
    ],
    [
      "redirects to an insecure address",
      () => {
        server.answer = status(302, { location: "http://example.com/" });
      },
      "The URL is not https, or redirects to a URL that is not https.",
    ],
  ];
  for (const [name, answer, message] of PROBLEMS)
    test(`keeps its data when the server ${name}`, async () => {
      await refreshed();
      answer();
      now = 5000;
      equal(await refreshed(), `a from disk of 1000: ${problem(message)}`);
      equal(shown(await cache().current()), "a from disk of 1000");
      rmSync(folder, { recursive: true });
      equal(await refreshed(), ` from none: ${problem(message)}`);
      server.answer = serving(registry("c"), '"3"');
      equal(await refreshed(), "c from network of 5000");
    });

  test("keeps its data when the server times out", async () => {
    await refreshed();
    server.answer = () => undefined;
    const timedOut = refreshed();
    await server.asked(2);
    clock.advance(TIMEOUT_MS);
    equal(await timedOut, `a from disk of 1000: ${problem("The server did not respond within 30 seconds.")}`);
  });

  test("keeps its data in memory after a server error", async () => {
    const registryCache = cache();
    await refreshed(registryCache);
    server.answer = status(500);
    equal(await refreshed(registryCache), `a from disk of 1000: ${problem("The server returned status 500.")}`);
    server.answer = serving(registry("b"), '"2"');
    equal(await refreshed(registryCache), "b from network of 1000");
  });

  test("stores 10,000 entries", async () => {
    server.answer = serving(registry(...Array.from({ length: 10_000 }, (_, i) => `a${i}`)));
    equal((await cache().refresh(never)).registry.agents.length, 10_000);
    equal((await cache().current()).registry.agents.length, 10_000);
  });

  test("requests the next address if one fails and stores them separately", async () => {
    await using second = await RegistryServer.start(serving(registry("b"), '"b"'));
    const urls = [server.url, second.url] as const;
    await refreshed(cache({ urls }));
    equal(second.requests.length, 0);
    server.answer = status(503);
    now = 2000;
    equal(await refreshed(cache({ urls })), "b from network of 2000");
    equal(second.requests[0]!.headers["if-none-match"], undefined);
    second.answer = status(404);
    equal(await refreshed(cache({ urls })), `b from disk of 2000: ${problem("The server returned status 503.")}`);
    equal(shown(await cache({ urls }).current()), "b from disk of 2000");
    equal(shown(await cache({ urls: [server.url] }).current()), "a from disk of 1000");
    equal(warnings.length, 3);
  });

  test("shares one request between concurrent refreshes", async () => {
    const registryCache = cache(),
      [a, b] = await Promise.all([registryCache.refresh(never), registryCache.refresh(never)]);
    ok(a === b);
    equal(server.requests.length, 1);
    await refreshed(registryCache);
    equal(server.requests.length, 2);
  });

  test("continues a refresh for the remaining callers and cancels it with the last", async () => {
    const registryCache = cache(),
      first = new AbortController(),
      second = new AbortController();
    let answer = (): void => undefined,
      onClose = (): void => undefined;
    const closed = new Promise<void>(resolve => {
      onClose = resolve;
    });
    server.answer = (_, response) => {
      response.on("close", onClose);
      answer = () => {
        response.end(JSON.stringify(registry("b")));
      };
    };
    const cancelled = rejects(registryCache.refresh(first.signal), { code: "cancelled" }),
      remaining = registryCache.refresh(second.signal);
    await server.asked(1);
    first.abort();
    await cancelled;
    answer();
    equal(shown(await remaining), "b from network of 1000");
    await closed;

    const closedAgain = new Promise<void>(resolve => {
      server.answer = (_, response) => {
        response.on("close", resolve);
      };
    });
    const third = rejects(registryCache.refresh(second.signal), { code: "cancelled" });
    await server.asked(2);
    second.abort();
    await Promise.all([third, closedAgain]);
    await rejects(registryCache.refresh(AbortSignal.abort()), { code: "cancelled" });
    server.answer = serving(registry("c"), '"3"');
    equal(await refreshed(registryCache), "c from network of 1000");
  });

  test("ignores a damaged file and fetches again", async () => {
    await refreshed();
    const name = file(),
      whole: Record<string, unknown> = JSON.parse(readFileSync(name, "utf8"));
    const BROKEN = [
      "",
      "{",
      "[]",
      "null",
      ...[
        { version: 2 },
        { url: "https://example.com" },
        { text: 1 },
        { text: "{" },
        { text: "{}" },
        { fetchedAt: "x" },
        { fetchedAt: null },
      ].map(change => JSON.stringify({ ...whole, ...change })),
    ];
    for (const text of [...BROKEN, JSON.stringify(whole).replace('"fetchedAt":1000', '"fetchedAt":1e999')]) {
      writeFileSync(name, text);
      equal(shown(await cache().current()), " from none", text);
      const before = server.requests.length;
      equal(await refreshed(), "a from network of 1000", text);
      equal(server.requests[before]!.headers["if-none-match"], undefined);
    }
    writeFileSync(name, JSON.stringify({ ...whole, etag: '"1"\r\nx: y' }));
    equal(await refreshed(), "a from network of 1000");
    equal(server.requests.at(-1)!.headers["if-none-match"], undefined);
  });

  test("never throws for any file content", () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc
            .record({
              version: fc.constant(1),
              url: fc.constant(server.url),
              fetchedAt: fc.oneof(fc.double(), fc.string()),
              text: fc.oneof(fc.string(), fc.json()),
              etag: fc.string(),
            })
            .map(value => JSON.stringify(value)),
        ),
        async text => {
          await refreshed();
          writeFileSync(file(), text);
          match(shown(await cache().current()), / from (disk of|none)/);
        },
      ),
      { numRuns: 25 },
    ));

  test("works without a writable file and leaves no temporary files", async () => {
    mkdirSync(path.dirname(folder), { recursive: true });
    writeFileSync(folder, "a file");
    equal(await refreshed(), "a from network of 1000");
    deepEqual(warnings, ["The registry could not be stored"]);
    rmSync(folder);
    await refreshed();
    const name = files()[0]!;
    rmSync(path.join(folder, name));
    mkdirSync(path.join(folder, name, "inside"), { recursive: true });
    equal(await refreshed(), "a from network of 1000");
    deepEqual([warnings.length, files()], [2, [name]]);
  });

  test("leaves no temporary files after concurrent writes", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => refreshed()));
    deepEqual([new Set(all).size, files().length, warnings], [1, 1, []]);
    equal(shown(await cache().current()), "a from disk of 1000");
  });
});
