import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { firstError, sentenceOf, failureIn } from "./cargo-errors";
import type { Choice } from "./choose-crate";

const choice = (requirement: string): Extract<Choice, { readonly kind: "registry" }> => ({
  kind: "registry",
  name: "pebble",
  requirement,
  index: undefined,
  isLocked: false,
  isExact: false,
  why: "",
});
const REST =
  "location searched: `here` index (which is replacing registry `crates-io`)\nrequired by package `symposium-crate-source v0.0.0 (/tmp/x)`\n";

/** Messages of cargo 1.95 and 1.74. */
const CASES: readonly [requirement: string, stderr: string, sentence: string][] = [
  [
    "*",
    `    Updating \`here\` index\nerror: no matching package named \`pebble\` found\n${REST}`,
    "The registry has no crate “pebble”.",
  ],
  [
    "*",
    `error: no matching package found\nsearched package name: \`pebble\`\nperhaps you meant:      pebbles\n${REST}`,
    "The registry has no crate “pebble”. Did you mean pebbles?",
  ],
  [
    "^9",
    `error: failed to select a version for the requirement \`pebble = "^9"\`\ncandidate versions found which didn't match: 2.0.0-beta.1, 1.1.0, 1.0.0, ...\n${REST}`,
    "pebble has no version for “^9”. Available: 2.0.0-beta.1, 1.1.0, 1.0.0 and others.",
  ],
  [
    "*",
    `error: failed to select a version for the requirement \`pebble = "*"\`\ncandidate versions found which didn't match: 0.1.0-alpha.1\n${REST}if you are looking for the prerelease package it needs to be specified explicitly\n`,
    "pebble has no stable version. Available: 0.1.0-alpha.1. Request one of them by its version.",
  ],
  [
    "=1.2.0",
    `error: failed to select a version for the requirement \`pebble = "=1.2.0"\`\n  version 1.2.0 is yanked\n${REST}`,
    "pebble =1.2.0 was withdrawn (yanked) by its authors. Only a workspace with this version in its Cargo.lock can use it. Request another version.",
  ],
  [
    "1..2",
    "error: failed to parse manifest at `/tmp/x/Cargo.toml`\n\nCaused by:\n  failed to parse the version requirement `1..2` for dependency `pebble`\n\nCaused by:\n  unexpected character '.' while parsing minor version number\n",
    "“1..2” is not a valid version range for cargo. Ranges use the syntax of Cargo.toml: 1.2, ^1, >=1.2, <1.5.",
  ],
  [
    "*",
    'error: failed to download replaced source registry `crates-io`\n\nCaused by:\n  failed to unpack package `pebble v1.0.0 (registry `here`)`\n\nCaused by:\n  invalid tarball downloaded, contains a file at "/x" which isn\'t under "pebble-1.0.0"\n',
    'cargo refuses to unpack pebble: invalid tarball downloaded, contains a file at "/x" which isn\'t under "pebble-1.0.0". Its package is broken or malicious.',
  ],
  [
    "*",
    "error: failed to get `pebble` as a dependency of package `x`\n\nCaused by:\n  failed to query replaced source registry `crates-io`\n\nCaused by:\n  [7] Could not connect to server (Failed to connect to 127.0.0.1 port 1 after 0 ms: Could not connect to server)\n",
    "cargo could not download pebble: [7] Could not connect to server (Failed to connect to 127.0.0.1 port 1 after 0 ms: Could not connect to server). This computer has no copy of it. Without a network, only crates that cargo downloaded before are available.",
  ],
  [
    "*",
    `error: failed to select a version for the requirement \`gravel = "^9"\`\ncandidate versions found which didn't match: 1.0.0\n${REST}`,
    'cargo could not download pebble: failed to select a version for the requirement `gravel = "^9"`. This computer has no copy of it. Without a network, only crates that cargo downloaded before are available.',
  ],
  [
    "*",
    "",
    "cargo could not download pebble: it gave no reason. This computer has no copy of it. Without a network, only crates that cargo downloaded before are available.",
  ],
];

suite("cargo error", () => {
  for (const [requirement, stderr, sentence] of CASES)
    test(`is reported as “${sentence.slice(0, 60)}…”`, () =>
      equal(sentenceOf(choice(requirement), failureIn(stderr, "pebble")), sentence));

  test("contains the suggested names", () =>
    deepEqual(
      failureIn("error: no matching package found\nperhaps you meant:      pebbles, pebble2 or `pebble_x`\n", "pebble"),
      { kind: "noCrate", instead: ["pebbles", "pebble2", "pebble_x"] },
    ));

  test("starts with the first error", () =>
    equal(
      firstError("warning: x\nerror: key with no value, expected `=`\n --> Cargo.toml:4:2\n"),
      "key with no value, expected `=`",
    ));

  test("always results in a sentence", () =>
    fc.assert(
      fc.property(
        fc
          .array(fc.oneof(fc.constantFrom(...CASES.flatMap(([, stderr]) => stderr.split("\n"))), fc.string()))
          .map(lines => lines.join("\n")),
        stderr => {
          const sentence = sentenceOf(choice("1"), failureIn(stderr, "pebble"));
          equal(/[.?]$/.test(sentence), true, sentence);
        },
      ),
    ));
});
