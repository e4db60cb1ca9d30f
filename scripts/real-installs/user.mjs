// Configuration of the user's tools below the user's home, for processes with another HOME.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

/**
 * Settings of the tools (mirrors, credentials, toolchains) but no caches, so that packages are downloaded from the
 * registries.
 */
export function userEnvironment() {
  const found = { npm_config_userconfig: ".npmrc", CARGO_HOME: ".cargo", RUSTUP_HOME: ".rustup", PYENV_ROOT: ".pyenv" };
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, below]) => {
      const value = process.env[name] ?? path.join(homedir(), below);
      return existsSync(value) ? [[name, value]] : [];
    }),
  );
}
