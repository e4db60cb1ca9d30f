// Tests the npm package like a user of another editor: packed, served by a registry on this computer, installed offline
// in an empty home folder, and used over stdio.
//   npm test -- --only npm
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { PACKAGE_JSON, packCommandLine } from "./npm-package.mjs";
import { manifest } from "./project.mjs";

const ALLOWED = /^(dist\/[\w-]+\.js|package\.json|README\.md|LICENSE|ThirdPartyNotices\.txt)$/;
const { name } = PACKAGE_JSON;
const windows = process.platform === "win32";

/** Use of each command in `--help`. A new command requires an entry. */
const USES = {
  run: async ({ npx, prompted, home }) => {
    const { answers, code } = await npx(["run"], [...opened(home), prompt("Hello")]);
    assert.deepEqual([answers.length, code], [3, 0], "without a configuration");
    const folder = path.join(home, ".symposium");
    mkdirSync(folder, { recursive: true });
    const agent = windows ? `${name}.cmd eliza` : `${name} eliza`;
    writeFileSync(path.join(folder, "config.jsonc"), JSON.stringify({ agent, proxies: [] }));
    await prompted(["run"]);
  },
  "run-with": ({ prompted }) => prompted(["run-with", "--agent", "eliza"]),
  eliza: ({ prompted }) => prompted(["eliza", "--deterministic"]),
  vscodelm: async ({ npx }) => {
    const { code, answers } = await npx(
      ["vscodelm"],
      [() => ({ method: "lm/provideLanguageModelChatInformation", params: { silent: true } })],
    );
    assert.deepEqual([code, answers.length], [0, 1]);
  },
  proxy: ({ prompted, direct, command }) => {
    const proxy = { local: { command, args: ["proxy", "cargo"] } };
    return prompted(["run-with", "--proxy", JSON.stringify(proxy), "--agent", "eliza"], direct);
  },
  registry: async ({ npx, registryUrl }) => {
    const { code, stdout, stderr } = await npx(["registry", "list", "--registry", registryUrl], []);
    assert.equal(code, 0, stderr);
    assert.ok(JSON.parse(stdout).some(({ id }) => id === "elizacp"));
  },
  doctor: async ({ npx }) => {
    const { code, stdout, stderr } = await npx(["doctor"], []);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Tools:/);
  },
  setup: async ({ npx, home }) => {
    const { code, stdout, stderr } = await npx(["setup", "--zed", "--dry-run"], []);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /agent_servers/);
    assert.ok(!readdirSync(home, { recursive: true }).some(file => file.endsWith("settings.json")));
  },
  conform: async ({ npx, command }) => {
    const { code, stdout } = await npx(["conform", "agent", "--", command, "eliza"], []);
    assert.match(stdout, /\b0 failed/);
    assert.equal(code, 0);
  },
  mcp: async ({ npx }) => {
    const { code, stderr } = await npx(["mcp"], []);
    assert.equal(code, 2);
    assert.match(stderr, /run-with/);
  },
};

/** The first requests of a client. A request is a function of the results of those before it. */
const opened = cwd => [
  () => ({ method: "initialize", params: { protocolVersion: 1 } }),
  () => ({ method: "session/new", params: { cwd, mcpServers: [] } }),
];
const prompt =
  text =>
  ([, { sessionId }]) => ({ method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text }] } });

suite("npm package", () => {
  let folder, home, project, installed, command, tarball, server, help;

  suiteSetup(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "npm-"));
    tarball = await packCommandLine(folder);
    server = await serveRegistry(tarball);
    project = path.join(folder, "project");
    mkdirSync(project);
    writeFileSync(path.join(project, "package.json"), "{}");
    home = path.join(folder, "home of the installation");
    mkdirSync(home);
    const { code, stdout, stderr } = await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], []);
    assert.equal(code, 0, `${stdout}${stderr}`);
    installed = path.join(project, "node_modules", name);
    command = path.join(project, "node_modules/.bin", windows ? `${name}.cmd` : name);
    help = (await npx(["--help"], [])).stdout;
  });
  suiteTeardown(() => {
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  setup(() => {
    home = mkdtempSync(path.join(folder, "home-"));
  });

  /**
   * Runs a program in the project with these requests on stdin, one after the response to the other. Ends stdin after
   * the last response.
   */
  function run(program, args, requests, cwd = project) {
    return new Promise((resolve, reject) => {
      const child = spawn(program, args, {
        cwd,
        env: {
          ...process.env,
          HOME: home,
          USERPROFILE: home,
          XDG_CONFIG_HOME: "",
          APPDATA: home,
          npm_config_cache: path.join(home, ".npm"),
          npm_config_update_notifier: "false",
        },
        shell: windows,
      });
      const answers = [];
      let stdout = "",
        stderr = "";
      const next = () => {
        const request = requests[answers.length];
        if (request === undefined) child.stdin.end();
        else child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: answers.length, ...request(answers) })}\n`);
      };
      child.stderr.setEncoding("utf8").on("data", text => {
        stderr += text;
      });
      child.stdout.setEncoding("utf8").on("data", text => {
        stdout += text;
        if (requests.length === 0) return;
        const lines = stdout.split("\n");
        stdout = lines.pop();
        for (const { id, method, result, error } of lines.map(line => JSON.parse(line))) {
          if (id !== answers.length || method !== undefined) continue;
          answers.push(result ?? error);
          next();
        }
      });
      child.on("error", reject).on("close", code => resolve({ code, stdout, stderr, answers }));
      child.stdin.on("error", () => undefined);
      next();
    });
  }
  const npx = (args, requests) => run("npx", ["--offline", name, ...args], requests);

  async function prompted(args, start = npx) {
    const { code, stderr, answers } = await start(args, [...opened(home), prompt("Hello")]);
    assert.deepEqual(
      [code, stderr, answers[0].agentInfo.version, answers[2]],
      [0, "", manifest.version, { stopReason: "end_turn" }],
    );
  }
  /** For arguments that `npx` does not pass unchanged on Windows. */
  const direct = (args, requests) => run(command, args, requests);

  test("contains only the command line program", () => {
    const files = readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry =>
        path.relative(installed, path.join(entry.parentPath ?? entry.path, entry.name)).replaceAll("\\", "/"),
      );
    assert.deepEqual(
      files.filter(file => !ALLOWED.test(file) || /^dist\/(extension|webview|settings)/.test(file)),
      [],
    );
    for (const file of ["dist/sidecar.js", "README.md", "LICENSE", "ThirdPartyNotices.txt"])
      assert.ok(files.includes(file), file);
    assert.equal(readFileSync(path.join(installed, "dist/sidecar.js"), "utf8").split("\n")[0], "#!/usr/bin/env node");
    assert.doesNotMatch(readFileSync(path.join(installed, "ThirdPartyNotices.txt"), "utf8"), /^@aws/m);
  });

  test("runs with npx from a registry, and offline afterwards", async () => {
    const empty = path.join(folder, "empty");
    mkdirSync(empty);
    const version = (...options) => run("npx", ["--yes", ...options, name, "--version"], [], empty);
    const { port } = server.address();
    const { code, stdout, stderr } = await version(`--registry=http://127.0.0.1:${port}`);
    assert.deepEqual([code, stdout], [0, `${manifest.version}\n`], stderr);
    server.closeAllConnections();
    assert.equal((await version("--offline", `--registry=http://127.0.0.1:${port}`)).stdout, stdout);
  });

  test("supports --version", async () =>
    assert.deepEqual(await npx(["--version"], []), {
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: "",
      answers: [],
    }));

  test("tests each command of the help", () => {
    const [, list] = /^Commands:\n([^]*?)\n\n/m.exec(help);
    const commands = new Set(list.match(/^ {2}[a-z][\w-]*/gm).map(line => line.trim()));
    assert.deepEqual([...commands].sort(), Object.keys(USES).sort());
  });

  for (const [subcommand, use] of Object.entries(USES))
    test(`runs ${subcommand} with npx`, () => {
      const registryUrl = `http://127.0.0.1:${server.address().port}/registry.json`;
      return use({ npx, direct, prompted, command, home, registryUrl });
    });

  test("runs an agent process with run-with", () =>
    prompted(["run-with", "--agent", JSON.stringify({ local: { command, args: ["eliza"] } })], direct));
  test("runs as a proxy in a chain with run-with", () =>
    prompted(
      [
        "run-with",
        "--proxy",
        JSON.stringify({ local: { command, args: ["run-with", "--proxy", "no-such-proxy"] } }),
        "--agent",
        "eliza",
      ],
      direct,
    ));
});

/** An npm registry that has this package only, with the agent registry `/registry.json`. */
async function serveRegistry(tarball) {
  const content = readFileSync(tarball);
  const server = createServer(({ url }, response) => {
    const origin = `http://127.0.0.1:${server.address().port}`;
    if (url === `/${name}`)
      response.setHeader("content-type", "application/json").end(
        JSON.stringify({
          name,
          "dist-tags": { latest: manifest.version },
          versions: {
            [manifest.version]: {
              ...PACKAGE_JSON,
              dist: {
                tarball: `${origin}/${path.basename(tarball)}`,
                integrity: `sha512-${createHash("sha512").update(content).digest("base64")}`,
              },
            },
          },
        }),
      );
    else if (url === `/${path.basename(tarball)}`) response.end(content);
    else if (url === "/registry.json") response.end(JSON.stringify({ version: "1.0.0", agents: [], extensions: [] }));
    else response.writeHead(404).end("{}");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}
