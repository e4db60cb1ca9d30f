// Published agents whose process is killed in the middle of a conversation, and then also Symposium's. The agent
// continues with its memory if it can resume sessions. Otherwise a notice says that it does not remember.
import { match, ok } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { killGroup } from "../project.mjs";
import { AGENTS } from "./agents.mjs";
import { testsOf } from "./matrix.mjs";
import { withSidecar } from "./sidecar.mjs";
import { onStage } from "./stage.mjs";

const SCENARIOS = {
  remember: [{ text: "I shall keep it in mind. END-OF-REMEMBER" }],
  "after-exit": [{ text: "The agent was killed. END-OF-AFTER-EXIT" }],
  "after-restart": [{ text: "Symposium was killed. END-OF-AFTER-RESTART" }],
};
const WORD = "persimmon";

for (const agent of AGENTS)
  suite(`${agent.name} after a kill`, () => {
    testsOf(agent)("restart", "continues the conversation after kills of its process and of Symposium", () =>
      onStage(
        agent,
        async stage => {
          const local = { command: path.join(stage.bin, agent.program), args: agent.args },
            chat = {
              conversation: randomUUID(),
              agent: { id: agent.id, name: agent.name, distribution: { local } },
              cwd: stage.workspace,
            },
            options = {
              home: path.join(stage.folder, "home"),
              temporary: path.join(stage.folder, "t"),
              agentId: agent.id,
              extensions: [],
            };
          const bodyOf = scenario =>
            stage.model.requests.findLast(request => request.scenario === scenario)?.body ?? "";
          /** The notice and the model's request must agree. */
          const remembers = (sidecar, scenario) => {
            const continues = sidecar.notices.some(text => text.includes("continues this conversation")),
              forgets = sidecar.notices.some(text => text.includes("does not remember"));
            ok(continues !== forgets, sidecar.notices.join("\n"));
            ok(bodyOf(scenario).includes(WORD) === continues, `${scenario}: ${sidecar.notices.join("\n")}`);
            if (!agent.without?.includes("a resumed session")) ok(continues, sidecar.notices.join("\n"));
          };
          await withSidecar(options, async sidecar => {
            const { sessionId } = await sidecar.request("chat/new", chat);
            await sidecar.prompt(sessionId, `The word is ${WORD}. @@scenario:remember`);
            match(sidecar.answers, /END-OF-REMEMBER/);
            for (const group of sidecar.groups) killGroup(group, "SIGKILL");
            await sidecar.noticed(/continues this conversation|does not remember/);
            await sidecar.prompt(sessionId, "Which word was it? @@scenario:after-exit");
            match(sidecar.answers, /END-OF-AFTER-EXIT/);
            remembers(sidecar, "after-exit");
            await sidecar.kill();
          });
          await withSidecar(options, async sidecar => {
            const { sessionId } = await sidecar.request("chat/new", chat);
            await sidecar.prompt(sessionId, "Which word was it? @@scenario:after-restart");
            match(sidecar.answers, /END-OF-AFTER-RESTART/);
            remembers(sidecar, "after-restart");
          });
        },
        SCENARIOS,
      ),
    );
  });
