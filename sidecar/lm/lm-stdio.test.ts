/** The messages of `vscodelm` in the documented flows. The golden files document the protocol. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { LM_DEFAULTS, type ChatMessage, type ChatPart, type ChatTool, type LmSettings } from "../../src/protocol/lm/lm";
import { AgentConnection } from "../acp/connection";
import { launch } from "../agents/launch";
import { AgentPool } from "../agents/pool";
import { isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";
import { Frame } from "../rpc/frame";
import { memoryChannels } from "../rpc/memory-channel";
import { Peer } from "../rpc/peer";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { MemoryAgent } from "../testing/memory-agent";
import { Transcript } from "../testing/transcript";
import { serveLm } from "./lm-stdio";
import { QUIET_MS } from "./session/question-debounce";
import { ToolOffers } from "./tools/tool-offer";
import { toolsComponent } from "./tools/tools-proxy";

const ELIZA = { eliza: { deterministic: true } },
  ADA = { mcp_server: { name: "Ada", command: "ada", args: [], env: [] } };
const WEATHER: ChatTool = {
  name: "get_weather",
  description: "The weather of a place",
  inputSchema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
};
const TIDES: ChatTool = { name: "get_tides", description: "High and low water", inputSchema: {} };
const ACTION: ChatTool = { name: "symposium-agent-action", description: "Internal" };
const OPTIONS = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

class Client implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly transcript = new Transcript();
  readonly agent = new MemoryAgent(["session/prompt"]);
  /** Parts of the current answer. */
  parts: ChatPart[] = [];
  readonly #history: ChatMessage[] = [];
  readonly #server;
  readonly #peer: Peer;
  readonly #pool: AgentPool;
  #handleEvent = (): void => undefined;
  #id = 0;

  constructor(settings: LmSettings = LM_DEFAULTS) {
    const [serverChannel, clientChannel] = memoryChannels(),
      offers = new ToolOffers(() => undefined),
      { clock } = this;
    this.#pool = new AgentPool(
      (key, signal) =>
        key.agent.name === "Ada"
          ? AgentConnection.connect(this.agent.channel, {
              name: "Ada",
              version: "1",
              protocol: 1,
              role: "lm",
              clock,
              onWarning: () => undefined,
              lastWords: () => "",
              stop: async () => undefined,
            })
          : launch(key, signal, {
              version: "1",
              clock,
              startProcess: () => {
                throw new Error("no process is started");
              },
              proxies: (_, onWarning) => [toolsComponent(offers, { clock, version: "1" }, onWarning)],
              log: () => undefined,
            }),
      error => {
        throw error;
      },
    );
    this.#server = serveLm(serverChannel, {
      clock,
      pool: this.#pool,
      offers,
      settings,
      cwd: "/project",
      policy: () => "ask",
      date: () => 0,
      freshId: () => `session${++this.#id}`,
      log: () => undefined,
      onWarning: () => undefined,
      onFacts: () => undefined,
      keeper: { load: async () => [], save: () => undefined, forget: () => undefined },
    });
    this.#peer = new Peer(clientChannel, {
      request: request => request.fail(new Error("the client handles no requests")),
      closed: () => undefined,
      notification: (method, params) => {
        this.transcript.record("←", { method, params });
        const { part } = objectOr(params);
        if (isObject(part)) this.parts.push(part as unknown as ChatPart);
        this.#handleEvent();
      },
    });
  }

  ask(method: string, params: JsonObject): Promise<unknown> {
    this.transcript.record("→", { method, params });
    return this.#peer.request(method, params).then(
      result => {
        this.transcript.record("←", { method, result });
        return result;
      },
      (error: unknown) => {
        this.transcript.record("←", { method, error: objectOr(error).message });
      },
    );
  }

  notify(method: string, params: JsonObject): void {
    this.transcript.record("→", { method, params });
    this.#peer.notify(method, params);
  }

  /** Sends the whole history each time, like VS Code. */
  respond(agent: JsonObject, tools: readonly ChatTool[] = []): Promise<unknown> {
    this.parts = [];
    return this.ask("lm/provideLanguageModelChatResponse", {
      modelId: "symposium",
      messages: this.#history,
      agent,
      ...(tools.length === 0 ? {} : { options: { tools } }),
    }).then(result => {
      const text = this.parts.map(part => (part.type === "text" ? part.value : "")).join("");
      this.#history.push({
        role: "assistant",
        content: [...(text === "" ? [] : [{ type: "text", value: text } as const]), ...this.calls],
      });
      return result;
    });
  }

  addUserMessage(value: string): this {
    this.#history.push({ role: "user", content: [{ type: "text", value }] });
    return this;
  }

  /** Returns the response to the request. */
  withdrawable(value: string, agent: JsonObject, signal: AbortSignal): Promise<unknown> {
    return this.#peer
      .request(
        "lm/provideLanguageModelChatResponse",
        { modelId: "symposium", messages: [{ role: "user", content: [{ type: "text", value }] }], agent },
        { signal },
      )
      .then(
        result => result,
        (error: unknown) => objectOr(error).message,
      );
  }

  /** Adds the result of the current call. */
  result(result: string): this {
    for (const { toolCallId } of this.calls)
      this.#history.push({ role: "user", content: [{ type: "tool_result", toolCallId, result }] });
    return this;
  }

  /** Removes the last user message and everything after it. */
  takesBack(): this {
    this.#history.splice(this.#history.findLastIndex(({ role }) => role === "user"));
    return this;
  }

  get text(): string {
    return this.parts.map(part => (part.type === "text" ? part.value : "")).join("");
  }
  get calls(): readonly (ChatPart & { readonly type: "tool_call" })[] {
    return this.parts.filter(part => part.type === "tool_call");
  }
  get questionId(): string {
    return stringOr(objectOr(this.calls[0]?.parameters).id, "");
  }

  /** Waits until this number of calls has arrived. */
  async called(count = 1): Promise<void> {
    while (this.calls.length < count)
      await new Promise<void>(resolve => {
        this.#handleEvent = resolve;
      });
    this.clock.advance(QUIET_MS);
  }

  async settle(): Promise<void> {
    for (let i = 0; i < 30; i++) await new Promise(resolve => setImmediate(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await this.#pool[Symbol.asyncDispose]();
    await this.settle();
    equal(this.clock.waiting, 0, "a timer was leaked");
  }
}

const GOLDEN = "sidecar/testing/transcripts/lm";

suite("vscodelm", () => {
  test("commit: confirms the answer with the next user text and continues the session", async () => {
    await using client = new Client();
    await client.ask("lm/provideLanguageModelChatInformation", { silent: true });
    await client.ask("lm/provideTokenCount", { modelId: "symposium-eliza", text: "Hello, world!" });
    await client.addUserMessage("Hello, how are you?").respond(ELIZA);
    equal(client.text, "I don't have feelings, but I'm functioning well. What about you?");
    await client.addUserMessage("I am doing well, thanks!").respond(ELIZA);
    equal(client.text, "Do you believe it is normal to be doing well thanks?");
    client.transcript.match(`${GOLDEN}-commit.golden`);
  });

  test("mismatch: rejects the pending permission and cancels the turn for a different user text", async () => {
    await using client = new Client();
    const first = client.addUserMessage("Hello").respond(ADA),
      request = await client.agent.next("session/prompt");
    client.agent.report("s1", "Hi!");
    request.respond({ stopReason: "end_turn" });
    await first;
    const second = client.addUserMessage("Remove foo.txt").respond(ADA, [ACTION]),
      two = await client.agent.next("session/prompt");
    const asking = client.agent.peer.request("session/request_permission", {
      sessionId: "s1",
      toolCall: { toolCallId: "call_1", title: "rm foo.txt", kind: "execute" },
      options: OPTIONS,
    });
    await client.called();
    await second;
    const third = client.takesBack().addUserMessage("Never mind.").respond(ADA, [ACTION]);
    deepEqual(await asking, { outcome: { outcome: "selected", optionId: "no" } });
    await client.settle();
    ok(client.agent.received.includes("cancel s1"));
    client.agent.report("s1", "This is lost.");
    two.respond({ stopReason: "cancelled" });
    const three = await client.agent.next("session/prompt");
    deepEqual(objectOr(three.params).prompt, [{ type: "text", text: "Never mind." }]);
    client.agent.report("s1", "As you like.");
    three.respond({ stopReason: "end_turn" });
    await third;
    client.transcript.match(`${GOLDEN}-mismatch.golden`);
  });

  for (const flow of ["approved", "rejected"] as const)
    test(`${flow}: resolves a permission only by lm/decide, never by the history`, async () => {
      await using client = new Client();
      const first = client.addUserMessage("Remove foo.txt").respond(ADA, [ACTION]),
        prompt = await client.agent.next("session/prompt");
      client.agent.report("s1", "I remove it.");
      const asking = client.agent.peer.request("session/request_permission", {
        sessionId: "s1",
        toolCall: { toolCallId: "call_1", title: "rm foo.txt", kind: "execute", rawInput: { command: "rm foo.txt" } },
        options: OPTIONS,
      });
      await client.called();
      await first;
      equal(client.calls[0]?.toolName, "symposium-agent-action");
      if (flow === "approved") {
        await client.ask("lm/question", { questionId: client.questionId });
        await client.ask("lm/decide", { questionId: client.questionId, callId: client.calls[0]!.toolCallId });
      }
      const second = client
        .result(
          flow === "approved"
            ? "proceed"
            : "The user chose to skip the tool call, they want to proceed without running it",
        )
        .respond(ADA, [ACTION]);
      deepEqual(await asking, { outcome: { outcome: "selected", optionId: flow === "approved" ? "yes" : "no" } });
      client.agent.report("s1", flow === "approved" ? "It is gone." : "Then it stays.");
      prompt.respond({ stopReason: "end_turn" });
      await second;
      client.transcript.match(`${GOLDEN}-${flow}.golden`);
    });

  test("tool flow: forwards an MCP call to VS Code's tool and its result to the agent", async () => {
    await using client = new Client();
    await client.addUserMessage("list tools from vscode_tools").respond(ELIZA, [WEATHER, TIDES]);
    match(client.text, /has vsctools\./);
    await client.addUserMessage("list tools from vsctools").respond(ELIZA, [WEATHER, TIDES]);
    match(client.text, /get_weather: The weather of a place[^]*get_tides/);
    const calling = client
      .addUserMessage('use tool vsctools::get_weather with {"place": "Sylt"}')
      .respond(ELIZA, [WEATHER, TIDES]);
    await client.called();
    await calling;
    deepEqual(
      [client.text, client.calls.map(({ toolName, parameters }) => [toolName, parameters])],
      ["", [["get_weather", { place: "Sylt" }]]],
    );
    await client.result("Wind from the west.").respond(ELIZA, [WEATHER, TIDES]);
    match(client.text, /OK: Wind from the west\./);
    client.transcript.match(`${GOLDEN}-tools.golden`);
  });

  for (const bridgeDuplicates of [false, true])
    test(`${bridgeDuplicates ? "offers" : "omits"} a tool that agents have themselves`, async () => {
      await using client = new Client({ ...LM_DEFAULTS, bridgeDuplicates });
      const readFile: ChatTool = { name: "read_file", description: "A file", inputSchema: {} };
      await client.addUserMessage("list tools from vsctools").respond(ELIZA, [WEATHER, readFile]);
      match(client.text, /get_weather/);
      equal(/read_file/.test(client.text), bridgeDuplicates);
    });

  test("ends the request on lm/cancel and $/cancel_request, and accepts lm/decide as a notification", async () => {
    await using client = new Client();
    const first = client.addUserMessage("Hello").respond(ADA, [ACTION]);
    await client.agent.next("session/prompt");
    client.notify("lm/cancel", { requestId: 1 });
    deepEqual(await first, {});
    const withdrawn = new AbortController(),
      again = client.withdrawable("Hello again", ADA, withdrawn.signal);
    await client.settle();
    withdrawn.abort();
    deepEqual(await again, {});
    await using otherClient = new Client();
    const second = otherClient.addUserMessage("Hello").respond(ADA, [ACTION]);
    await otherClient.agent.next("session/prompt");
    const asking = otherClient.agent.peer.request("session/request_permission", {
      sessionId: "s1",
      toolCall: { toolCallId: "call_1", kind: "execute" },
      options: OPTIONS,
    });
    await otherClient.called();
    await second;
    otherClient.notify("lm/decide", { questionId: otherClient.questionId });
    deepEqual(await asking, { outcome: { outcome: "selected", optionId: "yes" } });
  });

  test("merges parts for a client that reads slowly", async () => {
    const [serverChannel, clientChannel] = memoryChannels(),
      clock = new FakeClock(),
      agent = new MemoryAgent(["session/prompt"]);
    await using pool = new AgentPool(
      () =>
        AgentConnection.connect(agent.channel, {
          name: "Ada",
          version: "1",
          protocol: 1,
          role: "lm",
          clock,
          onWarning: () => undefined,
          lastWords: () => "",
          stop: async () => undefined,
        }),
      error => {
        throw error;
      },
    );
    await using server = serveLm(serverChannel, {
      clock,
      pool,
      offers: new ToolOffers(() => undefined),
      cwd: "/project",
      policy: () => "ask",
      date: () => 0,
      freshId: () => "session1",
      log: () => undefined,
      onWarning: () => undefined,
      onFacts: () => undefined,
      keeper: { load: async () => [], save: () => undefined, forget: () => undefined },
    });
    let goOn = (): void => undefined;
    const pause = new Promise<void>(resolve => {
        goOn = resolve;
      }),
      pieces: string[] = [];
    const answered = new Promise<void>(resolve => {
      clientChannel.start({
        closed: () => undefined,
        receive: ({ message }) => {
          if ("method" in message) pieces.push(stringOr(objectOr(objectOr(message.params).part).value, ""));
          else resolve();
          return pause;
        },
      });
    });
    clientChannel.send(
      Frame.of({
        jsonrpc: "2.0",
        id: 1,
        method: "lm/provideLanguageModelChatResponse",
        params: { modelId: "x", messages: [{ role: "user", content: [{ type: "text", value: "Hello" }] }], agent: ADA },
      }),
    );
    const prompt = await agent.next("session/prompt");
    for (let i = 0; i < 500; i++) agent.report("s1", `${i} `);
    for (let i = 0; i < 50; i++) await new Promise(resolve => setImmediate(resolve));
    prompt.respond({ stopReason: "end_turn" });
    for (let i = 0; i < 50; i++) await new Promise(resolve => setImmediate(resolve));
    goOn();
    await answered;
    equal(pieces.join(""), Array.from({ length: 500 }, (_, i) => `${i} `).join(""));
    ok(pieces.length < 100, `${pieces.length} pieces`);
    await server[Symbol.asyncDispose]();
    equal(clock.waiting, 0);
  });

  test("rejects an invalid request with a sentence and starts no agent", async () => {
    await using client = new Client();
    await client.ask("lm/provideLanguageModelChatResponse", {
      modelId: "symposium",
      messages: [],
      agent: "claude_code",
    });
    await client.ask("lm/provideLanguageModelChatResponse", {});
    await client.ask("lm/provideTokenCount", { modelId: "x" });
    await client.ask("lm/decide", {});
    await client.ask("lm/decide", { questionId: "unknown" });
    await client.ask("lm/question", { questionId: "unknown" });
    await client.ask("lm/unknown", {});
    client.notify("lm/decide", {});
    client.notify("lm/unknown", {});
    client.notify("lm/cancel", {});
    await client.settle();
    client.transcript.match(`${GOLDEN}-wrong.golden`);
  });
});
