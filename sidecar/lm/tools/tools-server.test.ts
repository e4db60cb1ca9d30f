/** Tests the MCP server of VS Code's tools with a client of the MCP SDK. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ToolListChangedNotificationSchema, type CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { ChatTool } from "../../../src/protocol/lm/lm";
import { ChannelTransport } from "../../mcp/transport";
import type { Clock } from "../../rpc/clock";
import { memoryChannels } from "../../rpc/memory-channel";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { Signal } from "../../testing/mcp/mcp-fixture";
import { RECORDED_TOOLS } from "../fixtures/recorded";
import { toMcp } from "./tool-results";
import { ToolOffers, type OfferedCall } from "./tool-offer";
import { PROGRESS_MS } from "../../mcp/progress";
import { connectTools } from "./tools-server";
import { turn } from "../../testing/turn";

const tool = (name: string, inputSchema?: unknown): ChatTool => ({
  name,
  description: name,
  ...(inputSchema === undefined ? {} : { inputSchema }),
});
const UNUSUAL_TOOLS = [
  tool("none"),
  tool("empty", {}),
  tool("any", { anyOf: [{ properties: { a: {} }, required: ["a"] }, { type: "string" }] }),
  tool("list", { type: "object", properties: { a: { type: "array" } } }),
  tool("nothing", { type: null }),
  tool("wrong", "x"),
  tool("text", { type: "string" }),
  tool("größe"),
  tool("x".repeat(100)),
];

class Rig implements AsyncDisposable {
  readonly calls: OfferedCall[] = [];
  readonly asked = new Signal();
  readonly warnings: string[] = [];
  readonly offer;
  readonly #clients: Client[] = [];

  constructor(
    tools: readonly ChatTool[],
    readonly clock: Clock = new FakeClock(),
  ) {
    this.offer = new ToolOffers(() => undefined).open({
      tools,
      duplicates: true,
      called: call => {
        this.calls.push(call);
        this.asked.fire();
      },
    });
  }

  async client(prepare: (client: Client) => void = () => undefined): Promise<Client> {
    const [near, far] = memoryChannels(),
      client = new Client({ name: "test", version: "1" });
    prepare(client);
    await connectTools(this.offer, { clock: this.clock, version: "1", onWarning: what => this.warnings.push(what) })(
      new ChannelTransport(far),
    );
    await client.connect(new ChannelTransport(near));
    this.#clients.push(client);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) await client.close();
  }
}

suite("MCP server of VS Code's tools", () => {
  test("lists all recorded and unusual tools except invalid tools", async () => {
    await using rig = new Rig([...RECORDED_TOOLS, ...UNUSUAL_TOOLS]);
    const { tools } = await (await rig.client()).listTools(),
      names = tools.map(({ name }) => name);
    deepEqual(names, [
      ...RECORDED_TOOLS.map(({ name }) => name),
      "none",
      "empty",
      "any",
      "list",
      "nothing",
      "gr__e",
      "x".repeat(47),
    ]);
    ok(tools.every(({ _meta }) => _meta?.["anthropic/alwaysLoad"] === true));
    deepEqual(rig.warnings, []);
  });

  test("excludes a tool that the SDK rejects and lists the others", async () => {
    await using rig = new Rig([tool("a"), tool("b")]);
    Object.assign(rig.offer.tools[0]!.inputSchema, { type: "array" });
    deepEqual(
      (await (await rig.client()).listTools()).tools.map(({ name }) => name),
      ["b"],
    );
    deepEqual(rig.warnings, ["a tool that MCP clients would reject was omitted"]);
  });

  test("returns text, images and failures unchanged", async () => {
    await using rig = new Rig([tool("a")]);
    const client = await rig.client(),
      answered = client.callTool({ name: "a", arguments: { x: 1 } });
    await rig.asked.times(1);
    deepEqual(rig.calls[0]!.args, { x: 1 });
    const image = { type: "data", mimeType: "image/png", data: "iVBORw0KGgo=" };
    rig.calls[0]!.answer(toMcp([{ type: "text", value: "see" }, image], true));
    deepEqual(await answered, {
      content: [
        { type: "text", text: "see" },
        { type: "image", mimeType: "image/png", data: image.data },
      ],
      isError: true,
    });
    const plain = client.callTool({ name: "a" });
    await rig.asked.times(2);
    deepEqual(rig.calls[1]!.args, {});
    rig.calls[1]!.answer(toMcp("fine"));
    deepEqual(await plain, { content: [{ type: "text", text: "fine" }] });
  });

  for (let n = 1; n <= 20; n++)
    test(`opens ${n} calls before the first result and accepts results in any order`, async () => {
      await using rig = new Rig([tool("a"), tool("b")]);
      const client = await rig.client(),
        first = client.callTool({ name: "a", arguments: { i: "first" } });
      await rig.asked.times(1);
      const answered = Array.from({ length: n }, (_, i) =>
        client.callTool({ name: i % 2 ? "a" : "b", arguments: { i } }),
      );
      await rig.asked.times(n + 1);
      deepEqual(
        rig.calls.map(({ signal }) => signal.aborted),
        Array.from({ length: n + 1 }, () => false),
      );
      for (const { args, answer } of rig.calls.slice(1).reverse()) {
        answer(toMcp(`result ${String(args.i)}`));
        answer(toMcp("again"));
      }
      deepEqual(
        (await Promise.all(answered)).map(result => (result as CallToolResult).content),
        Array.from({ length: n }, (_, i) => [{ type: "text", text: `result ${i}` }]),
      );
      rig.offer.close();
      equal((await first).isError, true, "what never gets a result ends with the offer");
    });

  test("returns an error result for an unknown tool", async () => {
    await using rig = new Rig([tool("a")]);
    const client = await rig.client(),
      result = (await client.callTool({ name: "gone" })) as CallToolResult;
    deepEqual(result, { content: [{ type: "text", text: "Unknown tool “gone”." }], isError: true });
  });

  test("notifies each connected client of a changed list", async () => {
    await using rig = new Rig([tool("a")]);
    const changed = new Signal(),
      listen = (client: Client) => client.setNotificationHandler(ToolListChangedNotificationSchema, changed.fire);
    const [one, two] = [await rig.client(listen), await rig.client(listen)];
    rig.offer.update([tool("b")], true);
    await changed.times(2);
    deepEqual(
      (await one.listTools()).tools.map(({ name }) => name),
      ["b"],
    );
    await two.close();
    rig.offer.update([tool("c")], true);
    await changed.times(3);
    await turn();
    equal(changed.count, 3);
    deepEqual(rig.warnings, []);
  });

  test("aborts a call that the client cancels or whose client disconnects", async () => {
    await using rig = new Rig([tool("a")]);
    const client = await rig.client(),
      two = await rig.client(),
      withdrawn = new AbortController();
    const cancelled = rejects(client.callTool({ name: "a" }, undefined, { signal: withdrawn.signal }));
    await rig.asked.times(1);
    const left = rejects(two.callTool({ name: "a" }));
    await rig.asked.times(2);
    withdrawn.abort();
    await cancelled;
    await two.close();
    await left;
    await turn();
    deepEqual(
      rig.calls.map(({ signal }) => signal.aborted),
      [true, true],
    );
  });
});

suite("tool call that waits ten minutes for the user", () => {
  const real = [globalThis.setTimeout, globalThis.clearTimeout] as const;
  let clock: FakeClock;
  /** The client's own timeout uses the same clock as the delay. */
  setup(() => {
    clock = new FakeClock();
    globalThis.setTimeout = ((expired: () => void, ms: number) => clock.after(ms, expired)) as never;
    globalThis.clearTimeout = ((timer?: Disposable) => timer?.[Symbol.dispose]()) as never;
  });
  teardown(() => {
    [globalThis.setTimeout, globalThis.clearTimeout] = real;
  });

  async function minutes(n: number): Promise<void> {
    for (let seconds = 0; seconds < n * 60; seconds += 5) {
      clock.advance(5_000);
      for (let i = 0; i < 4; i++) await turn();
    }
  }

  test("stays open for a client that requested progress", async () => {
    await using rig = new Rig([tool("a")], clock);
    const progress: number[] = [];
    const answered = (await rig.client()).callTool({ name: "a" }, undefined, {
      onprogress: ({ progress: at }) => progress.push(at),
      resetTimeoutOnProgress: true,
    });
    await rig.asked.times(1);
    await minutes(10);
    rig.calls[0]!.answer(toMcp("Allowed, at last."));
    deepEqual(await answered, { content: [{ type: "text", text: "Allowed, at last." }] });
    deepEqual(
      progress,
      Array.from({ length: 40 }, (_, i) => i + 1),
    );
    equal(clock.waiting, 0);
  });

  test("is aborted for a client that did not request progress", async () => {
    await using rig = new Rig([tool("a")], clock);
    const given = rejects((await rig.client()).callTool({ name: "a" }), /timed out/);
    await rig.asked.times(1);
    await minutes(2);
    await given;
    equal(rig.calls[0]!.signal.aborted, true);
  });
});

suite("tool call progress", () => {
  test("ends with the call", async () => {
    const clock = new FakeClock();
    await using rig = new Rig([tool("a")], clock);
    let notifications = 0;
    const answered = (await rig.client()).callTool({ name: "a" }, undefined, {
      onprogress: ({ message }) => {
        notifications++;
        match(String(message), /Waiting/);
      },
    });
    await rig.asked.times(1);
    clock.advance(PROGRESS_MS);
    await turn();
    rig.calls[0]!.answer(toMcp("x"));
    await answered;
    equal(clock.waiting, 0);
    clock.advance(PROGRESS_MS);
    await turn();
    equal(notifications, 1);
  });
});
