import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { deferred } from "../deferred";
import { ELIZA, type AgentConfig } from "../protocol/agents";
import type { ChatRequest } from "../protocol/lm";
import { AgentTool } from "./agent-tools";
import { LmProvider, type LmClient, type ProviderWorld } from "./provider";

class Text { constructor(readonly value: string) {} }
class ToolCall { constructor(readonly callId: string, readonly name: string, readonly input: object) {} }

/** A sidecar that keeps what it was asked and answers when the test says so. */
function world(changes: Partial<ProviderWorld> = {}) {
  const requests: { method: string; params: unknown }[] = [], notes: { method: string; params: unknown }[] = [], leftOut: string[] = [];
  let answer = deferred<unknown>();
  const client: LmClient = {
    request: async (method, params) => { requests.push({ method, params }); return await answer.promise as never; },
    notify: (method, params) => { notes.push({ method, params }); },
  };
  const nothing: AgentConfig = { id: "odd", name: "Odd", distribution: { symposium: { subcommand: "unknown" } } };
  const provider = new LmProvider({
    client: () => Promise.resolve(client), settings: () => ({ agents: [ELIZA, nothing], configured: [ELIZA.id, nothing.id], currentAgentId: ELIZA.id }), takesImages: () => false, isTrusted: () => true, cwd: () => "/w",
    classes: { LanguageModelTextPart: Text, LanguageModelToolCallPart: ToolCall }, errors: { NotFound: message => new Error(message), NoPermissions: message => new Error(message) },
    leftOut: kind => { leftOut.push(kind); }, ...changes,
  });
  const listeners: (() => void)[] = [];
  const token = { isCancellationRequested: false, onCancellationRequested: (listener: () => void) => { listeners.push(listener); return { dispose: () => { listeners.splice(listeners.indexOf(listener), 1); } }; } };
  const reported: object[] = [];
  const respond = (modelId = "symposium", options: object = {}): Promise<void> =>
    provider.respond({ id: modelId }, [{ role: 1, content: [new Text("hi")], name: undefined } as never], { toolMode: 1, ...options } as never, part => { reported.push(part); }, token as never);
  return { provider, client, requests, notes, reported, leftOut, respond, token, cancel: () => { token.isCancellationRequested = true; for (const listener of [...listeners]) listener(); }, listeners, answer: (value: unknown = {}) => { answer.resolve(value); answer = deferred(); }, refuse: (error: Error) => { answer.reject(error); answer = deferred(); } };
}

const settled = () => new Promise(resolve => setImmediate(resolve));

suite("provider of models", () => {
  test("a request is what VS Code gave, with the agent, the folder and who asks", async () => {
    const { respond, requests, answer } = world();
    const done = respond("symposium-eliza", { tools: [{ name: "t", description: "T" }], toolMode: 2, modelOptions: { _telemetryTurn: 1 }, requestInitiator: "core" });
    await settled();
    deepEqual(requests, [{ method: "lm/provideLanguageModelChatResponse", params: {
      requestId: 1, modelId: "symposium-eliza", agentId: "elizacp", agent: { eliza: {} }, distribution: ELIZA.distribution, cwd: "/w", messages: [{ role: "user", content: [{ type: "text", value: "hi" }] }],
      options: { tools: [{ name: "t", description: "T" }], toolMode: "required", modelOptions: { _telemetryTurn: 1 }, requestInitiator: "core" },
    } satisfies ChatRequest }]);
    answer();
    await done;
  });

  test("parts go to their request, and nowhere when it is over", async () => {
    const { provider, respond, reported, leftOut, answer } = world();
    const done = respond();
    await settled();
    provider.part(1, { type: "text", value: "a" });
    provider.part(2, { type: "text", value: "of another" });
    provider.part(1, { type: "thinking", value: "hm" });
    provider.part(1, { type: "tool_call", toolCallId: "c", toolName: "t", parameters: {} });
    answer();
    await done;
    provider.part(1, { type: "text", value: "late" });
    deepEqual(reported, [new Text("a"), new ToolCall("c", "t", {})]);
    deepEqual(leftOut, ["thinking"]);
  });

  test("Stop is told to the sidecar once, and the promise waits for its answer", async () => {
    const { respond, notes, cancel, answer, listeners } = world();
    let isDone = false;
    const done = respond().then(() => { isDone = true; });
    await settled();
    cancel();
    await settled();
    deepEqual([notes, isDone], [[{ method: "lm/cancel", params: { requestId: 1 } }], false]);
    answer();
    await done;
    equal(listeners.length, 0, "nothing listens any more");
  });

  test("what was stopped before the sidecar was there is not asked", async () => {
    const { respond, cancel, requests } = world();
    const done = respond();
    cancel();
    await done;
    deepEqual(requests, []);
  });

  test("each failure is a sentence without a stack, because VS Code shows it", async () => {
    const gone = world();
    const failing = gone.respond();
    await settled();
    gone.refuse(new Error("Symposium’s sidecar stopped unexpectedly (exit code 1)."));
    await rejects(failing, (error: Error) => error.stack === error.message && /stopped unexpectedly/.test(error.message));
    await rejects(world().respond("symposium-gone"), /“symposium-gone” is not configured any more/);
    await rejects(world().respond("symposium-odd"), /Odd has no command that can be started/);
    await rejects(world({ isTrusted: () => false }).respond(), (error: Error) => error.stack === error.message && /trust this workspace/.test(error.message));
  });

  test("an agent without a command is in no picker", () => deepEqual(world().provider.models().map(({ id }) => id), ["symposium", "symposium-eliza"]));
});

suite("tools that ask for an agent", () => {
  function tool(client: LmClient | undefined) {
    return new AgentTool({ running: () => client, markdown: (text, link) => ({ value: text, ...link }) as never, result: text => ({ content: [text] }) as never });
  }
  const asked = { input: { id: "q" }, toolInvocationToken: {} as never };

  test("the question is the sidecar's, whatever stands in the call", async () => {
    const { client, requests, answer } = world();
    const prepared = tool(client).prepareInvocation({ input: { id: "q", title: "harmless" } });
    await settled();
    answer({ question: { title: "Run a command", message: "`rm -rf /`" } });
    deepEqual(await prepared, { invocationMessage: "Run a command", confirmationMessages: { title: "Run a command", message: { value: "`rm -rf /`" } } });
    deepEqual(requests, [{ method: "lm/question", params: { questionId: "q" } }]);
  });

  test("what is too long for the card can be opened, by a command that its question alone is given to", async () => {
    const { client, answer } = world();
    const prepared = tool(client).prepareInvocation({ input: { id: "q" } });
    await settled();
    answer({ question: { title: "Run a command", message: "`a…z`", whole: "`abc…xyz`" } });
    deepEqual((await prepared).confirmationMessages?.message, { value: "`a…z`", title: "Show all", command: "symposium.showQuestion", argument: "q" });
  });

  test("consent is given inside the call, with the call's own id", async () => {
    const { client, requests, answer } = world();
    const invoked = tool(client).invoke({ ...asked, chatStreamToolCallId: "c1", model: { vendor: "symposium" } });
    await settled();
    answer({ isTaken: true });
    ok(await invoked);
    deepEqual(requests, [{ method: "lm/decide", params: { questionId: "q", callId: "c1" } }]);
  });

  test("nobody else's: no chat, another model, no question, a question that is over, no sidecar", async () => {
    const { client, requests, answer } = world();
    await rejects(tool(client).invoke({ ...asked, toolInvocationToken: undefined }), /by nobody else/);
    await rejects(tool(client).invoke({ ...asked, model: { vendor: "copilot" } }), /Symposium's own models/);
    await rejects(tool(client).invoke({ ...asked, input: {} }), /No agent waits/);
    await rejects(tool(undefined).invoke(asked), /No agent waits/);
    deepEqual(requests, []);
    const invoked = tool(client).invoke(asked);
    await settled();
    answer({ isTaken: false });
    await rejects(invoked, (error: Error) => { match(error.message, /No agent waits/); return true; });
  });
});
