import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { PLATFORMS, readDistribution, type Distribution } from "../../../src/protocol/agents/distribution";
import { choose, missingSentence, type ChoiceDeps, type Tool } from "./choose";
import { platformsFor } from "./platform";

const archive = { archive: "https://example.com/a.zip", cmd: "./a" };
const whole: Distribution = {
  local: { command: "a", args: ["x"], env: { A: "1" } },
  executable: { path: "/a" },
  symposium: { subcommand: "eliza" },
  http: { url: "https://example.com/mcp" },
  npx: { package: "@s/p@1.2.3" },
  uvx: { package: "p==1" },
  pipx: { package: "p" },
  cargo: { crate: "c" },
  binary: { "linux-x86_64": archive },
};
const TOOLS: readonly Tool[] = ["npm", "uv", "pipx", "cargo"];
const fixture = (tools: readonly Tool[] = TOOLS, overrides: Partial<ChoiceDeps> = {}): ChoiceDeps => ({
  platforms: ["linux-x86_64"],
  has: tool => tools.includes(tool),
  ...overrides,
});
const without = (...kinds: readonly string[]): Distribution =>
  Object.fromEntries(Object.entries(whole).filter(([kind]) => !kinds.includes(kind)));
const kind = (distribution: Distribution, tools?: readonly Tool[], overrides?: Partial<ChoiceDeps>): string => {
  const choice = choose(distribution, fixture(tools, overrides));
  return "missing" in choice
    ? missingSentence("It", choice.missing)
    : `${choice.kind}${"tool" in choice ? ` by ${choice.tool ?? "nothing"}` : ""}`;
};

suite("distribution choice", () => {
  test("uses the first distribution in the documented order", () => {
    const order: string[] = [],
      removed: string[] = [];
    for (const next of ["local", "executable", "symposium", "http", "npx", "uvx", "pipx", "cargo", "binary"]) {
      order.push(kind(without(...removed)));
      removed.push(next);
    }
    deepEqual(order, [
      "local",
      "local",
      "symposium",
      "http",
      "npx by npm",
      "uvx by uv",
      "pipx by pipx",
      "cargo by cargo",
      "binary",
    ]);
  });

  test("uses the first distribution whose tool is available, with uv and pipx interchangeable", () => {
    const packages = without("local", "executable", "symposium", "http");
    deepEqual(
      ["npm", "uv", "pipx", "cargo"].map(tool =>
        kind(
          packages,
          TOOLS.filter(item => item === tool),
        ),
      ),
      ["npx by npm", "uvx by uv", "uvx by pipx", "cargo by cargo"],
    );
    equal(kind(packages, []), "binary");
    equal(kind({ pipx: { package: "p" } }, ["uv"]), "pipx by uv");
    equal(kind({ pipx: { package: "p" } }, ["uv", "pipx"]), "pipx by pipx");
    equal(kind({ uvx: { package: "p" } }, ["uv", "pipx"]), "uvx by uv");
  });

  test("requires no tool for an installed distribution", () => {
    equal(
      kind({ npx: { package: "p" }, binary: { "linux-x86_64": archive } }, [], { isInstalled: item => item === "npx" }),
      "npx by nothing",
    );
    equal(
      kind({ npx: { package: "p" }, uvx: { package: "p" } }, ["uv"], { isInstalled: item => item === "uvx" }),
      "uvx by uv",
    );
  });

  test("uses an archive of the platform, else of an emulated platform", () => {
    const both: Distribution = { binary: { "darwin-x86_64": archive, "darwin-aarch64": { ...archive, cmd: "arm" } } };
    deepEqual(choose(both, fixture([], { platforms: platformsFor("darwin-aarch64") })), {
      kind: "binary",
      of: { ...archive, cmd: "arm" },
      platform: "darwin-aarch64",
    });
    deepEqual(
      choose({ binary: { "darwin-x86_64": archive } }, fixture([], { platforms: platformsFor("darwin-aarch64") })),
      { kind: "binary", of: archive, platform: "darwin-x86_64" },
    );
    equal(
      kind({ binary: { "darwin-aarch64": archive } }, [], { platforms: platformsFor("darwin-x86_64") }),
      "It does not support this computer: it has archives for darwin-aarch64 only.",
    );
    equal(
      kind({ binary: { "linux-x86_64": archive } }, [], { platforms: [] }),
      "It does not support this computer: it has archives for linux-x86_64 only.",
    );
  });

  test("replaces a documented package that was renamed", () => {
    const choice = choose({ npx: { package: "@zed-industries/claude-code-acp@latest", args: ["x"] } }, fixture());
    deepEqual(choice, {
      kind: "npx",
      of: { package: "@agentclientprotocol/claude-agent-acp@latest", args: ["x"] },
      spec: { name: "@agentclientprotocol/claude-agent-acp", version: "latest" },
      tool: "npm",
    });
  });

  test("names the missing tool in a sentence", () => {
    equal(kind({ npx: { package: "p" } }, []), "It needs Node.js with npm, which was not found.");
    equal(
      kind({ uvx: { package: "p" }, cargo: { crate: "c" } }, []),
      "It needs uv, pipx or Rust with cargo, which was not found.",
    );
    equal(
      kind({ npx: { package: "p" }, binary: { "darwin-aarch64": archive } }, []),
      "It needs Node.js with npm, which was not found.",
    );
    equal(kind({}, []), "It has no supported distribution.");
  });

  const WRONG: readonly [distribution: Distribution, message: string][] = [
    [{ npx: { package: "--registry=https://example.com" } }, "It cannot be started: “npx” does not name a package."],
    [{ npx: { package: "p", cmd: "-c" } }, "It cannot be started: the “cmd” of “npx” is not a valid command name."],
    [{ uvx: { package: "../p" } }, "It cannot be started: “uvx” does not name a package."],
    [{ pipx: { package: "p", cmd: "a b" } }, "It cannot be started: the “cmd” of “pipx” is not a valid command name."],
    [{ cargo: { crate: "--git" } }, "It cannot be started: “cargo” does not name a crate."],
    [
      { cargo: { crate: "c", version: "../1" } },
      "It cannot be started: the “version” of “cargo” is not a valid version.",
    ],
    [
      { cargo: { crate: "c", version: "1/../2" } },
      "It cannot be started: the “version” of “cargo” is not a valid version.",
    ],
    [
      { cargo: { crate: "c", version: "--path" } },
      "It cannot be started: the “version” of “cargo” is not a valid version.",
    ],
    [
      { cargo: { crate: "c", binary: "../../sh" } },
      "It cannot be started: the “binary” of “cargo” is not a valid program name.",
    ],
    [
      { binary: { "linux-x86_64": { ...archive, cmd: "../../bin/sh" } } },
      "It cannot be started: the “cmd” of “linux-x86_64” points outside of its archive.",
    ],
  ];
  for (const [distribution, message] of WRONG)
    test(`rejects a distribution and uses the next: ${JSON.stringify(distribution)}`, () => {
      equal(kind(distribution), message);
      if (!distribution.binary) equal(kind({ ...distribution, binary: { "linux-x86_64": archive } }), "binary");
    });

  test("returns a given distribution or a sentence for any input", () =>
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom("npx", "uvx", "pipx", "cargo", "local", "binary", "docker"),
          fc.oneof(
            fc.json().map(text => JSON.parse(text) as unknown),
            fc.record({ package: fc.string(), crate: fc.string(), cmd: fc.string() }, { requiredKeys: [] }),
            fc.dictionary(fc.constantFrom(...PLATFORMS), fc.record({ archive: fc.webUrl(), cmd: fc.string() })),
          ),
        ),
        fc.subarray([...TOOLS]),
        fc.constantFrom(...PLATFORMS),
        (value, tools, platform) => {
          const distribution = readDistribution(value);
          if (!distribution) return;
          const choice = choose(distribution, fixture(tools, { platforms: platformsFor(platform) }));
          if ("missing" in choice) ok(/^\S.*\.$/s.test(missingSentence("It", choice.missing)));
          else ok(choice.kind in distribution);
        },
      ),
      { numRuns: 500 },
    ));
});
