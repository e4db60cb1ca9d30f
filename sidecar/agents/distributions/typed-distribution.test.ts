import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { Distribution } from "../../../src/protocol/agents/distribution";
import { typedCommand } from "../../../src/protocol/agents/typed-command";
import { parseCommand } from "../../process/command-line";
import { isSegment } from "./folder-name";
import { distributionOf, storedConfig } from "./typed-distribution";

const read = (text: string): Distribution | undefined => distributionOf(parseCommand(text, "linux"));

suite("distribution of a typed command", () => {
  const KNOWN: readonly (readonly [text: string, distribution: Distribution, id: string, name: string])[] = [
    // the commands of the documents
    [
      "npx -y @zed-industries/claude-code-acp",
      { npx: { package: "@zed-industries/claude-code-acp" } },
      "zed-claude-code",
      "Claude",
    ],
    [
      "npx -y @zed-industries/claude-code-acp@latest",
      { npx: { package: "@zed-industries/claude-code-acp" } },
      "zed-claude-code",
      "Claude",
    ],
    ["npx -y @zed-industries/codex-acp", { npx: { package: "@zed-industries/codex-acp" } }, "codex", "Codex"],
    [
      "npx -y -- @google/gemini-cli@latest --experimental-acp",
      { npx: { package: "@google/gemini-cli", args: ["--experimental-acp"] } },
      "gemini",
      "Gemini CLI",
    ],
    // today's packages
    [
      "npx -y @agentclientprotocol/claude-agent-acp",
      { npx: { package: "@agentclientprotocol/claude-agent-acp" } },
      "zed-claude-code",
      "Claude",
    ],
    [
      "A=1 npx --yes @google/gemini-cli --acp",
      { npx: { package: "@google/gemini-cli", args: ["--acp"], env: { A: "1" } } },
      "gemini",
      "Gemini CLI",
    ],
    ["npx.cmd -y ada@1.2.3 acp", { npx: { package: "ada@1.2.3", args: ["acp"] } }, "npm-ada", "ada"],
    ["npx -y @s/ada", { npx: { package: "@s/ada" } }, "npm-@s+ada", "ada"],
    [
      "npx -y @google/gemini-cli@0.9.0 --acp",
      { npx: { package: "@google/gemini-cli@0.9.0", args: ["--acp"] } },
      "npm-@google+gemini-cli",
      "Gemini CLI",
    ],
    [
      "npx -y --package @s/ada@1.0.0 ada-acp --fast",
      { npx: { package: "@s/ada@1.0.0", cmd: "ada-acp", args: ["--fast"] } },
      "npm-@s+ada",
      "ada-acp",
    ],
    ["uvx ada[acp]==1.2.3 x", { uvx: { package: "ada[acp]==1.2.3", args: ["x"] } }, "python-ada", "ada"],
    ["uvx --from Ada ada-acp", { uvx: { package: "Ada", cmd: "ada-acp" } }, "python-ada", "ada-acp"],
    ["pipx run ada acp", { pipx: { package: "ada", args: ["acp"] } }, "python-ada", "ada"],
    ["pipx run --spec ada==1.0 ada-acp", { pipx: { package: "ada==1.0", cmd: "ada-acp" } }, "python-ada", "ada-acp"],
  ];
  for (const [text, distribution, id, name] of KNOWN)
    test(`recognises ${text}`, () => {
      deepEqual(read(text), distribution);
      deepEqual(storedConfig(distribution), { id, name, distribution });
    });

  for (const text of [
    "npx ada",
    "npx -y",
    "npx -y -p ada ada-acp",
    "npx -y --package ada",
    "npx -y --registry=https://example.com ada",
    "npx -y ./ada",
    "npx -y github:ada/ada",
    "npx -y https://example.com/ada.tgz",
    "npm_config_registry=https://example.com npx -y ada",
    "PATH=/opt/bin npx -y ada",
    "/usr/bin/npx -y ada",
    "uvx",
    "uvx --python 3.12 ada",
    "uvx git+https://example.com/ada",
    "UV_INDEX=https://example.com uvx ada",
    "pipx ada",
    "pipx run --no-cache ada",
    "bunx ada",
    "gemini --acp",
    "sh -c 'npx -y ada'",
  ])
    test(`leaves ${text} as it is`, () => equal(read(text), undefined));

  test("is the inverse of the typed command", () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/),
      args = fc.array(fc.string({ maxLength: 5 }), { minLength: 1, maxLength: 3 });
    const of = fc.record({ package: word, cmd: word, args }, { requiredKeys: ["package"], noNullPrototype: true });
    fc.assert(
      fc.property(fc.constantFrom("npx", "uvx", "pipx"), of, (kind, given) => {
        const distribution: Distribution = { [kind]: given },
          typed = typedCommand(distribution);
        ok(typed);
        deepEqual(distributionOf(typed), distribution);
      }),
    );
  });

  test("never throws", () =>
    fc.assert(
      fc.property(
        fc.constantFrom("npx", "uvx", "pipx", "x"),
        fc.array(fc.oneof(fc.constantFrom("-y", "--", "--package", "--from", "run", "--spec"), fc.string())),
        (command, args) => void distributionOf({ command, args, env: {} }),
      ),
    ));
});

suite("stored configuration", () => {
  const archive = (address: string): Distribution => ({
    binary: { "linux-x86_64": { archive: `https://example.com/${address}`, cmd: "./bin/ada" } },
  });

  test("keeps the given id, name and version", () =>
    deepEqual(storedConfig({ cargo: { crate: "ada" } }, { id: "mine", name: "Mine", version: "1.2.3" }), {
      id: "mine",
      name: "Mine",
      version: "1.2.3",
      distribution: { cargo: { crate: "ada" } },
    }));

  test("derives an id from the first distribution", () => {
    equal(storedConfig({ cargo: { crate: "ada" } }).id, "cargo-ada");
    deepEqual(
      [storedConfig({ cargo: { crate: "ada", binary: "ada-acp" } }).name, storedConfig(archive("a")).name],
      ["ada-acp", "ada"],
    );
    equal(storedConfig({ npx: { package: "ada" }, cargo: { crate: "ada-rs" } }).id, "npm-ada");
    equal(storedConfig({ cargo: { crate: "ada" } }, { id: "../x" }).id, "cargo-ada");
  });

  test("gives each archive its own valid id", () => {
    equal(storedConfig(archive("a")).id, storedConfig(archive("a")).id);
    ok(storedConfig(archive("a")).id !== storedConfig(archive("b")).id);
    for (const distribution of [archive("a"), { npx: { package: `@s/${"a".repeat(150)}` } }, { npx: { package: "-" } }])
      ok(isSegment(storedConfig(distribution).id), storedConfig(distribution).id);
  });
});
