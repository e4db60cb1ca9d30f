/**
 * Connects clients and agents of the ACP SDK, with all its entry points, by a chain. Each end receives the same
 * messages as without a chain. The SDK may deliver a notification after a later response, so each kind is ordered
 * separately.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Readable, Writable, type Duplex } from "node:stream";
import { timeLimit } from "../../scripts/time-limits.mjs";
import * as v1 from "@agentclientprotocol/sdk";
import * as v2 from "@agentclientprotocol/sdk/experimental/v2";
import * as v2unstable from "@agentclientprotocol/sdk/experimental/v2/unstable";
import * as v1unstable from "@agentclientprotocol/sdk/unstable";
import { objectOr } from "../rpc/json";
import { ndjsonChannel } from "../rpc/ndjson-channel";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { endingIn, internalProxy, nestedConductor, pieces, pipes, wiredProxy } from "../testing/chain/stream-chain";
import type { ProxyComponent } from "./component";
import { conduct } from "./conductor";

/** The recorded messages, by kind. */
class Seen {
  readonly kinds: Record<string, unknown[]> = {};
  note(kind: string, ...what: unknown[]): void {
    (this.kinds[kind] ??= []).push(...what);
  }

  /** A handler that returns `answer`. */
  onEvent<T>(kind: string, answer: T): (context: { readonly params: unknown }) => T {
    return ({ params }) => {
      this.note(kind, params);
      return answer;
    };
  }

  /** Records how a request ended. */
  async ends(kind: string, request: Promise<unknown>): Promise<void> {
    this.note(kind, await request.catch(asError));
  }
}

/** Replaces the id of a cancelled request, which differs on each connection. */
function asError(error: unknown): unknown {
  const { code, message, data } = objectOr(error),
    { requestId } = objectOr(data);
  return { code, message, data: typeof requestId === "number" ? { ...objectOr(data), requestId: "a number" } : data };
}

interface Connection {
  readonly closed: Promise<void>;
}
/** Connects an agent and runs the steps of a client. */
interface Scene {
  readonly agent: (seen: Seen, stream: v1.Stream) => Connection;
  readonly client: (seen: Seen, stream: v1.Stream) => Promise<void>;
}

/** Accepts any params. */
const any = (params: unknown): unknown => params;
const text = (text: string) => ({ type: "text" as const, text: text });
const WEIRD = '„žluťoučký“ 🐎 \u2028 \\ " \u0000 {"id":7,"method":"no"}';
const INFO = { name: "theirs", title: "Theirs", version: "1.2.3", _meta: { deep: [{ er: null }] } };
const SESSION = {
  sessionId: "s 1",
  cwd: "/tmp",
  mcpServers: [{ name: "m", command: "/bin/m", args: ["-x"], env: [{ name: "A", value: "b" }] }],
};
const REFUSAL = { why: [1, { deep: true, none: null }], text: WEIRD };

/** Params of extension requests and notifications, which an agent of either version receives and sends back. */
const EXTRAS = { n: 1.5, big: 9_007_199_254_740_991, text: WEIRD, list: [[], {}, null, false] };

// --- version 1

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
const OPTIONS: v1.PermissionOption[] = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];
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

function v1Agent(seen: Seen) {
  let cancelled = (): void => undefined;
  const cancellation = new Promise<void>(resolve => {
    cancelled = resolve;
  });
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

async function v1Client(seen: Seen, stream: v1.Stream): Promise<void> {
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

const ACP_SERVER = { type: "acp" as const, name: "ours", serverId: "srv-1" };

/** Only in the unstable schema: forks, and MCP over ACP. */
const V1_UNSTABLE: Scene = {
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

// --- version 2

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

function v2Agent(seen: Seen) {
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

async function v2Client(seen: Seen, stream: v2.Stream): Promise<void> {
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

const V2_UNSTABLE: Scene = {
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

// --- both

const either = (seen: Seen) => v2.agentProtocolRouter().withV1(v1Agent(seen)).withV2(v2Agent(seen));
const SCENES: Readonly<Record<string, Scene>> = {
  "version 1": { agent: (seen, stream) => v1Agent(seen).connect(stream), client: v1Client },
  "version 1, unstable": V1_UNSTABLE,
  "version 2": { agent: (seen, stream) => v2Agent(seen).connect(stream), client: v2Client },
  "version 2, unstable": V2_UNSTABLE,
  "version 1 and an agent of both": { agent: (seen, stream) => either(seen).connect(stream), client: v1Client },
  "version 2 and an agent of both": { agent: (seen, stream) => either(seen).connect(stream), client: v2Client },
  "version 1 and an agent of version 2": {
    agent: (seen, stream) => v2Agent(seen).connect(stream),
    client: async (seen, stream) => {
      const { agent } = v1.client({ name: "theirs" }).connect(stream);
      await seen.ends("client's answers", agent.request("initialize", { protocolVersion: 1, clientInfo: INFO }));
    },
  },
};

const CHAINS: Readonly<Record<string, () => readonly ProxyComponent[]>> = {
  "no proxy": () => [],
  "one proxy": () => [wiredProxy("a")],
  "three proxies": () => [wiredProxy("a"), internalProxy("b"), wiredProxy("c", undefined, pieces(7))],
  "a chain in a chain": () => [wiredProxy("a"), nestedConductor("b", [wiredProxy("c"), internalProxy("d")])],
};

const streamOf = ({
  input,
  output,
}: {
  readonly input: Duplex | Readable;
  readonly output: Duplex | Writable;
}): v1.Stream => v1.ndJsonStream(Writable.toWeb(output), Readable.toWeb(input));

/** Runs a scene. If `proxies` is undefined, the ends are connected without a conductor. */
async function play(
  { agent, client }: Scene,
  proxies: readonly ProxyComponent[] | undefined,
): Promise<Record<string, unknown[]>> {
  const seen = new Seen(),
    [near, far] = pipes(),
    [last, end] = pipes(),
    warnings: unknown[] = [];
  const conductor =
    proxies &&
    conduct(ndjsonChannel(far.input, far.output), {
      proxies,
      last: endingIn(last),
      clock: new FakeClock(),
      notice: ({ message }) => warnings.push(message),
      onWarning: (what, detail) => warnings.push([what, detail]),
    });
  const connection = agent(seen, streamOf(proxies ? end : far));
  await client(seen, streamOf(near));
  near.output.end();
  await connection.closed;
  if (conductor) equal((await conductor.closed).component, undefined);
  deepEqual(warnings, []);
  return seen.kinds;
}

suite("SDK clients and agents", function () {
  this.timeout(timeLimit(30_000));
  for (const [versions, scene] of Object.entries(SCENES))
    suite(versions, () => {
      let direct: Record<string, unknown[]> = {};
      suiteSetup(async () => {
        direct = await play(scene, undefined);
      });

      for (const [what, proxies] of Object.entries(CHAINS))
        test(`exchanges the same messages through ${what} as without a chain`, async () => {
          ok(Object.keys(direct).length > 0);
          deepEqual(await play(scene, proxies()), direct);
        });
    });

  test("exchanges every kind of message in the scenes", async () => {
    const lengths = (kinds: Record<string, unknown[]>): unknown =>
      Object.fromEntries(Object.entries(kinds).map(([kind, all]) => [kind, all.length]));
    deepEqual(lengths(await play(SCENES["version 1"]!, undefined)), {
      agent: 10,
      "agent's answers": 12,
      "agent is told": 2,
      client: 10,
      "client's answers": 12,
      "client's updates": 40,
      "client is told": 1,
    });
    deepEqual(lengths(await play(SCENES["version 2"]!, undefined)), {
      agent: 10,
      "agent's answers": 5,
      "agent is told": 2,
      client: 3,
      "client's answers": 12,
      "client's updates": 81,
      "client is told": 1,
    });
  });

  test("receives MCP over ACP as the only added capability", async () => {
    const onEvent = async (scene: Scene): Promise<unknown> => (await play(scene, []))["client's answers"]?.[0];
    const silent = { protocolVersion: 1, agentInfo: INFO, vendor: EXTRAS },
      silent2 = { protocolVersion: 2, info: INFO, capabilities: { session: { mcp: { stdio: {} } } } };
    deepEqual(
      await onEvent({
        client: v1Client,
        agent: (seen, stream) => v1.agent().onRequest("initialize", seen.onEvent("agent", silent)).connect(stream),
      }),
      { ...silent, agentCapabilities: { mcpCapabilities: { acp: true } } },
    );
    deepEqual(
      await onEvent({
        client: V2_UNSTABLE.client,
        agent: (seen, stream) => v2.agent().onRequest("initialize", seen.onEvent("agent", silent2)).connect(stream),
      }),
      { ...silent2, capabilities: { session: { mcp: { stdio: {}, acp: {} } } } },
    );
  });
});
