import { deepEqual, equal, match } from "node:assert/strict";
import fc from "fast-check";
import { chooseCrate, type Choice } from "./choose-crate";
import { wantedIn } from "./crate-version";
import { isDependency, packagesIn, packagesOf } from "./lock-file";
import { wantedManifest } from "./fetch-manifest";
import type { Dependency, Workspace } from "./workspace";

const PUBLIC = "https://public.test/index",
  PRIVATE = "sparse+https://private.test/index/";
const LOCK = `# made by cargo
version = 4

[[package]]
name = "app"
version = "0.1.0"
dependencies = [
 "moss",
 "outer",
 "pebble 1.0.0",
 "secret",
]

[[package]]
name = "tool"
version = "0.1.0"
dependencies = [
 "pebble 0.1.0",
]

[[package]]
name = "outer"
version = "0.7.0"

[[package]]
name = "hidden"
version = "0.0.1"

[[package]]
name = "moss"
version = "0.4.0"
source = "git+https://git.test/moss?branch=main#0123456789abcdef0123456789abcdef01234567"

[[package]]
name = "pebble"
version = "0.1.0"
source = "registry+${PUBLIC}"
checksum = "00"

[[package]]
name = "pebble"
version = "1.0.0"
source = "registry+${PUBLIC}"

[[package]]
name = "pebble"
version = "2.0.0+build.7"
source = "registry+${PUBLIC}"

[[package]]
name = "secret"
version = "3.0.0"
source = "${PRIVATE}"

[[package]]
name = "serde_derive"
version = "1.0.9"
source = "registry+${PUBLIC}"

[metadata]
name = "pebble"
`;

const registry = (name: string, requirement: string, overrides: Partial<Dependency> = {}): Dependency => ({
  name,
  rename: undefined,
  requirement,
  from: { kind: "registry", index: PUBLIC },
  ...overrides,
});
const WORKSPACE: Workspace = {
  root: "/w",
  locked: packagesIn(LOCK),
  members: [
    {
      name: "app",
      version: "0.1.0",
      folder: "/w/app",
      dependencies: [
        registry("pebble", "=1.0.0"),
        registry("secret", "3", { from: { kind: "registry", index: PRIVATE } }),
        registry("outer", "*", { from: { kind: "folder", folder: "/outer" } }),
        registry("slate", "0.3", { rename: "stone" }),
        registry("moss", "*", { from: { kind: "other" } }),
      ],
    },
    { name: "tool", version: "0.1.0", folder: "/w/app/tool", dependencies: [registry("pebble", "0.1")] },
  ],
};

function inShort(choice: Choice): string {
  switch (choice.kind) {
    case "member":
      return `member ${choice.version} ${choice.folder}`;
    case "folder":
      return `folder ${choice.folder}`;
    case "git":
      return `git ${choice.url} ${choice.commit.slice(0, 4)}`;
    case "registry":
      return `${choice.name} ${choice.requirement}${choice.isLocked ? " locked" : ""}${choice.isExact ? " exact" : ""}${choice.index === PRIVATE ? " private" : choice.index === undefined ? "" : " known"}`;
    case "none":
      return "none";
  }
}
const choose = (name: string, version?: string, workspace: Workspace | undefined = WORKSPACE, folder = "/w") =>
  chooseCrate(name, wantedIn(version)!, workspace, folder);

suite("lock file", () => {
  test("is parsed package by package", () => {
    deepEqual(
      packagesIn(LOCK).map(({ name, version, source }) => `${name} ${version} ${source?.kind}`),
      [
        "app 0.1.0 undefined",
        "tool 0.1.0 undefined",
        "outer 0.7.0 undefined",
        "hidden 0.0.1 undefined",
        "moss 0.4.0 git",
        "pebble 0.1.0 registry",
        "pebble 1.0.0 registry",
        "pebble 2.0.0+build.7 registry",
        "secret 3.0.0 registry",
        "serde_derive 1.0.9 registry",
      ],
    );
    deepEqual(packagesIn(LOCK)[0]!.dependencies, ["moss", "outer", "pebble 1.0.0", "secret"]);
    deepEqual(packagesIn(LOCK.replaceAll("\n", "\r\n")).length, 10);
  });

  test("is parsed with one read of each line, also if lists have no end", () => {
    const lines = [
      "[[package]]",
      'name = "a"',
      'version = "1.0.0"',
      ...Array.from({ length: 1_000 }, () => "dependencies = ["),
    ];
    let reads = 0;
    const counted = function* (): Generator<string> {
      for (const line of lines) {
        reads++;
        yield line;
      }
    };
    deepEqual(packagesOf(counted()), [{ name: "a", version: "1.0.0", source: undefined, dependencies: [] }]);
    equal(reads, lines.length);
  });

  test("keeps the first of several equal keys, and lists on one line", () => {
    const text = `[[package]]\nname = "a"\nname = "b"\nversion = "1.0.0"\ndependencies = ["x", "y 1"]\ndependencies = ["z"]\n`;
    deepEqual(packagesIn(`${text}[metadata]\nname = "c"\n`), [
      { name: "a", version: "1.0.0", source: undefined, dependencies: ["x", "y 1"] },
    ]);
  });

  test("matches a dependency by name and optional version", () => {
    const pebble = { name: "pebble", version: "1.0.0" };
    deepEqual(
      ["pebble", "pebble 1.0.0", `pebble 1.0.0 (registry+${PUBLIC})`, "pebble 0.1.0", "pebbles"].map(each =>
        isDependency(each, pebble),
      ),
      [true, true, true, false, false],
    );
  });

  test("never throws for any content", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            "[[package]]",
            'name = "a"',
            'version = "1.0.0"',
            'source = "git+x"',
            'source = "git+x#0123456"',
            "dependencies = [",
            ' "b",',
            "]",
            "[x]",
            '"',
          ),
        ),
        lines => {
          for (const { name, version } of packagesIn(lines.join("\n"))) deepEqual([name, version], ["a", "1.0.0"]);
        },
      ),
    ));
});

suite("crate source", () => {
  const table: readonly [what: string, found: Choice, expected: string][] = [
    ["finds a package of the workspace", choose("app"), "member 0.1.0 /w/app"],
    ["finds a package of the workspace by version", choose("app", "0.1.0"), "member 0.1.0 /w/app"],
    ["treats another version as a foreign package", choose("app", "9.0.0"), "app =9.0.0 exact"],
    ["finds a path dependency", choose("outer"), "folder /outer"],
    ["uses the newest direct dependency of the workspace", choose("pebble"), "pebble =1.0.0 locked exact known"],
    [
      "uses the dependency of the session's package",
      choose("pebble", undefined, WORKSPACE, "/w/app/tool/src"),
      "pebble =0.1.0 locked exact known",
    ],
    ["uses the requested locked version", choose("pebble", "2.0.0"), "pebble =2.0.0 locked exact known"],
    ["uses the registry for a version that is not locked", choose("pebble", "1.5.0"), "pebble =1.5.0 exact known"],
    ["uses the registry for a range", choose("pebble", "1"), "pebble 1 known"],
    ["uses the latest although the workspace has an older version", choose("pebble", "latest"), "pebble * known"],
    ["uses the lock file for an indirect dependency", choose("serde_derive"), "serde_derive =1.0.9 locked exact known"],
    ["treats - and _ as equal", choose("serde-derive"), "serde_derive =1.0.9 locked exact known"],
    ["finds a git dependency", choose("moss"), "git https://git.test/moss 0123"],
    ["uses the workspace's own registry", choose("secret"), "secret =3.0.0 locked exact private"],
    ["uses the workspace's own registry for another version", choose("secret", "^3"), "secret ^3 private"],
    ["finds a dependency by its manifest name", choose("stone"), "slate 0.3 known"],
    ["finds a folder of an indirect dependency", choose("hidden"), "none"],
    ["uses the registry for an unknown crate", choose("quartz"), "quartz *"],
    [
      "uses the manifest's requirement without a lock file",
      choose("pebble", undefined, { ...WORKSPACE, locked: undefined }),
      "pebble =1.0.0 known",
    ],
    ["uses git without a lock file", choose("moss", undefined, { ...WORKSPACE, locked: undefined }), "none"],
    [
      "finds a path dependency without a lock file",
      choose("outer", undefined, { ...WORKSPACE, locked: undefined }),
      "folder /outer",
    ],
    ["uses the registry without a workspace", chooseCrate("pebble", { kind: "unsaid" }, undefined, "/w"), "pebble *"],
  ];
  for (const [what, found, expected] of table) test(what, () => equal(inShort(found), expected));

  test("contains the reason and the alternatives", () => {
    match(
      choose("pebble").why,
      /Cargo\.lock; Cargo\.lock has 0\.1\.0 and 1\.0\.0 and 2\.0\.0\+build\.7, and this is what the workspace's own packages depend on$/,
    );
    match(choose("pebble", undefined, WORKSPACE, "/w/app/tool").why, /and this is what tool depends on$/);
    match(choose("slate").why, /for the requirement “0\.3” in this workspace's Cargo\.toml/);
  });

  test("uses only the workspace's own registry for a crate from it", () =>
    fc.assert(
      fc.property(
        fc.constantFrom("secret", "Secret"),
        fc.constantFrom(undefined, "3.0.0", "3.0.1", "^3", "latest", "*"),
        fc.boolean(),
        (name, version, hasLock) => {
          const choice = choose(name, version, hasLock ? WORKSPACE : { ...WORKSPACE, locked: undefined });
          equal(choice.kind === "registry" && choice.index, PRIVATE);
        },
      ),
    ));
});

suite("manifest that requests a crate", () => {
  test("contains it as the only dependency", () => {
    const choice = choose("secret"),
      git = choose("moss");
    match(
      choice.kind === "registry" ? wantedManifest(choice) : "",
      /^wanted = \{ package = "secret", version = "=3\.0\.0", registry-index = "sparse\+https:\/\/private\.test\/index\/", default-features = false \}$/m,
    );
    match(
      git.kind === "git" ? wantedManifest(git) : "",
      /^wanted = \{ package = "moss", git = "https:\/\/git\.test\/moss", rev = "0123456789abcdef0123456789abcdef01234567", default-features = false \}$/m,
    );
  });

  test("escapes every string of a lock file", () =>
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('"', "\\", "\n", "\r", "\u0000", "\u007f", "\u0085", "#", "]", "a") }),
        url => {
          const lines = wantedManifest({ kind: "git", name: "a", url, commit: "0123456", why: "" }).split("\n");
          equal(lines.length, 13);
          deepEqual(JSON.parse(`[${/git = ("(?:[^"\\]|\\.)*")/.exec(lines[11]!)![1]}]`), [url]);
        },
      ),
    ));
});
