import { deepEqual, equal, rejects } from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { timeLimit } from "../../../../scripts/time-limits.mjs";
import type { Distribution } from "../../../../src/protocol/agents/agents";
import {
  CargoHome,
  cargoOr,
  CrateRegistry,
  downloads,
  type PublishedCrate,
} from "../../../testing/extensions/crate-registry";
import { temporaryFolder } from "../../../testing/drive";
import { agent, InstallFixture, shown } from "../../../testing/install/install-fixture";
import { runTool } from "../../../process/tool-run";
import { realClock } from "../../../rpc/clock";
import { openLedger } from "../../../process/process-ledger";
import { newRun } from "../../../process/run-id";
import { installCargo } from "./cargo-package";
import { crateLaunch, launchIn, type CrateLaunch } from "./crate-metadata";
import { realFiles } from "../store/files";
import type { ToolDeps } from "./package-tool";

const never = new AbortController().signal;
const MAIN = `fn main() { println!("{}", std::env::args().collect::<Vec<_>>()[1..].join(" ")); }\n`;
const manifest = (more: string): string =>
  `[package]\nname = "house"\nversion = "1.2.3"\nedition = "2021"\n[dependencies]\npebble = "1"\n${more}`;
const HOUSE: PublishedCrate = {
  name: "house",
  version: "1.2.3",
  dependencies: { pebble: "1" },
  files: {
    "Cargo.toml": manifest(
      `[package.metadata.symposium]\nbinary = "house-rules"\nargs = ["acp", "--quiet"]\nenv = { RULE = "Be brief.", KEY = "none" }\n`,
    ),
    "src/bin/house-rules.rs": MAIN,
    "src/bin/other.rs": MAIN,
  },
};
const PEBBLE: PublishedCrate = { name: "pebble", version: "1.0.0" };
const launch: CrateLaunch = {
  binary: "house-rules",
  args: ["acp", "--quiet"],
  env: { RULE: "Be brief.", KEY: "none" },
};

suite("launch metadata of a crate", () => {
  test("accepts only members of the correct type from cargo", () => {
    const launchOf = (symposium: unknown) =>
      launchIn(
        {
          packages: [
            { name: "other", metadata: { symposium: { binary: "x" } } },
            { name: "house", metadata: { symposium } },
          ],
        },
        "house",
      );
    deepEqual(launchOf({ ...launch, more: 1 }), launch);
    deepEqual(launchOf({ binary: 1, args: ["a", 2], env: { A: 1 } }), {});
    deepEqual(launchOf({ extension: launch }), launch);
    deepEqual(launchOf({ binary: "other", extension: launch, skills: [] }), launch);
    deepEqual(
      [
        launchOf(undefined),
        launchOf("x"),
        launchIn({ packages: [{ name: "house", metadata: null }] }, "house"),
        launchIn(undefined, "house"),
        launchIn({ packages: 7 }, "house"),
      ],
      [{}, {}, {}, {}, {}],
    );
  });

  test("defines the start from the installed crate, and the configuration overrides it", async function () {
    this.timeout(timeLimit(120_000));
    const cargo = cargoOr(this);
    await using registry = await CrateRegistry.start([HOUSE, PEBBLE]);
    using home = new CargoHome(registry);
    await using fixture = await InstallFixture.open([]);
    const installer = () =>
      fixture.installer({
        env: home.environment,
        change: {
          cargoHome: async () => home.folder,
          tools: async () => ({ find: name => (name === "cargo" ? cargo : undefined) }),
        },
      });
    const started = async (of: NonNullable<Distribution["cargo"]>) => {
      const command = await installer().command(agent({ cargo: of }), never);
      return [...shown(command, fixture), command.kind === "process" && command.env];
    };
    deepEqual(await started({ crate: "house" }), [
      "some-agent/1.2.3/bin/house-rules",
      "acp",
      "--quiet",
      { RULE: "Be brief.", KEY: "none" },
    ]);
    const requestCount = registry.requests.length;
    deepEqual(await started({ crate: "house", args: [], env: { KEY: "mine" } }), [
      "some-agent/1.2.3/bin/house-rules",
      { RULE: "Be brief.", KEY: "mine" },
    ]);
    equal(registry.requests.length, requestCount);
    deepEqual(await started({ crate: "house", binary: "other", args: ["x"] }), [
      "some-agent/1.2.3~2/bin/other",
      "x",
      { RULE: "Be brief.", KEY: "none" },
    ]);
  });

  test("is read from the source of a prebuilt crate, fetched with cargo, without leftovers", async function () {
    this.timeout(timeLimit(120_000));
    const command = cargoOr(this);
    await using registry = await CrateRegistry.start([HOUSE, PEBBLE]);
    using home = new CargoHome(registry);
    await using rig = new Rig(home.environment);
    deepEqual(
      await crateLaunch(
        "house",
        "1.2.3",
        { cargo: { name: "cargo", command }, home: home.folder, folder: rig.folder },
        rig.fixture,
      ),
      launch,
    );
    deepEqual([downloads(registry).includes("house/1.2.3.crate"), readdirSync(rig.folder)], [true, []]);
    deepEqual(
      await crateLaunch(
        "pebble",
        "1.0.0",
        { cargo: { name: "cargo", command }, home: home.folder, folder: rig.folder },
        rig.fixture,
      ),
      {},
    );
    deepEqual(
      await crateLaunch(
        "gone",
        "1.0.0",
        { cargo: { name: "cargo", command }, home: home.folder, folder: rig.folder },
        rig.fixture,
      ),
      {},
    );
  });

  test("ignores a binary that the crate does not contain", async () => {
    await using rig = new Rig();
    rig.source();
    const installed = async (bins: readonly string[], binary?: string) => {
      const command = rig.tool(cargoWith(bins, launch)),
        { program, args } = await installCargo(
          { folder: rig.folder, target: rig.folder },
          { crate: "house", ...(binary === undefined ? {} : { binary }) },
          { name: "cargo", command },
          rig.folder,
          rig.fixture,
        );
      return [program, args];
    };
    deepEqual(await installed(["house", "house-rules"]), ["bin/house-rules", launch.args]);
    deepEqual(await installed(["house", "other"]), ["bin/house", launch.args]);
    deepEqual(await installed(["house", "house-rules"], "house"), ["bin/house", launch.args]);
  });

  test("falls back to the default start when cargo fails, and rejects when cancelled", async () => {
    await using rig = new Rig();
    rig.source();
    const answers = async (script: string, fixture: ToolDeps = rig.fixture) =>
      crateLaunch(
        "house",
        "1.2.3",
        { cargo: { name: "cargo", command: rig.tool(script) }, home: rig.folder, folder: rig.folder },
        fixture,
      );
    deepEqual(
      await answers(
        `process.stdout.write(${JSON.stringify(JSON.stringify({ packages: [{ name: "house", metadata: { symposium: launch } }] }))})`,
      ),
      launch,
    );
    deepEqual(await answers("process.exit(101)"), {});
    deepEqual(await answers("process.stdout.write('{')"), {});
    deepEqual(
      await answers(
        "process.stdout.write(JSON.stringify({ packages: [{ name: 'house', metadata: { symposium: { binary: 'x'.repeat(5_000_000) } } }] }))",
      ),
      {},
    );
    deepEqual(
      await crateLaunch(
        "house",
        "1.2.3",
        { cargo: { name: "cargo", command: "/nowhere/cargo" }, home: rig.folder, folder: rig.folder },
        rig.fixture,
      ),
      {},
    );
    await rejects(answers("", { ...rig.fixture, signal: AbortSignal.abort(new Error("given up")) }), /given up/);
  });
});

/** Script of a cargo that installs a crate with these programs and this metadata. */
const cargoWith = (bins: readonly string[], symposium: object): string => `
  import fs from "node:fs";
  const [command] = process.argv.slice(2), root = process.argv[process.argv.indexOf("--root") + 1];
  if (command === "binstall") process.exit(101);
  if (command === "install") fs.writeFileSync(root + "/.crates2.json", JSON.stringify({ installs: { "house 1.2.3 (registry)": { bins: ${JSON.stringify(bins)} } } }));
  if (command === "metadata") process.stdout.write(JSON.stringify({ packages: [{ name: "house", metadata: { symposium: ${JSON.stringify(symposium)} } }] }));`;

class Rig implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly folder = path.join(this.#folder.path, "work");
  readonly #ledger = openLedger(this.#folder.path, newRun());
  readonly fixture: ToolDeps;
  #tools = 0;

  constructor(env: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.folder);
    this.fixture = {
      files: realFiles,
      signal: never,
      line: () => undefined,
      platform: process.platform,
      run: (spec, options) =>
        runTool({ ...spec, env: { ...spec.env, ...env } }, options, {
          clock: realClock,
          ledger: this.#ledger,
          report: { started: () => undefined, ended: () => undefined },
          log: () => undefined,
        }),
    };
  }

  /** Unpacks the crate's source: the folder also serves as cargo's home. */
  source(): void {
    const source = path.join(this.folder, "registry", "src", "here", "house-1.2.3");
    mkdirSync(source, { recursive: true });
    writeFileSync(path.join(source, "Cargo.toml"), manifest(""));
  }

  tool(script: string): string {
    const file = path.join(this.folder, `tool-${this.#tools++}.mjs`);
    writeFileSync(file, `#!${process.execPath}\n${script}\n`, { mode: 0o755 });
    return file;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ledger.close();
    this.#folder[Symbol.dispose]();
  }
}
