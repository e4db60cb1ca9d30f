/**
 * The MCP server that offers VS Code's tools to an agent. Each client has a separate server, and all servers serve the
 * same offer. The SDK is loaded when the first client connects. While a call waits, a client that requested progress
 * receives progress notifications.
 */
import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import { COUNTS_TOOLS } from "../../mcp/delivery/delivery";
import { startHeartbeat } from "../../mcp/progress";
import type { ConnectMcp } from "../../proxies/proxy";
import type { Clock } from "../../rpc/clock";
import type { ToolOffer } from "./tool-offer";
import { MCP_METHODS } from "../../mcp/methods";

export interface ToolsServerOptions {
  readonly clock: Clock;
  readonly version: string;
  /** For the log. */
  readonly onWarning: (what: string, detail: unknown) => void;
}

const INSTRUCTIONS =
  "The tools of this conversation's VS Code window. VS Code asks the user before it runs some of them, so an answer may take minutes.";

export function connectTools(offer: ToolOffer, { clock, version, onWarning }: ToolsServerOptions): ConnectMcp {
  return async transport => {
    const [{ Server }, { CallToolRequestSchema, ListToolsRequestSchema, ToolSchema }] = await Promise.all([
      import("@modelcontextprotocol/sdk/server/index.js"),
      import("@modelcontextprotocol/sdk/types.js"),
    ]);
    const server = new Server(
      { name: offer.server, title: "VS Code", version },
      { capabilities: { tools: { listChanged: true } }, instructions: INSTRUCTIONS },
    );
    server.setRequestHandler(ListToolsRequestSchema, ({ params }): { tools: Tool[] } => ({
      // Validates each tool with the client's schema, because a client rejects the whole list for one invalid tool.
      tools: (params?._meta?.[COUNTS_TOOLS] === true ? offer.tools : offer.list()).flatMap(tool => {
        const read = ToolSchema.safeParse(tool);
        if (!read.success) onWarning("a tool that MCP clients would reject was omitted", tool.name);
        return read.success ? [read.data] : [];
      }),
    }));
    server.setRequestHandler(
      CallToolRequestSchema,
      async (
        { params: { name, arguments: args = {}, _meta } },
        { signal, sendNotification },
      ): Promise<CallToolResult> => {
        using _progress = startHeartbeat(
          clock,
          _meta?.progressToken,
          "Waiting for VS Code.",
          params =>
            void sendNotification({ method: MCP_METHODS.notifications_progress, params }).catch((error: unknown) =>
              onWarning("progress of a tool could not be sent", error),
            ),
        );
        return await offer.call(name, args, signal);
      },
    );
    const watching = offer.watch({
      changed: () =>
        void server
          .sendToolListChanged()
          .catch((error: unknown) => onWarning("a change of the tool list could not be sent", error)),
    });
    server.onclose = () => watching[Symbol.dispose]();
    server.onerror = error => onWarning("an MCP client of VS Code's tools", error);
    await server.connect(transport);
  };
}
