/** The scenes of version 1 of ACP. */
import * as v1 from "@agentclientprotocol/sdk";
import * as v1unstable from "@agentclientprotocol/sdk/unstable";
import { objectOr } from "../../rpc/json";
import { ACP_SERVER, any, EXTRAS, INFO, OPTIONS, REFUSAL, text, WEIRD, type Scene, type Seen } from "./scene";
import { deferred } from "../../../src/protocol/wire/deferred";

const SESSION = {
  sessionId: "s 1",
  cwd: "/tmp",
  mcpServers: [{ name: "m", command: "/bin/m", args: ["-x"], env: [{ name: "A", value: "b" }] }],
};
const V1_AGENT = {
  protocolVersion: 1,
  agentInfo: INFO,
  authMethods: [{ id: "key", name: "Key" }],
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true },
    mcpCapabilities: { http: true, acp: true },
    sessionCapabilities: { list: {}, close: {} },
  },
};
const MODES = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code", description: WEIRD },
  ],
};
const V1_UPDATES: v1.SessionUpdate[] = [
  { sessionUpdate: "agent_thought_chunk", content: text("hm") },
  ...Array.from({ length: 30 }, (_, n) => ({
    sessionUpdate: "agent_message_chunk" as const,
    content: text(`${n} ${WEIRD}`),
    messageId: "m1",
  })),
  {
    sessionUpdate: "tool_call",
    toolCallId: "t1",
    title: "Edit",
    kind: "edit",
    status: "pending",
    rawInput: EXTRAS,
    locations: [{ path: "/a", line: 3 }],
    content: [{ type: "diff", path: "/a", oldText: null, newText: "b\n".repeat(20_000) }],
  },
  { sessionUpdate: "plan", entries: [{ content: "one", priority: "high", status: "in_progress" }] },
  {
    sessionUpdate: "available_commands_update",
    availableCommands: [{ name: "go", description: "Goes", input: { hint: "where" } }],
  },
  { sessionUpdate: "usage_update", used: 10, size: 100, cost: { amount: 0.25, currency: "USD" } },
];

async function v1Tour(seen: Seen, client: v1.AgentContext, sessionId: string): Promise<v1.PromptResponse> {
  const asks = async (method: string, params: object): Promise<void> => {
    await seen.ends("agent's answers", client.request(method, { sessionId, ...params }));
  };
  for (const update of V1_UPDATES) await client.notify("session/update", { sessionId, update });
  await asks("session/request_permission", { toolCall: { toolCallId: "t1", title: "Edit" }, options: OPTIONS });
  for (const path of ["/here", "/missing"]) await asks("fs/read_text_file", { path, line: 2, limit: 5 });
  await asks("fs/write_text_file", { path: "/there", content: WEIRD });
  await asks("terminal/create", {
    command: "ls",
    args: ["-l"],
    env: [{ name: "A", value: "" }],
    outputByteLimit: 1000,
  });
  for (const method of ["output", "wait_for_exit", "kill", "release"])
    await asks(`terminal/${method}`, { terminalId: "term" });
  await asks("elicitation/create", {
    mode: "form",
    message: "Which?",
    requestedSchema: { type: "object", properties: { a: { type: "string" } } },
  });
  await asks("_client/ask", EXTRAS);
  await asks("_client/unknown", {});
  await client.notify("_client/tell", EXTRAS);
  return { stopReason: "end_turn", _meta: { extras: EXTRAS } };
}

export function v1Agent(seen: Seen) {
  const { promise: cancellation, resolve: cancelled } = deferred<void>();
  const send = (client: v1.AgentContext, said: string): Promise<void> =>
    client.notify("session/update", {
      sessionId: SESSION.sessionId,
      update: { sessionUpdate: "agent_message_chunk", content: text(said) },
    });
  return v1
    .agent({ name: "theirs" })
    .onRequest("initialize", seen.onEvent("agent", V1_AGENT))
    .onRequest("session/new", seen.onEvent("agent", { sessionId: SESSION.sessionId, modes: MODES }))
    .onRequest("session/load", async ({ params, client }) => {
      seen.note("agent", params);
      for (const text of ["before", "the answer"]) await send(client, text);
      return { modes: MODES };
    })
    .onRequest("session/set_mode", async ({ params, client }) => {
      seen.note("agent", params);
      await client.notify("session/update", {
        sessionId: params.sessionId,
        update: { sessionUpdate: "current_mode_update", currentModeId: params.modeId },
      });
      return {};
    })
    .onRequest(
      "session/list",
      seen.onEvent("agent", { sessions: [{ sessionId: "s 1", cwd: "/tmp", title: WEIRD }], nextCursor: "more" }),
    )
    .onRequest("session/close", seen.onEvent("agent", {}))
    .onRequest("_agent/echo", any, ({ params }) => params)
    .onNotification("_agent/tell", any, seen.onEvent("agent is told", undefined))
    .onNotification("session/cancel", ({ params }) => {
      seen.note("agent is told", params);
      cancelled();
    })
    .onRequest("session/prompt", async ({ params, client, signal }) => {
      seen.note("agent", params);
      const [block] = params.prompt;
      switch (block?.type === "text" ? block.text : "") {
        case "tour":
          return v1Tour(seen, client, params.sessionId);
        case "fail":
          throw new v1.RequestError(-31_999, WEIRD, REFUSAL);
        case "cancel":
          await send(client, "cancel me");
          await cancellation;
          return { stopReason: "cancelled" };
        default: {
          const withdrawn = new Promise<never>((_, reject) =>
            signal.addEventListener("abort", () => reject(signal.reason)),
          );
          await send(client, "withdraw me");
          return withdrawn;
        }
      }
    });
}

export async function v1Client(seen: Seen, stream: v1.Stream): Promise<void> {
  const withdrawal = new AbortController();
  const connection = v1
    .client({ name: "theirs" })
    .onNotification("session/update", async ({ params, agent }) => {
      seen.note("client's updates", params);
      const said = "content" in params.update && objectOr(params.update.content).text;
      if (said === "cancel me") await agent.notify("session/cancel", { sessionId: params.sessionId });
      if (said === "withdraw me") withdrawal.abort();
    })
    .onRequest(
      "session/request_permission",
      seen.onEvent("client", { outcome: { outcome: "selected" as const, optionId: "yes" } }),
    )
    .onRequest("fs/read_text_file", ({ params }) => {
      seen.note("client", params);
      if (params.path === "/missing") throw v1.RequestError.resourceNotFound("file:///missing");
      return { content: WEIRD };
    })
    .onRequest("fs/write_text_file", seen.onEvent("client", {}))
    .onRequest("terminal/create", seen.onEvent("client", { terminalId: "term" }))
    .onRequest(
      "terminal/output",
      seen.onEvent("client", { output: WEIRD, truncated: false, exitStatus: { exitCode: 0, signal: null } }),
    )
    .onRequest("terminal/wait_for_exit", seen.onEvent("client", { exitCode: null, signal: "SIGTERM" }))
    .onRequest("terminal/kill", seen.onEvent("client", {}))
    .onRequest("terminal/release", seen.onEvent("client", {}))
    .onRequest("elicitation/create", seen.onEvent("client", { action: "accept" as const, content: { a: "b" } }))
    .onRequest("_client/ask", any, ({ params }) => ({ asked: params }))
    .onNotification("_client/tell", any, seen.onEvent("client is told", undefined))
    .connect(stream);
  const asks = async (method: string, params: object, options: v1.SendRequestOptions = {}): Promise<void> => {
    await seen.ends("client's answers", connection.agent.request(method, params, options));
  };
  const prompts = (said: string, options?: v1.SendRequestOptions): Promise<void> =>
    asks(
      "session/prompt",
      { sessionId: SESSION.sessionId, prompt: [text(said), { type: "resource_link", uri: "file:///a", name: WEIRD }] },
      options,
    );
  await asks("initialize", {
    protocolVersion: 1,
    clientInfo: INFO,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true, elicitation: { form: {} } },
  });
  await asks("session/new", { cwd: SESSION.cwd, mcpServers: SESSION.mcpServers });
  await prompts("tour");
  await prompts("fail");
  await prompts("cancel");
  await prompts("withdraw", { cancellationSignal: withdrawal.signal });
  await asks("session/load", SESSION);
  await asks("session/set_mode", { sessionId: SESSION.sessionId, modeId: "code" });
  await asks("session/set_config_option", { sessionId: SESSION.sessionId, configId: "c", value: "v" });
  await asks("session/list", { cwd: "/tmp", cursor: null });
  await asks("session/close", { sessionId: SESSION.sessionId });
  await connection.agent.notify("_agent/tell", EXTRAS);
  await asks("_agent/echo", EXTRAS);
}

/** Only in the unstable schema: forks, and MCP over ACP. */
export const V1_UNSTABLE: Scene = {
  agent: (seen, stream) =>
    v1unstable
      .agent({ name: "theirs" })
      .onRequest("initialize", seen.onEvent("agent", V1_AGENT))
      .onRequest("session/new", seen.onEvent("agent", { sessionId: SESSION.sessionId }))
      .onRequest("session/fork", async ({ params, client }) => {
        seen.note("agent", params);
        await seen.ends(
          "agent's answers",
          client.request("mcp/message", {
            serverId: ACP_SERVER.serverId,
            requestId: "r1",
            method: "tools/call",
            params: EXTRAS,
          }),
        );
        await client.notify("session/update", {
          sessionId: params.sessionId,
          update: { sessionUpdate: "plan_removed", planId: "p" },
        });
        return { sessionId: "s 2", modes: MODES };
      })
      .onNotification("mcp/message", seen.onEvent("agent is told", undefined))
      .connect(stream),
  client: async (seen, stream) => {
    const { agent } = v1unstable
      .client({ name: "theirs" })
      .onNotification("session/update", seen.onEvent("client's updates", undefined))
      .onRequest("mcp/message", async ({ params, agent: asker }) => {
        seen.note("client", params);
        await asker.notify("mcp/message", {
          serverId: ACP_SERVER.serverId,
          requestId: "r1",
          method: "notifications/progress",
          params: EXTRAS,
        });
        return { result: { content: [text(WEIRD)] } };
      })
      .connect(stream);
    await seen.ends("client's answers", agent.request("initialize", { protocolVersion: 1, clientInfo: INFO }));
    await seen.ends("client's answers", agent.request("session/new", { cwd: "/tmp", mcpServers: [ACP_SERVER] }));
    await seen.ends(
      "client's answers",
      agent.request("session/fork", {
        sessionId: SESSION.sessionId,
        cwd: "/tmp",
        mcpServers: [ACP_SERVER],
        systemPrompt: { mode: "append", content: [text(WEIRD)] },
      }),
    );
  },
};
