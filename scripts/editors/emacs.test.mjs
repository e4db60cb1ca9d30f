// Emacs with agent-shell, configured by `symposium-acp-agent setup --emacs`.
import { match } from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ANSWER, capture, configuration, configured, output, PROMPT, skip } from "./editor.mjs";

suite("Emacs", () => {
  test("compiles the configuration and shows the answer in an agent-shell", async function () {
    const plugins = process.env.SYMPOSIUM_AGENT_SHELL;
    if (!plugins) skip(this, "SYMPOSIUM_AGENT_SHELL is not set");
    const folder = mkdtempSync(path.join(tmpdir(), "emacs-")),
      init = path.join(folder, "symposium.el");
    writeFileSync(init, await configuration("emacs"));
    const script = path.resolve("scripts/editors/emacs.el"),
      text = await output(process.env.SYMPOSIUM_EMACS || "emacs", ["-Q", "--batch", "-l", script], {
        cwd: folder,
        env: { ...configured(folder), PLUGINS: plugins, CONFIGURATION: init, PROMPT },
      });
    capture("emacs", text);
    match(text, new RegExp(`Symposium> ${PROMPT}[^]*\\n${ANSWER}`));
  });
});
