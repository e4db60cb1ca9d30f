// An agent in Symposium, as a user starts it: `npm start -- --smoke --agent …` in a real VS Code.
import path from "node:path";
import { node, root } from "../project.mjs";
import { slowed } from "./throttled.mjs";

/** Limit for one turn, on an idle machine. */
const TURN_MS = 120_000;

/**
 * Sends the prompts one after another. `permission` is "allow" or "reject". With `stop`, the first prompt is cancelled
 * when its answer contains that text. Resolves to the printed output: `exchanges` as `{question, answer}` of the
 * rendered page, the labels of `pressed` buttons, and the whole `text`. An answer is the text and all cards after the
 * question. A failed run rejects with its output. The screenshot is out/agents/NAME.png.
 */
export async function smoke({ command, bin, workspace }, name, prompts, { permission = "allow", stop } = {}) {
  const { code, text } = await node(
    "scripts/start.mjs",
    [
      "--smoke",
      "--agent",
      command,
      "--folder",
      workspace,
      "--permission",
      permission,
      "--screenshot",
      path.join(root, "out/agents", `${name}.png`),
      "--timeout",
      String(slowed(TURN_MS) / 1000),
      ...(stop === undefined ? [] : ["--stop", stop]),
      ...prompts.flatMap(prompt => ["--prompt", prompt]),
    ],
    { env: { INIT_CWD: bin }, output: "hold" },
  );
  // With some agents, a rejected call cancels the turn.
  const isStopped = permission === "reject" && / is incomplete: Stopped\.$/m.test(text);
  if (code !== 0 && !isStopped) throw new Error(`npm start -- --smoke ended with code ${code}:\n${text}`);
  const exchanges = [
    ...text.matchAll(/^Question: ([^]*?)\nAnswer: ([^]*?)(?=\n+(?:Question|Permission|Screenshot): |$(?![^]))/gm),
  ].map(([, question, answer]) => ({ question, answer }));
  return { exchanges, pressed: [...text.matchAll(/^Permission: pressed “(.*)”$/gm)].map(([, label]) => label), text };
}
