/** The scenes of version 2 of ACP. */
import * as v2 from "@agentclientprotocol/sdk/experimental/v2";
import * as v2unstable from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { objectOr } from "../../rpc/json";
import { ACP_SERVER, any, EXTRAS, INFO, OPTIONS, REFUSAL, text, WEIRD, type Scene, type Seen } from "./scene";

const V2_AGENT = {
  protocolVersion: 2,
  info: INFO,
  capabilities: { session: { prompt: { image: {} }, mcp: { stdio: {}, acp: {} } } },
  authMethods: [],
};
const V2_SESSION = {
  sessionId: "s 1",
  cwd: "/tmp",
  mcpServers: [
    { type: "stdio" as const, name: "m", command: "/bin/m", args: ["-x"], env: [{ name: "A", value: "b" }] },
  ],
};
const CONFIG = [
  {
    type: "select" as const,
    configId: "model",
    name: "Model",
    currentValue: "a",
    options: [
      { value: "a", name: "A" },
      { value: "b", name: WEIRD },
    ],
  },
];
const COMMANDS = [{ type: "command" as const, name: "go", description: "Goes" }];
const DONE: v2.SessionUpdate = { sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" };
const V2_UPDATES: v2.SessionUpdate[] = [
  { sessionUpdate: "state_update", state: "running" },
  ...Array.from({ length: 30 }, (_, n) => ({
    sessionUpdate: "agent_message_chunk" as const,
    messageId: "m1",
    content: text(`${n} ${WEIRD}`),
  })),
  { sessionUpdate: "agent_message", messageId: "m1", content: null, _meta: { cleared: null } },
  { sessionUpdate: "tool_call_update", toolCallId: "t1", title: "Edit", status: "in_progress", rawInput: EXTRAS },
  {
    sessionUpdate: "tool_call_content_chunk",
    toolCallId: "t1",
    content: { type: "content", content: text("b\n".repeat(20_000)) },
  },
  { sessionUpdate: "terminal_output_chunk", terminalId: "term", data: Buffer.from(WEIRD).toString("base64") },
  {
    sessionUpdate: "plan_update",
    plan: { type: "items", planId: "p", entries: [{ content: "one", priority: "high", status: "in_progress" }] },
  },
  { sessionUpdate: "_theirs", extras: EXTRAS },
];

export function v2Agent(seen: Seen) {
  const update = (client: v2.AgentContext, what: v2.SessionUpdate): Promise<void> =>
    client.notify("session/update", { sessionId: V2_SESSION.sessionId, update: what });
  let number = 0;
  return v2
    .agent({ name: "theirs" })
    .onRequest("initialize", seen.onEvent("agent", V2_AGENT))
    .onRequest(
      "session/new",
      seen.onEvent("agent", { sessionId: V2_SESSION.sessionId, configOptions: CONFIG, availableCommands: COMMANDS }),
    )
    .onRequest("session/resume", async ({ params, client }) => {
      seen.note("agent", params);
      for (const what of [...V2_UPDATES, DONE]) await update(client, what);
      return { configOptions: CONFIG };
    })
    .onRequest("session/set_config_option", async ({ params, client }) => {
      seen.note("agent", params);
      await update(client, { sessionUpdate: "config_option_update", configOptions: CONFIG });
      return { configOptions: CONFIG };
    })
    .onRequest(
      "session/list",
      seen.onEvent("agent", { sessions: [{ sessionId: "s 1", cwd: "/tmp", title: WEIRD }], nextCursor: "more" }),
    )
    .onRequest("session/close", seen.onEvent("agent", {}))
    .onRequest("tool_call/cancel", seen.onEvent("agent", {}))
    .onRequest("_agent/echo", any, ({ params }) => params)
    .onNotification("_agent/tell", any, seen.onEvent("agent is told", undefined))
    .onNotification("session/cancel", async ({ params, client }) => {
      seen.note("agent is told", params);
      await update(client, { ...DONE, stopReason: "cancelled" });
    })
    .onRequest("session/prompt", async ({ params, client }) => {
      seen.note("agent", params);
      const [block] = params.prompt,
        messageId = `u${++number}`;
      if (block && "text" in block && block.text === "fail") throw new v2.RequestError(-31_999, WEIRD, REFUSAL);
      await update(client, { sessionUpdate: "user_message", messageId, content: params.prompt });
      if (number > 1)
        await update(client, { sessionUpdate: "agent_message_chunk", messageId: "m2", content: text("cancel me") });
      else void v2Turn(seen, client, update); // the response to a prompt is only a receipt
      return { messageId };
    });
}

async function v2Turn(
  seen: Seen,
  client: v2.AgentContext,
  update: (client: v2.AgentContext, what: v2.SessionUpdate) => Promise<void>,
): Promise<void> {
  const sessionId = V2_SESSION.sessionId;
  for (const what of V2_UPDATES) await update(client, what);
  for (const subject of [
    { type: "tool_call" as const, toolCall: { toolCallId: "t1", title: WEIRD } },
    { type: "command" as const, command: "ls", cwd: "/tmp" },
  ])
    await seen.ends(
      "agent's answers",
      client.request("session/request_permission", {
        sessionId,
        title: "May I?",
        description: null,
        subject,
        options: OPTIONS,
      }),
    );
  await seen.ends(
    "agent's answers",
    client.request("elicitation/create", {
      sessionId,
      mode: "url",
      message: "Sign in",
      elicitationId: "e1",
      url: "https://example.com/?a=b",
    }),
  );
  await client.notify("elicitation/complete", { elicitationId: "e1" });
  await seen.ends("agent's answers", client.request("_client/ask", EXTRAS));
  await seen.ends("agent's answers", client.request("_client/unknown", {}));
  await update(client, DONE);
}

export async function v2Client(seen: Seen, stream: v2.Stream): Promise<void> {
  let idle = (): void => undefined;
  const connection = v2
    .client({ name: "theirs" })
    .onNotification("session/update", async ({ params, agent }) => {
      seen.note("client's updates", params);
      const { sessionUpdate, state: now, content } = objectOr(params.update);
      if (objectOr(content).text === "cancel me") await agent.notify("session/cancel", { sessionId: params.sessionId });
      if (sessionUpdate === "state_update" && now === "idle") idle();
    })
    .onRequest(
      "session/request_permission",
      seen.onEvent("client", { outcome: { outcome: "selected" as const, optionId: "yes" } }),
    )
    .onRequest("elicitation/create", seen.onEvent("client", { action: "accept" as const }))
    .onNotification("elicitation/complete", seen.onEvent("client is told", undefined))
    .onRequest("_client/ask", any, ({ params }) => ({ asked: params }))
    .connect(stream);
  const ends = (request: Promise<unknown>): Promise<void> => seen.ends("client's answers", request),
    { agent } = connection,
    { sessionId } = V2_SESSION;
  const prompts = async (said: string): Promise<void> => {
    const over = new Promise<void>(resolve => {
      idle = resolve;
    });
    await ends(agent.request("session/prompt", { sessionId, prompt: [text(said)] }));
    if (said !== "fail") await over;
  };
  await ends(
    agent.request("initialize", { protocolVersion: 2, info: INFO, capabilities: { elicitation: { url: {} } } }),
  );
  await ends(agent.request("session/new", { cwd: V2_SESSION.cwd, mcpServers: V2_SESSION.mcpServers }));
  for (const said of ["tour", "cancel", "fail"]) await prompts(said);
  await ends(agent.request("session/set_config_option", { sessionId, configId: "model", type: "id", value: "b" }));
  await ends(agent.request("tool_call/cancel", { sessionId, toolCallId: "t1" }));
  await ends(agent.request("terminal/cancel", { sessionId, terminalId: "term" }));
  await ends(agent.request("session/resume", { ...V2_SESSION, replayFrom: { type: "start" } }));
  await ends(agent.request("session/list", { cwd: "/tmp" }));
  await ends(agent.request("session/close", { sessionId }));
  await agent.notify("_agent/tell", EXTRAS);
  await ends(agent.request("_agent/echo", EXTRAS));
}

export const V2_UNSTABLE: Scene = {
  agent: (seen, stream) =>
    v2unstable
      .agent({ name: "theirs" })
      .onRequest("initialize", seen.onEvent("agent", V2_AGENT))
      .onRequest("session/new", async ({ params, client }) => {
        seen.note("agent", params);
        await seen.ends(
          "agent's answers",
          client.request("mcp/message", {
            serverId: ACP_SERVER.serverId,
            requestId: "r1",
            method: "tools/list",
            params: EXTRAS,
          }),
        );
        return { sessionId: "s 1" };
      })
      .connect(stream),
  client: async (seen, stream) => {
    const { agent } = v2unstable
      .client({ name: "theirs" })
      .onRequest("mcp/message", seen.onEvent("client", { error: { code: -32_000, message: WEIRD, data: EXTRAS } }))
      .connect(stream);
    await seen.ends("client's answers", agent.request("initialize", { protocolVersion: 2, info: INFO }));
    await seen.ends("client's answers", agent.request("session/new", { cwd: "/tmp", mcpServers: [ACP_SERVER] }));
  },
};
