/** Uses the user's cargo, a local registry of crates and a temporary cargo home. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import type { RecommendationsView } from "../../src/protocol/agents/recommendations";
import type { HelloFromHost } from "../../src/protocol/sidecar";
import { NEVER_CANCELLED } from "../../src/protocol/wire/cancel-signal";
import { temporaryFolder } from "../testing/drive";
import { CargoHome, cargoOr, CrateRegistry, type PublishedCrate } from "../testing/extensions/crate-registry";
import { ExtensionRig } from "../testing/extensions/extension-rig";
import { BuiltSidecar } from "../testing/golden/built-sidecar";
import { skipped } from "../testing/skipped";
import { CrateMetadataReader } from "./crate-metadata";
import { RecommendationService } from "./recommendation-service";

const crate = (
  name: string,
  metadata: string,
  dependencies: Readonly<Record<string, string>> = {},
): PublishedCrate => ({
  name,
  version: "1.0.0",
  files: {
    "Cargo.toml": `[package]\nname = "${name}"\nversion = "1.0.0"\nedition = "2021"\n\n${metadata}\n[dependencies]\n${Object.entries(
      dependencies,
    )
      .map(([dependency, version]) => `${dependency} = "${version}"\n`)
      .join("")}`,
  },
  dependencies,
});
const CRATES = [
  crate("granite", `[package.metadata.symposium]\nrecommended = ["granite-helper"]\n`, { marble: "1" }),
  crate("marble", `[[package.metadata.symposium.extension.recommended]]\nsource.acp = "marble-rules"\n`),
  crate("plain", ""),
];
const MANIFEST = `[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\ngranite = "1"\nplain = "1"\n`;

/** A program that records its run, and then runs the compiler. */
const EVIL = `#!/bin/sh\ntouch "$(dirname "$0")/evil-ran"\nexec rustc "$@"\n`;

suite("recommendations of crates, with cargo", () => {
  let cargo: string, registry: CrateRegistry, home: CargoHome, folder: ReturnType<typeof temporaryFolder>;
  suiteSetup(function () {
    cargo = cargoOr(this);
  });
  setup(async () => {
    registry = await CrateRegistry.start(CRATES);
    home = new CargoHome(registry);
    folder = temporaryFolder();
  });
  teardown(async () => {
    await registry[Symbol.asyncDispose]();
    home[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  const environment = () => ({ ...process.env, ...home.environment });
  const at = (name: string): string => path.join(realpathSync(folder.path), name);
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  /** A project whose `Cargo.lock` exists. `sources`: they are on this computer. */
  const project = async (sources: "downloaded" | "absent"): Promise<void> => {
    write("w/Cargo.toml", MANIFEST);
    write("w/src/lib.rs", "");
    await promisify(execFile)(cargo, [sources === "downloaded" ? "fetch" : "generate-lockfile"], {
      cwd: at("w"),
      env: environment(),
    });
  };
  const content = () =>
    readdirSync(at("w"), { recursive: true, encoding: "utf8" })
      .sort()
      .map(name => [name, name.includes(".") ? readFileSync(path.join(at("w"), name), "utf8") : ""]);

  async function read(rig: ExtensionRig, isRestricted = false): Promise<RecommendationsView> {
    const { fixture } = rig,
      metadata = new CrateMetadataReader({
        ...fixture,
        cache: at("cache"),
        isRestricted,
        date: () => Date.now(),
      });
    const service = new RecommendationService({
      home: fixture.home,
      metadata,
      lists: { read: async () => ({ highPrecedence: [], lowPrecedence: [], problems: [], isKnown: () => true }) },
      registered: async () => [],
      log: fixture.log,
    });
    return service.handlers["recommendations/read"](
      { folders: [at("w")], lists: [], fetch: "no", accepted: [] },
      NEVER_CANCELLED,
    );
  }
  const inRig = async <T>(act: (rig: ExtensionRig) => Promise<T>): Promise<T> => {
    using rig = new ExtensionRig({ environment: async () => environment() });
    return act(rig);
  };
  const keys = ({ recommendations }: RecommendationsView) => recommendations.map(({ key }) => key);

  test("are read from the downloaded sources, without the network and without changes", async () => {
    await project("downloaded");
    const [before, requests] = [content(), registry.requests.length];
    const { recommendations } = await inRig(read);
    deepEqual(
      recommendations.map(({ key, reasons }) => [key, reasons]),
      [
        [
          "crate granite-helper",
          [{ by: { kind: "crate", name: "granite" }, facts: [{ kind: "crate", name: "granite" }] }],
        ],
        [
          "acp marble-rules",
          [
            {
              by: { kind: "crate", name: "marble" },
              facts: [{ kind: "crate", name: "marble", through: "granite" }],
            },
          ],
        ],
      ],
    );
    deepEqual(content(), before);
    equal(registry.requests.length, requests);
  });

  test("are unknown without the sources", async () => {
    await project("absent");
    const requests = registry.requests.length;
    deepEqual(keys(await inRig(read)), []);
    equal(registry.requests.length, requests);
  });

  /** A project whose configuration lets cargo run `evil` in place of the compiler. */
  async function hostileProject(context: Mocha.Context): Promise<void> {
    if (process.platform === "win32") skipped(context, "The hostile program is a shell script");
    await project("downloaded");
    write("w/evil", EVIL);
    chmodSync(at("w/evil"), 0o755);
    write("w/.cargo/config.toml", `[build]\nrustc = "./evil"\n`);
  }
  const hasRun = () => existsSync(at("w/evil-ran"));

  test("run no program of an untrusted workspace", async function () {
    await hostileProject(this);
    deepEqual(keys(await inRig(rig => read(rig, true))), []);
    ok(!hasRun());
    // A trusted workspace runs it, so the absence above is meaningful.
    equal(keys(await inRig(read)).length, 2);
    ok(hasRun());
  });

  test("run no program if the host reports an untrusted workspace", async function () {
    await hostileProject(this);
    write("w/.symposium/recommendations.toml", `[[recommendation]]\nsource.crate = "evil-helper"\n`);
    write(
      "home/.symposium/recommendations.toml",
      `[[recommendation]]\nsource.crate = "g"\nwhen-using-crate = "granite"\n`,
    );
    deepEqual([keys(await servedView({ restricted: true })), hasRun()], [["crate g"], false]);
    deepEqual(
      [keys(await servedView({})), hasRun()],
      [["crate g", "crate granite-helper", "acp marble-rules", "crate evil-helper"], true],
    );
  });

  /** The response of a sidecar process. The user's own list recommends for `granite`. */
  async function servedView(changes: Partial<HelloFromHost>): Promise<RecommendationsView> {
    await using sidecar = await BuiltSidecar.start(undefined, changes, home.environment);
    mkdirSync(path.join(sidecar.home, ".symposium"));
    writeFileSync(
      path.join(sidecar.home, ".symposium", "recommendations.toml"),
      `[[recommendation]]\nsource.crate = "g"\nwhen-using-crate = "granite"\n`,
    );
    return await sidecar.ask("recommendations/read", { folders: [at("w")], lists: [], fetch: "no", accepted: [] });
  }
});
