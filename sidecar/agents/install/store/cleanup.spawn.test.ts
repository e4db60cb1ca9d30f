import { deepEqual, equal } from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { FakeClock } from "../../../../src/protocol/testing/fake-clock";
import { agent, InstallFixture } from "../../../testing/install/install-fixture";
import { scheduleCleanup } from "./cleanup";
import { deferred } from "../../../../src/protocol/wire/deferred";

const never = new AbortController().signal;

suite("store cleanup", () => {
  test("removes incomplete installations and old versions after a delay, never the newest or a used one", async () => {
    await using fixture = await InstallFixture.open(undefined, { packages: { p: { version: "1.0.0", bin: "p.js" } } });
    const user = fixture.installer(),
      of = (version: string) => agent({ npx: { package: `p@${version}` } });
    await user.command(of("1.0.0"), never);
    await fixture.installer().install(of("2.0.0"), never);
    const home = path.join(fixture.root, "some-agent"),
      remaining = (): readonly string[] =>
        readdirSync(home)
          .filter(name => name !== ".uses")
          .sort();
    mkdirSync(path.join(home, ".new-0123456789ab"));
    mkdirSync(path.join(home, "1.5.0"));
    mkdirSync(path.join(fixture.root, "other", ".old-0123456789ab"), { recursive: true });
    const clock = new FakeClock();
    const { promise: done, resolve: swept } = deferred<void>();
    const cleanup = scheduleCleanup([fixture.store(), { cleanUpAll: async () => swept() }], clock, error => {
      throw error;
    });
    deepEqual(remaining(), [".new-0123456789ab", "1.0.0", "1.5.0", "2.0.0"]);
    clock.advance(60_000);
    await done;
    deepEqual(remaining(), ["1.0.0", "2.0.0"]);
    equal(existsSync(path.join(fixture.root, "other", ".old-0123456789ab")), false);
    await cleanup[Symbol.asyncDispose]();
  });

  test("continues with other folders after a failure and reports it", async () => {
    await using fixture = await InstallFixture.open();
    for (const id of ["a", "b", "c"]) mkdirSync(path.join(fixture.root, id, ".new-0123456789ab"), { recursive: true });
    const notifications: unknown[] = [],
      why = new Error("locked");
    await fixture
      .store({
        tryLock: async file => {
          if (path.basename(file).startsWith("b.")) throw why;
          return async () => undefined;
        },
      })
      .cleanUpAll(never, error => notifications.push(error));
    deepEqual(
      [notifications, ["a", "b", "c"].map(id => readdirSync(path.join(fixture.root, id)).length)],
      [[why], [0, 1, 0]],
    );
  });

  test("does not start after disposal, and ends early when disposed while running", async () => {
    const clock = new FakeClock(),
      did: string[] = [];
    await scheduleCleanup(
      [
        {
          cleanUpAll: async () => {
            did.push("swept");
          },
        },
      ],
      clock,
      () => undefined,
    )[Symbol.asyncDispose]();
    clock.advance(100_000);
    deepEqual([did, clock.waiting], [[], 0]);
    let go = (): void => undefined;
    const cleanup = scheduleCleanup(
      [
        {
          cleanUpAll: signal =>
            new Promise(resolve => {
              go = () => {
                did.push(`aborted ${signal.aborted}`);
                resolve();
              };
            }),
        },
        { cleanUpAll: () => Promise.reject(new Error("x")) },
      ],
      clock,
      error => did.push(String(error)),
    );
    clock.advance(100_000);
    const ending = cleanup[Symbol.asyncDispose]();
    go();
    await ending;
    deepEqual(did, ["aborted true", "Error: x"]);
  });
});
