// The built command line in new HOME folders: installs a published component of each kind of distribution with the
// real tools, as for an editor. Two editors start at once, then one starts offline.
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { CLIENT, connect } from "./acp-client.mjs";
import { serveArchive } from "./archive-server.mjs";
import { hidesNetwork, pathWith, pathWithoutTools, WITHOUT_REGISTRIES, withoutNetwork } from "./tools.mjs";

const SYMPOSIUM = [process.execPath, path.resolve("dist/sidecar.js")],
  LIMIT_MS = 20 * 60_000,
  SIGN_IN = -32_000;

/** Sessions of a component that needs no account, and of agents that need one. */
const OPENED = ["opened"],
  OPENED_OR_SIGN_IN = ["opened", SIGN_IN];

/**
 * `args`: of `run-with`. `id`: folder of the component in the store. `session`: accepted results of `session/new`.
 * `prompt`: with a pattern of the answer.
 */
const KINDS = [
  { kind: "npx", tool: "npm", args: ["--agent", "gemini"], id: "bin/gemini", session: OPENED_OR_SIGN_IN },
  { kind: "uvx", tool: "uv", args: ["--agent", "uvx acp-amp@0.1.3"], id: "bin/python-acp-amp", session: OPENED },
  {
    kind: "pipx",
    tool: "pipx",
    args: ["--agent", "pipx run --spec acp-amp==0.1.3 acp-amp"],
    id: "bin/python-acp-amp",
    session: OPENED,
  },
  {
    kind: "cargo",
    tool: "cargo",
    args: ["--agent", '{"id":"elizacp","cargo":{"crate":"elizacp","version":"12.0.0","args":["acp"]}}'],
    id: "bin/elizacp",
    session: OPENED,
    prompt: ["Hello", /\w/],
  },
  {
    kind: "an MCP server by uvx",
    tool: "uv",
    args: ["--proxy", '{"id":"clock","kind":"mcp","uvx":{"package":"mcp-server-time"}}', "--agent", "eliza"],
    id: "extensions/clock",
    session: OPENED,
    prompt: ['use tool clock::get_current_time with {"timezone":"Asia/Tokyo"}', /^OK: [^]*\+09:00/],
  },
];

/** As root, Claude starts only if this variable declares a sandbox. Here it gets no prompt. */
const AGENT_ENVIRONMENT = process.getuid?.() === 0 ? { IS_SANDBOX: "1" } : {};

const newHome = () => mkdtempSync(path.join(tmpdir(), "home-"));
const homeEnvironment = home => ({ ...AGENT_ENVIRONMENT, HOME: home, USERPROFILE: home });
const INSTALLING = /^(?:Installing|Downloading) /m;

/** The installed versions of a component. */
const versions = (home, id) =>
  readdirSync(path.join(home, ".symposium", id)).filter(version => !version.startsWith("."));

function skip(context, reason) {
  context.skipReason = reason;
  context.skip();
}

/** Runs `work` with a client of `command`, which then exits with code 0. Resolves with its result. */
async function withClient(args, { home, env = {}, offline = false }, work) {
  const command = [...SYMPOSIUM, ...args];
  const client = connect(offline ? withoutNetwork(command) : command, {
    cwd: home,
    env: { ...homeEnvironment(home), ...(offline ? WITHOUT_REGISTRIES : {}), ...env },
    limit: LIMIT_MS,
  });
  const result = await work(client).finally(() => client.close());
  equal(await client.close(), 0, client.stderr());
  return result;
}

const initialize = client =>
  client.ask("initialize", { protocolVersion: 1, clientCapabilities: {}, clientInfo: CLIENT });

/** Opens a session and sends the prompt, if there is one. Resolves with the time of `initialize`. */
const use = (args, { session, prompt, ...how }) =>
  withClient(args, how, async client => {
    const startedAt = Date.now();
    equal((await initialize(client)).protocolVersion, 1);
    const seconds = (Date.now() - startedAt) / 1000;
    const { sessionId } = await opened(client, how.home, session);
    if (prompt && sessionId !== undefined) {
      await client.ask("session/prompt", { sessionId, prompt: [{ type: "text", text: prompt[0] }] });
      match(client.text(), prompt[1]);
    }
    return { seconds, stderr: client.stderr() };
  });

/** Resolves with the result. Empty if the agent requires a sign-in. */
async function opened(client, cwd, accepted) {
  const { result, error } = await client.respond("session/new", { cwd, mcpServers: [] });
  ok(accepted.includes(error ? error.code : "opened"), `${JSON.stringify(error)}\n${client.stderr()}`);
  return result ?? {};
}

/** Standard output of a command that exits with `code`. */
async function output(args, { home, env, code }) {
  const { stdout, stderr, ...exit } = await promisify(execFile)(SYMPOSIUM[0], [...SYMPOSIUM.slice(1), ...args], {
    cwd: home,
    env: { ...process.env, ...homeEnvironment(home), ...env },
    timeout: LIMIT_MS,
  }).catch(error => error);
  equal(exit.code ?? 0, code, stderr + stdout);
  return stdout;
}

const printTimes = (what, ...all) => console.log(`      ${what}: ${all.map(each => each.toFixed(1)).join(", ")} s`);

/** Tests of one component. `at` gets the arguments and the environment before the tests. */
function installs(at, { id, session, prompt }) {
  const home = newHome();
  const start = how => use(["run-with", ...at.args], { home, session, prompt, ...how });

  test("installs once for two editors that start at once in an empty HOME", async () => {
    const both = await Promise.all([1, 2].map(() => start({ env: at.env })));
    equal(both.filter(({ stderr }) => INSTALLING.test(stderr)).length, 1, both.map(({ stderr }) => stderr).join("\n"));
    equal(versions(home, id).length, 1);
    printTimes("first initialize of each editor", ...both.map(({ seconds }) => seconds));
  });

  test("starts offline, with and without package tools", async () => {
    await at.close?.();
    const times = [];
    for (const PATH of [at.env.PATH ?? process.env.PATH, pathWithoutTools()]) {
      const { seconds, stderr } = await start({ env: { PATH }, offline: true });
      equal(stderr, "");
      times.push(seconds);
    }
    printTimes(hidesNetwork ? "offline initialize" : "initialize without registries", ...times);
  });
}

suite("the command line installs", () => {
  for (const { kind, tool, args, ...component } of KINDS)
    suite(kind, () => {
      const at = { args, env: {} };
      suiteSetup(function () {
        const PATH = pathWith(tool);
        if (PATH === undefined) skip(this, `there is no ${tool} here, and none could be had`);
        at.env = { PATH };
      });
      installs(at, component);
    });

  suite("an archive", () => {
    const at = { args: [], env: {} };
    suiteSetup(async function () {
      if (process.platform === "win32") skip(this, "the archive contains a script for Unix");
      const archive = path.join(newHome(), "eliza.tar.gz"),
        program = "dist/sidecar.js";
      const packed = spawnSync("tar", ["czf", archive, "--exclude=*.map", "dist"]);
      equal(packed.status, 0, String(packed.stderr));
      const server = await serveArchive(archive);
      if (!server) skip(this, "there is no openssl here");
      const build = { archive: `${server.url}/eliza.tar.gz`, cmd: program, args: ["eliza", "--deterministic"] },
        platforms = ["linux-x86_64", "linux-aarch64", "darwin-x86_64", "darwin-aarch64"];
      const binary = Object.fromEntries(platforms.map(platform => [platform, build]));
      const config = { id: "archived", name: "Archived Eliza", version: "1.0.0", binary };
      Object.assign(at, { args: ["--agent", JSON.stringify(config)], env: server.env, close: server.close });
    });
    suiteTeardown(() => at.close?.());
    installs(at, { id: "bin/archived", session: OPENED, prompt: ["Men are all alike.", /^In what way/] });
  });
});

suite("commands that install", () => {
  /** `code`: of `doctor`, which reports a required sign-in as a problem. */
  const AGENTS = [
    { tool: "npm", id: "gemini", found: /^Found: signIn\./m, code: 1 },
    { tool: "uv", id: "amp", found: /^Found: fine\./m, code: 0 },
  ];
  const registry = createServer((_, response) =>
    response.end(
      JSON.stringify({
        version: "1.0.0",
        agents: [{ id: "amp", name: "Amp", version: "0.1.3", distribution: { uvx: { package: "acp-amp@0.1.3" } } }],
      }),
    ),
  );
  let url;
  suiteSetup(async () => {
    await new Promise(resolve => registry.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${registry.address().port}/registry.json`;
  });
  suiteTeardown(() => registry.close());

  for (const { tool, id, found, code } of AGENTS) {
    let env;
    const at = { home: "" };
    setup(function () {
      env ??= { PATH: pathWith(tool) };
      if (env.PATH === undefined) skip(this, `there is no ${tool} here, and none could be had`);
      at.home = newHome();
    });
    const text = (args, exit = 0) => output([...args, "--registry", url], { home: at.home, env, code: exit });

    test(`doctor installs ${id} and starts it`, async () => {
      match(await text(["doctor", id], code), found);
      equal(versions(at.home, `bin/${id}`).length, 1);
    });

    test(`registry install installs ${id}, and prints its version`, async () => {
      const { version } = JSON.parse(await text(["registry", "install", id]));
      deepEqual(versions(at.home, `bin/${id}`), [version]);
    });

    test(`registry resolve --install installs ${id}, and prints the command`, async () => {
      const { command, args } = JSON.parse(await text(["registry", "resolve", id, "--install"]));
      ok([command, ...args].some(word => word.startsWith(path.join(at.home, ".symposium/bin", id))));
    });
  }
});

suite("run without a configuration", () => {
  for (const [number, name] of [
    [1, "Claude Code"],
    [2, "Gemini CLI"],
    [3, "Codex"],
  ])
    test(`installs ${name}, which answers the next session, also offline in the next start`, async function () {
      const PATH = pathWith("npm");
      if (PATH === undefined) skip(this, "there is no npm here");
      const home = newHome();
      const seconds = await withClient(["run"], { home }, async client => {
        await initialize(client);
        const { sessionId } = await client.ask("session/new", { cwd: home, mcpServers: [] }),
          selectedAt = Date.now();
        await client.ask("session/prompt", { sessionId, prompt: [{ type: "text", text: String(number) }] });
        match(client.text(), new RegExp(`${name} has started\\. Open a new session to use the agent\\.`));
        await opened(client, home, OPENED_OR_SIGN_IN);
        return (Date.now() - selectedAt) / 1000;
      });
      const next = await use(["run"], { home, offline: true, session: OPENED_OR_SIGN_IN });
      doesNotMatch(next.stderr, INSTALLING);
      printTimes("the selection, and initialize of the next start", seconds, next.seconds);
    });
});
