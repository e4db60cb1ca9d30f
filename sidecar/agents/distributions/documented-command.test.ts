import { deepEqual, equal, match } from "node:assert/strict";
import fc from "fast-check";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import { BUILT_IN_AGENTS } from "../../../src/protocol/agents/built-in-agents";
import {
  PLATFORMS,
  readDistribution,
  type Distribution,
  type Platform,
} from "../../../src/protocol/agents/distribution";
import { documentedCommand } from "./documented-command";

const sidecar = { command: "/node", args: ["/sidecar.js"], env: { NODE: "1" } };
const documentedText = (
  distribution: Distribution,
  { platform = "linux-x86_64" as Platform, ...overrides }: Partial<AgentConfig> & { readonly platform?: Platform } = {},
): string => {
  const documented = documentedCommand(
    { id: "ada", name: "Ada", distribution, ...overrides },
    { platform, home: platform.startsWith("windows") ? "C:\\Users\\Ada" : "/home/ada", sidecar },
  );
  return "why" in documented
    ? documented.why
    : [
        ...documented.server.env.map(({ name, value }) => `${name}=${value}`),
        documented.server.command,
        ...documented.server.args,
      ].join(" ");
};

suite("documented command", () => {
  const TABLE: readonly [distribution: Distribution, command: string][] = [
    [{ local: { command: "/a b", args: ["--acp"], env: { KEY: "v" } } }, "KEY=v /a b --acp"],
    [{ executable: { path: "/a" } }, "/a"],
    [
      { symposium: { subcommand: "eliza", args: ["--deterministic"] } },
      "NODE=1 /node /sidecar.js eliza --deterministic",
    ],
    [{ npx: { package: "@s/p@1.2.3", args: ["--acp"], env: { A: "1" } } }, "A=1 npx -y @s/p@1.2.3 --acp"],
    [{ npx: { package: "p", cmd: "q", args: ["x"] } }, "npx -y --package p q x"],
    [
      { npx: { package: "@zed-industries/claude-code-acp@latest" } },
      "npx -y @agentclientprotocol/claude-agent-acp@latest",
    ],
    [{ uvx: { package: "p@1.2.3", args: ["acp"] } }, "uvx p@1.2.3 acp"],
    [{ uvx: { package: "p[x]==1", cmd: "q" } }, "uvx --from p[x]==1 q"],
    [{ pipx: { package: "p@1.2.3", args: ["acp"] } }, "pipx run p==1.2.3 acp"],
    [{ pipx: { package: "p", cmd: "q" } }, "pipx run --spec p q"],
    [{ cargo: { crate: "c", version: "0.1.0", args: ["acp"] } }, "/home/ada/.symposium/bin/ada/0.1.0/bin/c acp"],
    [
      { cargo: { crate: "c", version: "0.1.0", binary: "d", env: { A: "1" } } },
      "A=1 /home/ada/.symposium/bin/ada/0.1.0/bin/d",
    ],
  ];
  for (const [distribution, command] of TABLE) test(command, () => equal(documentedText(distribution), command));

  test("contains the archive's folder with id and version", () => {
    const binary = {
      "darwin-x86_64": { archive: "https://example.com/a.tgz", cmd: "./bin/a", args: ["acp"] },
      "windows-x86_64": { archive: "https://example.com/a.zip", cmd: "./bin/a.exe" },
    };
    equal(
      documentedText({ binary }, { version: "1.2.3", platform: "darwin-aarch64" }),
      "/home/ada/.symposium/bin/ada/1.2.3/bin/a acp",
    );
    equal(
      documentedText({ binary }, { version: "1.2.3", platform: "windows-aarch64" }),
      "C:\\Users\\Ada\\.symposium\\bin\\ada\\1.2.3\\bin\\a.exe",
    );
    equal(
      documentedText({ binary }, { version: "1.2.3" }),
      "Ada does not support this computer: it has archives for darwin-x86_64, windows-x86_64 only.",
    );
  });

  test("uses npx.cmd and .exe on Windows", () => {
    equal(documentedText({ npx: { package: "p" } }, { platform: "windows-x86_64" }), "npx.cmd -y p");
    equal(
      documentedText({ cargo: { crate: "c" } }, { version: "1.0.0", platform: "windows-aarch64" }),
      "C:\\Users\\Ada\\.symposium\\bin\\ada\\1.0.0\\bin\\c.exe",
    );
  });

  test("requires an installation only for crates and archives", () => {
    const fromStore = (distribution: Distribution): unknown =>
      Object(
        documentedCommand(
          { id: "a", name: "A", version: "1", distribution },
          { platform: "linux-x86_64", home: "/", sidecar },
        ),
      ).fromStore;
    deepEqual(
      [
        { npx: { package: "p" } },
        { local: { command: "a" } },
        { cargo: { crate: "c" } },
        { binary: { "linux-x86_64": { archive: "https://example.com/a", cmd: "a" } } },
      ].map(fromStore),
      [false, false, true, true],
    );
  });

  test("uses the crate version that is installed with cargo", () =>
    equal(
      documentedText({ cargo: { crate: "c", version: "0.2.0" } }, { version: "0.1.0" }),
      "/home/ada/.symposium/bin/ada/0.2.0/bin/c",
    ));

  test("rejects invalid folder names and uses “unversioned” for an archive without a version", () => {
    const binary = { "linux-x86_64": { archive: "https://example.com/a.zip", cmd: "a" } };
    equal(documentedText({ binary }), "/home/ada/.symposium/bin/ada/unversioned/a");
    equal(
      documentedText({ cargo: { crate: "c" } }),
      "Ada specifies no version, and only cargo can resolve the newest one.",
    );
    for (const bad of ["..", "../..", "a/b", "", "nul"]) {
      match(documentedText({ binary }, { version: bad }), /valid folder names/, bad);
      match(documentedText({ binary }, { version: "1", id: bad }), /valid folder names/, bad);
    }
  });

  test("exists for each built-in agent on each platform", () => {
    for (const platform of PLATFORMS)
      for (const { id, name, distribution } of BUILT_IN_AGENTS)
        match(
          documentedText(distribution, { id, name, platform }),
          /^(NODE=1 \/node \/sidecar\.js eliza|npx(\.cmd)? -y @\S+( --acp)?|kiro-cli-chat acp)$/,
        );
  });

  test("stays inside the agent's own folder for any document", () =>
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."a./\\:~1"), maxLength: 8 }),
        fc.string({ unit: fc.constantFrom(..."a./\\:~1"), maxLength: 6 }),
        fc.string({ unit: fc.constantFrom(..."a./\\:-1"), maxLength: 6 }),
        fc.boolean(),
        (cmd, id, version, crate) => {
          const distribution = readDistribution(
            crate
              ? { cargo: { crate: "c", binary: cmd } }
              : { binary: { "linux-x86_64": { archive: "https://example.com/a", cmd } } },
          );
          if (!distribution) return;
          const documented = documentedCommand(
            { id, name: "A", version, distribution },
            { platform: "linux-x86_64", home: "/h", sidecar },
          );
          if ("server" in documented)
            match(documented.server.command, new RegExp(`^/h/\\.symposium/bin/${id.replaceAll(".", "\\.")}/`));
        },
      ),
      { numRuns: 1000 },
    ));
});
