// Published agents and the Node that they need, in a cache folder outside the checkout, because agents are large
// third-party software.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { installBox, npmInstall, serverNode } from "../vscode-box/install.mjs";

export const cacheFolder = process.env.SYMPOSIUM_AGENTS_CACHE || path.join(homedir(), ".cache", "symposium-agents");

const packageFolder = agent => path.join(cacheFolder, agent.id, "node_modules", agent.package);
const packageOf = agent => JSON.parse(readFileSync(path.join(packageFolder(agent), "package.json"), "utf8"));

/**
 * Installs missing agents (see agents.mjs), with the VS Code that shows them and provides their Node. Passes progress
 * messages of installations to `print`.
 */
export async function installAgents(agents, print = text => console.log(text)) {
  await installBox({ print });
  for (const agent of agents) {
    // A folder of the cache appears only when complete, so the package's version is the stamp.
    if (existsSync(packageFolder(agent)) && packageOf(agent).version === agent.version) continue;
    print(`Installing ${agent.name} ${agent.version} into ${cacheFolder}: once, about a minute, ${agent.size}…`);
    // Without install scripts, because no used feature needs them.
    await npmInstall(
      agent.id,
      `${agent.package}@${agent.version}`,
      { PATH: `${path.dirname(serverNode)}${path.delimiter}${process.env.PATH}`, npm_config_ignore_scripts: "true" },
      print,
      cacheFolder,
    );
  }
}

/** The command of the agent's own program for a terminal, with the arguments before a prompt. */
export function commandLineOf({ id, commandLine: { file, args } }) {
  const program = path.join(cacheFolder, id, "node_modules", file);
  return [program, ...args];
}

/**
 * The command of an installed agent's program, without arguments. A JavaScript program runs with the Node of the cache,
 * regardless of PATH. A `native` program is the first existing file of the list in the package's dependencies.
 */
export function commandOf(agent) {
  const natives = agent.native?.map(file => path.join(cacheFolder, agent.id, "node_modules", file));
  if (natives) return [natives.find(file => existsSync(file)) ?? natives[0]];
  const { bin } = packageOf(agent);
  return [serverNode, path.join(packageFolder(agent), bin[agent.program])];
}
