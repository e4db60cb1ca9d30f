import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import type { Clock } from "../../../rpc/clock";
import { temporaryFolder } from "../../../testing/drive";
import { FakeClock } from "../../../../src/protocol/testing/fake-clock";
import { FileServer, type Plan } from "../../../testing/install/file-server";
import { download, type DownloadOptions } from "./download";
import { realFiles } from "../store/files";
import { InstallError, type InstallErrorCode } from "../store/install-error";

/** Pauses between attempts end immediately and are recorded. Longer timeouts use a fake clock. */
class InstantPauses implements Clock {
  readonly paused: number[] = [];
  readonly still = new FakeClock();
  now(): number {
    return this.still.now();
  }
  after(ms: number, expired: () => void): Disposable {
    if (ms >= 60_000) return this.still.after(ms, expired);
    this.paused.push(ms);
    const soon = setImmediate(expired);
    return { [Symbol.dispose]: () => clearImmediate(soon) };
  }
}

const content = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7919 + (i >> 8)) % 251));
const sha256 = createHash("sha256").update(content).digest("hex");

class Fixture implements AsyncDisposable {
  readonly clock = new InstantPauses();
  readonly progress: (readonly [done: number, total: number | undefined])[] = [];
  readonly #folder = temporaryFolder();
  private constructor(readonly server: FileServer) {}
  static async open(): Promise<Fixture> {
    return new Fixture(await FileServer.start());
  }

  get remaining(): readonly string[] {
    return readdirSync(this.#folder.path);
  }
  get got(): Buffer {
    return readFileSync(path.join(this.#folder.path, "file"));
  }

  fetch(
    url: string,
    options: Partial<DownloadOptions> = {},
  ): Promise<{ readonly bytes: number; readonly sha256: string }> {
    return download(url, path.join(this.#folder.path, "file"), {
      signal: new AbortController().signal,
      clock: this.clock,
      files: realFiles,
      httpArchives: true,
      progress: (...step) => {
        this.progress.push(step);
      },
      ...options,
    });
  }
  serve(...plans: readonly Plan[]): string {
    return this.server.serve("/file", ...plans.map(plan => ({ content, ...plan })));
  }

  /** Asserts the rejection, and that no file and no timer remain. */
  async refused(
    url: string,
    code: InstallErrorCode,
    message: RegExp,
    options: Partial<DownloadOptions> = {},
  ): Promise<void> {
    await rejects(this.fetch(url, options), error => {
      ok(error instanceof InstallError, String(error));
      equal(error.code, code, error.message);
      match(error.message, message);
      return true;
    });
    deepEqual(this.remaining, []);
    equal(this.clock.still.waiting, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}

suite("download", () => {
  for (const length of [true, false, "close"] as const) {
    test(`completes with progress (content-length: ${String(length)})`, async () => {
      await using fixture = await Fixture.open();
      deepEqual(await fixture.fetch(fixture.serve({ length }), { sha256: sha256.toUpperCase() }), {
        bytes: content.length,
        sha256,
      });
      ok(fixture.got.equals(content));
      deepEqual([fixture.remaining, fixture.clock.still.waiting], [["file"], 0]);
      deepEqual(fixture.progress.at(-1), [content.length, length === true ? content.length : undefined]);
    });
  }

  test("is deleted without a retry if the hash differs", async () => {
    await using fixture = await Fixture.open();
    await fixture.refused(fixture.serve({}), "hash", /SHA-256 is [0-9a-f]{64} instead of 0{64}\./, {
      sha256: "0".repeat(64),
    });
    equal(fixture.server.requests.length, 1);
  });

  test("resumes the same file after an interruption", async () => {
    await using fixture = await Fixture.open();
    const url = fixture.serve({ etag: '"1"', stop: 100_000 }, { etag: '"1"', stop: 50_000 }, { etag: '"1"' });
    // Data sent just before a connection is cut may be lost. Here the data arrives before the timeout.
    await fixture.fetch(url, {
      sha256,
      progress: done => {
        if (done === 100_000 || (done === 150_000 && fixture.server.requests.length === 2))
          setImmediate(() => fixture.clock.still.advance(60_000));
      },
    });
    const [, second, third] = fixture.server.requests;
    ok(fixture.got.equals(content));
    deepEqual(
      [second, third],
      [100_000, 150_000].map(from => ({ path: "/file", range: `bytes=${from}-`, ifRange: '"1"' })),
    );
    deepEqual(fixture.clock.paused, [1000, 4000]);
  });

  test("restarts after an interruption if the server supports no ranges or sends no strong ETag", async () => {
    for (const plan of [
      { etag: '"1"', ranges: false },
      {},
      { etag: 'W/"1"' },
      { etag: '"1"', headers: { "accept-ranges": "none" } },
    ] satisfies Plan[]) {
      await using fixture = await Fixture.open();
      await fixture.fetch(fixture.serve({ ...plan, stop: 1000 }, plan), {
        sha256,
        progress: done => {
          if (done === 1000) setImmediate(() => fixture.clock.still.advance(60_000));
        },
      });
      ok(fixture.got.equals(content));
      if (plan.ranges !== false) equal(fixture.server.requests[1]?.range, undefined, JSON.stringify(plan));
    }
  });

  test("restarts if the file changed in the meantime, even to a shorter one", async () => {
    await using fixture = await Fixture.open();
    await fixture.fetch(fixture.serve({ etag: '"1"', cut: 100_000 }, { etag: '"2"', content: "the new one" }));
    equal(fixture.got.toString(), "the new one");
    equal(fixture.server.requests[1]?.ifRange, '"1"');
  });

  test("restarts if a server sends a range of a changed file", async () => {
    await using fixture = await Fixture.open();
    const lying = { "content-range": `bytes 100000-${content.length - 1}/${content.length}`, etag: '"2"' };
    await fixture.fetch(
      fixture.serve(
        { etag: '"1"', cut: 100_000 },
        { status: 206, headers: lying, content: "x".repeat(200_000) },
        { etag: '"2"' },
      ),
      { sha256 },
    );
    ok(fixture.got.equals(content));
  });

  test("restarts if a server sends another range than requested", async () => {
    await using fixture = await Fixture.open();
    await fixture.fetch(
      fixture.serve(
        { etag: '"1"', cut: 100_000 },
        { status: 206, etag: '"1"', headers: { "content-range": "bytes 0-9/300000" }, content: "x".repeat(10) },
        { etag: '"1"' },
      ),
      { sha256 },
    );
    ok(fixture.got.equals(content));
  });

  test("fails after four interruptions", async () => {
    await using fixture = await Fixture.open();
    await fixture.refused(fixture.serve({ cut: 1000 }), "truncated", /was interrupted repeatedly/);
    deepEqual([fixture.server.requests.length, fixture.clock.paused], [4, [1000, 4000, 10_000]]);
  });

  test("produces the file for random interruptions and resumptions", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            cut: fc.nat({ max: content.length }),
            ranges: fc.boolean(),
            etag: fc.constantFrom('"1"', '"2"', 'W/"3"'),
          }),
          { maxLength: 3 },
        ),
        async plans => {
          await using fixture = await Fixture.open();
          await fixture.fetch(fixture.serve(...plans, { etag: '"1"' }), { sha256 });
          ok(fixture.got.equals(content));
        },
      ),
      { numRuns: 40 },
    ));

  test("completes while it is slow but never silent for 60 seconds", async () => {
    await using fixture = await Fixture.open();
    await fixture.fetch(fixture.serve({}), { sha256, progress: () => fixture.clock.still.advance(40_000) });
    ok(fixture.server.requests.length === 1 && fixture.clock.now() > 60_000);
  });

  test("retries and then fails if no data arrives for 60 seconds", async () => {
    await using fixture = await Fixture.open();
    const url = fixture.serve({ stop: 1000 });
    let stalls = 0;
    // `progress`: the bytes before the timeout have arrived
    await fixture.refused(url, "slow", /sent no data for 60 seconds/, {
      progress: done => {
        if (done === 1000)
          setImmediate(() => {
            stalls++;
            fixture.clock.still.advance(60_000);
          });
      },
    });
    equal(stalls, 4);
  });
});

suite("download errors", () => {
  test("does not retry a missing file", async () => {
    await using fixture = await Fixture.open();
    await fixture.refused(`${fixture.server.origin}/nothing`, "refused", /it does not exist/);
    equal(fixture.server.requests.length, 1);
  });

  test("retries a server error", async () => {
    await using fixture = await Fixture.open();
    await fixture.fetch(fixture.serve({ status: 500 }, { status: 503 }, {}), { sha256 });
    await fixture.server[Symbol.asyncDispose]();
    await using second = await Fixture.open();
    await second.refused(second.serve({ status: 500 }), "refused", /status 500/);
    equal(second.server.requests.length, 4);
  });

  test("reports an unreachable server", async () => {
    await using fixture = await Fixture.open();
    const { origin } = fixture.server;
    await fixture.server[Symbol.asyncDispose]();
    await using second = await Fixture.open();
    await second.refused(`${origin}/file`, "offline", /cannot be reached/);
  });

  test("follows at most five redirects", async () => {
    await using fixture = await Fixture.open();
    const target = fixture.serve({});
    fixture.server.serve("/a", { status: 302, headers: { location: "/b" } });
    fixture.server.serve("/b", { status: 307, headers: { location: target } });
    await fixture.fetch(`${fixture.server.origin}/a`, { sha256 });
    await using second = await Fixture.open();
    await second.refused(
      second.server.serve("/loop", { status: 301, headers: { location: "/loop" } }),
      "refused",
      /redirects more than 5 times/,
    );
  });

  test("rejects http, also for localhost, unless a test allows it", async () => {
    await using fixture = await Fixture.open();
    await fixture.refused(fixture.serve({}), "insecure", /not an https URL/, { httpArchives: false });
    equal(fixture.server.requests.length, 0);
  });

  test("rejects other schemes and credentials, also after a redirect", async () => {
    await using fixture = await Fixture.open();
    for (const url of [
      "http://example.com/a.zip",
      "ftp://example.com/a",
      "file:///etc/passwd",
      "https://user:word@example.com/a",
      "a.zip",
    ])
      await fixture.refused(url, "insecure", /not an https URL/);
    for (const location of ["http://example.com/a.zip", "file:///etc/passwd"])
      await fixture.refused(
        fixture.server.serve("/r", { status: 302, headers: { location } }),
        "insecure",
        /not an https URL/,
      );
    const requested: string[] = [];
    const redirecting = (async (url: string) => {
      requested.push(url);
      return new Response(null, { status: 302, headers: { location: fixture.serve({}) } });
    }) as typeof fetch;
    // a remote server must not redirect to this computer
    await fixture.refused("https://example.com/a.zip", "insecure", /127\.0\.0\.1/, { fetch: redirecting });
    deepEqual(requested, ["https://example.com/a.zip"]);
  });

  test("rejects files above the size limit, announced or not", async () => {
    await using fixture = await Fixture.open();
    await fixture.refused(fixture.serve({ stop: 1 }), "tooLarge", /larger than 1000 bytes/, { limit: 1000 });
    await fixture.refused(fixture.serve({ length: false }), "tooLarge", /larger than/, { limit: 200_000 });
  });

  test("ignores the content-length of compressed responses", async () => {
    await using fixture = await Fixture.open();
    const { gzipSync } = await import("node:zlib");
    await fixture.fetch(fixture.serve({ content: gzipSync("x"), headers: { "content-encoding": "gzip" } }));
    equal(fixture.got.toString(), "x");
  });
});

suite("cancelled download", () => {
  test("rejects with the reason at any point and leaves no files", async () => {
    for (const plan of [{}, { stop: 1000 }, { status: 500 }] satisfies Plan[]) {
      await using fixture = await Fixture.open();
      const ending = new AbortController(),
        why = new Error("enough");
      const url = fixture.serve(plan);
      const clock: Clock = {
        now: () => 0,
        after: ms => {
          if (ms < 60_000) setImmediate(() => ending.abort(why));
          return { [Symbol.dispose]: () => undefined };
        },
      };
      await rejects(
        fixture.fetch(url, { signal: ending.signal, clock, progress: () => ending.abort(why) }),
        error => error === why,
      );
      deepEqual(fixture.remaining, []);
    }
  });

  test("rejects before it starts", async () => {
    await using fixture = await Fixture.open();
    const why = new Error("enough");
    await rejects(fixture.fetch(fixture.serve({}), { signal: AbortSignal.abort(why) }), error => error === why);
    deepEqual([fixture.remaining, fixture.server.requests], [[], []]);
  });

  test("rejects when the disk is full", async () => {
    await using fixture = await Fixture.open();
    const full: typeof realFiles = {
      ...realFiles,
      open: async (...args: Parameters<typeof realFiles.open>) => {
        const handle = await realFiles.open(...args);
        handle.write = () =>
          Promise.reject(
            Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" }),
          );
        return handle;
      },
    };
    await fixture.refused(fixture.serve({}), "diskFull", /disk is full/, { files: full });
    equal(fixture.server.requests.length, 1);
  });
});
