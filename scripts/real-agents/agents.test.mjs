// Published agents with a scripted model: first without us, then with Symposium in a real VS Code, where what is expected is read from
// the rendered page. Each test has its own agent, home, folder and VS Code.
import { deepEqual, equal, match } from "node:assert/strict";
import { AGENTS } from "./agents.mjs";
import { ask } from "./direct.mjs";
import { onStage } from "./stage.mjs";

/** What could lead an agent to its user's account, model or settings instead of ours. */
const NOT_INHERITED = /^(ANTHROPIC|CLAUDE|GEMINI|GOOGLE|OPENAI|XDG_)/;
for (const name of Object.keys(process.env)) if (NOT_INHERITED.test(name)) delete process.env[name];

const prompt = scenario => `Please do the thing. @@scenario:${scenario}`;
/** What the calls of a scenario returned, as the model was told. */
const told = (model, scenario) => model.requests.findLast(asked => asked.scenario === scenario)?.results.join("\n");

for (const agent of AGENTS) suite(`${agent.name} without us`, () => {
  test("answers one prompt after another", () => onStage(agent, async stage => {
    const { protocolVersion, answers, stopReasons } = await ask(stage, [prompt("text"), prompt("again")]);
    equal(protocolVersion, 1);
    match(answers[0], /END-OF-TEXT$/);
    match(answers[1], /END-OF-AGAIN$/);
    deepEqual(stopReasons, ["end_turn", "end_turn"]);
  }));

  test("asks before it runs a command, and does what it is allowed", () => onStage(agent, async stage => {
    const { answers, permissions } = await ask(stage, [prompt("shell")]);
    equal(permissions.length, 1);
    match(answers[0], /shell-was-run[^]*END-OF-SHELL$/);
    equal(stage.written("proof/shell.txt"), "shell-was-run\n");
  }));

  test("does not run a command that is rejected, and tells the model", () => onStage(agent, async stage => {
    const { answers, permissions } = await ask(stage, [prompt("shell")], "reject_once");
    equal(permissions.length, 1);
    match(answers[0], /END-OF-SHELL$/);
    match(told(stage.model, "shell"), /refused|cancel|reject/i);
    equal(stage.written("proof/shell.txt"), undefined);
  }));
});
