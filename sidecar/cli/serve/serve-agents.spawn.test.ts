/** Installation and registry of agents in a window. */
import { deepEqual, doesNotMatch, equal, match, ok, rejects } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import { BUILT_IN_AGENTS } from "../../../src/protocol/agents/built-in-agents";
import { PLATFORMS } from "../../../src/protocol/agents/distribution";
import { tarGz, zipOf } from "../../testing/install/archives";
import { scriptedAgent } from "../../testing/programs/programs";
import { skipped } from "../../testing/skipped";
import { ServeWindow } from "../../testing/serve-window";

suite("agent of a window", () => {
  test("is found on the login shell's PATH", async () => {
    await using window = await ServeWindow.open();
    deepEqual(await window.ask("agents/find", { programs: ["npm", "no-such-program"] }), {
      found: { npm: window.at("tools", process.platform === "win32" ? "npm.cmd" : "npm") },
    });
  });

  test("is installed from an archive with progress, started, updated and removed", async function () {
    if (process.platform === "win32") skipped(this, "Its program is a script of a shell");
    await using window = await ServeWindow.open();
    const node = `#!/bin/sh\nexec "${process.execPath}" "${scriptedAgent().args[0] ?? ""}"\n`;
    const archive = window.server.serve("/ada.zip", { content: zipOf([{ name: "ada", content: node, mode: 0o755 }]) });
    const ada: AgentConfig = {
      id: "ada",
      name: "Ada",
      version: "1.0.0",
      distribution: { binary: Object.fromEntries(PLATFORMS.map(platform => [platform, { archive, cmd: "ada" }])) },
    };
    deepEqual(await window.state(ada), { kind: "binary", install: { kind: "missing" }, running: 0 });
    deepEqual(await window.ask("agents/install", { of: "agent", config: ada, how: "missing" }), { version: "1.0.0" });
    await window.until(() => window.notesOf("agents/changed").length > 0);
    const steps = window.notesOf("agents/installing");
    deepEqual(
      [steps[0]?.of, steps[0]?.id, steps[0]?.progress?.phase, steps.at(-1)?.progress],
      ["agent", "ada", "downloading", undefined],
    );
    deepEqual((await window.state(ada))?.install, { kind: "installed", version: "1.0.0" });
    equal((await window.ask("agents/examine", { agent: ada, cwd: window.home })).diagnosis.cause, "fine");
    await window.ask("agents/install", { of: "agent", config: ada, how: "anew" });
    equal(window.server.requests.length, 2);
    await window.ask("agents/remove", { of: "agent", id: "ada" });
    deepEqual((await window.state(ada))?.install, { kind: "missing" });
    match(
      (await window.ask("agents/examine", { agent: ada, cwd: window.home })).diagnosis.sentence,
      /not installed yet/,
    );
    window.server.serve("/ada.zip", { content: tarGz([]) });
    await rejects(
      window.ask("agents/install", { of: "agent", config: ada, how: "missing" }),
      /The archive .* is damaged/,
    );
    deepEqual((await window.state(ada))?.install, { kind: "missing" });
  });

  test("is updated to the registry's version if it is built in, for new sessions only", async () => {
    await using window = await ServeWindow.open();
    const codex = BUILT_IN_AGENTS.find(({ id }) => id === "codex");
    ok(codex);
    const packageName = codex.distribution.npx?.package ?? "",
      /** Each version logs to its own file. */
      code = `#!/usr/bin/env node
process.argv.push("--log", ${JSON.stringify(window.home)} + "/" + require("../package.json").version);
import(${JSON.stringify(pathToFileURL(scriptedAgent().args[0] ?? "").href)});\n`,
      log = (version: string): string =>
        existsSync(path.join(window.home, version)) ? readFileSync(path.join(window.home, version), "utf8") : "";
    const npmHas = (version: string): void =>
      window.tools.plan({ packages: { [packageName]: { version, bin: { codex: "dist/codex.js" }, content: code } } });
    npmHas("0.9.0");
    deepEqual(await window.ask("agents/install", { of: "agent", config: codex, how: "missing" }), { version: "0.9.0" });
    const begin = async (conversation: string): Promise<string> =>
      (await window.ask("chat/new", { conversation, agent: codex, cwd: window.home })).sessionId;
    const prompt = async (sessionId: string, text: string): Promise<void> => {
      await window.ask("chat/prompt", { sessionId, messageId: text, blocks: [{ type: "text", text: `say ${text}` }] });
      await window.until(() => JSON.stringify(window.notesOf("chat/event")).includes(`"text":"${text}"`));
    };
    const before = await begin("one");
    await prompt(before, "first");

    npmHas("0.11.0");
    const distribution = { npx: { package: `${packageName}@0.10.0`, args: ["--crash-on-start"] } },
      other = { id: "other", version: "1.0.0", distribution: { npx: { package: "other@1.0.0" } } },
      url = window.server.serve("/registry.json", {
        content: JSON.stringify({ agents: [{ id: "codex", version: "0.10.0", distribution }, other] }),
      });
    const updates = async (builtIn: AgentConfig) =>
      (await window.ask("registry/updates", { url, agents: [], extensions: [], builtIns: [builtIn] })).updates;
    deepEqual(await updates(codex), [
      { of: "agent", id: "codex", name: "Codex", from: "0.9.0", to: "0.10.0", package: packageName },
    ]);
    const pinned = { ...codex, distribution: { npx: { package: `${packageName}@0.9.0` } } };
    deepEqual(await updates(pinned), []);

    const update = () => window.ask("agents/install", { of: "agent", config: codex, how: { version: "0.10.0" } });
    window.tools.plan({ fails: { code: 1, stderr: "npm error ENOTFOUND\n" } });
    await rejects(update(), /Version 0\.9\.0 stays installed/);
    await prompt(await begin("two"), "second");

    npmHas("0.11.0");
    deepEqual(await update(), { version: "0.10.0" });
    deepEqual((await window.state(codex))?.install, { kind: "installed", version: "0.10.0" });
    deepEqual(await updates(codex), []);
    await prompt(before, "third");
    await prompt(await begin("three"), "fourth");
    deepEqual(
      ["0.9.0", "0.10.0", "0.11.0"].map(version =>
        ["first", "second", "third", "fourth"].filter(text => log(version).includes(`say ${text}`)),
      ),
      [["first", "second", "third"], ["fourth"], []],
    );
  });

  test("is installed beside extensions, even with the same id", async () => {
    await using window = await ServeWindow.open();
    const proxy = {
      id: "ada",
      name: "Rules",
      distribution: { npx: { package: "@s/proxy" } },
      _source: "custom",
    } as const;
    deepEqual(await window.ask("agents/install", { of: "extension", config: proxy, how: "missing" }), {
      version: "2.0.0",
    });
    deepEqual(
      await window.ask("agents/states", {
        agents: [{ id: "ada", name: "Ada", distribution: { npx: { package: "@s/proxy" } } }],
        extensions: [proxy],
      }),
      {
        agents: { ada: { kind: "npx", install: { kind: "missing" }, running: 0 } },
        extensions: { ada: { kind: "npx", install: { kind: "installed", version: "2.0.0" } } },
      },
    );
    ok(existsSync(path.join(window.home, ".symposium", "extensions", "ada", "2.0.0", "installed.json")));
    ok(window.notesOf("agents/installing").every(({ of }) => of === "extension"));
  });

  test("uses the registry's entries, updates and icons, and an extension.json at an address", async () => {
    await using window = await ServeWindow.open();
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>',
      icon = window.server.serve("/ada.svg", { content: svg });
    const url = window.server.serve("/registry.json", {
      content: JSON.stringify({
        version: "1",
        agents: [
          {
            id: "ada",
            name: "Ada",
            version: "2.0.0",
            description: "",
            distribution: { npx: { package: "@s/proxy@2.0.0" } },
            icon,
          },
          {
            id: "rules",
            name: "Rules",
            version: "1.0.0",
            description: "",
            distribution: { npx: { package: "@s/proxy@1.0.0" } },
            type: "extension",
          },
        ],
      }),
    });
    const { agents, extensions } = await window.ask("registry/agents", { url });
    deepEqual([agents.map(({ id }) => id), extensions.map(({ id }) => id)], [["ada"], ["rules"]]);
    const { updates } = await window.ask("registry/updates", {
      url,
      agents: [{ ...agents[0]?.entry, version: "1.0.0", bypassPermissions: true }],
      extensions: extensions.map(({ entry }) => entry),
      builtIns: [],
    });
    deepEqual(
      updates
        .filter(update => "entry" in update)
        .map(({ of, id, from, to, entry }) => [of, id, from, to, entry["bypassPermissions"]]),
      [["agent", "ada", "1.0.0", "2.0.0", true]],
    );
    deepEqual(await window.ask("registry/icons", { url, ids: ["ada", "rules", "nobody"] }), {
      icons: { ada: `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}` },
    });
    const at = window.server.serve("/extension.json", {
      content: JSON.stringify({ id: "mine", name: "Mine", distribution: { npx: { package: "@s/proxy" } } }),
    });
    deepEqual(await window.ask("registry/extension", { url: at }), {
      entry: { id: "mine", name: "Mine", distribution: { npx: { package: "@s/proxy" } }, _source: "custom" },
    });
    await rejects(window.ask("registry/extension", { url: "http://example.com/x" }), /The URL is not https\./);
    await rejects(window.ask("registry/agents", { url: "file:///x" }), /not an https URL/);
  });

  test("reports the tools of this computer without the home folder", async () => {
    await using window = await ServeWindow.open();
    const { report } = await window.ask("agents/doctor", {});
    match(report, /^Symposium .*\nShell: .*\nTools:\n {2}node {3}\S.*\n/);
    doesNotMatch(report, /Agent:/);
    ok(!report.includes(window.home));
  });
});
