// Starts editors for the tests of this folder.
import { ok } from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { run } from "../project.mjs";

export const PROGRAM = path.resolve("out/editors/symposium-acp-agent.mjs");

/** The first lines of the conversation in Weizenbaum's paper, which a deterministic Eliza repeats. */
export const PROMPT = "Men are all alike.",
  ANSWER = "In what way";

const AGENT = "eliza --deterministic";

/** Command line of Symposium with that agent. */
export const RUN_WITH = [process.execPath, PROGRAM, "run-with", "--agent", AGENT];

/** Command line that reads the configuration file. */
export const RUN = [process.execPath, PROGRAM, "run"];

/** Environment of an editor in which `run` starts that agent. `folder` becomes its HOME. */
export function configured(folder) {
  mkdirSync(path.join(folder, ".symposium"), { recursive: true });
  writeFileSync(path.join(folder, ".symposium", "config.jsonc"), JSON.stringify({ agent: AGENT, proxies: [] }));
  return { HOME: folder, USERPROFILE: folder };
}

/** Standard output of `symposium-acp-agent setup`. */
export async function configuration(editor) {
  return (await promisify(execFile)(process.execPath, [PROGRAM, "setup", `--${editor}`])).stdout;
}

/** Ends the test or its suite as skipped. */
export function skip(context, reason) {
  context.skipReason = reason;
  context.skip();
}

/** Rejects if `command` fails. Resolves with its output. */
export async function output(command, args, options = {}) {
  const { code, text } = await run(command, args, { output: "hold", limit: 4 * 60_000, ...options });
  ok(code === 0, `${command} ${args.join(" ")} exited with code ${code}. ${text}`);
  return text;
}

/** Writes the output of an editor to the folder of `--captures`. */
export function capture(name, text) {
  const folder = process.env.SYMPOSIUM_CAPTURES;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${name}.txt`), text);
}
