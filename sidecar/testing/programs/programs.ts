/** Test programs as processes, compiled by `scripts/units.mjs`. */
import path from "node:path";
import type { ProcessSpec } from "../../process/stdio-process";

/** Command that runs `name.program.ts` of this folder with the current Node. */
export function program(
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ProcessSpec {
  const folder = process.env.SYMPOSIUM_TEST_PROGRAMS;
  if (!folder) throw new Error("SYMPOSIUM_TEST_PROGRAMS is not set: run the tests with scripts/units.mjs");
  return {
    name,
    command: process.execPath,
    args: [path.join(folder, `${name}.program.mjs`), ...args],
    env,
    cwd: process.cwd(),
  };
}

export function scriptedAgent(flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}): ProcessSpec {
  return { ...program("scripted-agent", flags, env), name: "Scripted" };
}
