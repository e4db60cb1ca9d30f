// Scenes that a client and an agent play on one connection. Each scene has separate sessions, which are closed at its
// end. A scene ends when no further messages are expected, so that messages never belong to the next scene.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { killGroup, root } from "../project.mjs";

const CAPABILITIES = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };

export const programFile = name => path.join(root, "out/programs", `${name}.program.mjs`);
const ask = scenario => `Please do the thing. @@scenario:${scenario}`;

/** Runs `work(stage, sessionId, opened)` in a new session. `apart`: the scene has concurrent sessions or calls. */
const scene = (name, work, { servers = () => [], apart } = {}) => ({
  name,
  apart,
  act: stage => inSession(stage, servers(stage), work),
});
const turn = (name, scenario, options) =>
  scene(name, (stage, sessionId) => prompt(stage, sessionId, ask(scenario), options), options);

/** The first scene of every connection. */
export const INITIALIZE = { name: "initialize", act: initialize };

const SCENES = [
  INITIALIZE,
  scene("a text with a thought, and another turn", async (stage, sessionId) => {
    for (const scenario of ["text", "again"]) await prompt(stage, sessionId, ask(scenario));
  }),
  turn("an allowed command", "shell"),
  turn("a rejected command", "shell", { permission: "reject_once" }),
  scene("a turn cancelled while a command waits for permission", async (stage, sessionId) => {
    const { wire } = stage,
      since = wire.lines.length,
      done = prompt(stage, sessionId, ask("shell"), { permission: "wait" });
    await wire.until("a request for permission", ({ method }) => method === "session/request_permission", since);
    await cancel(stage, sessionId);
    if (!stage.agent.withdraws) wire.withdraw();
    await done;
  }),
  turn("a written file", "write"),
  turn("a file that is read and edited", "edit"),
  turn("tools of a server on stdio, one after another", "one-by-one", { servers: onStdio }),
  turn("tools of a server on stdio, together", "together", { servers: onStdio, apart: true }),
  turn("tools of a server over http", "one-by-one", { servers: overHttp }),
  scene("a cancellation in the middle of an answer", async (stage, sessionId) => {
    const { wire } = stage,
      since = wire.lines.length,
      done = prompt(stage, sessionId, ask("endless"));
    await wire.until("the middle of the answer", () => /MIDDLE$/.test(wire.textOf(sessionId, since)), since);
    await cancel(stage, sessionId);
    await done;
    await prompt(stage, sessionId, ask("again"));
  }),
  turn("an error of the model", "broken"),
  scene("announced commands", async (stage, sessionId) => {
    const { wire, agent } = stage;
    for (const command of agent.commands) {
      await wire.until(
        `/${command}`,
        ({ params }) => params?.update?.availableCommands?.some(({ name }) => name === command) === true,
      );
      await prompt(stage, sessionId, `/${command}`);
    }
  }),
  scene("other modes, models and options", ({ wire }, sessionId, opened) => changeAll(wire, sessionId, opened)),
  scene("a resumed session", resumeSession),
  {
    name: "unknown methods and notifications",
    act: async ({ wire }) => {
      await wire.request("session/prompt", {
        sessionId: "no-such-session",
        prompt: [{ type: "text", text: "Hello?" }],
      });
      await wire.request("_symposium/no-such-method", { b: 1, a: ['\u2028 "\\/é😀', 1e21, -0.5, null] });
      await wire.request("session/no-such-method", {});
      wire.notify("_symposium/no-such-notification", { any: { thing: true } });
    },
  },
  scene(
    "two sessions at once",
    (stage, firstId) =>
      inSession(stage, [], async (_, secondId) => {
        await Promise.all([prompt(stage, firstId, ask("together")), prompt(stage, secondId, ask("text"))]);
      }),
    { servers: onStdio, apart: true },
  ),
];

/** The same scenes with the server of a proxy, which the client does not see. `as`: the equivalent scene. */
const BRIDGED = [
  { ...turn("tools of a proxy, one after another", "one-by-one"), as: "tools of a server on stdio, one after another" },
  { ...turn("tools of a proxy, together", "together", { apart: true }), as: "tools of a server on stdio, together" },
];

const plays = ({ only, without }, name) => (only?.includes(name) ?? true) && !without?.includes(name);
export const scenesOf = agent => SCENES.filter(({ name }) => plays(agent, name));
export const bridgedOf = agent => BRIDGED.filter(({ as }) => plays(agent, as));

async function initialize({ wire }) {
  const clientInfo = { name: "symposium-tests", title: "Tests", version: "0.0.0" };
  const { result } = await wire.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: CAPABILITIES,
    clientInfo,
  });
  wire.can = result.agentCapabilities;
}

async function inSession(stage, mcpServers, work) {
  const { wire, workspace } = stage;
  const { result, error } = await wire.request("session/new", { cwd: workspace, mcpServers });
  if (error) throw new Error(`session/new: ${JSON.stringify(error)}`);
  await waitForUpdates(stage, result.sessionId, "opened");
  await work(stage, result.sessionId, result);
  await close(stage, result.sessionId);
}

async function close({ wire }, sessionId) {
  if (wire.can.sessionCapabilities?.close) await wire.request("session/close", { sessionId });
}

/** `since`: the line at which the session was opened. */
async function prompt(stage, sessionId, text, { permission = "allow_once", since } = {}) {
  stage.wire.permission = permission;
  await stage.wire.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  await waitForUpdates(stage, sessionId, "answered", since);
}

/** Waits until only messages caused by the cancellation can follow. */
async function cancel(stage, sessionId) {
  await waitForUpdates(stage, sessionId, "answered");
  stage.wire.notify("session/cancel", { sessionId });
}

/** Waits for the unordered updates, whose numbers `besides` lists. */
async function waitForUpdates({ wire, agent: { besides } }, sessionId, when, since = 0) {
  for (const [kind, count] of Object.entries(besides[when]))
    await wire.until(
      `${kind} ${count} times`,
      () => wire.updates(sessionId, since).filter(({ sessionUpdate }) => sessionUpdate === kind).length >= count,
    );
}

async function resumeSession(stage, sessionId) {
  const { wire, workspace } = stage,
    { loadSession, sessionCapabilities: { list, resume, fork } = {} } = wire.can;
  await prompt(stage, sessionId, ask("text"));
  if (list) await wire.request("session/list", { cwd: workspace });
  const setupMethods = [
    ...(loadSession ? ["session/load"] : []),
    ...(resume ? ["session/resume"] : []),
    ...(fork ? ["session/fork"] : []),
  ];
  for (const setupMethod of setupMethods) {
    if (setupMethod !== "session/fork") await close(stage, sessionId);
    const since = wire.lines.length;
    const { result, error } = await wire.request(setupMethod, { sessionId, cwd: workspace, mcpServers: [] });
    if (error) continue;
    const opened = result.sessionId ?? sessionId;
    await waitForUpdates(stage, opened, "opened", since);
    await prompt(stage, opened, ask("again"), { since });
    if (opened !== sessionId) await close(stage, opened);
  }
}

async function changeAll(wire, sessionId, { modes, models, configOptions = [] }) {
  for (const { id } of modes?.availableModes ?? []) await wire.request("session/set_mode", { sessionId, modeId: id });
  for (const { modelId } of models?.availableModels?.slice(0, 2) ?? [])
    await wire.request("session/set_model", { sessionId, modelId });
  for (const { id, type, currentValue, options = [] } of configOptions) {
    const values =
      type === "boolean"
        ? [!currentValue]
        : options.flatMap(option => option.options ?? [option]).map(({ value }) => value);
    for (const value of values.slice(0, 2))
      await wire.request("session/set_config_option", {
        sessionId,
        configId: id,
        value,
        ...(type === "boolean" ? { type } : {}),
      });
  }
}

function onStdio() {
  return [{ name: "tools", command: process.execPath, args: [programFile("mcp-server")], env: [] }];
}
function overHttp({ url }) {
  return [{ type: "http", name: "tools", url, headers: [{ name: "Authorization", value: "Bearer secret" }] }];
}

/** Runs `work` with the address of an MCP server over HTTP. */
export async function withHttpServer(work) {
  const server = spawn(process.execPath, [programFile("mcp-server"), "--http"], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
  try {
    const [url] = await once(createInterface(server.stdout), "line");
    return await work(url);
  } finally {
    killGroup(server.pid, "SIGKILL");
  }
}
