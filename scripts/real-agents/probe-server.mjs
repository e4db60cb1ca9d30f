// An MCP server on stdio for the probes of workarounds.test.mjs. The result of its only tool, `probe`, has a text and a
// structured form. With `--always-load` the tool is marked so that agents do not hide it.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const tool = {
  name: "probe",
  description: "Probes.",
  inputSchema: { type: "object", properties: {} },
  outputSchema: { type: "object", properties: { form: { type: "string" } }, required: ["form"] },
  ...(process.argv.includes("--always-load") ? { _meta: { "anthropic/alwaysLoad": true } } : {}),
};
const server = new Server({ name: "probe", version: "1" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [tool] }));
server.setRequestHandler(CallToolRequestSchema, () => ({
  content: [{ type: "text", text: "in-words" }],
  structuredContent: { form: "in-structure" },
}));
await server.connect(new StdioServerTransport());
