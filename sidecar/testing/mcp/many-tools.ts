/**
 * MCP server of the SDK with many tools. Also sends requests to its client, progress and change notifications, and has
 * a tool that waits.
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  type CallToolResult,
} from "@modelcontextprotocol/sdk/types.js";

export const TOOLS = 60;

/** MCP server that responds to `tools/list` with an error. */
export function brokenTools(): Server {
  const server = new Server({ name: "broken", version: "7" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => {
    throw new Error("The list is broken.");
  });
  return server;
}

const text = (text: string): CallToolResult => ({ content: [{ type: "text", text: text }] });
const names = [
  ...Array.from({ length: TOOLS - 6 }, (_, i) => `tool_${i}`),
  "progress",
  "sample",
  "roots",
  "wait",
  "change",
  "flood",
];

/** `note` receives `wait began`, `wait was cancelled`, `subscribe URI` and `unsubscribe URI`. */
export function manyTools(note: (line: string) => void = () => undefined): Server {
  const server = new Server(
    { name: "many", version: "7" },
    {
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
      instructions: "Use them all.",
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: names.map(name => ({ name, inputSchema: { type: "object" as const } })),
  }));
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [{ uri: "test:/one", name: "one" }] }));
  server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    note(`subscribe ${params.uri}`);
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    note(`unsubscribe ${params.uri}`);
    return {};
  });
  server.setRequestHandler(
    CallToolRequestSchema,
    async ({ params: { name, arguments: args = {}, _meta } }, { signal, sendNotification }) => {
      const progressToken = _meta?.progressToken ?? 0;
      switch (name) {
        case "progress":
          for (let progress = 1; progress <= 3; progress++)
            await sendNotification({ method: "notifications/progress", params: { progressToken, progress, total: 3 } });
          return text("progressed");
        case "sample": {
          const { content } = await server.createMessage({
            messages: [{ role: "user", content: { type: "text", text: "Who?" } }],
            maxTokens: 9,
          });
          return text(JSON.stringify(content));
        }
        case "roots":
          return text(JSON.stringify((await server.listRoots()).roots));
        case "change":
          await server.sendToolListChanged();
          await server.sendResourceUpdated({ uri: "test:/one" });
          return text("changed");
        case "wait":
          return new Promise(resolve => {
            signal.addEventListener("abort", () => {
              note("wait was cancelled");
              resolve(text("cancelled"));
            });
            note("wait began");
          });
        case "flood":
          for (let i = 0; i < Number(args.messages); i++) {
            await sendNotification({
              method: "notifications/progress",
              params: { progressToken, progress: i, message: "x".repeat(1024 * 1024) },
            });
            await new Promise(resolve => setImmediate(resolve));
          }
          return text("flooded");
        default:
          return text(`${name} ${JSON.stringify(args)}`);
      }
    },
  );
  return server;
}
