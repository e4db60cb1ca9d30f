import { deepEqual, equal } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { realClock } from "../../../rpc/clock";
import { temporaryFolder } from "../../../testing/drive";
import { skipped } from "../../../testing/skipped";
import { openLedger } from "../../../process/process-ledger";
import { newRun } from "../../../process/run-id";
import { runTool } from "../../../process/tool-run";
import { realFiles } from "../store/files";
import { installNpm } from "./npm-package";

const npm = path.join(path.dirname(process.execPath), process.platform === "win32" ? "npm.cmd" : "npm");
const version = spawnSync(npm, ["--version"], { encoding: "utf8", shell: process.platform === "win32" }).stdout?.trim();

suite("real npm", () => {
  test("installs a local package offline like the fake npm of other tests", async function () {
    if (!version) return skipped(this, "npm is not beside this Node");
    using folder = temporaryFolder();
    const source = path.join(folder.path, "source"),
      staging = path.join(folder.path, ".new-1");
    mkdirSync(source);
    mkdirSync(staging);
    writeFileSync(
      path.join(source, "package.json"),
      JSON.stringify({ name: "@s/agent", version: "1.2.3", bin: { agent: "./main.js" } }),
    );
    writeFileSync(path.join(source, "main.js"), "#!/usr/bin/env node\nconsole.log('I am an agent')\n");
    const ledger = openLedger(folder.path, newRun()),
      lines: string[] = [];
    const built = await installNpm(
      staging,
      { name: "@s/agent" },
      undefined,
      { name: "npm", command: npm },
      {
        files: realFiles,
        signal: new AbortController().signal,
        platform: process.platform,
        line: line => {
          lines.push(line);
        },
        run: (spec, how) =>
          runTool(
            {
              ...spec,
              env: {
                npm_config_offline: "true",
                npm_config_cache: path.join(folder.path, "cache"),
                npm_config_install_links: "true",
              },
            },
            how,
            {
              clock: realClock,
              ledger,
              report: { started: () => undefined, ended: () => undefined },
              log: () => undefined,
            },
          ),
      },
      `file:${source}`,
    );
    ledger.close();
    deepEqual(built, { release: "1.2.3", program: "node_modules/@s/agent/main.js", runtime: "node", runtimeArgs: [] });
    equal(
      lines.some(line => /added 1 package/.test(line)),
      true,
      lines.join("\n"),
    );
    equal(
      spawnSync(process.execPath, [path.join(staging, built.program)], { encoding: "utf8" }).stdout,
      "I am an agent\n",
    );
  });
});
