// The list of sessions with published agents: a session of the agent's own command line, or of another client, appears
// and opens. Branches of a conversation contain what precedes them and nothing else.
import { deepEqual, equal, ok } from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { promisify } from "node:util";
import { which } from "../vscode-box/install.mjs";
import { AGENTS } from "./agents.mjs";
import { testsOf } from "./matrix.mjs";
import { withSidecar } from "./sidecar.mjs";
import { onStage } from "./stage.mjs";
import { runUntilNotification } from "./terminal.mjs";
import { agentTimeLimit } from "./throttled.mjs";

const run = promisify(execFile);
const WORDS = ["persimmon", "quince", "medlar", "sloe"];
const TERMINAL_ANSWER = "Said in a terminal. END-OF-TERMINAL";
const SCENARIOS = {
  terminal: [{ text: TERMINAL_ANSWER }],
  ...Object.fromEntries(WORDS.map(word => [word, [{ text: `I shall keep it in mind. END-OF-${word}` }]])),
  branch: [{ text: "Said in a branch. END-OF-BRANCH" }],
  whole: [{ text: "Said in a fork. END-OF-FORK" }],
};

const optionsOf = (agent, stage) => ({
  home: path.join(stage.folder, "home"),
  temporary: path.join(stage.folder, "t"),
  agentId: agent.id,
  extensions: [],
});
const configOf = (agent, stage) => ({
  id: agent.id,
  name: agent.name,
  distribution: { local: { command: path.join(stage.bin, agent.program), args: agent.args } },
});
const bodyOf = (stage, scenario) => stage.model.requests.findLast(request => request.scenario === scenario)?.body ?? "";

/** A session that Symposium does not know: of the command line if the agent has one, otherwise of another client. */
async function promptElsewhere(agent, stage) {
  const text = "The word is persimmon. @@scenario:terminal",
    cwd = stage.workspace,
    command = path.join(stage.bin, "command-line"),
    limits = { cwd, timeout: agentTimeLimit(120_000) };
  if (agent.commandLine?.interactive) await runUntilNotification([command, text], TERMINAL_ANSWER, limits);
  else if (agent.commandLine) {
    const running = run(command, [text], limits);
    running.child.stdin.end();
    await running;
  } else
    await withSidecar({ ...optionsOf(agent, stage), home: path.join(stage.folder, "elsewhere") }, sidecar =>
      sidecar.ask(configOf(agent, stage), cwd, text),
    );
}

for (const agent of AGENTS.filter(({ without = [] }) => !without.includes("a list of sessions")))
  suite(`${agent.name} in the list of sessions`, () => {
    if (agent.commandLine?.interactive)
      setup(function () {
        if (which("python3") !== undefined) return;
        this.skipReason = "There is no python3 here";
        this.skip();
      });
    testsOf(agent)("list", "has the sessions of other programs, which open and are deleted", () =>
      onStage(
        agent,
        async stage => {
          const config = configOf(agent, stage),
            cwd = stage.workspace;
          await withSidecar(optionsOf(agent, stage), async sidecar => {
            const refresh = async () => {
              await sidecar.request("sessions/refresh", { agents: [config], cwd });
              return (await sidecar.request("sessions/list", {})).sessions;
            };
            deepEqual(await refresh(), []);
            await promptElsewhere(agent, stage);
            const since = Date.now();
            let sessions = await refresh();
            while (sessions.length === 0 && Date.now() - since < agentTimeLimit(10_000)) sessions = await refresh();
            const listedAfter = Date.now() - since;
            ok(sessions.length > 0, sidecar.log.slice(-5).join("\n"));
            const [session] = sessions;
            console.log(`      listed after ${listedAfter} ms as “${session.title}”`);
            ok(listedAfter < agentTimeLimit(2_000), `${listedAfter} ms`);
            deepEqual([sessions.length, session.ref.kind, session.cwd], [1, "agent", cwd]);
            const { conversation } = await sidecar.request("sessions/open", { ref: session.ref });
            const { sessionId } = await sidecar.request("chat/new", { conversation, agent: config, cwd });
            await sidecar.answered(/END-OF-TERMINAL/);
            await sidecar.prompt(sessionId, "Which word was it? @@scenario:branch");
            ok(bodyOf(stage, "branch").includes("persimmon"), "the agent remembers");
            sessions = await refresh();
            deepEqual(
              sessions.map(({ ref }) => ref),
              [{ kind: "stored", conversation }],
              "listed once",
            );
            await sidecar.request("chat/close", { sessionId });
            await sidecar.request("sessions/rename", { ref: { kind: "stored", conversation }, title: "Fruit" });
            equal((await refresh())[0].title, "Fruit");
            await sidecar.request("sessions/delete", { ref: { kind: "stored", conversation } });
            deepEqual(await refresh(), []);
          });
        },
        SCENARIOS,
      ),
    );
  });

for (const agent of AGENTS)
  suite(`${agent.name} in branches`, () => {
    testsOf(agent)("branches", "knows what precedes the branch, and nothing else", () =>
      onStage(
        agent,
        async stage => {
          const config = configOf(agent, stage),
            cwd = stage.workspace,
            source = randomUUID();
          await withSidecar(optionsOf(agent, stage), async sidecar => {
            const { sessionId } = await sidecar.request("chat/new", { conversation: source, agent: config, cwd });
            for (const word of WORDS) await sidecar.prompt(sessionId, `The word is ${word}. @@scenario:${word}`);
            const prompts = sidecar.events.flatMap(({ entry }) => (entry?.kind === "user" ? [entry] : [])),
              third = prompts.find(({ text }) => text.includes(WORDS[2])).id;
            /** Asks in a new branch, and returns the words in the model's request. */
            const wordsIn = async (before, scenario) => {
              const newId = randomUUID(),
                branch = { conversation: source, newId, ...(before === undefined ? {} : { before }) };
              const { transcript } = await sidecar.request("sessions/fork", branch);
              const { sessionId } = await sidecar.request("chat/new", { conversation: newId, agent: config, cwd });
              await sidecar.prompt(
                sessionId,
                `Which words were it? @@scenario:${scenario}`,
                transcript === undefined ? [] : [{ kind: "transcript", text: transcript }],
              );
              const body = bodyOf(stage, scenario);
              return [transcript === undefined ? "forked" : "transcript", ...WORDS.filter(word => body.includes(word))];
            };
            deepEqual(await wordsIn(third, "branch"), ["transcript", ...WORDS.slice(0, 2)]);
            const [how, ...whole] = await wordsIn(undefined, "whole");
            console.log(`      the whole conversation: ${how}`);
            deepEqual(whole, WORDS);
            await sidecar.prompt(sessionId, "And in the source? @@scenario:terminal");
            ok(!bodyOf(stage, "terminal").includes("END-OF-BRANCH"), "the source is unchanged");
          });
        },
        SCENARIOS,
      ),
    );
  });

const [first, second] = ["claude-agent-acp", "codex-acp"].map(id => AGENTS.find(agent => agent.id === id));
if (first && second)
  suite(`${first.name} continued with ${second.name}`, () => {
    testsOf(second)("branches", "gets what was said before, within the limit of a transcript", () =>
      onStage(
        first,
        stage =>
          onStage(
            second,
            async other => {
              const cwd = stage.workspace,
                source = randomUUID(),
                newId = randomUUID(),
                agent = configOf(second, other);
              await withSidecar(optionsOf(first, stage), async sidecar => {
                const chat = { conversation: source, agent: configOf(first, stage), cwd };
                const { sessionId } = await sidecar.request("chat/new", chat);
                await sidecar.prompt(sessionId, `The word is ${WORDS[0]}. @@scenario:${WORDS[0]}`);
                const { transcript } = await sidecar.request("sessions/fork", {
                  conversation: source,
                  newId,
                  agent: { id: agent.id, name: agent.name },
                });
                ok(transcript.length <= 60_100, `${transcript.length} characters`);
                const branch = await sidecar.request("chat/new", { conversation: newId, agent, cwd });
                await sidecar.prompt(branch.sessionId, "Which word was it? @@scenario:branch", [
                  { kind: "transcript", text: transcript },
                ]);
                ok(bodyOf(other, "branch").includes(WORDS[0]));
              });
            },
            SCENARIOS,
          ),
        SCENARIOS,
      ),
    );
  });
