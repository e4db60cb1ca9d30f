// Skips a check whose input files have not changed since it passed.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { digest, root } from "./project.mjs";

/** Inputs of every check: options of the tools, their versions and their plugins. */
const ALWAYS = [
  "tsconfig.base.json",
  "package.json",
  "package-lock.json",
  "eslint.config.mjs",
  "biome.json",
  "scripts",
];

/**
 * Runs `check`, a function that resolves to the result of a suite, and returns that result. If it has passed with the
 * same contents of `inputs` (files and folders) and on the same Node, returns `{ name, passed: 1 }` without running it.
 * Records are in out/passed and are lost with `out`.
 */
export async function unlessUnchanged(name, inputs, check) {
  const record = path.join(root, "out/passed", name.replaceAll("/", "-"));
  const now = `${process.version} ${digest([...ALWAYS, ...inputs])}`;
  if (existsSync(record) && readFileSync(record, "utf8") === now) return { name, passed: 1, failed: [], skipped: [] };
  const result = await check();
  if (result.failed.length === 0) {
    mkdirSync(path.dirname(record), { recursive: true });
    writeFileSync(record, now);
  }
  return result;
}
