/** Uses the user's cargo, a local registry and a temporary cargo home. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import {
  CargoHome,
  cargoOr,
  CrateRegistry,
  downloads,
  hostileCrates,
  SAMPLE_CRATES,
} from "../../testing/extensions/crate-registry";
import { temporaryFolder } from "../../testing/drive";
import { ExtensionRig } from "../../testing/extensions/extension-rig";
import { ToolFailure, type ToolCall } from "../tool";
import { CrateSources, type CrateQuestion, type CrateSource } from "./crate-sources";

const CALL: ToolCall = { signal: new AbortController().signal, progress: () => undefined };

/** Creates a folder with files and returns its path. */
function filled(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  return folder;
}
function contentOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map(name => {
      const file = path.join(folder, name);
      return statSync(file).isFile() ? `${name}: ${statSync(file).mtimeMs} ${readFileSync(file, "utf8")}` : name;
    });
}

const PACKAGE = (name: string, dependencies: string): string =>
  `[package]\nname = "${name}"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n${dependencies}\n`;
const LOCKED = (name: string, version: string): string =>
  `[[package]]\nname = "${name}"\nversion = "${version}"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n\n`;
const LOCK = (own: string, ...packages: readonly string[]): string => `version = 3\n\n${own}\n\n${packages.join("")}`;
const OWN = (name: string, ...dependencies: readonly string[]): string =>
  `[[package]]\nname = "${name}"\nversion = "0.1.0"\ndependencies = [\n${dependencies.map(each => ` "${each}",\n`).join("")}]\n`;

class Bench implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly rig: ExtensionRig;
  readonly sources: CrateSources;
  /** Arguments of all cargo runs. */
  readonly ran: (readonly string[])[] = [];

  private constructor(
    readonly registry: CrateRegistry,
    readonly home: CargoHome,
  ) {
    this.rig = new ExtensionRig({ environment: async () => ({ ...process.env, ...home.environment }) });
    const { fixture } = this.rig;
    this.sources = new CrateSources({
      ...fixture,
      run: (spec, options) => {
        this.ran.push(spec.args);
        return fixture.run(spec, options);
      },
    });
  }

  static async open(...overrides: Parameters<typeof CrateRegistry.start>): Promise<Bench> {
    const registry = await CrateRegistry.start(...overrides);
    return new Bench(registry, new CargoHome(registry));
  }

  folder(name: string, files: Readonly<Record<string, string>> = {}): string {
    const folder = path.join(realpathSync(this.#folder.path), name);
    mkdirSync(folder, { recursive: true });
    return filled(folder, files);
  }
  find(question: CrateQuestion | string, folder = this.folder("empty"), call = CALL): Promise<CrateSource> {
    return this.sources.find(typeof question === "string" ? { name: question } : question, folder, call);
  }
  failure(question: CrateQuestion | string, folder?: string): Promise<string> {
    return this.find(question, folder).then(
      () => "found",
      (error: unknown) => {
        ok(error instanceof ToolFailure, String(error));
        return error.message;
      },
    );
  }
  get cratesRead(): readonly string[] {
    return downloads(this.registry);
  }
  get isOfflineOnly(): boolean {
    return this.ran
      .filter(([first]) => first === "metadata")
      .filter(args => args.includes("--manifest-path"))
      .every(args => args.includes("--offline"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.registry[Symbol.asyncDispose]();
    this.home[Symbol.dispose]();
    this.rig[Symbol.dispose]();
    this.#folder[Symbol.dispose]();
  }
}

suite("crate sources with cargo", function () {
  suiteSetup(function () {
    cargoOr(this);
  });

  test("returns the newest stable version without a workspace, excluding prereleases and yanked ones", async () => {
    await using bench = await Bench.open();
    const { name, version, folder, origin, message } = await bench.find("pebble");
    deepEqual([name, version, origin], ["pebble", "1.1.0", "published"]);
    ok(folder.startsWith(path.join(bench.home.folder, "registry", "src")));
    match(readFileSync(path.join(folder, "src", "lib.rs"), "utf8"), /VERSION: &str = "1\.1\.0"/);
    equal(message, `pebble 1.1.0 is the newest stable version. Its source is in ${folder}.`);
    deepEqual(bench.cratesRead, ["pebble/1.1.0.crate"]);
  });

  test("uses the exact or the newest matching cached version offline, with a note", async () => {
    await using bench = await Bench.open();
    await bench.find({ name: "pebble", version: "^1" });
    bench.ran.length = 0;
    const { length } = bench.registry.requests;
    equal((await bench.find({ name: "pebble", version: "1.1.0" })).version, "1.1.0");
    deepEqual([bench.registry.requests.length, bench.isOfflineOnly], [length, true]);
    await bench.registry[Symbol.asyncDispose]();
    const { version, message } = await bench.find("pebble");
    equal(version, "1.1.0");
    match(
      message,
      /is the newest stable version\. Its source is in \S+ cargo could not look for newer versions \(.*\)\. This is the newest version on this computer\.$/,
    );
    match(
      await bench.failure({ name: "pebble", version: "1.0.0" }),
      /^cargo could not download pebble =1\.0\.0: .*This computer has no copy of it/,
    );
    match(await bench.failure("slate"), /^cargo could not download slate: /);
  });

  test("accepts a version, a range or a prerelease, and lists the available versions if none matches", async () => {
    await using bench = await Bench.open();
    const versionOf = async (version: string) => (await bench.find({ name: "pebble", version })).version;
    deepEqual(
      [await versionOf("0.1.0"), await versionOf("<1.1"), await versionOf("2.0.0-beta.1")],
      ["0.1.0", "1.0.0", "2.0.0-beta.1"],
    );
    equal(
      await bench.failure({ name: "pebble", version: "^9" }),
      "pebble has no version for “^9”. Available: 2.0.0-beta.1, 1.1.0, 1.0.0 and others.",
    );
    match(
      await bench.failure("raw-ore"),
      /^raw-ore has no stable version\. Available: 0\.1\.0-alpha\.2, 0\.1\.0-alpha\.1\./,
    );
    match(await bench.failure({ name: "pebble", version: "1.2.0" }), /withdrawn \(yanked\)/);
    equal((await bench.find({ name: "raw_ore", version: "0.1.0-alpha.1" })).name, "raw-ore");
    match(await bench.failure("quartz"), /^The registry has no crate “quartz”\./);
    match(await bench.failure({ name: "pebble", version: "one" }), /“one” is not a valid version range/);
  });

  test("rejects an invalid crate name or version without starting cargo", async () => {
    await using bench = await Bench.open();
    match(await bench.failure("../pebble"), /is not the name of a crate/);
    match(await bench.failure({ name: "pebble", version: '1"}\n[patch]' }), /neither a version nor a range/);
    match(await bench.failure("std"), /rustup component add rust-src/);
    deepEqual(bench.ran, []);
  });

  test("returns the workspace's locked version, also a yanked one, without changing the workspace", async () => {
    await using bench = await Bench.open();
    bench.registry.publish({ name: "pebble", version: "1.0.0", yanked: true });
    const folder = bench.folder("app", {
      "Cargo.toml": PACKAGE("app", 'pebble = "1"\nstone = { package = "slate", version = "0.3" }'),
      "src/lib.rs": "",
      "Cargo.lock": LOCK(
        OWN("app", "pebble", "slate"),
        LOCKED("pebble", "1.0.0"),
        LOCKED("slate", "0.3.1").replace(/\n\n$/, '\ndependencies = [\n "pebble",\n]\n\n'),
      ),
    });
    const before = contentOf(folder);
    deepEqual(
      [
        (await bench.find("pebble", folder)).message.split(". ")[0],
        (await bench.find("slate", path.join(folder, "src"))).version,
      ],
      ["pebble 1.0.0 is the version in this workspace's Cargo.lock", "0.3.1"],
    );
    deepEqual(contentOf(folder), before);
    deepEqual(bench.cratesRead, ["pebble/1.0.0.crate", "slate/0.3.1.crate"]); // not the newest pebble for slate
  });

  test("returns the version that the session's package needs or its manifest requires", async () => {
    await using bench = await Bench.open();
    const folder = bench.folder("both", {
      "Cargo.toml": '[workspace]\nmembers = ["a", "b"]\nresolver = "2"\n',
      "a/Cargo.toml": PACKAGE("a", 'pebble = "<1.1"\nb = { path = "../b" }'),
      "a/src/lib.rs": "",
      "b/Cargo.toml": PACKAGE("b", 'pebble = "0.1"'),
      "b/src/lib.rs": "",
    });
    match(
      (await bench.find("pebble", path.join(folder, "a"))).message,
      /^pebble 1\.0\.0 is the newest version for the requirement “<1\.1” in this workspace's Cargo\.toml/,
    );
    equal(existsSync(path.join(folder, "Cargo.lock")), false);
    filled(folder, {
      "Cargo.lock": LOCK(
        OWN("a", "b", "pebble 1.0.0") + "\n" + OWN("b", "pebble 0.1.0"),
        LOCKED("pebble", "0.1.0"),
        LOCKED("pebble", "1.0.0"),
      ),
    });
    const inB = await bench.find("pebble", path.join(folder, "b", "src"));
    match(
      inB.message,
      /^pebble 0\.1\.0 is the version in this workspace's Cargo\.lock; Cargo\.lock has 0\.1\.0 and 1\.0\.0, and this is what b depends on\./,
    );
    deepEqual(
      (({ folder: at, origin, version }) => ({ at, origin, version }))(await bench.find("b", path.join(folder, "a"))),
      { at: path.join(folder, "b"), origin: "folder", version: "0.1.0" },
    );
  });

  test("returns path dependencies and git packages at their location", async () => {
    await using bench = await Bench.open();
    const moss = bench.folder("moss", { "Cargo.toml": PACKAGE("moss", ""), "src/lib.rs": "// moss" }),
      outer = bench.folder("outer", { "Cargo.toml": PACKAGE("outer", ""), "src/lib.rs": "" });
    const commit = await committed(bench, moss);
    const folder = bench.folder("app", {
      "Cargo.toml": PACKAGE("app", `outer = { path = "../outer" }\nmoss = { git = "file://${moss}" }`),
      "src/lib.rs": "",
      "Cargo.lock": LOCK(
        OWN("app", "moss", "outer"),
        `[[package]]\nname = "moss"\nversion = "0.1.0"\nsource = "git+file://${moss}#${commit}"\n\n`,
        '[[package]]\nname = "outer"\nversion = "0.1.0"\n\n',
      ),
    });
    const [path_, git] = [await bench.find("outer", folder), await bench.find("moss", folder)];
    deepEqual(
      [path_.folder, path_.origin, path_.message.split(". ")[0]],
      [outer, "folder", "outer 0.1.0 is a path dependency of this workspace"],
    );
    ok(git.folder.startsWith(path.join(bench.home.folder, "git", "checkouts")), git.folder);
    equal(readFileSync(path.join(git.folder, "src", "lib.rs"), "utf8"), "// moss");
    match(git.message, /^moss 0\.1\.0 is the version in this workspace's Cargo\.lock, from git\./);
  });

  test("uses the workspace's cargo configuration for vendored sources", async () => {
    await using bench = await Bench.open();
    const folder = bench.folder("vendoring", {
      ".cargo/config.toml": '[source.crates-io]\nreplace-with = "vendored"\n[source.vendored]\ndirectory = "vendor"\n',
      "Cargo.toml": PACKAGE("app", 'pebble = "0.1"'),
      "src/lib.rs": "",
      "vendor/pebble/Cargo.toml": PACKAGE("pebble", ""),
      "vendor/pebble/src/lib.rs": "",
      "vendor/pebble/.cargo-checksum.json": '{"files":{},"package":null}',
    });
    deepEqual(
      [(await bench.find("pebble", folder)).folder, bench.registry.requests],
      [path.join(folder, "vendor", "pebble"), []],
    );
  });

  test("reports an unreadable workspace and returns the newest version", async () => {
    await using bench = await Bench.open();
    const { version, message } = await bench.find("pebble", bench.folder("broken", { "Cargo.toml": "what?" }));
    equal(version, "1.1.0");
    match(message, /cargo cannot read the workspace at .*broken, so its versions are unknown: /);
  });

  test("writes nothing outside their folder for hostile packages", async () => {
    const outside = temporaryFolder();
    writeFileSync(path.join(outside.path, "secret.txt"), "hush");
    await using bench = await Bench.open([...SAMPLE_CRATES, ...hostileCrates(outside.path)]);
    const pebble = (await bench.find("pebble")).folder;
    match(await bench.failure("asp"), /^cargo refuses to unpack asp: .*Its package is broken or malicious\.$/);
    match(await bench.failure("cuckoo"), /^cargo refuses to unpack cuckoo: /);
    const viper = await bench.find("viper");
    deepEqual(readdirSync(viper.folder, { recursive: true, encoding: "utf8" }).sort(), [
      ".cargo-ok",
      "Cargo.toml",
      "src",
      path.join("src", "lib.rs"),
    ]);
    for (let at = viper.folder; at !== path.dirname(at); at = path.dirname(at))
      equal(existsSync(path.join(at, "escaped.txt")), false, at);
    deepEqual(
      [readdirSync(outside.path), readFileSync(path.join(pebble, "src", "lib.rs"), "utf8").includes("cuckoo")],
      [["secret.txt"], false],
    );
    outside[Symbol.dispose]();
  });

  test("rejects a source outside cargo's home through a link", async () => {
    await using bench = await Bench.open();
    const elsewhere = bench.folder("elsewhere");
    mkdirSync(path.join(bench.home.folder, "registry"));
    symlinkSync(elsewhere, path.join(bench.home.folder, "registry", "src"));
    equal((await bench.find("pebble")).version, "1.1.0"); // a link of the user to all of cargo's sources
    const { folder } = await bench.find("pebble"),
      moved = bench.folder("moved");
    rmSync(folder, { recursive: true });
    filled(moved, {
      "Cargo.toml": PACKAGE("pebble", "").replace("0.1.0", "1.1.0"),
      "src/lib.rs": "",
      ".cargo-ok": '{"v":1}',
    });
    symlinkSync(moved, folder);
    match(await bench.failure("pebble"), /neither in cargo's home nor in this workspace, so Ferris does not offer it/);
  });

  test("returns separate versions to two concurrent projects", async () => {
    await using bench = await Bench.open();
    const project = (name: string, version: string): string =>
      bench.folder(name, {
        "Cargo.toml": PACKAGE(name, 'pebble = "*"'),
        "src/lib.rs": "",
        "Cargo.lock": LOCK(OWN(name, "pebble"), LOCKED("pebble", version)),
      });
    const found = await Promise.all([
      bench.find("pebble", project("one", "0.1.0")),
      bench.find("pebble", project("two", "1.0.0")),
      bench.find({ name: "pebble", version: "latest" }, project("three", "1.0.0")),
    ]);
    deepEqual(
      found.map(({ version }) => version),
      ["0.1.0", "1.0.0", "1.1.0"],
    );
  });
});

/** Commits the folder to a new git repository and returns the commit id. */
async function committed({ rig: { fixture } }: Bench, folder: string): Promise<string> {
  const git = async (...args: readonly string[]) =>
    (
      await fixture.run(
        {
          name: "git",
          command: (await fixture.find("git")) ?? "git",
          args: ["-c", "user.email=a@b.test", "-c", "user.name=Ada", ...args],
          env: {},
          cwd: folder,
        },
        { signal: CALL.signal },
      )
    ).stdout.trim();
  await git("init", "-q");
  await git("add", "-A");
  await git("commit", "-q", "-m", "all");
  return git("rev-parse", "HEAD");
}
