// Published agents with a scripted model: first directly, then in Symposium in a real VS Code, where the expected
// results are read from the rendered page. Each test has a separate agent, home, folder and VS Code.
import { deepEqual, equal, match } from "node:assert/strict";
import { AGENTS } from "./agents.mjs";
import { ask } from "./direct.mjs";
import { testsOf } from "./matrix.mjs";
import { onStage } from "./stage.mjs";
import { smoke } from "./symposium.mjs";

const prompt = scenario => `Please do the thing. @@scenario:${scenario}`;
/** The results of a scenario's calls that the model received. */
const resultsOf = (model, scenario) =>
  model.requests.findLast(request => request.scenario === scenario)?.results.join("\n");
const REFUSED = /refused|cancel|reject/i;

for (const agent of AGENTS)
  suite(`${agent.name} alone`, () => {
    const it = testsOf(agent);

    it("alone", "answers one prompt after another", () =>
      onStage(agent, async stage => {
        const { protocolVersion, answers, stopReasons } = await ask(stage, [prompt("text"), prompt("again")]);
        equal(protocolVersion, 1);
        match(answers[0], /END-OF-TEXT$/);
        match(answers[1], /END-OF-AGAIN$/);
        deepEqual(stopReasons, ["end_turn", "end_turn"]);
      }),
    );

    it("alone", "requests permission before it runs a command and runs it when allowed", () =>
      onStage(agent, async stage => {
        const { answers, permissions } = await ask(stage, [prompt("shell")]);
        equal(permissions.length, 1);
        match(answers[0], /shell-was-run[^]*END-OF-SHELL$/);
        equal(stage.written("proof/shell.txt"), "shell-was-run\n");
      }),
    );

    it("alone", "does not run a rejected command, and informs the model or ends the turn", () =>
      onStage(agent, async stage => {
        const { answers, permissions } = await ask(stage, [prompt("shell")], "reject_once");
        equal(permissions.length, 1);
        if (!agent.endsWhenRejected) {
          match(answers[0], /END-OF-SHELL$/);
          match(resultsOf(stage.model, "shell"), REFUSED);
        }
        equal(stage.written("proof/shell.txt"), undefined);
      }),
    );
  });

for (const agent of AGENTS)
  suite(`${agent.name} in Symposium`, () => {
    const it = testsOf(agent);
    const run = (stage, name, scenarios, how) => smoke(stage, `${agent.id}-${name}`, scenarios.map(prompt), how);

    it("chat", "answers one prompt after another in the page", () =>
      onStage(agent, async stage => {
        const { exchanges, pressed } = await run(stage, "text", ["text", "again"]);
        deepEqual(
          exchanges.map(({ question }) => question.split("\n")[0]), // above what the extensions added
          [prompt("text"), prompt("again")],
        );
        match(exchanges[0].answer, /Hello from the scripted model, streamed in several pieces\. END-OF-TEXT/);
        match(exchanges[1].answer, /END-OF-AGAIN/);
        deepEqual(pressed, []);
      }),
    );

    it("chat", "shows a permission card before it runs a command and runs it when allowed", () =>
      onStage(agent, async stage => {
        const {
          exchanges: [{ answer }],
          pressed,
        } = await run(stage, "allowed", ["shell"]);
        equal(pressed.length, 1);
        match(answer, /echo shell-was-run > proof\/shell\.txt[^]*\ballowed\b/i);
        match(answer, /The command gave «[^]*shell-was-run[^]*END-OF-SHELL/);
        equal(stage.written("proof/shell.txt"), "shell-was-run\n");
      }),
    );

    it("chat", "does not run a command rejected on its card, and informs the model or ends the turn", () =>
      onStage(agent, async stage => {
        const {
          exchanges: [{ answer }],
          pressed,
        } = await run(stage, "rejected", ["shell"], { permission: "reject" });
        equal(pressed.length, 1);
        match(answer, /echo shell-was-run > proof\/shell\.txt[^]*\brejected\b/i);
        if (!agent.endsWhenRejected) {
          match(answer, /END-OF-SHELL/);
          match(resultsOf(stage.model, "shell"), REFUSED);
        }
        equal(stage.written("proof/shell.txt"), undefined);
      }),
    );

    it("chat", "writes a file and shows the change", () =>
      onStage(agent, async stage => {
        const {
          exchanges: [{ answer }],
          pressed,
        } = await run(stage, "write", ["write"]);
        equal(pressed.length, 1);
        match(answer, /written\.txt[^]*\ballowed\b/i);
        match(answer, /END-OF-WRITE/);
        equal(stage.written("written.txt"), "written by the agent\n");
      }),
    );

    it("chat", "reads and then edits a file, with a card for each", () =>
      onStage(agent, async stage => {
        const {
          exchanges: [{ answer }],
          pressed,
        } = await run(stage, "edit", ["edit"]);
        equal(pressed.length, 1);
        match(answer, /seed\.txt[^]*I will change it\.[^]*seed\.txt[^]*−\s*line two[^]*\+\s*line 2, edited/);
        match(answer, /END-OF-EDIT/);
        equal(stage.written("seed.txt"), "line one\nline 2, edited\nline three\n");
      }),
    );

    it("chat", "is cancelled during an answer, keeps the output and answers the next prompt", () =>
      onStage(agent, async stage => {
        const {
          exchanges: [stopped, next],
        } = await run(stage, "stopped", ["endless", "again"], { stop: "MIDDLE" });
        match(stopped.answer, /This begins and does not end, and stops here: MIDDLE[^]*Stopped\./);
        match(next.answer, /END-OF-AGAIN/);
      }),
    );
  });
