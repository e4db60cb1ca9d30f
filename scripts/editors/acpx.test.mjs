// acpx, an independent ACP client for the command line (https://www.npmjs.com/package/acpx).
import { match } from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ANSWER, capture, output, PROMPT, SYMPOSIUM } from "./editor.mjs";

suite("acpx", () => {
  test("shows the answer of an agent behind Symposium", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "acpx-")),
      npm = process.platform === "win32" ? "npm.cmd" : "npm";
    writeFileSync(path.join(folder, "package.json"), "{}");
    await output(npm, ["install", "--no-audit", "--no-fund", "--ignore-scripts", "acpx"], { cwd: folder });
    const agent = SYMPOSIUM.map(word => `'${word}'`).join(" "),
      acpx = path.join(folder, "node_modules/.bin/acpx"),
      text = await output(acpx, ["--agent", agent, "exec", PROMPT], { cwd: folder });
    capture("acpx", text);
    match(text, new RegExp(ANSWER));
    match(text, /end_turn/);
  });
});
