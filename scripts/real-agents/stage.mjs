// Where one test happens: a model of its own, and for the agent a home, a temporary folder and a folder to work in of its own.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryRoot } from "../vscode-box/install.mjs";
import { commandOf } from "./install.mjs";
import { startModel } from "./mock-model.mjs";

/** Runs `work` with a stage for the agent, which is taken down afterwards, however it ends. */
export async function onStage(agent, work) {
  const folder = realpathSync(mkdtempSync(path.join(temporaryRoot(), "agent-")));
  const inside = name => path.join(folder, name);
  const home = inside("home"), temporary = inside("t"), workspace = inside("work");
  for (const made of [home, temporary, workspace]) mkdirSync(made);
  writeFileSync(path.join(workspace, "seed.txt"), "line one\nline two\nline three\n");
  const model = await startModel({ folder: workspace });
  try {
    const own = {
      HOME: home, USERPROFILE: home, TMPDIR: temporary, TEMP: temporary, TMP: temporary,
      NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1", ...agent.settle(home, model.url),
    };
    return await work({
      model, workspace, temporary, command: commandOf(agent), own,
      written: name => { const file = path.join(workspace, name); return existsSync(file) ? readFileSync(file, "utf8") : undefined; },
    });
  } finally {
    await model.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

/** A command with its own environment as a person would type it, for `--agent`. */
export const typed = (own, command) => [...Object.entries(own).map(([name, value]) => `${name}=${quoted(value)}`), ...command.map(quoted)].join(" ");

const quoted = word => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
