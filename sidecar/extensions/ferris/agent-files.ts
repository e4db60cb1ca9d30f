/**
 * Whether a folder brings what an agent may take for its own configuration when a session is opened in it: hooks,
 * servers and plug-ins that it would run without asking, or orders. Files of somebody else's package are to be read,
 * and never to be obeyed.
 */
import { readdir } from "node:fs/promises";
import path from "node:path";

/** All else that begins with a dot counts: agents are many, and each has names of its own. */
const HARMLESS =
  /^\.(gitignore|gitattributes|gitmodules|cargo|cargo-ok|cargo_vcs_info\.json|cargo-checksum\.json|travis\.yml|gitlab-ci\.yml|circleci|appveyor\.yml|editorconfig|rustfmt\.toml|clippy\.toml|codecov\.yml|mailmap)$/;
const READ_BY_AGENTS = /^((agents?|claude|gemini|qwen|copilot)\b.*\.md|(opencode|crush|kilo|mcp|goose)\.\w+)$/i;
/**
 * Of cargo's home: above a package of a registry there is nothing of its own, above one from git there is the rest of
 * its repository.
 */
const OUTSIDE = /^(registry|checkouts)$/;

/** Rejects when a folder cannot be looked into. */
export async function bringsAgentFiles(folder: string): Promise<boolean> {
  for (let at = folder; !OUTSIDE.test(path.basename(at)); at = path.dirname(at)) {
    if ((await readdir(at)).some(name => (name.startsWith(".") && !HARMLESS.test(name)) || READ_BY_AGENTS.test(name)))
      return true;
    if (at === path.dirname(at)) return false;
  }
  return false;
}
