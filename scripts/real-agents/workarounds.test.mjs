// Checks that each workaround that `doctor` names for a published agent is still necessary, with the agent alone. Also
// checks how `doctor` reports the tools of the newest session.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import path from "node:path";
import { node, root } from "../project.mjs";
import { AGENTS } from "./agents.mjs";
import { testsOf } from "./matrix.mjs";
import { onStage } from "./stage.mjs";
import { Wire } from "./wire.mjs";

const SIDECAR = path.join(root, "dist/sidecar.js");
const SCENARIOS = {
  probe: [{ calls: [{ kind: "mcp", server: "probe", tool: "probe", args: {} }] }, { text: "It gave «{{results}}»." }],
};
const prompt = scenario => [{ type: "text", text: `Please do the thing. @@scenario:${scenario}` }];

/** Runs one turn in a new session, directly. Resolves with the model's requests of the turn. */
async function turn(stage, scenario, { server, alwaysLoad = false, ...wireOptions } = {}) {
  const wire = Object.assign(new Wire("/bin/sh", ["-c", `exec ${stage.command}`], { cwd: stage.bin }), wireOptions);
  try {
    await wire.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
      clientInfo: { name: "symposium-tests", version: "0.0.0" },
    });
    const args = [path.join(import.meta.dirname, "probe-server.mjs"), ...(alwaysLoad ? ["--always-load"] : [])];
    const mcpServers = server === undefined ? [] : [{ name: server, command: process.execPath, args, env: [] }];
    const { result, error } = await wire.request("session/new", { cwd: stage.workspace, mcpServers });
    if (error) throw new Error(`session/new: ${JSON.stringify(error)}`);
    const since = stage.model.requests.length;
    await wire.request("session/prompt", { sessionId: result.sessionId, prompt: prompt(scenario) });
    return stage.model.requests.slice(since).filter(request => request.scenario === scenario);
  } finally {
    wire.kill();
  }
}

const seesProbe = ([{ tools }]) => tools.some(name => name.endsWith("probe"));

/** By the ids of AGENT_WORKAROUNDS. Each probe throws if the agent no longer needs the workaround. */
const PROBES = {
  "reads-before-creating": async stage => {
    await turn(stage, "write", { missingFile: "error" });
    equal(stage.written("written.txt"), undefined, "it created a file although it could not read it");
    await turn(stage, "write", { missingFile: "empty" });
    equal(stage.written("written.txt"), "written by the agent\n");
  },
  "hides-tools": async stage => {
    ok(!seesProbe(await turn(stage, "text", { server: "probe" })), "it shows the tool without a search");
    ok(
      seesProbe(await turn(stage, "text", { server: "probe", alwaysLoad: true })),
      "it hides the tool although it is to be loaded",
    );
  },
  "reserves-server-names": async stage => {
    for (const server of ["ide", "workspace"])
      ok(!seesProbe(await turn(stage, "text", { server, alwaysLoad: true })), `it takes the name ${server}`);
  },
  "prefers-structured-content": async stage => {
    const results = (await turn(stage, "probe", { server: "probe", alwaysLoad: true })).at(-1).results.join("\n");
    match(results, /in-structure/);
    ok(!results.includes("in-words"), results);
  },
};

/** The output of `doctor` for the agent, with `folder` as HOME. */
async function doctor({ command, bin, folder }) {
  const env = { HOME: folder, SYMPOSIUM_STAGE: folder };
  const { code, text } = await node("dist/sidecar.js", ["doctor", "--agent", command], {
    cwd: bin,
    env,
    output: "hold",
  });
  equal(code, 0, text);
  return text;
}

for (const agent of AGENTS)
  suite(`${agent.name} in doctor`, () => {
    const it = testsOf(agent);

    it("doctor", "shows evidence without Symposium for each reported workaround", () =>
      onStage(
        agent,
        async stage => {
          const named = [...(await doctor(stage)).matchAll(/^Workaround “(.+?)”/gm)].map(([, id]) => id);
          deepEqual(named, agent.workarounds);
          for (const id of named) await PROBES[id](stage);
        },
        SCENARIOS,
      ),
    );

    it("doctor", "reports how the agent listed tools in its newest session, without a warning of run-with", () =>
      onStage(agent, async stage => {
        match(await doctor(stage), /^Tools of agent extensions: no completed session of .+ so far$/m);
        const args = [SIDECAR, "run-with", "--log", "info", "--proxy", "workspace", "--agent", stage.command];
        const wire = new Wire(process.execPath, args, { cwd: stage.bin, env: { HOME: stage.folder } });
        try {
          await wire.request("initialize", {
            protocolVersion: 1,
            clientCapabilities: {},
            clientInfo: { name: "symposium-tests", version: "0.0.0" },
          });
          const {
            result: { sessionId },
          } = await wire.request("session/new", { cwd: stage.workspace, mcpServers: [] });
          await wire.request("session/prompt", { sessionId, prompt: prompt("text") });
          equal(await wire.leave(), 0, wire.stderr);
        } finally {
          wire.kill();
        }
        match(wire.stderr, /Tools of the session/);
        ok(!/did not request the tools/.test(wire.stderr), wire.stderr);
        match(
          await doctor(stage),
          /^Tools of agent extensions: .+ listed them over (http|stdio) in its newest session; it lists tools (before|during)/m,
        );
      }),
    );
  });
