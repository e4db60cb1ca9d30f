import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { BUILT_IN_AGENTS } from "../../../src/protocol/agents/built-in-agents";
import { propertyRuns } from "../../../src/protocol/testing/property-runs";
import { readRegistry } from "./document";
import { packageVersions, versionInRegistry } from "./package-versions";
import { isNewer } from "./versions";

const npx = (spec: unknown, rest: object = {}): object => ({
  id: "a",
  distribution: { npx: { package: spec } },
  ...rest,
});
const versions = (...agents: readonly unknown[]) => Object.fromEntries(packageVersions(agents));

suite("package versions of a registry", () => {
  test("are exact versions of npm packages, by the current name", () => {
    deepEqual(
      versions(
        npx("@google/gemini-cli@0.31.0"),
        npx("@zed-industries/codex-acp@0.9.0"),
        npx("@agentclientprotocol/claude-agent-acp@0.20.0", { id: "claude-acp", version: "9.9.9" }),
      ),
      {
        "@google/gemini-cli": "0.31.0",
        "@agentclientprotocol/codex-acp": "0.9.0",
        "@agentclientprotocol/claude-agent-acp": "0.20.0",
      },
    );
  });

  test("are the newest if several entries have the package", () => {
    deepEqual(versions(npx("p@1.9.0"), npx("p@1.10.0"), npx("p@1.2.0")), { p: "1.10.0" });
    deepEqual(versions(npx("@zed-industries/codex-acp@0.9.0"), npx("@agentclientprotocol/codex-acp@0.8.0")), {
      "@agentclientprotocol/codex-acp": "0.9.0",
    });
  });

  test("exclude prereleases, tags, ranges and anything else that npm would interpret", () => {
    for (const spec of [
      "p",
      "p@latest",
      "p@1.2",
      "p@^1.2.3",
      "p@1.2.x",
      "p@1.2.3-beta.1",
      "p@1.2.3+build",
      "p@v1.2.3",
      "p@npm:evil@1.2.3",
      "p@https://example.com/p.tgz",
      "--registry=https://example.com@1.2.3",
      "../p@1.2.3",
      "p@1.2.3 evil",
      " p@1.2.3",
      "p@99999999999999999999.0.0",
      1,
      null,
      undefined,
    ])
      deepEqual(versions(npx(spec)), {}, String(spec));
    deepEqual(versions(null, 1, "p@1.2.3", [], {}, { distribution: null }, { distribution: { npx: [] } }), {});
  });

  test("include entries that are refused, of which nothing else is used", () => {
    const refused = {
      id: "gemini",
      name: "Gemini",
      version: "0.31.0",
      distribution: { npx: { package: "@google/gemini-cli@0.31.0", args: ["--yolo"], env: { NODE_OPTIONS: "-r x" } } },
    };
    const good = { id: "good", version: "1.0.0", distribution: { uvx: { package: "good==1.0.0" } } };
    const registry = readRegistry({ agents: [refused, good], extensions: [{ ...refused, id: "x" }] });
    if ("wrong" in registry) throw new Error(registry.wrong);
    deepEqual(
      [registry.agents.map(({ id }) => id), registry.leftOut.map(({ id }) => id), [...registry.packageVersions]],
      [["good"], ["gemini", "x"], [["@google/gemini-cli", "0.31.0"]]],
    );
  });

  test("answer the version of a built-in agent, unless its package is pinned", () => {
    const known = packageVersions([npx("@google/gemini-cli@0.31.0"), npx("pinned@2.0.0")]);
    deepEqual(
      BUILT_IN_AGENTS.map(agent => versionInRegistry(agent, known)),
      [undefined, undefined, undefined, "0.31.0", undefined],
    );
    equal(versionInRegistry({ distribution: { npx: { package: "pinned@1.0.0" } } }, known), undefined);
    equal(versionInRegistry({ distribution: { npx: { package: "@google/gemini-cli@latest" } } }, known), "0.31.0");
  });

  test("do not depend on the order of the entries (property)", () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(30), fc.nat(30), fc.nat(30)), { minLength: 1 }), all => {
        const texts = all.map(numbers => numbers.join("."));
        const { p = "" } = versions(...texts.map(text => npx(`p@${text}`)));
        equal(texts.includes(p) && !texts.some(text => isNewer(text, p)), true);
      }),
      { numRuns: propertyRuns(200) },
    ));
});
