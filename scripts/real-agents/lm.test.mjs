// Published agents with a scripted model behind VS Code's own chat. A real VS Code offers sixty tools of an extension
// in addition to its own. Checks the visible text and buttons, the model's requests, and the files afterwards.
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { openBox, ROOT } from "../../out/agents-page/harness.mjs";
import { ModelChat } from "../../out/agents-page/model-chat.mjs";
import { AGENTS } from "./agents.mjs";
import { testsOf } from "./matrix.mjs";
import { openStage } from "./stage.mjs";
import { agentTimeLimit } from "./throttled.mjs";

const EXTENSIONS = ["src/test/page/tools-extension", "scripts/real-agents/tools-extension"].map(folder =>
  path.join(ROOT, folder),
);
const TOOLS = Array.from({ length: 60 }, (_, i) => `agents_tool_${String(i + 1).padStart(2, "0")}`);
/** Limit for effects of an agent's answer, on an idle machine. */
const WAIT_MS = 60_000;
/** VS Code's confirmation above the prompt, outside the answer. */
const QUESTION = ".chat-tool-confirmation-carousel-container:visible";
const OFFERED = /^(?:mcp_+)?vsctools\d*_/;
const REFUSED = /refused|cancel|reject|doesn't want|skip/i;

for (const agent of AGENTS)
  suite(`${agent.name} in VS Code's chat`, () => {
    const it = testsOf(agent);
    let stage, box, chat;
    /** The text of a file in the agent's folder. */
    const written = name => {
      const file = path.join(box.folders[0], name);
      return existsSync(file) ? readFileSync(file, "utf8") : undefined;
    };
    const asked = scenario => stage.model.requests.filter(request => request.scenario === scenario);
    const offersAll = ({ tools }) => TOOLS.every(tool => tools.some(name => name.endsWith(`_${tool}`)));
    const say = (scenario, more = "") => chat.send(`Please do the thing${more}. @@scenario:${scenario}`);

    /** Makes the model call three tools in one message. Their results are "the first" and so on. */
    async function three(scenario, numbers) {
      rmSync(path.join(box.folders[0], "tools.log"), { force: true });
      await say(scenario);
      const answer = await chat.answered(`END-OF-${scenario.toUpperCase()}`),
        { results } = asked(scenario).at(-1);
      const calls = ["the first", "one between", "the last"].map((text, i) => [`agents_tool_${numbers[i]}`, text]);
      for (const [i, [tool, text]] of calls.entries()) {
        const result = `${tool} was told ${text}`;
        ok(answer.includes(result) && results.at(i - calls.length)?.includes(result), results.join("\n"));
      }
      deepEqual(written("tools.log").trim().split("\n").sort(), calls.map(([tool, text]) => `${tool} ${text}`).sort());
    }

    suiteSetup(async () => {
      stage = await openStage(agent);
      const local = { command: path.join(stage.bin, agent.program), args: agent.args };
      box = await openBox({
        others: EXTENSIONS,
        settings: {
          "symposium.agents": [{ id: agent.id, name: agent.id, distribution: { local } }],
          "symposium.enableExperimentalLM": true,
          "chat.byokUtilityModelDefault": "mainAgent",
          // An agent may listen on a port, and the notification would cover the chat's input.
          "remote.autoForwardPorts": false,
        },
      });
      box.page.setDefaultTimeout(agentTimeLimit(WAIT_MS));
      chat = await ModelChat.open(box);
      await chat.pick(agent.id);
    });
    suiteTeardown(async () => {
      await box?.close();
      await stage?.model.stop();
    });

    it("one tool", "answers one prompt after another", async () => {
      await say("text");
      match(
        await chat.answered("END-OF-TEXT"),
        /Hello from the scripted model, streamed in several pieces\. END-OF-TEXT/,
      );
      await say("again");
      await chat.answered("END-OF-AGAIN");
      await box.screenshot(`lm-${agent.id}-text`);
    });

    it(
      "one tool",
      "offers the model more than sixty VS Code tools, or a search for them, from the first request",
      () => {
        for (const { tools } of [...asked("text"), ...asked("again")]) {
          ok(tools.filter(name => OFFERED.test(name)).length > 60 || tools.includes(agent.search), tools.join(" "));
          ok(tools.every(name => name.length <= 64) && new Set(tools).size === tools.length, tools.join(" "));
        }
      },
    );

    it("one tool", "runs a VS Code tool in VS Code and returns its result to the model", async () => {
      rmSync(path.join(box.folders[0], "tools.log"), { force: true });
      await say("vscode-tool");
      match(await chat.answered("END-OF-VSCODE-TOOL"), /The editor gave «[^»]*agents_tool_07 was told said once[^»]*»/);
      equal(written("tools.log"), "agents_tool_07 said once\n");
      await box.screenshot(`lm-${agent.id}-tool`);
    });

    it("three tools", "runs three calls of one message once each and returns their results", () =>
      three("vscode-three", ["01", "02", "03"]),
    );

    // VS Code offers only some of so many tools, and a tool that activates the others.
    it(
      "three tools",
      "offers later VS Code tools in the next turn and runs three calls of old and new ones",
      async () => {
        ok(!offersAll(asked("text")[0]));
        await say("vscode-group");
        match(await chat.answered("END-OF-VSCODE-GROUP"), /Tools activated: [^»]*agents_tool_60/);
        await three("vscode-together", ["01", "30", "60"]);
        const last = asked("vscode-together").at(-1);
        ok(offersAll(last) || last.tools.includes(agent.search), last.tools.join(" "));
      },
    );

    it(
      "one tool",
      "asks once for a tool: a skipped call does not run, an allowed one runs for the session",
      async () => {
        rmSync(path.join(box.folders[0], "tools.log"), { force: true });
        await say("vscode-asks", " when I skip it");
        await chat.button("Skip").click();
        await chat.answered("END-OF-VSCODE-ASKS");
        match(asked("vscode-asks").at(-1).results.join("\n"), REFUSED);
        equal(written("tools.log"), undefined);
        await say("vscode-asks", " when I allow it");
        await chat.button("Allow in this Session").waitFor();
        match(await box.page.locator(QUESTION).innerText(), /^\s*May this be done\?\s*a thing\s*Allow in this Session/);
        await box.screenshot(`lm-${agent.id}-asks`);
        await chat.button("Allow in this Session").click();
        await chat.answered(/agents_asks was told a thing[^]*END-OF-VSCODE-ASKS/);
        await say("vscode-asks-again");
        await chat.answered(/agents_asks was told another[^]*END-OF-VSCODE-ASKS-AGAIN/);
        equal(written("tools.log"), "agents_asks a thing\nagents_asks another\n");
      },
    );

    it("command", "asks for a command despite a tool's approval; a skipped one does not run", async () => {
      await say("shell", " when I skip it");
      await chat.button("Skip").waitFor();
      match(
        await box.page.locator(QUESTION).innerText(),
        /requests permission to run a command[^]*echo\sshell-was-run\s>\sproof\/shell\.txt/,
      );
      await box.screenshot(`lm-${agent.id}-permission`);
      await chat.button("Skip").click();
      if (agent.endsWhenRejected) await chat.ended();
      else {
        doesNotMatch(await chat.answered("END-OF-SHELL"), /The command gave «shell-was-run/);
        match(asked("shell").at(-1).results.join("\n"), REFUSED);
      }
      equal(written("proof/shell.txt"), undefined);
    });

    it("command", "runs an allowed command and returns its output to the model", async () => {
      await say("shell", " when I allow it");
      await chat.button("Allow").click();
      await chat.answered(/«[^»]*shell-was-run[^»]*»[^]*END-OF-SHELL/);
      equal(written("proof/shell.txt"), "shell-was-run\n");
      await box.screenshot(`lm-${agent.id}-allowed`);
    });
  });
