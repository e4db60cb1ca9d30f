/**
 * Local registry of Rust crates, and a cargo home whose configuration replaces the public registry with it. Tests use
 * only the loopback interface and do not touch the user's cargo. The registry serves a sparse index and packages (cargo
 * book, "Registry Index").
 */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import path from "node:path";
import { findProgram, isProgramFile } from "../../process/find-program";
import { tarGz, type ArchiveEntry } from "../install/archives";
import { temporaryFolder } from "../drive";
import { skipped } from "../skipped";

export interface PublishedCrate {
  readonly name: string;
  readonly version: string;
  readonly yanked?: boolean;
  /** Version requirements by crate name. */
  readonly dependencies?: Readonly<Record<string, string>>;
  /** Files in addition to `Cargo.toml` and an empty `src/lib.rs`: contents by path in the crate. */
  readonly files?: Readonly<Record<string, string>>;
  /** Additional entries of the package, with arbitrary names. */
  readonly entries?: readonly ArchiveEntry[];
}

/** Two crates with several versions, one with a dependency, and one without a stable version. */
export const SAMPLE_CRATES: readonly PublishedCrate[] = [
  ...["0.1.0", "1.0.0", "1.1.0"].map(version => ({
    name: "pebble",
    version,
    files: {
      "src/lib.rs": `/// How heavy a pebble is, in grams.\npub fn weight() -> u32 { 7 }\npub const VERSION: &str = "${version}";\n`,
    },
  })),
  { name: "pebble", version: "1.2.0", yanked: true },
  { name: "pebble", version: "2.0.0-beta.1" },
  {
    name: "slate",
    version: "0.3.1",
    dependencies: { pebble: "^1" },
    files: { "src/lib.rs": "pub fn roof() -> u32 { pebble::weight() * 100 }\n" },
  },
  { name: "raw-ore", version: "0.1.0-alpha.1" },
  { name: "raw-ore", version: "0.1.0-alpha.2" },
];

/**
 * Crates whose packages write outside their folder: by `..`, by an absolute path, into another crate, and by a link to
 * `secret.txt` in `outside`.
 */
export function hostileCrates(outside: string): readonly PublishedCrate[] {
  const hostile = (name: string, entry: ArchiveEntry): PublishedCrate => ({ name, version: "1.0.0", entries: [entry] });
  return [
    hostile("viper", { name: "viper-1.0.0/../../../../../escaped.txt", content: "I got out." }),
    hostile("asp", { name: path.join(outside, "escaped.txt"), content: "I got out." }),
    hostile("cuckoo", { name: "pebble-1.1.0/src/lib.rs", content: "cuckoo" }),
    hostile("adder", { name: "adder-1.0.0/src/secret.txt", type: "2", link: path.join(outside, "secret.txt") }),
  ];
}

export class CrateRegistry implements AsyncDisposable {
  /** Requested paths. */
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #index = new Map<string, string[]>();
  readonly #packages = new Map<string, Buffer>();

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => {
      const url = request.url ?? "";
      this.requests.push(url);
      const found =
        url === "/index/config.json"
          ? JSON.stringify({ dl: `${this.#origin}/crates/{crate}/{version}.crate` })
          : (this.#index.get(url)?.join("\n") ?? this.#packages.get(url));
      response.writeHead(found === undefined ? 404 : 200).end(found);
    });
  }

  static async start(crates: readonly PublishedCrate[] = SAMPLE_CRATES): Promise<CrateRegistry> {
    const server = createServer();
    await new Promise<void>(resolve => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const registry = new CrateRegistry(server);
    for (const crate of crates) registry.publish(crate);
    return registry;
  }

  get #origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  /** Address of the index in cargo's configuration. */
  get index(): string {
    return `sparse+${this.#origin}/index/`;
  }

  /** Publishes a crate. Publishing the same version again replaces it. */
  publish(crate: PublishedCrate): void {
    const { name, version, yanked = false, dependencies = {} } = crate,
      content = packageOf(crate),
      at = `/index/${indexPath(name)}`;
    const deps = Object.entries(dependencies).map(([dependency, req]) => ({
      name: dependency,
      req,
      features: [],
      optional: false,
      default_features: true,
      target: null,
      kind: "normal",
    }));
    const line = JSON.stringify({
      name,
      vers: version,
      deps,
      cksum: createHash("sha256").update(content).digest("hex"),
      features: {},
      yanked,
    });
    const others = (this.#index.get(at) ?? []).filter(each => (JSON.parse(each) as { vers: string }).vers !== version);
    this.#index.set(at, [...others, line]);
    this.#packages.set(`/crates/${name}/${version}.crate`, content);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>(resolve => {
      this.#server.close(() => resolve());
    });
    this.#server.closeAllConnections();
    await closed;
  }
}

/** Downloaded packages, as `NAME/VERSION.crate`. */
export function downloads({ requests }: CrateRegistry): readonly string[] {
  return requests.filter(url => url.startsWith("/crates/")).map(url => url.slice("/crates/".length));
}

function packageOf({ name, version, dependencies = {}, files = {}, entries = [] }: PublishedCrate): Buffer {
  const manifest = `[package]\nname = "${name}"\nversion = "${version}"\nedition = "2021"\n\n[dependencies]\n${Object.entries(
    dependencies,
  )
    .map(([dependency, req]) => `${dependency} = "${req}"\n`)
    .join("")}`;
  const all = { "Cargo.toml": manifest, "src/lib.rs": "", ...files };
  return tarGz([
    ...Object.entries(all).map(([file, content]) => ({ name: `${name}-${version}/${file}`, content })),
    ...entries,
  ]);
}

/** Path of a crate in the index (cargo book, "Index files"). */
function indexPath(name: string): string {
  const lower = name.toLowerCase();
  if (lower.length < 3) return `${lower.length}/${lower}`;
  return lower.length === 3 ? `3/${lower[0]}/${lower}` : `${lower.slice(0, 2)}/${lower.slice(2, 4)}/${lower}`;
}

/** `CARGO_HOME` in a temporary folder. The toolchains remain in the user's `RUSTUP_HOME`. */
export class CargoHome implements Disposable {
  readonly #folder = temporaryFolder();

  constructor({ index }: Pick<CrateRegistry, "index">) {
    mkdirSync(this.folder);
    writeFileSync(
      path.join(this.folder, "config.toml"),
      `[source.crates-io]\nreplace-with = "here"\n[source.here]\nregistry = "${index}"\n[net]\nretry = 0\n`,
    );
  }

  get folder(): string {
    return path.join(this.#folder.path, "cargo");
  }
  /** Additional environment of processes that run cargo. */
  get environment(): Readonly<Record<string, string>> {
    return {
      CARGO_HOME: this.folder,
      RUSTUP_HOME: process.env["RUSTUP_HOME"] ?? path.join(homedir(), ".rustup"),
      RUSTUP_AUTO_INSTALL: "0",
      no_proxy: "127.0.0.1",
    };
  }
  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

/** Path of the user's cargo. Without cargo the test is skipped, and reported as skipped. */
export function cargoOr(context: Mocha.Context): string {
  // for example, cargo without a toolchain
  if (process.env["SYMPOSIUM_WITHOUT_CARGO"] !== undefined) skipped(context, "It needs cargo");
  return (
    findProgram("cargo", { platform: process.platform, env: process.env, isProgram: isProgramFile }) ??
    skipped(context, "It needs cargo")
  );
}
