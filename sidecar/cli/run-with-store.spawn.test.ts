import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { timeLimit } from "../../scripts/time-limits.mjs";
import { platformOf } from "../agents/distributions/platform";
import { objectOr } from "../rpc/json";
import { tarGz } from "../testing/install/archives";
import { census } from "../testing/census";
import { CommandRun } from "../testing/command-run";
import { FakeTools } from "../testing/install/fake-tools";
import { FileServer } from "../testing/install/file-server";
import { RegistryServer, serving, status } from "../testing/install/registry-server";
import { scriptedAgent } from "../testing/programs/programs";
import { skipped } from "../testing/skipped";

/** The program of each installed package: the scripted agent. */
const { command: node, args: agentArgs } = scriptedAgent();
const SHELL_AGENT = `#!/bin/sh\nexec '${node}' ${agentArgs.map(arg => `'${arg}'`).join(" ")} "$@"\n`;
const NODE_AGENT = `#!/usr/bin/env node\nprocess.argv.length = 2;\nimport(${JSON.stringify(pathToFileURL(path.resolve(agentArgs[0] ?? "")).href)});\n`;

suite("run-with and the store", function () {
  this.timeout(timeLimit(120_000));
  let folder: string, home: string, bin: string, tools: FakeTools;
  const runs: CommandRun[] = [];

  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}, name?: string): CommandRun => {
    const run = new CommandRun(home, args, { PATH: bin, SHELL: "/bin/false", ...env }, { name }).read();
    runs.push(run);
    return run;
  };
  const agent = (text: string, ...rest: readonly string[]): CommandRun =>
    start(["run-with", "--agent", text, "--log", "error", ...rest]);
  const answered = async (run: CommandRun): Promise<void> => {
    run.prompt(3, await run.open(), "say hello");
    await run.answer(3);
    equal(run.text, "hello", JSON.stringify(run.received) + run.stderr);
    run.process.stdin.end();
    deepEqual(await run.exit, [0, null]);
  };
  /** Removes every package tool and the network registry from the PATH. */
  const offline = (): void => {
    for (const name of tools.names) rmSync(path.join(bin, name));
  };
  const installedIn = (kind: "bin" | "extensions"): readonly string[] => {
    const root = path.join(home, ".symposium", kind);
    return existsSync(root) ? readdirSync(root).filter(name => !name.startsWith(".")) : [];
  };

  suiteSetup(function () {
    if (process.platform === "win32") skipped(this, "the fake programs are shell scripts");
  });
  setup(() => {
    folder = mkdtempSync(path.join(tmpdir(), "symposium-store-"));
    home = path.join(folder, "home");
    bin = path.join(folder, "bin");
    mkdirSync(home);
    tools = new FakeTools(bin, ["npm", "uv", "pipx", "cargo"], {
      packages: {
        "@google/gemini-cli": { version: "1.0.0", bin: { gemini: "dist/gemini.js" }, content: NODE_AGENT },
        "@s/ada": { version: "2.0.0", bin: { ada: "dist/ada.js" }, content: NODE_AGENT },
        "py-ada": { version: "0.9.0", bin: { "py-ada": "" }, content: SHELL_AGENT },
        "rs-ada": { version: "3.1.4", bin: { "rs-ada": "" }, content: SHELL_AGENT },
      },
    });
    symlinkSync(process.execPath, path.join(bin, "node"));
    for (const program of ["sh", "env"]) symlinkSync(`/bin/${program}`, path.join(bin, program));
  });
  teardown(async () => {
    for (const run of runs.splice(0)) {
      run.process.kill("SIGKILL");
      await run.exit;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  const KINDS: readonly (readonly [text: string, id: string, line: RegExp])[] = [
    ["gemini", "gemini", /^Installing Gemini CLI[^]*\nGemini CLI 1\.0\.0 is installed\.$/m],
    ["npx -y @s/ada --acp", "npm-@s+ada", /^Installing ada[^]*\nada 2\.0\.0 is installed\.$/m],
    ["uvx py-ada", "python-py-ada", /^py-ada 0\.9\.0 is installed\.$/m],
    ["pipx run py-ada", "python-py-ada", /^py-ada 0\.9\.0 is installed\.$/m],
    [`{"id":"rs","name":"Rusty","cargo":{"crate":"rs-ada"}}`, "rs", /^Rusty 3\.1\.4 is installed\.$/m],
  ];
  for (const [text, id, line] of KINDS)
    test(`installs ${text} at the first initialize and starts it without its tool afterwards`, async () => {
      const first = agent(text);
      await answered(first);
      match(first.stderr, line);
      deepEqual(installedIn("bin"), [id]);
      const calls = tools.calls.length;
      offline();
      const second = agent(text);
      await answered(second);
      deepEqual([second.stderr, tools.calls.length], ["", calls]);
    });

  test("installs an archive at the first initialize and starts it without the server afterwards", async function () {
    const platform = platformOf(process.platform, process.arch);
    if (!platform) skipped(this, "registries have no key for this platform");
    const server = await FileServer.start(),
      archive = server.serve("/ada.tar.gz", { content: tarGz([{ name: "ada", content: SHELL_AGENT, mode: 0o755 }]) });
    const config = {
      id: "ada",
      name: "Ada",
      version: "1.2.3",
      binary: { [String(platform)]: { archive, cmd: "./ada" } },
    };
    const archived = (): CommandRun => start([JSON.stringify(config)], {}, "run-with-http-archives");
    const first = archived();
    await answered(first);
    match(first.stderr, /^Downloading Ada[^]*\nAda 1\.2\.3 is installed\.$/m);
    await server[Symbol.asyncDispose]();
    const second = archived();
    await answered(second);
    equal(second.stderr, "");
  });

  test("installs nothing before initialize", async () => {
    const run = agent("gemini");
    await run.ask(1, "session/new", { cwd: home, mcpServers: [] });
    deepEqual(tools.calls, []);
  });

  test("installs once when two processes start at the same time", async () => {
    const both = [agent("gemini"), agent("gemini")];
    await Promise.all(both.map(answered));
    equal(tools.calls.length, 1);
  });

  test("cancels the installation when the client disconnects", async () => {
    tools.plan({ packages: { "@s/ada": { version: "2.0.0" } }, hangs: true });
    for (const option of ["--agent", "--proxy"]) {
      const rest = option === "--proxy" ? ["--agent", "eliza"] : [];
      const run = start(["run-with", option, "npx -y @s/ada", ...rest]);
      run.report({ id: 1, method: "initialize", params: { protocolVersion: 1 } });
      await run.until(() => run.stderr.includes("hanging") || run.stderr.includes("Installing ada"));
      run.process.stdin.end();
      deepEqual(await run.exit, [0, null]);
      if (process.platform === "linux") deepEqual(census(run.id), []);
    }
    deepEqual(
      readdirSync(path.join(home, ".symposium", "bin", "npm-@s+ada")).filter(name => !name.startsWith(".")),
      [],
    );
  });

  test("reports a failed installation once to the client and on stderr", async () => {
    const run = start(["run-with", "--agent", "npx -y nothing"]);
    const { error } = await run.ask(1, "initialize", { protocolVersion: 1 });
    match(String(objectOr(error).message), /npm exited \(exit code 1\)\. Its last output: “npm error 404: nothing/);
    deepEqual(objectOr(error).data, { component: "nothing" });
    deepEqual(await run.exit, [1, null]);
    equal(run.stderr.match(/^.* error npm exited .*npm error 404: nothing is not in this registry”\n/gm)?.length, 1);
    ok(run.stderr.endsWith("registry”\n"), run.stderr);
    doesNotMatch(run.stderr, /is installed/);
  });

  test("bypasses a proxy that cannot be installed, with the reason", async () => {
    const run = start(["run-with", "--proxy", "uvx nothing", "--agent", "eliza --deterministic"]);
    await run.open();
    match(run.stderr, /“nothing” is skipped: .*uv error 404: nothing is not in this registry/);
  });

  test("reads agents and extensions of the registry by their ids, offline afterwards", async () => {
    const registry = await RegistryServer.start(
      serving({
        version: "1.0.0",
        agents: [{ id: "ada", name: "Ada", version: "2.0.0", distribution: { npx: { package: "@s/ada@2.0.0" } } }],
        extensions: [
          { id: "rules", name: "Rules", version: "0.9.0", distribution: { uvx: { package: "py-ada==0.9.0" } } },
          { id: "docs", name: "Docs", version: "1.0.0", kind: "mcp", distribution: { npx: { package: "@s/ada" } } },
        ],
      }),
    );
    try {
      const args = ["--registry", registry.url, "--proxy", "docs"];
      await answered(agent("ada", ...args));
      deepEqual([installedIn("bin"), installedIn("extensions"), registry.requests.length], [["ada"], ["docs"], 1]);
      registry.answer = status(503);
      offline();
      const second = agent("ada", ...args);
      await answered(second);
      deepEqual([second.stderr, registry.requests.length], ["", 1]);
      const unknown = agent("absent", ...args);
      const { error } = await unknown.ask(1, "initialize", { protocolVersion: 1 });
      match(
        String(objectOr(error).message),
        /“absent” is neither an agent of Symposium or of the registry nor a program on the PATH\./,
      );
    } finally {
      await registry[Symbol.asyncDispose]();
    }
  });

  test("starts a program on the PATH if the stored registry lacks the word", async () => {
    writeFileSync(path.join(bin, "my-agent"), SHELL_AGENT, { mode: 0o755 });
    const registry = await RegistryServer.start(serving({ version: "1.0.0", agents: [] }));
    try {
      for (let i = 0; i < 2; i++) await answered(agent("my-agent", "--registry", registry.url));
      ok(registry.requests.length <= 1);
    } finally {
      await registry[Symbol.asyncDispose]();
    }
  });
});
