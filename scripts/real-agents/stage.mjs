// The environment of one test: a model, and for the agent a home, a temporary folder and a working folder.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryRoot } from "../vscode-box/install.mjs";
import { isPrivate } from "./agents.mjs";
import { commandLineOf, commandOf } from "./install.mjs";
import { startModel } from "./mock-model.mjs";
import { THROTTLE } from "./throttled.mjs";

// These variables could select the user's account, model or settings.
for (const name of Object.keys(process.env)) if (isPrivate(name)) delete process.env[name];

/**
 * Opens a stage for the agent until its model is stopped. Its folder is removed with the run's.
 *
 * `command` is a shell command, for the folder `bin`, that starts the agent with its home and its model. `bin` also
 * contains `command-line` if the agent has one. `workspace` is its working folder, with a seed.txt. `written(name)` is
 * the text of a file in `workspace`. `model` has the received `requests`. All files are in `folder`. `scenarios` are
 * added to scenarios.json.
 */
export async function openStage(agent, scenarios = {}) {
  const folder = realpathSync(mkdtempSync(path.join(temporaryRoot(), "agent-")));
  const [home, temporary, workspace, bin] = ["home", "t", "work", "bin"].map(name => path.join(folder, name));
  for (const folder of [home, temporary, workspace, bin]) mkdirSync(folder);
  writeFileSync(path.join(workspace, "seed.txt"), "line one\nline two\nline three\n");
  const model = await startModel({ folder: workspace, scenarios, speaks: agent.speaks });
  try {
    const own = {
      HOME: home,
      TMPDIR: temporary,
      NO_PROXY: "127.0.0.1",
      no_proxy: "127.0.0.1",
      ...agent.settle(home, model.url),
    };
    const variables = Object.entries(own).map(([name, value]) => `${name}=${value}`);
    const writeProgram = (name, command) =>
      writeFileSync(
        path.join(bin, name),
        `#!/bin/sh\nexec ${[...THROTTLE, "env", ...variables, ...command].map(quoted).join(" ")} "$@"\n`,
        { mode: 0o755 },
      );
    writeProgram(agent.program, agent.command ?? commandOf(agent));
    if (agent.commandLine) writeProgram("command-line", commandLineOf(agent));
    return {
      model,
      folder,
      workspace,
      bin,
      command: [`./${agent.program}`, ...agent.args].join(" "),
      written: name => {
        const file = path.join(workspace, name);
        return existsSync(file) ? readFileSync(file, "utf8") : undefined;
      },
    };
  } catch (error) {
    await model.stop();
    throw error;
  }
}

/** Runs `work` with a stage for the agent, and closes the stage in any case. */
export async function onStage(agent, work, scenarios) {
  const stage = await openStage(agent, scenarios);
  try {
    return await work(stage);
  } finally {
    await stage.model.stop();
    rmSync(stage.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

const quoted = word => `'${word.replaceAll("'", `'\\''`)}'`;
