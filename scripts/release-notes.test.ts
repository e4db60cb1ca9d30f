import { deepEqual, equal, match, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { isPrerelease, releaseOf, sectionsOf } from "./release-notes.mjs";

const CHANGELOG = `# Changelog

All notable changes.

## [Unreleased]

### Added
- A later change.

## [1.2.0] - 2026-11-27

### Added
- **Templates** in [TypeScript](docs/templates/typescript), with a [site](https://example.com) and a [part](#below).

### Fixed
- A crash.

## [1.1.0] - 2026-10-01

- The first release.
`;
const SOURCES = {
  version: "1.2.0",
  lockedVersion: "1.2.0",
  tag: "v1.2.0",
  changelog: CHANGELOG,
  repository: "https://github.com/o/r",
} as const;

suite("release notes", () => {
  test("are the section of the version, with absolute links", () => {
    deepEqual(releaseOf(SOURCES), {
      version: "1.2.0",
      tag: "v1.2.0",
      channel: "release",
      notes: `### Added
- **Templates** in [TypeScript](https://github.com/o/r/blob/v1.2.0/docs/templates/typescript), with a [site](https://example.com) and a [part](#below).

### Fixed
- A crash.`,
    });
  });

  test("find the sections in their order, also with other line ends", () => {
    for (const changelog of [CHANGELOG, CHANGELOG.replaceAll("\n", "\r\n")])
      deepEqual(
        sectionsOf(changelog).map(({ version, rest }) => [version, rest]),
        [
          ["Unreleased", ""],
          ["1.2.0", "- 2026-11-27"],
          ["1.1.0", "- 2026-10-01"],
        ],
      );
  });

  test("select the pre-release channel for odd minor numbers", () => {
    deepEqual(["0.1.0", "0.2.9", "1.10.1", "2.13.0", "3.0.1"].map(isPrerelease), [true, false, false, true, false]);
    const changelog = CHANGELOG.replace("1.2.0", "1.3.0");
    equal(
      releaseOf({ ...SOURCES, version: "1.3.0", lockedVersion: "1.3.0", tag: "v1.3.0", changelog }).channel,
      "pre-release",
    );
  });

  for (const [title, change, message] of [
    [
      "another tag",
      { tag: "v1.2.1" },
      /^The tag v1\.2\.1 does not match version 1\.2\.0 of package\.json, .* v1\.2\.0\.$/,
    ],
    ["a tag without v", { tag: "1.2.0" }, /^The tag 1\.2\.0 does not match/],
    ["another version in the lockfile", { lockedVersion: "1.1.0" }, /package-lock\.json has 1\.1\.0\.$/],
    [
      "a version that the Marketplace rejects",
      { version: "1.2.0-beta.1", lockedVersion: "1.2.0-beta.1", tag: "v1.2.0-beta.1" },
      /^The version 1\.2\.0-beta\.1 of package\.json is not of the form X\.Y\.Z\.$/,
    ],
    [
      "a version without a section",
      { changelog: CHANGELOG.replace("[1.2.0]", "[1.2.1]") },
      /^CHANGELOG\.md has no section \[1\.2\.0\]\./,
    ],
    [
      "a section without a date",
      { changelog: CHANGELOG.replace(" - 2026-11-27", "") },
      /^The section \[1\.2\.0\] of CHANGELOG\.md needs a date: ## \[1\.2\.0\] - YYYY-MM-DD\.$/,
    ],
    [
      "a version that is not the newest",
      { version: "1.1.0", lockedVersion: "1.1.0", tag: "v1.1.0" },
      /^The newest section of CHANGELOG\.md is \[1\.2\.0\], not \[1\.1\.0\] of package\.json\.$/,
    ],
    [
      "two sections of the version",
      { changelog: CHANGELOG.replace("[1.1.0]", "[1.2.0]") },
      /^CHANGELOG\.md has 2 sections \[1\.2\.0\]\.$/,
    ],
    [
      "a section of headings only",
      { changelog: "## [1.2.0] - 2026-11-27\n\n### Added\n\n### Fixed\n\n## [1.1.0] - 2026-10-01\n- It exists.\n" },
      /^The section \[1\.2\.0\] of CHANGELOG\.md is empty\.$/,
    ],
  ] as const)
    test(`reject ${title}`, () => {
      throws(() => releaseOf({ ...SOURCES, ...change }), { message });
    });

  test("use the unreleased changes in a dry run of the next version", () => {
    const next = { ...SOURCES, version: "1.3.0", lockedVersion: "1.3.0" };
    match(releaseOf({ ...next, tag: undefined }).notes, /A later change\.$/);
    equal(releaseOf({ ...SOURCES, tag: undefined }).notes, releaseOf(SOURCES).notes);
    throws(() => releaseOf({ ...next, tag: undefined, changelog: "## [Unreleased]\n" }), /\[Unreleased\] .* is empty/);
  });

  test("exist for the version of this project", () => {
    const json = (file: string): { version: string } => JSON.parse(readFileSync(file, "utf8"));
    const { version } = json("package.json"),
      changelog = readFileSync("CHANGELOG.md", "utf8");
    match(
      releaseOf({ ...SOURCES, version, lockedVersion: json("package-lock.json").version, tag: undefined, changelog })
        .notes,
      /^- /m,
    );
  });
});
