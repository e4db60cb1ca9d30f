import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { arrayOr, objectOr } from "../rpc/json";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { Signal } from "../testing/mcp/mcp-fixture";
import { PROGRESS_MS } from "../mcp/progress";
import { ToolFailure, type Tool, type ToolCall } from "./tool";
import { connectToolServer, STRUCTURED } from "./tool-server";

const tool = (name: string, call: Tool["call"]): Tool => ({
  name,
  title: name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: { text: { type: "string", description: "What." } }, required: ["text"] },
  annotations: { readOnlyHint: true },
  call,
});

class Served implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly warnings: string[] = [];
  readonly client = new Client({ name: "test", version: "1" });
  readonly calls: ToolCall[] = [];
  readonly called = new Signal();
  static async open(): Promise<Served> {
    const served = new Served(),
      [ours, theirs] = InMemoryTransport.createLinkedPair();
    await connectToolServer({
      name: "tools",
      title: "Tools",
      version: "1",
      instructions: "Use them.",
      clock: served.clock,
      onWarning: what => served.warnings.push(what),
      tools: [
        tool("echo", async ({ text }) => String(text)),
        tool("both", async ({ text }) => ({ structured: { text }, text: "for people" })),
        tool("structured", async ({ text }) => ({ structured: { text } })),
        tool("fails", async () => {
          throw new ToolFailure("Say it again.");
        }),
        tool("breaks", async () => {
          throw new TypeError("no");
        }),
        tool(
          "waits",
          (_, call) =>
            new Promise((_, reject) => {
              served.calls.push(call);
              call.signal.addEventListener("abort", () => {
                served.called.fire();
                reject(new Error("gone"));
              });
              call.progress("Half of it is done.");
              served.called.fire();
            }),
        ),
      ],
      prompts: [
        {
          name: "greet",
          title: "Greet",
          description: "Greets.",
          arguments: [{ name: "who", description: "Whom.", required: true }],
          text: async ({ who }) => `Greet ${who}.`,
        },
      ],
    })(ours);
    await served.client.connect(theirs);
    return served;
  }
  async call(name: string, args: Record<string, unknown> = { text: "hi" }) {
    const { content, structuredContent, isError, _meta } = await this.client.callTool({ name, arguments: args });
    return [
      arrayOr(content)
        .map(block => objectOr(block).text)
        .join(),
      structuredContent,
      isError,
      ...(_meta === undefined ? [] : [_meta]),
    ];
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}

suite("extension MCP server", () => {
  test("lists its tools and prompts, and starts on the first request", async () => {
    await using served = await Served.open();
    const { tools } = await served.client.listTools(),
      { prompts } = await served.client.listPrompts();
    deepEqual(tools[0], {
      name: "echo",
      title: "echo",
      description: "Does echo.",
      inputSchema: {
        type: "object",
        properties: { text: { type: "string", description: "What." } },
        required: ["text"],
      },
      annotations: { readOnlyHint: true },
      _meta: { "anthropic/alwaysLoad": true },
    });
    deepEqual(prompts, [
      {
        name: "greet",
        title: "Greet",
        description: "Greets.",
        arguments: [{ name: "who", description: "Whom.", required: true }],
      },
    ]);
    deepEqual((await served.client.getPrompt({ name: "greet", arguments: { who: "Ada" } })).messages, [
      { role: "user", content: { type: "text", text: "Greet Ada." } },
    ]);
    await rejects(served.client.getPrompt({ name: "other" }), /Unknown prompt “other”\./);
    equal(served.client.getInstructions(), "Use them.");
  });

  test("returns text, structured content or both", async () => {
    await using served = await Served.open();
    deepEqual(await served.call("echo"), ["hi", undefined, undefined]);
    deepEqual(await served.call("structured"), [`{"text":"hi"}`, { text: "hi" }, undefined]);
    deepEqual(await served.call("both"), ["for people", undefined, undefined, { [STRUCTURED]: { text: "hi" } }]);
  });

  test("returns an error to the model and logs unexpected ones", async () => {
    await using served = await Served.open();
    deepEqual(await served.call("echo", { text: 1 }), ["The argument “text” must be a text.", undefined, true]);
    deepEqual(await served.call("fails"), ["Say it again.", undefined, true]);
    match(String((await served.call("nothing"))[0]), /^Unknown tool “nothing”\. Tools: echo, both/);
    deepEqual(served.warnings, []);
    deepEqual(await served.call("breaks"), ["Tools failed: no", undefined, true]);
    deepEqual(served.warnings, ["the tool breaks failed"]);
  });

  test("reports progress and heartbeats to a client that requested them", async () => {
    await using served = await Served.open();
    const received: (string | undefined)[] = [],
      told = new Signal(),
      gone = new AbortController();
    const call = served.client.callTool({ name: "waits", arguments: { text: "x" } }, undefined, {
      signal: gone.signal,
      onprogress: ({ message }) => {
        received.push(message);
        told.fire();
      },
    });
    await told.times(1);
    served.clock.advance(PROGRESS_MS);
    await told.times(2);
    deepEqual(received, ["Half of it is done.", "Half of it is done."]);
    gone.abort();
    await rejects(call);
    await served.called.times(2);
    equal(served.calls[0]?.signal.aborted, true);
    deepEqual(served.warnings, []);
  });
});
