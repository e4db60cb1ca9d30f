// Tests the npm package like a user of another editor: packed, installed offline, and used over stdio.
//   npm test -- --only npm
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { manifest, root } from "./project.mjs";

/** Permitted files: the command line, and files of the extension that both packages share. */
const ALLOWED =
  /^(dist\/sidecar(-[\w-]+)?\.js|media\/symposium\.(svg|png)|package(\.nls)?\.json|l10n\/bundle\.l10n\.json|README\.md|CHANGELOG\.md|LICENSE|ThirdPartyNotices\.txt)$/;
const windows = process.platform === "win32";

suite("npm package", () => {
  let folder, installed, command;

  suiteSetup(function () {
    folder = mkdtempSync(path.join(tmpdir(), "npm-"));
    const project = path.join(folder, "project");
    mkdirSync(project);
    writeFileSync(path.join(project, "package.json"), "{}");
    npm(["pack", "--pack-destination", folder], root);
    const [tarball] = readdirSync(folder).filter(name => name.endsWith(".tgz"));
    npm(["install", "--offline", "--no-audit", "--no-fund", path.join(folder, tarball)], project);
    installed = path.join(project, "node_modules", manifest.name);
    command = path.join(project, "node_modules/.bin", windows ? "symposium-acp-agent.cmd" : "symposium-acp-agent");
  });
  suiteTeardown(() => rmSync(folder, { recursive: true, force: true }));

  function npm(args, cwd) {
    const { status, stdout, stderr } = spawnSync("npm", args, { cwd, encoding: "utf8", shell: windows });
    assert.equal(status, 0, `npm ${args[0]}:\n${stdout}${stderr}`);
  }

  /** Runs the command with these lines on stdin. Ends stdin after the response to the last request. */
  function exchange(args, requests) {
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        cwd: folder,
        env: { ...process.env, HOME: folder, USERPROFILE: folder },
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

  const prompted = async args => {
    const { code, stderr, answers } = await exchange(args, [
      () => ({ method: "initialize", params: { protocolVersion: 1 } }),
      () => ({ method: "session/new", params: { cwd: folder, mcpServers: [] } }),
      ([, { sessionId }]) => ({
        method: "session/prompt",
        params: { sessionId, prompt: [{ type: "text", text: "Hello" }] },
      }),
    ]);
    assert.deepEqual(
      [code, stderr, answers[0].agentInfo.version, answers[2]],
      [0, "", manifest.version, { stopReason: "end_turn" }],
    );
  };

  test("contains only the command line program", () => {
    const files = readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry =>
        path.relative(installed, path.join(entry.parentPath ?? entry.path, entry.name)).replaceAll("\\", "/"),
      );
    assert.deepEqual(
      files.filter(file => !ALLOWED.test(file)),
      [],
    );
    for (const file of ["dist/sidecar.js", "README.md", "LICENSE", "ThirdPartyNotices.txt"])
      assert.ok(files.includes(file), file);
    assert.equal(readFileSync(path.join(installed, "dist/sidecar.js"), "utf8").split("\n")[0], "#!/usr/bin/env node");
  });

  test("supports --version and --help", async () => {
    assert.deepEqual(await exchange(["--version"], []), {
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: "",
      answers: [],
    });
    assert.match((await exchange(["--help"], [])).stdout, /run-with/);
  });

  test("runs Eliza as an agent", () => prompted(["eliza", "--deterministic"]));
  test("runs Eliza inside run-with", () => prompted(["run-with", "--agent", "eliza"]));
  test("runs an agent process with run-with", () =>
    prompted(["run-with", "--agent", JSON.stringify({ local: { command, args: ["eliza"] } })]));
  test("runs as a proxy in a chain with run-with", () =>
    prompted([
      "run-with",
      "--proxy",
      JSON.stringify({ local: { command, args: ["run-with", "--proxy", "no-such-proxy"] } }),
      "--agent",
      "eliza",
    ]));

  test("explains the mcp command", async () => {
    const { code, stderr } = await exchange(["mcp"], []);
    assert.equal(code, 2);
    assert.match(stderr, /run-with/);
  });
});
