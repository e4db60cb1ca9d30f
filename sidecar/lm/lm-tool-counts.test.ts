/**
 * The counts of an extension's tools in VS Code's chat, from the MCP bridge to the answer and the log (issue 14 item
 * 1). The chain is real, and the agent runs in memory.
 */
import { deepEqual, equal } from "node:assert/strict";
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import { launch } from "../agents/launch";
import type { ProxyComponent } from "../conductor/component";
import { LIST_LIMIT_MS } from "../mcp/delivery/delivery-tracker";
import { serveProxy } from "../proxies/serve-proxy";
import { arrayOr, objectOr, type JsonObject } from "../rpc/json";
import { chatOf, LmFixture } from "../testing/sessions/lm-fixture";
import { manyTools, TOOLS } from "../testing/mcp/many-tools";
import { adding, connected } from "../testing/mcp/mcp-fixture";
import { toolsComponent } from "./tools/tools-proxy";

const NOTES: ExtensionConfig = {
  id: "notes",
  name: "Notes",
  distribution: { symposium: { subcommand: "notes", args: [] } },
  _source: "custom",
};
const onWarning = (): void => undefined;
const notes: ProxyComponent = {
  kind: "internal",
  name: "Notes",
  serve: (client, successor, ids) =>
    serveProxy(
      adding("Notes", chain => [
        chain.offerMcp("notes", async transport => manyTools().connect(transport)).declaration,
      ]),
      client,
      successor,
      ids,
      { onWarning },
    ),
};

/** VS Code's chat with an agent behind a chain with one extension and VS Code's tools. */
function chained(): LmFixture {
  const fixture = new LmFixture();
  fixture.extensions = [NOTES];
  fixture.initialized = {
    protocolVersion: 1,
    agentInfo: { name: "ada", version: "1" },
    agentCapabilities: { mcpCapabilities: { http: true }, sessionCapabilities: { close: {} } },
  };
  fixture.manual = ["session/new"];
  fixture.connect = (key, signal, agent) =>
    launch(key, signal, {
      version: "1",
      clock: fixture.clock,
      startProcess: () => ({
        pid: undefined,
        exited: new Promise(() => undefined),
        channel: agent.channel,
        stderr: () => "",
        [Symbol.asyncDispose]: () => agent.channel[Symbol.asyncDispose](),
      }),
      builtIn: async () => notes,
      proxies: () => [toolsComponent(fixture.offers, { clock: fixture.clock, version: "1" }, onWarning)],
      log: (level, message, detail) => fixture.details.push([level, message, detail]),
    });
  return fixture;
}

/** Runs the first turn of a chat. `onSetup` receives the MCP servers of the agent's session. Returns the answer. */
async function answer(
  fixture: LmFixture,
  onSetup: (servers: readonly JsonObject[]) => Promise<void> = async () => undefined,
): Promise<string> {
  const id = fixture.ask(chatOf("a"), "One");
  await fixture.settle();
  const setup = await fixture.agent.next("session/new");
  await onSetup(arrayOr(objectOr(setup.params).mcpServers).map(server => objectOr(server)));
  setup.respond({ sessionId: "s" });
  await fixture.settle();
  fixture.clock.advance(LIST_LIMIT_MS);
  const { request } = await fixture.prompted();
  fixture.agent.report("s", "1");
  request.respond({ stopReason: "end_turn" });
  await fixture.settle();
  return fixture.text(id);
}

const logged = (fixture: LmFixture, level: string) =>
  fixture.details.flatMap(([at, message, detail]) =>
    at === level && /tools/i.test(message) ? [[message, detail]] : [],
  );

suite("tool counts in VS Code's chat", () => {
  const NONE = [
    `Notes: ${TOOLS} offered, not connected, 0 listed, 0 called`,
    "VS Code: 1 offered, not connected, 0 listed, 0 called",
  ];

  test("are part of the answer and the log if the agent ignores MCP servers", async () => {
    await using fixture = chained();
    const text = await answer(fixture);
    const sentence =
      `a did not request the tools of Notes and VS Code (0 of ${TOOLS + 1}): it did not connect to any of these MCP ` +
      "servers. Its model does not have these tools. Open a new tab or chat, which offers them over another connection.";
    equal(text, `1\n\n${sentence} Tools of this chat: ${NONE.join("; ")}.`);
    deepEqual(
      [logged(fixture, "warn"), logged(fixture, "info")],
      [[[sentence, { agent: "a", tools: NONE }]], [["Tools of the session", { agent: "a", tools: NONE }]]],
    );
  });

  test("are in the log after each turn that changed them if no tools are missing", async () => {
    await using fixture = chained();
    const text = await answer(fixture, async servers => {
      for (const server of servers) {
        await using client = await connected(server);
        const [tool] = (await client.listTools()).tools;
        if (server.name === "notes" && tool) await client.callTool({ name: tool.name, arguments: {} });
      }
    });
    equal(text, "1");
    const tools = [
      `Notes: ${TOOLS} offered, connected, ${TOOLS} listed, 1 called`,
      "VS Code: 1 offered, connected, 1 listed, 0 called",
    ];
    deepEqual(
      [logged(fixture, "warn"), logged(fixture, "info")],
      [[], [["Tools of the session", { agent: "a", tools }]]],
    );
  });
});
