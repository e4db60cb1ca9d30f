// An agent in Symposium, as a user starts it: `npm start -- --smoke --agent …` in a real VS Code.
import path from "node:path";
import { node, root } from "../project.mjs";
import { slowed } from "./throttled.mjs";

/** For one turn, on an idle machine. */
const TURN_MS = 120_000;

/**
 * Sends the prompts one after another. `permission` is "allow" or "reject"; with `stop` the first one is stopped when
 * its answer has that text. Resolves to what was printed: `exchanges`, as `{question, answer}` of the rendered page (an
 * answer is all that follows the question: texts, cards of tools and of permissions), the labels that were `pressed`,
 * and all of it as `text`. A run that failed rejects with what it said. The screenshot is out/agents/NAME.png.
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
  // A rejected call stops the turn of some agents.
  const isStopped = permission === "reject" && / was not answered to its end: Stopped\.$/m.test(text);
  if (code !== 0 && !isStopped) throw new Error(`npm start -- --smoke ended with code ${code}:\n${text}`);
  const exchanges = [
    ...text.matchAll(/^Question: ([^]*?)\nAnswer: ([^]*?)(?=\n+(?:Question|Permission|Screenshot): |$(?![^]))/gm),
  ].map(([, question, answer]) => ({ question, answer }));
  return { exchanges, pressed: [...text.matchAll(/^Permission: pressed “(.*)”$/gm)].map(([, label]) => label), text };
}
