// Checks the display of extension tools in Symposium's chat with published agents, in a real VS Code. *Details* shows
// the numbers, and the tab reports no missing tools.
import { doesNotMatch, match } from "node:assert/strict";
import path from "node:path";
import { lastExchange, openBox, sendPrompt, turnEnded } from "../../out/agents-page/harness.mjs";
import { AGENTS } from "./agents.mjs";
import { testsOf } from "./matrix.mjs";
import { openStage } from "./stage.mjs";
import { agentTimeLimit, slowed } from "./throttled.mjs";

/** On an idle machine. */
const TURN_MS = 120_000,
  WAIT_MS = 60_000;
const SCENARIOS = {
  details: [
    { calls: [{ kind: "mcp", server: "workspace-tools*", tool: "read_file", args: { path: "README.md" } }] },
    { text: "It gave «{{results}}». END-OF-DETAILS" },
  ],
};
const extension = (id, name) => ({
  id,
  name,
  _enabled: true,
  _source: "built-in",
  distribution: { symposium: { subcommand: "proxy", args: [id] } },
});

for (const agent of AGENTS)
  suite(`${agent.name} in the session details`, () => {
    testsOf(agent)("details", "the numbers of each extension's tools, and none is missing", async () => {
      const stage = await openStage(agent, SCENARIOS);
      let box;
      try {
        const local = { command: path.join(stage.bin, agent.program), args: agent.args };
        box = await openBox({
          settings: {
            "symposium.agents": [{ id: agent.id, name: agent.name, distribution: { local } }],
            "symposium.currentAgentId": agent.id,
            "symposium.extensions": [extension("workspace", "Workspace"), extension("ide", "IDE operations")],
            "remote.autoForwardPorts": false,
          },
        });
        box.page.setDefaultTimeout(agentTimeLimit(WAIT_MS));
        await box.open();
        await sendPrompt(box.frame, "Please do the thing. @@scenario:details");
        await turnEnded(box.frame, { timeout: slowed(TURN_MS), permission: () => {} });
        const { answer } = await lastExchange(box.frame);
        match(answer, /END-OF-DETAILS/);
        doesNotMatch(answer, /did not request the tools/);
        const chat = box.frame.locator("[data-part=chat]:visible");
        await chat.getByRole("button", { name: "Details of this session", exact: true }).click();
        const panel = chat.getByRole("group", { name: "Details of this session" });
        const says = (name, text) => panel.locator("li", { hasText: name }).getByText(text).first().waitFor();
        await says("Workspace", "Tools: 6 offered, connected, 6 listed, called once.");
        await says("IDE operations", "Tools: 1 offered, connected, 1 listed, not called.");
        await box.screenshot(`details-${agent.id}`);
      } finally {
        await box?.close();
        await stage.model.stop();
      }
    });
  });
