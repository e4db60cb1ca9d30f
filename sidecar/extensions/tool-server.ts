/**
 * MCP server with an extension's tools, one instance per connecting client. The MCP SDK is loaded on the first
 * connection.
 *
 * Invariants:
 * - A call with invalid arguments never reaches its tool.
 * - An error thrown by a tool becomes a result with `isError` and never closes the connection.
 * - A call is aborted when its client disconnects.
 */
import type { CallToolResult, Tool as McpTool } from "@modelcontextprotocol/sdk/types.js";
import { errorMessage } from "../../src/protocol/wire/errors";
import { COUNTS_TOOLS } from "../mcp/delivery/delivery";
import { ALWAYS_LOAD } from "../agent-workarounds";
import { startHeartbeat } from "../mcp/progress";
import type { ConnectMcp } from "../proxies/proxy";
import type { Clock } from "../rpc/clock";
import type { JsonObject } from "../rpc/json";
import { checkArguments, ToolFailure, type Tool, type ToolAnswer } from "./tool";
import { MCP_METHODS } from "../mcp/methods";

export interface ToolServer {
  /** Server name, shown to clients. */
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** Purpose of the tools in one or two sentences, for the model. */
  readonly instructions: string;
  readonly tools: readonly Tool[];
  /** Prompts that a user invokes by name. */
  readonly prompts?: readonly ToolPrompt[];
  readonly clock: Clock;
  /** The agent requested `tools/list`. */
  readonly onListed?: () => void;
  /** Writes to the log. */
  readonly onWarning: (what: string, detail: unknown) => void;
}

export interface ToolPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments?: readonly { readonly name: string; readonly description: string; readonly required?: boolean }[];
  text(args: Readonly<Record<string, string>>): Promise<string>;
}

/**
 * Key in `_meta` of a result: the structured form of a result that also has text. Some agents (Claude) show the model
 * only `structuredContent` if a result has both.
 */
export const STRUCTURED = "symposium.dev/structured";

export function connectToolServer(options: ToolServer): ConnectMcp {
  return async transport => {
    const [{ Server }, types] = await Promise.all([
      import("@modelcontextprotocol/sdk/server/index.js"),
      import("@modelcontextprotocol/sdk/types.js"),
    ]);
    const { name, title, version, instructions, tools, prompts, onWarning } = options;
    const server = new Server(
      { name, title, version },
      { capabilities: { tools: {}, ...(prompts ? { prompts: {} } : {}) }, instructions },
    );
    server.setRequestHandler(types.ListToolsRequestSchema, ({ params }) => {
      if (params?._meta?.[COUNTS_TOOLS] !== true) options.onListed?.();
      return { tools: tools.map(toMcpTool) };
    });
    server.setRequestHandler(
      types.CallToolRequestSchema,
      async ({ params: { name: called, arguments: args = {}, _meta } }, { signal, sendNotification }) => {
        using progress = startHeartbeat(
          options.clock,
          _meta?.progressToken,
          `${title} is running.`,
          params =>
            void sendNotification({ method: MCP_METHODS.notifications_progress, params }).catch((error: unknown) =>
              onWarning("progress of a tool could not be sent", error),
            ),
        );
        return await callTool(options, called, args, { signal, progress: message => progress.report(message) });
      },
    );
    if (prompts) {
      server.setRequestHandler(types.ListPromptsRequestSchema, () => ({
        prompts: prompts.map(({ text: _, arguments: args, ...prompt }) => ({
          ...prompt,
          ...(args ? { arguments: [...args] } : {}),
        })),
      }));
      server.setRequestHandler(
        types.GetPromptRequestSchema,
        async ({ params: { name: requested, arguments: args = {} } }) => {
          const prompt = prompts.find(toolPrompt => toolPrompt.name === requested);
          if (!prompt) throw new types.McpError(types.ErrorCode.InvalidParams, `Unknown prompt “${requested}”.`);
          return {
            description: prompt.description,
            messages: [{ role: "user", content: { type: "text", text: await prompt.text(args) } }],
          };
        },
      );
    }
    server.onerror = error => onWarning(`an MCP client of ${title}`, error);
    await server.connect(transport);
  };
}

/** The result of `tools/call`. Never rejects. */
export async function callTool(
  { tools, title, onWarning }: Pick<ToolServer, "tools" | "title" | "onWarning">,
  name: string,
  args: JsonObject,
  call: Parameters<Tool["call"]>[1],
): Promise<CallToolResult> {
  const tool = tools.find(item => item.name === name);
  try {
    if (!tool) throw new ToolFailure(`Unknown tool “${name}”. Tools: ${tools.map(item => item.name).join(", ")}.`);
    checkArguments(tool.inputSchema, args);
    return toResult(await tool.call(args, call));
  } catch (error) {
    if (!(error instanceof ToolFailure) && !call.signal.aborted) onWarning(`the tool ${name} failed`, error);
    return toErrorResult(
      error instanceof ToolFailure
        ? error.message
        : call.signal.aborted
          ? "The call was withdrawn."
          : `${title} failed: ${errorMessage(error)}`,
    );
  }
}

function toMcpTool({ name, title, description, inputSchema, annotations }: Tool): McpTool {
  const { properties, required, ...rest } = inputSchema;
  return {
    name,
    title,
    description,
    inputSchema: { ...rest, properties: { ...properties }, ...(required ? { required: [...required] } : {}) },
    annotations: { ...annotations },
    _meta: { ...ALWAYS_LOAD },
  };
}

function toResult(answer: ToolAnswer): CallToolResult {
  const {
    structured,
    isError,
    text = JSON.stringify(structured ?? {}),
  }: Exclude<ToolAnswer, string> = typeof answer === "string" ? { text: answer } : answer;
  const isBoth = typeof answer !== "string" && answer.text !== undefined;
  return {
    content: [{ type: "text", text }],
    ...(structured
      ? isBoth
        ? { _meta: { [STRUCTURED]: { ...structured } } }
        : { structuredContent: { ...structured } }
      : {}),
    ...(isError === undefined ? {} : { isError }),
  };
}

function toErrorResult(sentence: string): CallToolResult {
  return { content: [{ type: "text", text: sentence }], isError: true };
}
