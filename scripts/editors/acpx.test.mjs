// acpx, an independent ACP client for the command line (https://www.npmjs.com/package/acpx).
import { match } from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ANSWER, capture, configured, output, PROMPT, RUN, RUN_WITH } from "./editor.mjs";

suite("acpx", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "acpx-"));
  suiteSetup(async () => {
    writeFileSync(path.join(folder, "package.json"), "{}");
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    await output(npm, ["install", "--no-audit", "--no-fund", "--ignore-scripts", "acpx"], { cwd: folder });
  });

  for (const [title, words] of [
    ["an agent behind run-with", RUN_WITH],
    ["the agent of the configuration file", RUN],
  ])
    test(`shows the answer of ${title}`, async () => {
      const agent = words.map(word => `'${word}'`).join(" "),
        acpx = path.join(folder, "node_modules/.bin/acpx"),
        text = await output(acpx, ["--agent", agent, "exec", PROMPT], { cwd: folder, env: configured(folder) });
      capture(`acpx-${words === RUN ? "run" : "run-with"}`, text);
      match(text, new RegExp(ANSWER));
      match(text, /end_turn/);
    });
});
