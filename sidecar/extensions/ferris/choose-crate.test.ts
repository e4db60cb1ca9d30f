import { deepEqual, equal, match } from "node:assert/strict";
import fc from "fast-check";
import { chooseCrate, type Choice } from "./choose-crate";
import { wantedIn } from "./crate-version";
import { isDependency, packagesIn } from "./lock-file";
import { wantedManifest } from "./wanted-manifest";
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

const registry = (name: string, requirement: string, more: Partial<Dependency> = {}): Dependency => ({
  name,
  rename: undefined,
  requirement,
  from: { kind: "registry", index: PUBLIC },
  ...more,
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

suite("a lock file", () => {
  test("is read package by package", () => {
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

  test("a dependency names a package, of that version if it says one", () => {
    const pebble = { name: "pebble", version: "1.0.0" };
    deepEqual(
      ["pebble", "pebble 1.0.0", `pebble 1.0.0 (registry+${PUBLIC})`, "pebble 0.1.0", "pebbles"].map(each =>
        isDependency(each, pebble),
      ),
      [true, true, true, false, false],
    );
  });

  test("whatever stands in it, nothing is thrown", () =>
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

suite("which source of a crate is meant", () => {
  const table: readonly [what: string, found: Choice, expected: string][] = [
    ["a package of the workspace", choose("app"), "member 0.1.0 /w/app"],
    ["also by its version", choose("app", "0.1.0"), "member 0.1.0 /w/app"],
    ["another version of it is somebody else's", choose("app", "9.0.0"), "app =9.0.0 exact"],
    ["a path dependency", choose("outer"), "folder /outer"],
    ["the newest that the workspace's packages depend on", choose("pebble"), "pebble =1.0.0 locked exact known"],
    [
      "what the session's own package depends on",
      choose("pebble", undefined, WORKSPACE, "/w/app/tool/src"),
      "pebble =0.1.0 locked exact known",
    ],
    ["the version in the lock file that was asked for", choose("pebble", "2.0.0"), "pebble =2.0.0 locked exact known"],
    ["one that is not in it", choose("pebble", "1.5.0"), "pebble =1.5.0 exact known"],
    ["a range goes by the registry", choose("pebble", "1"), "pebble 1 known"],
    ["the latest, although the workspace has an older one", choose("pebble", "latest"), "pebble * known"],
    ["what nobody here depends on", choose("serde_derive"), "serde_derive =1.0.9 locked exact known"],
    ["- for _", choose("serde-derive"), "serde_derive =1.0.9 locked exact known"],
    ["from git", choose("moss"), "git https://git.test/moss 0123"],
    ["from a registry of one's own", choose("secret"), "secret =3.0.0 locked exact private"],
    ["also another version of that", choose("secret", "^3"), "secret ^3 private"],
    ["by the name that a manifest gives it", choose("stone"), "slate 0.3 known"],
    ["a folder that only a dependency knows", choose("hidden"), "none"],
    ["what the workspace does not have", choose("quartz"), "quartz *"],
    [
      "without a lock file, what the manifest requires",
      choose("pebble", undefined, { ...WORKSPACE, locked: undefined }),
      "pebble =1.0.0 known",
    ],
    ["from git without a lock file", choose("moss", undefined, { ...WORKSPACE, locked: undefined }), "none"],
    ["a path dependency without one", choose("outer", undefined, { ...WORKSPACE, locked: undefined }), "folder /outer"],
    ["without a workspace", chooseCrate("pebble", { kind: "unsaid" }, undefined, "/w"), "pebble *"],
  ];
  for (const [what, found, expected] of table) test(what, () => equal(inShort(found), expected));

  test("says why, and what else there is", () => {
    match(
      choose("pebble").why,
      /Cargo\.lock; Cargo\.lock has 0\.1\.0 and 1\.0\.0 and 2\.0\.0\+build\.7, and this is what the workspace's own packages depend on$/,
    );
    match(choose("pebble", undefined, WORKSPACE, "/w/app/tool").why, /and this is what tool depends on$/);
    match(choose("slate").why, /for the requirement “0\.3” in this workspace's Cargo\.toml/);
  });

  test("a crate that the workspace has from a registry of its own is looked for nowhere else", () =>
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

suite("the manifest that asks for a crate", () => {
  test("has it as its only dependency", () => {
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

  test("nothing that stands in a lock file gets out of its string", () =>
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
