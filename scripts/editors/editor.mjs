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

const ELIZA = ["run-with", "--agent", "eliza --deterministic"];

/** Command line of Symposium with that agent. */
export const SYMPOSIUM = [process.execPath, PROGRAM, ...ELIZA];

/**
 * Output of `symposium-acp-agent setup`, which starts `run`, with the test's agent. `words`: an argument list in the
 * language of the configuration.
 */
export async function configuration(editor, words) {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, "setup", `--${editor}`]);
  ok(stdout.includes('"run"'), stdout);
  return stdout.replace('"run"', words(ELIZA.map(word => JSON.stringify(word))));
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
