/** Agent extensions: each built-in one, an external proxy, and MCP servers on each transport. */
import { BUILT_IN_EXTENSIONS, type ExtensionConfig } from "../../../src/protocol/agents/extensions";
import { MCP_OVER_ACP } from "../../acp/methods";
import { objectOr } from "../../rpc/json";
import { serveMcpOverHttp } from "../mcp/mcp-server";
import { MemoryAgent } from "../memory-agent";
import { compare, golden, onlyPosix } from "./golden";
import { Product, type ProductOptions } from "./product";

/** The end of a turn at the agent. */
const ENDED = /#\d+ = {"stopReason"/,
  ASKED = /"attention":"answer"/;

const builtIn = (id: string, files: Readonly<Record<string, string>> = {}): ProductOptions => ({
  withStart: true,
  files,
  extensions: BUILT_IN_EXTENSIONS.filter(extension => extension.id === id),
});
const extension = (config: Pick<ExtensionConfig, "distribution" | "kind">): ProductOptions => ({
  withStart: true,
  extensions: [{ id: "extra", name: "Extra", _source: "custom", ...config }],
});
const CRATE = { "Cargo.toml": '[package]\nname = "pebble"\nversion = "1.0.0"\n', "src/lib.rs": "" };

suite("golden transcripts: extensions", () => {
  golden(
    "extension-sparkle",
    "Sparkle adds its tools to the session and its memory to the first prompt",
    product => product.promptUntil("say Hello.", ENDED),
    builtIn("sparkle"),
  );

  golden(
    "extension-ferris",
    "Ferris lists its tools in a folder with Rust",
    product => product.promptUntil("tools ferris", ENDED),
    builtIn("ferris", CRATE),
  );

  golden(
    "extension-cargo",
    "Cargo asks before it runs a command and returns a short report",
    async product => {
      await product.promptUntil("mcp cargo-mcp cargo_check", ASKED);
      await product.chooseUntil("allow_once", ENDED);
    },
    {
      ...builtIn("cargo", CRATE),
      deps: {
        find: async () => "/bin/cargo",
        run: async (_, { stdout, stderr }) => {
          stderr?.(Buffer.from("    Checking pebble v1.0.0\n    Finished `dev` profile in 0.1s\n"));
          stdout?.(Buffer.from('{"reason":"build-finished","success":true}\n'));
          return { exit: { code: 0, signal: null }, stdout: "", stderr: "" };
        },
      },
    },
  );

  golden(
    "extension-workspace",
    "Workspace asks before its tool edits a file",
    async product => {
      await product.promptUntil(
        'mcp workspace-tools edit_file {"path":"a.txt","old_string":"one","new_string":"two"}',
        ASKED,
      );
      await product.chooseUntil("allow_once", ENDED);
    },
    builtIn("workspace", { "a.txt": "one\n" }),
  );

  golden(
    "extension-ide",
    "IDE operations returns the editor's definition of a name",
    product =>
      product.promptUntil(
        'mcp ide-operations ide_operation {"operation":"definition","path":"a.ts","line":2,"symbol":"a"}',
        ENDED,
      ),
    {
      ...builtIn("ide", { "a.ts": "export const a = 1;\na;\n" }),
      host: () => ({
        kind: "locations",
        total: 1,
        locations: [
          {
            path: "/project/a.ts",
            range: { start: { line: 0, character: 13 }, end: { line: 0, character: 14 } },
            text: "export const a = 1;",
          },
        ],
      }),
    },
  );

  golden(
    "extension-proxy",
    "an external proxy adds a rule to each prompt",
    product => product.promptUntil("Which folder is this?", ENDED),
    extension({ distribution: { local: { command: "house-rules", args: ["say", "The rule is to be brief."] } } }),
  );

  golden(
    "extension-left-out",
    "an extension that exits at its start is left out and reported",
    product => product.promptUntil("say Hello.", ENDED),
    extension({ distribution: { local: { command: "exits" } } }),
  );

  golden(
    "mcp-program",
    "an MCP program of the user answers a tool call",
    product => product.promptUntil('mcp extra add {"a":2,"b":3}', ENDED),
    extension({ kind: "mcp", distribution: { local: { command: "mcp-server" } } }),
  );

  test("passes an MCP server with an address to the agent and hides its secret (mcp-address)", async function () {
    onlyPosix(this);
    await using server = await serveMcpOverHttp(() => undefined);
    const { url } = server;
    await using product = await Product.open(
      extension({ kind: "mcp", distribution: { http: { url, headers: { Authorization: "Bearer secret" } } } }),
    );
    await product.promptUntil('mcp extra add {"a":2,"b":3}', ENDED);
    compare("mcp-address", "passes an MCP server with an address to the agent and hides its secret", product.lines.all);
  });

  const agents: MemoryAgent[] = [];
  golden(
    "mcp-over-acp",
    "an agent that supports MCP over ACP calls a tool without HTTP",
    async product => {
      const [agent] = agents;
      if (!agent) throw new Error("no agent has started");
      const { connect, message, disconnect } = MCP_OVER_ACP.mcp;
      await product.send("chat/prompt", { messageId: "m1", blocks: [{ type: "text", text: "Read a.txt." }] });
      const { connectionId } = objectOr(await agent.peer.request(connect, { serverId: product.serverId }));
      const mcp = (method: string, params: object): Promise<unknown> =>
        agent.peer.request(message, { connectionId, method, params });
      await mcp("initialize", {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "ada", version: "1" },
      });
      agent.peer.notify(message, { connectionId, method: "notifications/initialized" });
      await mcp("tools/list", {});
      await mcp("tools/call", { name: "read_file", arguments: { path: "a.txt" } });
      const prompt = await agent.next("session/prompt");
      agent.report("s1", "It contains “one”.");
      await agent.peer.request(disconnect, { connectionId });
      prompt.respond({ stopReason: "end_turn" });
      await product.frame();
    },
    {
      ...builtIn("workspace", { "a.txt": "one\n" }),
      agent: () => {
        const agent = new MemoryAgent([], {
          protocolVersion: 1,
          agentInfo: { name: "ada", version: "1" },
          agentCapabilities: { mcpCapabilities: { acp: true }, sessionCapabilities: { close: {} } },
        });
        agents.push(agent);
        return agent.channel;
      },
    },
  );
});
