// Where a test happens: a model of its own, and for the agent a home, a temporary folder and a folder to work in of its
// own.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryRoot } from "../vscode-box/install.mjs";
import { isPrivate } from "./agents.mjs";
import { commandOf } from "./install.mjs";
import { startModel } from "./mock-model.mjs";
import { THROTTLE } from "./throttled.mjs";

// They could lead an agent to its user's account, model or settings instead of ours.
for (const name of Object.keys(process.env)) if (isPrivate(name)) delete process.env[name];

/**
 * A stage for the agent, as long as its model is not stopped; its folder goes with the run's:
 *
 * `command` is a shell command for the folder `bin` that starts the agent with its home and its model; `workspace` is
 * where it is to work, with a seed.txt; `written(name)` is the text of a file there; `model` has the `requests` that
 * arrived; all of it is in `folder`. `scenarios` are more than those of scenarios.json.
 */
export async function openStage(agent, scenarios = {}) {
  const folder = realpathSync(mkdtempSync(path.join(temporaryRoot(), "agent-")));
  const [home, temporary, workspace, bin] = ["home", "t", "work", "bin"].map(name => path.join(folder, name));
  for (const made of [home, temporary, workspace, bin]) mkdirSync(made);
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
    const words = [
      ...Object.entries(own).map(([name, value]) => `${name}=${value}`),
      ...(agent.command ?? commandOf(agent)),
    ];
    writeFileSync(
      path.join(bin, agent.program),
      `#!/bin/sh\nexec ${[...THROTTLE, "env", ...words].map(quoted).join(" ")} "$@"\n`,
      { mode: 0o755 },
    );
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

/** Runs `work` with a stage for the agent, which is taken down afterwards, however it ends. */
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
