import { equal } from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../../testing/drive";
import { hasAgentFiles } from "./agent-files";

suite("agent files in a crate", () => {
  for (const [name, brings] of [
    [".gitignore", false],
    [".cargo_vcs_info.json", false],
    ["README.md", false],
    ["agentless.rs", false],
    [".claude", true],
    [".mcp.json", true],
    [".opencode", true],
    [".git", true],
    [".unheard-of", true],
    ["CLAUDE.md", true],
    ["AGENTS.override.md", true],
    ["opencode.jsonc", true],
  ] as const)
    test(`${brings ? "include" : "exclude"} ${name}`, async () => {
      using folder = temporaryFolder();
      const crate = path.join(folder.path, "registry", "src", "here", "pebble-1.1.0");
      mkdirSync(crate, { recursive: true });
      writeFileSync(path.join(crate, name), "");
      equal(await hasAgentFiles(crate), brings);
    });

  test("includes files above the package in its repository, but not beyond cargo's folder", async () => {
    using folder = temporaryFolder();
    const checkouts = path.join(folder.path, "git", "checkouts"),
      repository = path.join(checkouts, "stones-1234", "abcdef"),
      crate = path.join(repository, "crates", "pebble");
    mkdirSync(crate, { recursive: true });
    writeFileSync(path.join(folder.path, ".claude"), "");
    equal(await hasAgentFiles(crate), false);
    mkdirSync(path.join(repository, ".claude"));
    equal(await hasAgentFiles(crate), true);
  });
});
