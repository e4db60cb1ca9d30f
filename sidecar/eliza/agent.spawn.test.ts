import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { tmpdir } from "node:os";
import fc from "fast-check";
import type { Channel } from "../rpc/channel";
import { isObject, objectOr, type JsonObject } from "../rpc/json";
import { memoryChannels } from "../rpc/memory-channel";
import { RpcError } from "../rpc/message";
import { Peer } from "../rpc/peer";
import { eventually } from "../testing/eventually";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { PIXEL, serveMcpOverHttp } from "../testing/mcp/mcp-server";
import { Transcript } from "../testing/transcript";
import { elizaAgent, wordGroups } from "./agent";

/** An in-memory client of Eliza. */
class Client implements AsyncDisposable {
  readonly updates: JsonObject[] = [];
  readonly transcript = new Transcript();
  readonly clock = new FakeClock();
  readonly agent: AsyncDisposable;
  readonly peer: Peer;
  /** Called with each update, after it is recorded. */
  updated: (update: JsonObject) => void = () => undefined;

  constructor(options: { readonly deterministic: boolean; readonly random?: () => number } = { deterministic: true }) {
    const [ours, theirs] = memoryChannels();
    this.agent = elizaAgent({ ...options, clock: this.clock })(theirs);
    this.peer = new Peer(recorded(ours, this.transcript), {
      request: request => request.fail(new Error("Eliza sends no requests")),
      notification: (_method, params) => {
        const update = objectOr(objectOr(params).update);
        this.updates.push(update);
        this.updated(update);
      },
      closed: () => undefined,
    });
  }

  async open(mcpServers: unknown = []): Promise<string> {
    return String(objectOr(await this.peer.request("session/new", { cwd: tmpdir(), mcpServers })).sessionId);
  }

  prompt(sessionId: string, text: string): Promise<unknown> {
    return this.peer.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  /** Returns the text of the response to one prompt. */
  async ask(sessionId: string, text: string): Promise<string> {
    this.updates.length = 0;
    deepEqual(await this.prompt(sessionId, text), { stopReason: "end_turn" });
    return this.answerText();
  }

  answerText(): string {
    return this.updates
      .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
      .map(({ content }) => String(objectOr(content).text))
      .join("");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.peer[Symbol.asyncDispose]();
    await this.agent[Symbol.asyncDispose]();
    equal(this.clock.waiting, 0, "no timer is pending");
  }
}

function recorded(channel: Channel, transcript: Transcript): Channel {
  return {
    start: receiver =>
      channel.start({
        receive: frame => {
          transcript.record("←", frame.message);
          return receiver.receive(frame);
        },
        closed: reason => receiver.closed(reason),
      }),
    send: frame => {
      transcript.record("→", frame.message);
      return channel.send(frame);
    },
    drained: () => channel.drained(),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}

const stdio = {
  name: "test",
  command: process.execPath,
  args: [`${process.env.SYMPOSIUM_TEST_PROGRAMS}/mcp-server.program.mjs`],
  env: [],
};
const refused =
  (code: number, message: RegExp, data?: unknown) =>
  (error: unknown): true => {
    ok(error instanceof RpcError);
    deepEqual([error.code, error.data], [code, data]);
    match(error.message, message);
    return true;
  };

suite("Eliza as an ACP agent", () => {
  test("matches the golden conversation", async () => {
    await using client = new Client();
    await client.peer.request("initialize", { protocolVersion: 2, clientCapabilities: {} });
    const { sessionId } = objectOr(await client.peer.request("session/new", { cwd: "/workspace", mcpServers: [] }));
    for (const text of ["Hello, how are you?", "I am doing well, thanks!", "cargo build is failing"])
      await client.prompt(String(sessionId), text);
    await client.peer.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "my" },
        { type: "resource", resource: { uri: "file:///a", text: "I am sad" } },
        { type: "text", text: "code is long" },
      ],
    });
    await client.peer.request("session/close", { sessionId });
    client.transcript.match("sidecar/testing/transcripts/eliza-conversation.golden");
  });

  test("ignores content for the assistant only", async () => {
    await using client = new Client();
    const sessionId = await client.open(),
      received: boolean[] = [];
    for (const audience of [["assistant"], ["user", "assistant"], "assistant"]) {
      client.updates.length = 0;
      await client.peer.request("session/prompt", {
        sessionId,
        prompt: [
          { type: "text", text: "Mind this.", annotations: { audience } },
          { type: "text", text: "use tool gone::x" },
        ],
      });
      received.push(/gone/.test(client.answerText()));
    }
    deepEqual(received, [true, false, false]);
  });

  test("rejects invalid requests and ignores unknown notifications", async () => {
    await using client = new Client();
    const attempt = (method: string, params?: unknown) => client.peer.request(method, params).catch(() => undefined);
    await attempt("initialize", {});
    await attempt("session/new", { mcpServers: [] });
    await attempt("session/new", { cwd: "relative", mcpServers: [] });
    await attempt("session/new", { cwd: "/workspace" });
    await attempt("session/new", { cwd: "/workspace", mcpServers: [{ name: "x" }] });
    await attempt("session/prompt");
    await attempt("session/prompt", { sessionId: "nobody", prompt: [] });
    await attempt("session/close", { sessionId: "nobody" });
    const { sessionId } = objectOr(await attempt("session/new", { cwd: "/workspace", mcpServers: [] }));
    await attempt("session/prompt", { sessionId, prompt: "Hello" });
    await attempt("session/prompt", { sessionId, prompt: ["Hello"] });
    await attempt("session/prompt", { sessionId, prompt: [{ type: "text" }] });
    await attempt("session/load", { sessionId, cwd: "/workspace", mcpServers: [] });
    await attempt("_something/else", {});
    client.peer.notify("session/cancel", { sessionId });
    client.peer.notify("session/cancel", { sessionId: "nobody" });
    client.peer.notify("session/cancel", undefined);
    client.peer.notify("_something", {});
    await attempt("session/prompt", { sessionId, prompt: [] });
    client.transcript.match("sidecar/testing/transcripts/eliza-refusals.golden");
  });

  test("lists and uses tools of a real MCP server over stdio", async () => {
    await using client = new Client();
    const sessionId = await client.open([stdio]);
    equal(
      await client.ask(sessionId, "list tools from test"),
      [
        "Available tools:",
        "  - echo: Says it again.",
        "  - add: Adds two numbers.",
        "  - fail: Fails.",
        "  - image: Shows a pixel.",
        "  - structured",
        "  - where: Tells its folder, process and environment.",
        "  - slow: Answers when it is cancelled.",
        "  - die: Dies.",
      ].join("\n"),
    );
    equal(await client.ask(sessionId, 'Use tool test::add with {"a": 1,\n"b": 2}'), "OK: 3");
    const [started, ended] = client.updates;
    equal(started?.toolCallId, ended?.toolCallId);
    deepEqual(
      { ...started, toolCallId: "" },
      {
        sessionUpdate: "tool_call",
        toolCallId: "",
        title: "test::add",
        name: "add",
        kind: "other",
        status: "in_progress",
        rawInput: { a: 1, b: 2 },
      },
    );
    deepEqual(
      { ...ended, toolCallId: "" },
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "",
        status: "completed",
        rawOutput: "3",
        content: [{ type: "content", content: { type: "text", text: "3" } }],
      },
    );
  });

  test("uses tools of a real MCP server over HTTP with its headers, and shows images", async () => {
    await using http = await serveMcpOverHttp(() => undefined);
    await using client = new Client();
    const sessionId = await client.open([
      { type: "http", name: "web", url: http.url, headers: [{ name: "authorization", value: "Bearer secret" }] },
    ]);
    match(await client.ask(sessionId, "list tools from web"), /^Available tools:\n {2}- echo: Says it again\.\n/);
    equal(await client.ask(sessionId, "use tool web::image"), "OK: Behold:\n(image)");
    deepEqual(client.updates[1]?.content, [
      { type: "content", content: { type: "text", text: "Behold:" } },
      { type: "content", content: { type: "image", data: PIXEL, mimeType: "image/png" } },
    ]);
    equal(await client.ask(sessionId, "use tool web::structured with {}"), 'OK: {"answer":42}');
    equal(await client.ask(sessionId, "use tool web::fail with {}"), "ERROR: It failed, as it should.");
    deepEqual(
      client.updates.slice(0, 2).map(({ status }) => status),
      ["in_progress", "failed"],
    );
  });

  test("reports a tool error in one sentence and continues the session", async () => {
    await using http = await serveMcpOverHttp(() => undefined);
    await using client = new Client();
    const sessionId = await client.open([
      { name: "gone", command: "no-such-command", args: [], env: [] },
      { type: "sse", name: "old", url: "http://127.0.0.1/" },
      { type: "http", name: "web", url: http.url, headers: [{ name: "authorization", value: "Bearer secret" }] },
    ]);
    for (const [text, answer] of [
      ["list tools from nobody", "ERROR: This session has no MCP server “nobody”; it has gone, old, web."],
      [
        "list tools from gone",
        "ERROR: The MCP server “gone” could not be started: “no-such-command” was not found or is not executable.",
      ],
      [
        "use tool gone::x with {}",
        "ERROR: The MCP server “gone” could not be started: “no-such-command” was not found or is not executable.",
      ],
      [
        "use tool old::x",
        "ERROR: The MCP server “old” uses the transport “sse”, which is not supported. Use stdio or http.",
      ],
      ["use tool web::echo with [1]", 'ERROR: The arguments must be a JSON object, such as {"text": "hi"}.'],
      ["use tool web::nothing with {}", "ERROR: The MCP server “web” returned an error: There is no tool nothing."],
      ["use tool hammer", "What does “use tool hammer” suggest to you?"],
    ] as const)
      equal(await client.ask(sessionId, text), answer);
    match(
      await client.ask(sessionId, "use tool web::echo with {text: 1}"),
      /^ERROR: The arguments are not JSON: .+\.$/,
    );
    equal(
      await client.ask(await client.open(), "list tools from x"),
      "ERROR: This session has no MCP server “x”; it has none.",
    );
  });

  test("ends the turn when a server does not answer within 60 seconds", async () => {
    await using client = new Client();
    const sessionId = await client.open([{ ...stdio, args: [...stdio.args, "--hang"] }]);
    client.updated = ({ sessionUpdate }) => {
      if (sessionUpdate === "tool_call") client.clock.advance(60_000);
    };
    equal(
      await client.ask(sessionId, "use tool test::echo with {}"),
      "ERROR: The MCP server “test” did not respond within 60 seconds.",
    );
  });

  test("cancels a tool call at the server, shows it as failed and ends the turn as cancelled", async () => {
    let onEvent = (): void => undefined;
    const cancelled = new Promise<void>(resolve => {
      onEvent = resolve;
    });
    let sessionId = "";
    await using client = new Client();
    await using http = await serveMcpOverHttp(line => {
      if (line === "slow began") client.peer.notify("session/cancel", { sessionId });
      if (line === "slow was cancelled") onEvent();
    });
    sessionId = await client.open([
      { type: "http", name: "web", url: http.url, headers: [{ name: "authorization", value: "Bearer secret" }] },
    ]);
    deepEqual(await client.prompt(sessionId, "use tool web::slow with {}"), { stopReason: "cancelled" });
    deepEqual(
      client.updates.map(({ sessionUpdate, status }) => [sessionUpdate, status]),
      [
        ["tool_call", "in_progress"],
        ["tool_call_update", "failed"],
      ],
    );
    await cancelled;
  });

  test("stops a streaming answer on cancellation and answers the next prompt", async () => {
    await using client = new Client();
    const sessionId = await client.open();
    client.updated = () => client.peer.notify("session/cancel", { sessionId });
    deepEqual(await client.prompt(sessionId, "Hello, how are you?"), { stopReason: "cancelled" });
    ok(
      "I don't have feelings, but I'm functioning well. What about you?".startsWith(client.answerText()) &&
        client.answerText().length < 40,
      client.answerText(),
    );
    client.updated = () => undefined;
    equal(await client.ask(sessionId, "Hello"), "How do you do. Please state your problem.");
  });

  test("answers a prompt whose request is cancelled as cancelled", async () => {
    await using client = new Client();
    const sessionId = await client.open(),
      stop = new AbortController();
    client.updated = () => stop.abort();
    deepEqual(
      await client.peer.request(
        "session/prompt",
        { sessionId, prompt: [{ type: "text", text: "Hello, how are you?" }] },
        { signal: stop.signal },
      ),
      { stopReason: "cancelled" },
    );
  });

  test("rejects a second concurrent prompt of a session", async () => {
    await using client = new Client();
    const sessionId = await client.open();
    const first = client.prompt(sessionId, "Hello");
    await rejects(client.prompt(sessionId, "Hello"), refused(-32600, /still processing/));
    deepEqual(await first, { stopReason: "end_turn" });
  });

  test("ends the prompt of a closed session first and deletes the session", async () => {
    await using client = new Client();
    const sessionId = await client.open(),
      order: string[] = [];
    client.updated = () => {
      client.updated = () => undefined;
      void client.peer.request("session/close", { sessionId }).then(() => order.push("closed"));
    };
    deepEqual(await client.prompt(sessionId, "Hello, how are you?").finally(() => order.push("prompt")), {
      stopReason: "cancelled",
    });
    await rejects(client.prompt(sessionId, "Hello"), refused(-32002, /Unknown session/, { sessionId }));
    deepEqual(order, ["prompt", "closed"]);
  });

  test("keeps the state of sessions separate", async () => {
    await using client = new Client();
    const first = await client.open(),
      second = await client.open();
    equal(await client.ask(first, "sorry"), "Please don't apologise.");
    equal(await client.ask(second, "sorry"), "Please don't apologise.");
    equal(await client.ask(first, "sorry"), "Apologies are not necessary.");
  });

  test("starts a non-deterministic session at a random reply", async () => {
    await using client = new Client({ deterministic: false, random: () => 0.3 });
    equal(await client.ask(await client.open(), "sorry"), "Apologies are not necessary.");
  });

  test("leaves no process running when the client disconnects", async () => {
    const client = new Client();
    const sessionId = await client.open([stdio]);
    match(await client.ask(sessionId, "use tool test::where"), /^OK: \{"pid":\d+/);
    const lost = rejects(client.prompt(sessionId, "use tool test::slow"), RpcError);
    await new Promise<void>(resolve => {
      client.updated = () => resolve();
    });
    await client.peer[Symbol.asyncDispose]();
    await lost;
    await eventually(() => client.clock.waiting === 0, "the call is cancelled without a timeout");
    await client.agent[Symbol.asyncDispose]();
  });

  test("answers open requests on disposal", async () => {
    const client = new Client();
    const prompt = client.prompt(await client.open(), "Hello, how are you?");
    await new Promise<void>(resolve => {
      client.updated = () => resolve();
    });
    await client.agent[Symbol.asyncDispose]();
    deepEqual(await prompt, { stopReason: "cancelled" });
  });

  test("uses one message id per answer", async () => {
    await using client = new Client();
    const sessionId = await client.open(),
      ids = new Set<unknown>();
    for (const text of ["how are you", "Hello"]) {
      await client.ask(sessionId, text);
      ok(
        client.updates.length > 1 &&
          client.updates.every(update => isObject(update) && update.messageId === client.updates[0]?.messageId),
      );
      ids.add(client.updates[0]?.messageId);
    }
    equal(ids.size, 2);
  });
});

suite("word groups", () => {
  test("join to the text, contain few words, and are limited in number", () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "bé", "\n", " ", "  - ", "😀"), { maxLength: 50 }).map(parts => parts.join("")),
        fc.integer({ min: 1, max: 60 }),
        (text, times) => {
          const long = text.repeat(times),
            groups = wordGroups(long);
          equal(groups.join(""), long);
          ok(groups.length <= 201 && groups.every(group => group !== ""));
        },
      ),
      { numRuns: 100 },
    ));
  test("contain three words", () =>
    deepEqual(wordGroups("How do you do. Please state your problem."), [
      "How do you ",
      "do. Please state ",
      "your problem.",
    ]));
});
