/** Installations that are interrupted at each step. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { AgentConfig } from "../../../../src/protocol/agents/agents";
import { FakeClock } from "../../../../src/protocol/testing/fake-clock";
import { agent, InstallFixture, systemTable, type InstallOptions } from "../../../testing/install/install-fixture";
import { hurriedClock } from "../../../testing/accelerated-clock";
import { realFiles, type Files } from "./files";
import { InstallError } from "./install-error";
import type { Installer } from "../installer";
import type { RunTool } from "../packages/package-tool";
import { Store } from "./store";
import { archiveAgent, entries, isOldOrNew, memoryLock } from "../../../testing/install/archive-agent";

const never = new AbortController().signal;

/** Calls `each` before each file system operation, including writes. */
function watched(each: () => void): Files {
  const step =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      each();
      return work(...args);
    };
  const open: Files["open"] = async (...args) => {
    each();
    const handle = await realFiles.open(...args),
      write = handle.write.bind(handle) as (...args: unknown[]) => Promise<never>;
    handle.write = ((...args: unknown[]) => {
      try {
        each();
      } catch (error) {
        return Promise.reject(error);
      }
      return write(...args);
    }) as typeof handle.write;
    return handle;
  };
  const stepped = Object.fromEntries(
    Object.entries({ ...realFiles, open: undefined })
      .filter(([, value]) => typeof value === "function")
      .map(([name, value]) => [name, step(value as (...args: unknown[]) => Promise<unknown>)]),
  );
  return { ...realFiles, ...stepped, open } as Files;
}

/** Simulates uv in this process. */
const uv: RunTool = async ({ args, env }, { signal }) => {
  const version = args.at(-1)?.split("==")[1] ?? "",
    folder = path.dirname(env.UV_TOOL_BIN_DIR ?? "");
  mkdirSync(path.join(env.UV_TOOL_DIR ?? "", "p", "lib", `p-${version}.dist-info`), { recursive: true });
  for (const { name, content } of entries(version)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  signal.throwIfAborted();
  return { exit: { code: 0, signal: null }, stdout: "", stderr: "" };
};

/** `npm run check` tests a sample of the steps, `npm test` tests all. */
const STRIDE = Math.max(1, Math.round(10_000 / Number(process.env["SYMPOSIUM_RUNS"] ?? 10_000)));

const WAYS: readonly {
  readonly way: string;
  readonly configOf: (fixture: InstallFixture, version: string) => AgentConfig;
}[] = [
  { way: "from an archive", configOf: archiveAgent },
  {
    way: "in place",
    configOf: (_, version) => agent({ uvx: { package: `p==${version}`, cmd: "agent" } }, { version }),
  },
];

for (const { way, configOf } of WAYS)
  suite(`interrupted installation (${way}) at each step`, () => {
    const installer = (fixture: InstallFixture, options: InstallOptions): Installer =>
      fixture.installer({ clock: hurriedClock(1000), ...options, change: { run: uv, ...options.change } });
    /**
     * Interrupts the installation of `2.0.0` at each step, each time in a new store with `1.0.0`. `interrupted` returns
     * whether the installation had this step.
     */
    async function atEach(interrupted: (fixture: InstallFixture, at: number) => Promise<boolean>): Promise<void> {
      for (let at = 0; ; at += STRIDE) {
        await using fixture = await InstallFixture.open(["uv"]);
        {
          await using first = installer(fixture, { tryLock: memoryLock() });
          await first.install(configOf(fixture, "1.0.0"), never);
        }
        if (!(await interrupted(fixture, at))) {
          ok(at > 20, `${at} steps`);
          return;
        }
      }
    }
    const versions = (fixture: InstallFixture): readonly string[] =>
      readdirSync(path.join(fixture.root, "some-agent")).filter(name => name !== ".uses");

    test("leaves the old or the new version after a cancellation", () =>
      atEach(async (fixture, at) => {
        const ending = new AbortController(),
          tryLock = memoryLock();
        let step = 0;
        const outcome = await installer(fixture, {
          tryLock,
          files: watched(() => {
            if (step++ === at) ending.abort(new Error("enough"));
          }),
        })
          .install(configOf(fixture, "2.0.0"), ending.signal)
          .then(
            ({ release }) => release,
            (error: unknown) => {
              match(String(error), /enough/);
              return "1.0.0";
            },
          );
        equal(await isOldOrNew(fixture, ["1.0.0", "2.0.0"]), outcome);
        await fixture.store({ tryLock }).cleanUp("some-agent");
        deepEqual(versions(fixture), [outcome]);
        return step > at;
      }));

    test("leaves the old or the new version with a sentence when the disk is full", () =>
      atEach(async (fixture, at) => {
        let step = 0;
        const full = (): void => {
          if (step++ === at)
            throw Object.assign(new Error("ENOSPC: no space left on device, write"), {
              code: "ENOSPC",
              syscall: "write",
            });
        };
        const outcome = await installer(fixture, { tryLock: memoryLock(), files: watched(full) })
          .install(configOf(fixture, "2.0.0"), never)
          .then(
            ({ release }) => release,
            (error: unknown) => {
              ok(error instanceof InstallError && error.code === "diskFull", String(error));
              return "1.0.0";
            },
          );
        equal(await isOldOrNew(fixture, ["1.0.0", "2.0.0"]), outcome);
        return step > at;
      }));

    test("leaves the old or the new version when the process is killed, and the next process cleans up", () =>
      atEach(async (fixture, at) => {
        let step = 0;
        const files = watched(() => {
          if (step++ >= at) throw new Error("dead");
        });
        const store = new Store(fixture.root, {
          clock: new FakeClock(),
          files,
          table: systemTable,
          self: { pid: 2 ** 30, started: "once" },
          tryLock: memoryLock(),
        });
        await installer(fixture, { files, change: { store } })
          .install(configOf(fixture, "2.0.0"), never)
          .catch(() => undefined);
        await isOldOrNew(fixture, ["1.0.0", "2.0.0"]);
        await using next = installer(fixture, { tryLock: memoryLock() });
        await next.install(configOf(fixture, "2.0.0"), never);
        equal(await isOldOrNew(fixture, ["2.0.0"]), "2.0.0");
        equal(versions(fixture).length, 1);
        return step > at;
      }));
  });
