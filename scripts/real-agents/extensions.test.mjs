// Built-in extensions before published agents, and before Eliza. Each tool is called once, by the scripted model or by
// a prompt. Checks the answers and the files afterwards.
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import path from "node:path";
import { BYPASSED } from "../bypass-notice.mjs";
import { root } from "../project.mjs";
import { AGENTS, isChosen } from "./agents.mjs";
import { EXTENSIONS, makeProject, SCENARIOS, SESSIONS } from "./extension-calls.mjs";
import { addCounts, testsOf } from "./matrix.mjs";
import { onStage } from "./stage.mjs";
import { Wire } from "./wire.mjs";

const SIDECAR = path.join(root, "dist/sidecar.js");
const ELIZA = {
  id: "eliza",
  name: "Eliza",
  program: "eliza",
  args: [],
  command: [process.execPath, SIDECAR, "eliza", "--deterministic"],
  settle: () => ({}),
};
const hasCargo = process.env.SYMPOSIUM_WITHOUT_CARGO === undefined;
/** Skips the test if cargo is missing, with the reason. */
function needsCargo(context) {
  if (hasCargo) return;
  context.skipReason = "There is no cargo here";
  context.skip();
}

/**
 * Starts a chain of these extensions and the agent in a project. `work` receives the arguments of a scene of scenes.mjs
 * and the `home` of the chain.
 */
function withExtensions(agent, ids, work) {
  return onStage(
    agent,
    async stage => {
      makeProject(stage.workspace);
      const home = stage.folder,
        env = {
          HOME: home,
          CARGO_HOME: path.join(home, "cargo"),
          CARGO_NET_OFFLINE: "true",
          PATH: `${path.join(root, "node_modules/.bin")}${path.delimiter}${process.env.PATH}`,
        };
      const wire = new Wire(
        process.execPath,
        [SIDECAR, "run-with", ...ids.flatMap(id => ["--proxy", id]), "--agent", stage.command],
        { cwd: stage.bin, env },
      );
      try {
        await wire.request("initialize", {
          protocolVersion: 1,
          clientCapabilities: {},
          clientInfo: { name: "symposium-tests", version: "0.0.0" },
        });
        await work({ ...stage, home, wire, sessionId: await newSession(wire, stage) });
        equal(await wire.leave(), 0, wire.stderr);
      } catch (error) {
        await wire.leave().catch(() => {}); // the agent exits with the chain, and writes nothing afterwards
        throw error;
      } finally {
        wire.kill();
      }
    },
    SCENARIOS,
  );
}

async function newSession(wire, { workspace }) {
  const { result, error } = await wire.request("session/new", { cwd: workspace, mcpServers: [] });
  if (error) throw new Error(`session/new: ${JSON.stringify(error)}`);
  return result.sessionId;
}

async function replyTo({ wire, sessionId }, text) {
  const since = wire.lines.length;
  const { result, error } = await wire.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  if (error) throw new Error(`session/prompt: ${JSON.stringify(error)}`);
  equal(result.stopReason, "end_turn");
  return wire.textOf(sessionId, since);
}

/** The results of the calls in order. A model needs one prompt, Eliza one prompt per call. */
async function results(agent, stage, scenario, calls) {
  if (agent === ELIZA) {
    const answers = [];
    for (const { server, tool, args } of calls)
      answers.push(await replyTo(stage, `use tool ${server}::${tool} with ${JSON.stringify(args)}`));
    return answers;
  }
  match(await replyTo(stage, `Please do the thing. @@scenario:${scenario}`), /END-OF-CALLS/);
  const last = stage.model.requests.findLast(request => request.scenario === scenario);
  equal(last.results.length, calls.length);
  return last.results;
}

/** Adds the numbers of the session's tools (issue 14 item 1) to the matrix. */
async function count(agent, { wire, sessionId }) {
  if (agent === ELIZA) return; // Eliza lists tools on demand.
  const { result } = await wire.request("_symposium.dev/session_tools", { sessionId });
  for (const { offered, connections, listed, calls } of result?.servers ?? [])
    addCounts(agent, {
      offered: offered ?? listed,
      connected: connections > 0 ? (offered ?? listed) : 0,
      listed,
      called: calls,
    });
}

const OWN_CALL = /^(cargo|ferris|sparkle|workspace)-[0-9a-f]{8}-\d+$/;
/** The permission requests of the extensions themselves (extensions/consent.ts). Agents send additional requests. */
function permissionRequests({ wire }) {
  return wire.lines.flatMap(({ from, message: { method, params } }) =>
    from === "agent" && method === "session/request_permission" && OWN_CALL.test(params.toolCall?.toolCallId)
      ? [params]
      : [],
  );
}

/** The tools of these servers that the agent offered to the model, without the agents' name prefixes. */
function offered({ model }, calls) {
  const names = new Set(
    model.requests.findLast(({ scenario }) => scenario?.startsWith("own-") && scenario !== "own-research").tools,
  );
  return [...new Set(calls.map(({ server }) => server))]
    .flatMap(server => {
      const qualified = new RegExp(`^(?:mcp__?)?${server.replaceAll("-", "[-_]")}__?(.+)$`);
      return [...names].flatMap(name => qualified.exec(name)?.[1] ?? []);
    })
    .sort();
}

for (const agent of [...AGENTS, ELIZA].filter(isChosen))
  suite(`${agent.name} with Symposium's own extensions`, () => {
    const it = testsOf(agent);

    for (const { id, needs, asks, calls, after } of EXTENSIONS)
      it("tools", `calls each tool of ${id}`, async function () {
        if (needs.includes("cargo")) needsCargo(this);
        await withExtensions(agent, [id], async stage => {
          const answers = await results(agent, stage, `own-${id}`, calls);
          for (const [i, { tool, shows }] of calls.entries()) match(answers[i], shows, `${tool}: ${answers[i]}`);
          await count(agent, stage);
          after(stage);
          equal(permissionRequests(stage).length, asks, "each act is asked about once");
          if (agent !== ELIZA)
            deepEqual(
              offered(stage, calls),
              [...new Set(calls.map(({ tool }) => tool))].sort(),
              "no tool is left out here",
            );
        });
      });

    it("tools", "calls tools of all extensions in one chain", async function () {
      needsCargo(this);
      await withExtensions(
        agent,
        EXTENSIONS.map(({ id }) => id),
        async stage => {
          const calls = EXTENSIONS.map(({ calls: [first] }) => first),
            answers = await results(agent, stage, "own-all", calls);
          for (const [i, { tool, shows }] of calls.entries()) match(answers[i], shows, `${tool}: ${answers[i]}`);
          equal(
            permissionRequests(stage).length,
            2,
            "of the first calls Sparkle's writes, and Ferris' looks up a crate",
          );
          doesNotMatch(stage.wire.stderr, BYPASSED);
          doesNotMatch(stage.wire.stderr, /failed/);
        },
      );
    });

    // Scenarios do not apply to Eliza's prompts.
    const concurrentCalls = "runs concurrent calls for their own sessions, with the permission requests there";
    if (agent !== ELIZA)
      it("sessions", concurrentCalls, () =>
        withExtensions(agent, ["workspace"], async stage => {
          const { wire } = stage,
            sessions = [stage.sessionId, await newSession(wire, stage)];
          await Promise.all(
            SESSIONS.map(async ({ scenario }, i) =>
              match(
                await replyTo({ wire, sessionId: sessions[i] }, `Please do the thing. @@scenario:${scenario}`),
                /END-OF-CALLS/,
              ),
            ),
          );
          deepEqual(
            SESSIONS.map(({ file }) => stage.written(file)),
            SESSIONS.map(({ text }) => text),
          );
          const requestsFor = file =>
            permissionRequests(stage).filter(({ toolCall }) => JSON.stringify(toolCall).includes(file));
          const requestSessions = SESSIONS.map(({ file }) => requestsFor(file).map(({ sessionId }) => sessionId));
          deepEqual(
            requestSessions,
            sessions.map(sessionId => [sessionId]),
          );
        }),
      );
  });
