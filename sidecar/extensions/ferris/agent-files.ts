/**
 * Detects files that an agent would load as its configuration from a session's folder, such as instructions, or hooks,
 * servers and plug-ins that run without permission. Files of a third-party package are data and must not act as
 * instructions.
 */
import { readdir } from "node:fs/promises";
import path from "node:path";

/** Every other dotfile counts as agent configuration, because each agent uses different names. */
const HARMLESS =
  /^\.(gitignore|gitattributes|gitmodules|cargo|cargo-ok|cargo_vcs_info\.json|cargo-checksum\.json|travis\.yml|gitlab-ci\.yml|circleci|appveyor\.yml|editorconfig|rustfmt\.toml|clippy\.toml|codecov\.yml|mailmap)$/;
const READ_BY_AGENTS = /^((agents?|claude|gemini|qwen|copilot)\b.*\.md|(opencode|crush|kilo|mcp|goose)\.\w+)$/i;
/**
 * Folders of cargo's home at which the search stops. The parent folders of a git package contain the rest of its
 * repository.
 */
const OUTSIDE = /^(registry|checkouts)$/;

/** Rejects if a folder cannot be read. */
export async function hasAgentFiles(folder: string): Promise<boolean> {
  for (let at = folder; !OUTSIDE.test(path.basename(at)); at = path.dirname(at)) {
    if ((await readdir(at)).some(name => (name.startsWith(".") && !HARMLESS.test(name)) || READ_BY_AGENTS.test(name)))
      return true;
    if (at === path.dirname(at)) return false;
  }
  return false;
}
