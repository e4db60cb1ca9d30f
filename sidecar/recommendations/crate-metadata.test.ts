import { deepEqual, equal, match } from "node:assert/strict";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import type { ExtensionDeps } from "../extensions/extension";
import { temporaryFolder } from "../testing/drive";
import { CrateMetadataReader, type CrateMetadataDeps, type LockedProject } from "./crate-metadata";

type RunArguments = Parameters<ExtensionDeps["run"]>;
type ProcessSpec = RunArguments[0];

const projectWith = (digest: string, folder = "/w", current = digest): LockedProject => ({
  folder,
  digest,
  currentDigest: async () => current,
  uses: name => name !== "unused",
});
const PROJECT = projectWith("1");
const packageWith = (name: string, recommended: readonly string[]): object => ({
  name,
  metadata: { symposium: { recommended }, other: 1 },
});
const METADATA = {
  packages: [
    packageWith("tokio", ["symposium-tokio"]),
    packageWith("tokio", ["of-another-version"]),
    packageWith("unused", ["x"]),
    { name: "serde", metadata: null },
    { name: "docs", metadata: { docs: {} } },
  ],
};
const READ = [{ name: "tokio", metadata: { symposium: { recommended: ["symposium-tokio"] } } }];

suite("metadata of crates", () => {
  let cache: ReturnType<typeof temporaryFolder>, clock: FakeClock, now: number, runs: ProcessSpec[], logged: string[];
  setup(() => {
    cache = temporaryFolder();
    clock = new FakeClock();
    now = 1_000_000;
    runs = [];
    logged = [];
  });
  teardown(() => {
    cache[Symbol.dispose]();
    equal(clock.waiting, 0);
  });

  type Run = (...args: RunArguments) => Promise<{ readonly code: number; readonly stderr?: string }>;
  /** A scripted cargo. `run` answers `cargo metadata`. */
  const reader = (run: Run = succeeding(METADATA), change: Partial<CrateMetadataDeps> = {}): CrateMetadataReader =>
    new CrateMetadataReader({
      cache: cache.path,
      isRestricted: false,
      clock,
      date: () => now,
      home: "/home/me",
      environment: async () => ({}),
      find: async () => "/bin/cargo",
      run: async (spec, options) => {
        runs.push(spec);
        const isVersion = spec.args[0] === "-vV";
        const { code, stderr = "" } = isVersion ? { code: 0 } : await run(spec, options);
        if (isVersion) options.stdout?.(Buffer.from("host: x86_64-unknown-linux-gnu\n"));
        return { exit: { code, signal: null }, stdout: "", stderr };
      },
      log: (_, message, { error }) => logged.push(`${message}: ${String(error)}`),
      ...change,
    });
  const succeeding =
    (metadata: unknown): Run =>
    async (_, { stdout }) => {
      stdout?.(Buffer.from(JSON.stringify(metadata)));
      return { code: 0 };
    };
  const queries = () => runs.filter(({ args }) => args[0] === "metadata");

  test("is read with one offline run that writes nothing", async () => {
    deepEqual(await reader().read(PROJECT, false), READ);
    deepEqual(
      queries().map(({ args, cwd, env }) => [args.slice(5), cwd, env]),
      [
        [
          ["--offline", "--locked", "--filter-platform", "x86_64-unknown-linux-gnu"],
          "/w",
          { RUSTUP_AUTO_INSTALL: "0" },
        ],
      ],
    );
  });

  test("is stored for the content of Cargo.lock", async () => {
    await reader().read(PROJECT, false);
    deepEqual(await reader().read(PROJECT, false), READ);
    equal(queries().length, 1);
    await reader().read(projectWith("2"), false);
    await reader().read(projectWith("1", "/v"), false);
    equal(queries().length, 3);
    await reader().read(projectWith("2"), true);
    equal(queries().length, 4);
  });

  test("is in memory if it is too large for the cache", async () => {
    const from = reader(succeeding({ packages: [packageWith("tokio", ["x".repeat(600 * 1024)])] }));
    equal((await from.read(PROJECT, false))?.length, 1);
    equal((await from.read(PROJECT, false))?.length, 1);
    equal(queries().length, 1);
  });

  test("is read for each content of Cargo.lock, also if it changes during a run", async () => {
    const from = reader();
    deepEqual(await Promise.all([from.read(projectWith("1", "/w", "2"), false), from.read(projectWith("2"), false)]), [
      undefined,
      READ,
    ]);
    equal(queries().length, 2);
    deepEqual(logged, ["The recommendations of crates are unknown: Cargo.lock was changed during the run."]);
    deepEqual(await reader().read(projectWith("2"), false), READ);
    equal(queries().length, 2);
    await reader().read(PROJECT, false);
    equal(queries().length, 3);
  });

  test("starts no program in an untrusted workspace", async () => {
    equal(await reader(undefined, { isRestricted: true }).read(PROJECT, true), undefined);
    deepEqual(runs, []);
  });

  test("is shared by simultaneous requests", async () => {
    const from = reader();
    deepEqual(await Promise.all([from.read(PROJECT, true), from.read(PROJECT, true)]), [READ, READ]);
    equal(queries().length, 1);
  });

  test("is unknown if cargo fails, which is not repeated within a minute", async () => {
    const from = reader(async () => ({ code: 101, stderr: "error: no source" }));
    equal(await from.read(PROJECT, false), undefined);
    equal(await from.read(PROJECT, false), undefined);
    equal(queries().length, 1);
    now += 60_000;
    await from.read(PROJECT, false);
    equal(queries().length, 2);
    deepEqual(logged.slice(0, 1), ["The recommendations of crates are unknown: error: no source"]);
  });

  test("is unknown if cargo is missing, prints no JSON or too much", async () => {
    equal(await reader(undefined, { find: async () => undefined }).read(PROJECT, false), undefined);
    match(String(logged.at(-1)), /cargo is not installed/);
    equal(await reader(succeeding("text")).read(PROJECT, false), undefined);
    const block = Buffer.alloc(33 * 1024 * 1024);
    const flood: Run = async (_, { stdout }) => {
      stdout?.(block);
      stdout?.(block);
      return { code: 0 };
    };
    equal(await reader(flood).read(PROJECT, false), undefined);
    match(String(logged.at(-1)), /too large/);
  });

  test("is unknown if cargo exceeds the time limit", async () => {
    const hanging: Run = (_, { signal }) => {
      clock.advance(30_000);
      return Promise.reject(signal.reason instanceof Error ? signal.reason : new Error("not ended"));
    };
    equal(await reader(hanging).read(PROJECT, false), undefined);
    match(String(logged.at(-1)), /The time limit is over/);
  });
});
