// An agent without Symposium: the SDK's client uses it over stdio. A failure here is caused by the agent, the model or
// the machine, not by Symposium.
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { killGroup } from "../project.mjs";

/**
 * Starts the agent of a stage, opens a session and sends the prompts one after another. `permission` is the kind of
 * option that answers its requests. Resolves to `{protocolVersion, answers: [text], stopReasons, permissions:
 * [request], updates: [update]}`.
 */
export async function ask({ command, bin, workspace }, prompts, permission = "allow_once") {
  const agent = spawn(command, {
    shell: true,
    cwd: bin,
    stdio: ["pipe", "pipe", "pipe"],
    detached: process.platform !== "win32",
  });
  let log = "";
  agent.stderr.setEncoding("utf8").on("data", text => {
    log = (log + text).slice(-4000);
  });
  const closed = new Promise((_, reject) => {
    agent.on("error", reject).on("exit", code => reject(new Error(`The agent ended (${code}): ${log}`)));
  });
  const seen = { permissions: [], updates: [] };
  try {
    return await Promise.race([
      closed,
      clientOf(seen, permission).connectWith(
        ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout)),
        connection => converse(connection, seen, workspace, prompts),
      ),
    ]);
  } finally {
    killGroup(agent.pid, "SIGKILL");
  }
}

function clientOf(seen, permission) {
  return client({ name: "direct" })
    .onNotification(methods.client.session.update, ({ params }) => {
      seen.updates.push(params.update);
    })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      seen.permissions.push(params);
      const option = params.options.find(({ kind }) => kind === permission);
      return {
        outcome: option === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: option.optionId },
      };
    });
}

async function converse(connection, seen, workspace, prompts) {
  const { protocolVersion } = await connection.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: {},
    clientInfo: { name: "symposium-tests", version: "0.0.0" },
  });
  const { sessionId } = await connection.request(methods.agent.session.new, { cwd: workspace, mcpServers: [] });
  const answers = [],
    stopReasons = [];
  for (const text of prompts) {
    const before = seen.updates.length;
    const { stopReason } = await connection.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text }],
    });
    stopReasons.push(stopReason);
    answers.push(
      seen.updates
        .slice(before)
        .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
        .map(({ content }) => content.text ?? "")
        .join(""),
    );
  }
  return { protocolVersion, answers, stopReasons, ...seen };
}
