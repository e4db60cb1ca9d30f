// What the user's tools find below the user's home, where HOME is another folder.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

/**
 * Their settings (mirrors, credentials, toolchains), but none of their caches: what is installed comes from the
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
