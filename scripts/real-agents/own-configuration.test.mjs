// Published agents that receive no MCP servers from their client. The sidecar adds Symposium's entry to the agent's own
// configuration in a temporary home. The scripted model calls a tool of an extension, and the entry is removed again
// (issue 14 item 5).
import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { AGENTS } from "./agents.mjs";
import { addCounts, testsOf } from "./matrix.mjs";
import { withSidecar } from "./sidecar.mjs";
import { onStage } from "./stage.mjs";

const WORKSPACE = {
  id: "workspace",
  name: "Workspace",
  _source: "built-in",
  distribution: { symposium: { subcommand: "proxy", args: ["workspace"] } },
};
const SCENARIOS = {
  configured: [
    { calls: [{ kind: "mcp", server: "symposium", tool: "read_file", args: { path: "seed.txt" } }] },
    { text: "It gave «{{results}}»." },
  ],
};
const TOOL = /^(?:mcp_+)?symposium_+read_file$/;
/** Parses an agent's configuration without Symposium's server, under `mcpServers` or `mcp`. */
const withoutEntry = text => {
  const { mcpServers = {}, mcp = {}, ...others } = JSON.parse(text);
  const { symposium: _, ...servers } = { ...mcpServers, ...mcp };
  return { ...others, servers };
};

for (const agent of AGENTS)
  suite(`${agent.name} without the MCP servers of its sessions`, () => {
    const it = testsOf(agent);

    it("tools", "has the tools by an entry in its own configuration, and removes it byte for byte", () =>
      onStage(
        agent,
        async stage => {
          const { id, file: name } = agent.configuration,
            home = path.join(stage.folder, "home"),
            file = path.join(home, name),
            args = [path.join(import.meta.dirname, "without-servers.mjs"), path.join(stage.bin, agent.program)],
            local = { command: process.execPath, args: [...args, ...agent.args] },
            config = { id, name: agent.name, distribution: { local } };
          if (!existsSync(file)) writeFileSync(file, '{\n\t"numStartups":   1\n}\n');
          const before = readFileSync(file, "utf8");
          const inSidecar = work =>
            withSidecar({ home, temporary: path.join(stage.folder, "t"), agentId: id, extensions: [WORKSPACE] }, work);
          const change = (sidecar, how) =>
            sidecar.request("agents/changeConfiguration", { agent: config, change: how });

          const added = await inSidecar(async sidecar => {
            await change(sidecar, "add");
            const text = readFileSync(file, "utf8");
            notEqual(text, before);
            await change(sidecar, "remove");
            equal(readFileSync(file, "utf8"), before);
            await change(sidecar, "add");
            equal(readFileSync(file, "utf8"), text);
            await sidecar.ask(config, stage.workspace, "Please do the thing. @@scenario:configured");
            for (const { offered, connections, listed, calls } of sidecar.tools)
              addCounts(agent, { offered, connected: connections > 0 ? offered : 0, listed, called: calls });
            deepEqual(
              sidecar.tools.map(({ stage: reached, calls }) => [reached, calls]),
              [["called", 1]],
              sidecar.log.join("\n"),
            );
            return text;
          });
          const modelRequests = stage.model.requests.filter(({ scenario }) => scenario === "configured");
          ok(
            modelRequests.some(({ tools }) => tools.some(tool => TOOL.test(tool))),
            JSON.stringify(modelRequests[0]?.tools),
          );
          match(modelRequests.at(-1).results.join("\n"), /line one[^]*line two[^]*line three/);

          const during = readFileSync(file, "utf8");
          await inSidecar(sidecar => change(sidecar, "remove"));
          const after = readFileSync(file, "utf8");
          if (during === added) equal(after, before);
          else deepEqual(withoutEntry(after), withoutEntry(during), "the agent itself changed its configuration");
          ok(!after.includes("--attach"), after);
          ok(!existsSync(`${file}.before-symposium`));
        },
        SCENARIOS,
      ),
    );
  });
