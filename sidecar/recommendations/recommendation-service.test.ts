import { deepEqual, equal } from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { NEVER_CANCELLED } from "../../src/protocol/wire/cancel-signal";
import type { RecommendationsView, Recommender } from "../../src/protocol/agents/recommendations";
import { readEntry, type RegistryEntry } from "../agents/registry/document";
import { temporaryFolder } from "../testing/drive";
import type { CrateMetadata } from "./crate-metadata";
import { parseList } from "./list";
import type { KnownLists, WantedLists } from "./lists";
import { RecommendationService, type RecommendationDeps } from "./recommendation-service";

const LOCK = `version = 4

[[package]]
name = "app"
version = "0.1.0"
dependencies = [
 "axum",
]

[[package]]
name = "axum"
version = "0.8.0"
source = "registry+https://example.com/index"
dependencies = [
 "tokio",
]

[[package]]
name = "tokio"
version = "1.41.0"
source = "registry+https://example.com/index"
`;
const CENTRAL: Recommender = { kind: "symposium" };
const LIST = `
[[recommendation]]
source.crate = "tokio-helper"
when-using-crate = "tokio"

[[recommendation]]
source.acp = "docker"
when.file-exists = "deploy/Dockerfile"

[[recommendation]]
source.crate = "sqlx-helper"
when-using-crates = ["sqlx", "sea-orm"]
`;

suite("recommendations service", () => {
  let folder: ReturnType<typeof temporaryFolder>, wanted: WantedLists[], metadataReads: unknown[];
  setup(() => {
    folder = temporaryFolder();
    wanted = [];
    metadataReads = [];
  });
  teardown(() => folder[Symbol.dispose]());
  const at = (name: string): string => path.join(folder.path, name);
  const write = (name: string, text = ""): void => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  const project = (): void => {
    write("w/Cargo.toml");
    write("w/Cargo.lock", LOCK);
  };
  const service = (
    metadata: readonly CrateMetadata[] | undefined = [],
    change: Partial<RecommendationDeps> = {},
    lists: Partial<KnownLists> = {},
  ): RecommendationService =>
    new RecommendationService({
      home: at("home"),
      lists: {
        read: async each => {
          wanted.push(each);
          return {
            highPrecedence: parseList(LIST, "list", CENTRAL).rules,
            lowPrecedence: [],
            problems: [],
            isKnown: () => true,
            ...lists,
          };
        },
      },
      metadata: {
        read: async ({ folder: place, uses }, again) => {
          metadataReads.push([path.relative(folder.path, place), uses("tokio"), uses("app"), again]);
          return metadata;
        },
      },
      registered: async () => [],
      log: () => undefined,
      ...change,
    });
  const read = async (from = service(), more: object = {}): Promise<RecommendationsView> =>
    from.handlers["recommendations/read"](
      { folders: [at("w")], lists: ["a"], fetch: "no", accepted: [], ...more },
      NEVER_CANCELLED,
    );
  const keys = ({ recommendations }: RecommendationsView) => recommendations.map(({ key }) => key);

  test("recommends for the crates of Cargo.lock, with the direct dependency that uses them", async () => {
    project();
    deepEqual(await read(), {
      recommendations: [
        {
          key: "crate tokio-helper",
          source: { crate: "tokio-helper" },
          reasons: [{ by: CENTRAL, facts: [{ kind: "crate", name: "tokio", through: "axum" }] }],
        },
      ],
      stale: [],
      problems: [],
    });
    deepEqual(metadataReads, [["w", true, false, false]]);
    deepEqual(wanted, [{ folders: [at("w")], lists: ["a"], fetch: "no", isRust: true }]);
  });

  test("finds the Cargo.lock above a member, and those of all folders", async () => {
    project();
    write("w/.git/HEAD");
    write("w/member/Cargo.toml");
    write("v/nested/Cargo.toml");
    write("v/nested/Cargo.lock", LOCK.replaceAll("tokio", "sqlx"));
    deepEqual(keys(await read(service(), { folders: [at("w/member"), at("v")] })), [
      "crate tokio-helper",
      "crate sqlx-helper",
    ]);
  });

  test("recommends for files of the workspace, also without a Rust project", async () => {
    write("w/deploy/Dockerfile");
    deepEqual(keys(await read()), ["acp docker"]);
    deepEqual([metadataReads, wanted[0]?.isRust], [[], false]);
  });

  test("ignores files that links reach outside the workspace", async () => {
    write("outside/Dockerfile");
    mkdirSync(at("w"));
    symlinkSync(at("outside"), at("w/deploy"), "junction");
    deepEqual(keys(await read()), []);
  });

  test("includes the recommendations of crates", async () => {
    project();
    const { recommendations } = await read(
      service([{ name: "tokio", metadata: { symposium: { recommended: ["tokio-helper", "symposium-tokio"] } } }]),
    );
    deepEqual(
      recommendations.map(({ key, reasons }) => [key, reasons.map(({ by }) => by.kind)]),
      [
        ["crate tokio-helper", ["symposium", "crate"]],
        ["crate symposium-tokio", ["crate"]],
      ],
    );
  });

  test("adds names and descriptions of the registry", async () => {
    project();
    write("w/deploy/Dockerfile");
    const entry = (id: string, distribution: object): RegistryEntry => {
      const read = readEntry(
        { id, name: `${id} support`, version: "1.0.0", description: "helps", distribution },
        "extension",
        {},
      );
      if ("why" in read) throw new Error(read.why);
      return read;
    };
    const registered = async () => [
      entry("docker", { npx: { package: "docker" } }),
      entry("t", { cargo: { crate: "tokio_helper" } }),
    ];
    const { recommendations } = await read(service([], { registered }));
    deepEqual(
      recommendations.map(({ name, description }) => [name, description]),
      [
        ["t support", "helps"],
        ["docker support", "helps"],
      ],
    );
  });

  test("reports stale recommendations only if the facts are known", async () => {
    project();
    const past = (by: Recommender, name: string) => ({
      key: "crate old",
      reasons: [{ by, facts: [{ kind: "crate", name }] }],
    });
    const stale = async (from: RecommendationService, by: Recommender, name: string) =>
      (await read(from, { accepted: [past(by, name)] })).stale.flatMap(({ reasons }) => reasons);
    const TOKIO: Recommender = { kind: "crate", name: "tokio" },
      SQLX: Recommender = { kind: "crate", name: "sqlx" };
    deepEqual(await stale(service(), CENTRAL, "sqlx"), [{ kind: "withdrawn", by: CENTRAL }]);
    deepEqual(await stale(service([], {}, { isKnown: () => false }), CENTRAL, "sqlx"), []);
    deepEqual(await stale(service(), TOKIO, "tokio"), [{ kind: "withdrawn", by: TOKIO }]);
    const withoutMetadata = service([], { metadata: { read: async () => undefined } });
    deepEqual(await stale(withoutMetadata, TOKIO, "tokio"), []);
    deepEqual(await stale(withoutMetadata, SQLX, "sqlx"), [
      { kind: "unmet", facts: [{ kind: "crate", name: "sqlx" }] },
    ]);
    write("w/Cargo.lock", "x".repeat(5 * 1024 * 1024));
    const { problems } = await read(service(), { accepted: [past(CENTRAL, "tokio")] });
    deepEqual(problems, [`${at("w/Cargo.lock")} is ignored. It is larger than 4096 kilobytes.`]);
    deepEqual(await stale(service(), CENTRAL, "tokio"), []);
    rmSync(at("w/Cargo.lock"));
    deepEqual(await stale(service(), CENTRAL, "tokio"), []);
    deepEqual(await stale(service(), SQLX, "sqlx"), []);
  });

  test("recommends without names if the address of the registry is invalid", async () => {
    project();
    const registered = () => Promise.reject(new Error("not https"));
    deepEqual(keys(await read(service([], { registered }), { registryUrl: "ftp://x" })), ["crate tokio-helper"]);
  });

  test("limits recommendations, crates and folders, and reports the number of the others", async () => {
    project();
    const entry = (i: number): string => `[[recommendation]]\nsource.crate = "c${i}"\n`,
      { rules } = parseList(Array.from({ length: 502 }, (_, i) => entry(i)).join(""), "list", CENTRAL);
    const crates = Array.from({ length: 204 }, (_, i) => ({ name: `d${i}`, metadata: {} })),
      folders = [at("w"), ...Array.from({ length: 50 }, (_, i) => at(`f${i}`))];
    const { recommendations, problems } = await read(service(crates, {}, { lowPrecedence: rules }), { folders });
    equal(recommendations.length, 500);
    deepEqual(problems, [
      "Only the first 50 of 51 folders are searched for recommendations.",
      "Only the first 500 of 503 recommended extensions are shown.",
      "Only the first 200 of 204 crates that recommend extensions are used.",
    ]);
  });

  test("limits the files of cargo and their packages", async () => {
    const names = Array.from({ length: 21 }, (_, i) => `w/p${String(i).padStart(2, "0")}`);
    for (const name of names) write(`${name}/Cargo.toml`);
    for (const name of names) write(`${name}/Cargo.lock`);
    write("w/p00/Cargo.lock", `[[package]]\nname = "a"\nversion = "1.0.0"\n`.repeat(20_001));
    const { problems } = await read();
    deepEqual(problems, [
      "Only the first 20 of 21 Cargo.lock files are read.",
      `${at("w/p00/Cargo.lock")} is ignored. It has 20001 packages, more than 20000.`,
    ]);
    equal(metadataReads.length, 19);
  });

  test("limits the problems, and logs all", async () => {
    const logged: unknown[] = [],
      all = Array.from({ length: 22 }, (_, i) => `problem ${i}`),
      { problems } = await read(
        service([], { log: (_, __, detail) => logged.push(detail["problems"]) }, { problems: all }),
      );
    deepEqual([problems, logged], [[...all.slice(0, 20), "The log shows all 22 problems."], [all]]);
  });

  test("never fails", async () => {
    const failing = service([], { lists: { read: () => Promise.reject(new Error("a bug")) } });
    deepEqual(await read(failing), { recommendations: [], stale: [], problems: [] });
  });
});
