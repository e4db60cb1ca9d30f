// Installs published agents with the package manager for which they are published. The store is below this run's HOME.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { run } from "../project.mjs";

const STORE = path.join(homedir(), ".symposium", "bin"),
  PROGRAM = path.resolve("out/installs/real-install.mjs");

/** `tools`: at least one is required. The agents need no account before `initialize`. */
const AGENTS = [
  {
    tools: ["npm"],
    id: "gemini",
    name: "Gemini",
    distribution: { npx: { package: "@google/gemini-cli@0.61.0", args: ["--acp"] } },
  },
  { tools: ["uv"], id: "amp-uv", name: "Amp by uv", distribution: { uvx: { package: "acp-amp@0.1.3" } } },
  { tools: ["pipx"], id: "amp-pipx", name: "Amp by pipx", distribution: { pipx: { package: "acp-amp==0.1.3" } } },
  {
    tools: ["cargo"],
    id: "eliza-cargo",
    name: "Eliza by cargo",
    distribution: { cargo: { crate: "elizacp", version: "12.0.0", args: ["acp"] } },
  },
];

const works = command =>
  spawnSync(command, ["--version"], { stdio: "ignore", shell: process.platform === "win32" }).status === 0;

/**
 * A PATH with the tool: the user's, or for uv and pipx that of a new virtual environment in which pip installs the
 * tool.
 */
function pathWith(tool) {
  if (works(tool)) return process.env.PATH;
  const python = ["python3", "python"].find(name => works(name));
  if (python === undefined || (tool !== "uv" && tool !== "pipx")) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), `${tool}-`)),
    bin = path.join(folder, process.platform === "win32" ? "Scripts" : "bin");
  const done = (command, ...args) =>
    spawnSync(command, args, {
      stdio: "ignore",
      timeout: 60_000,
      shell: process.platform === "win32" && command === python,
    }).status === 0;
  return done(python, "-m", "venv", folder) && done(path.join(bin, "python"), "-m", "pip", "install", "--quiet", tool)
    ? `${bin}${path.delimiter}${process.env.PATH}`
    : undefined;
}

/** No server listens on this address. For agents that access the network by themselves. */
const NOWHERE = Object.fromEntries(
  ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "npm_config_registry"].map(name => [
    name,
    "http://127.0.0.1:9/",
  ]),
);

async function start(agent, env, ...how) {
  const { code, text } = await run(
    process.execPath,
    ["--enable-source-maps", PROGRAM, STORE, JSON.stringify(agent), ...how],
    { env, output: "hold", limit: 15 * 60_000 },
  );
  equal(code, 0, text);
  const { error, ...started } = JSON.parse(text.trim().split("\n").at(-1));
  equal(error, undefined);
  return started;
}

function printResult(what, { ms, diagnosis: { cause, sentence }, session, lines }) {
  console.log(
    `      ${what}: ${(ms.install / 1000).toFixed(1)} s to a command (${lines} lines of progress), ${(ms.probe / 1000).toFixed(1)} s to the diagnosis “${cause}”: ${sentence} (session/new: ${session?.message ?? session?.kind})`,
  );
}

for (const {
  tools: [tool],
  ...agent
} of AGENTS)
  suite(`${agent.name} from its registry`, () => {
    let PATH, first;
    suiteSetup(function () {
      PATH = pathWith(tool);
      if (PATH !== undefined) return;
      this.skipReason = `there is no ${tool} here, and none could be had`;
      this.skip();
    });

    test("is installed into the store and answers", async () => {
      first = await start(agent, { PATH });
      printResult("installed", first);
      ok(
        first.command.some(part => part.startsWith(path.join(STORE, agent.id))),
        first.command.join(" "),
      );
      deepEqual(first.initialize, { kind: "answered", version: 1 });
      match(first.diagnosis.cause, /^(fine|signIn|refused)$/);
    });

    test("starts again offline as the same program, without a tool and immediately", async () => {
      const again = await start(agent, NOWHERE, "--offline");
      printResult("offline", again);
      deepEqual(again.command, first.command);
      deepEqual(again.initialize, { kind: "answered", version: 1 });
      ok(again.ms.install < 5000, `${again.ms.install} ms to find it`);
    });
  });
