/** Runs Eliza's two commands. Reports the tool call to the client and returns the text of the reply. */
import { randomUUID } from "node:crypto";
import { McpFailure, useMcp, type McpOptions, type McpToolResult } from "../mcp/client";
import type { McpServer } from "../mcp/read-mcp-servers";
import type { JsonObject } from "../rpc/json";
import { readArguments, type Asked } from "./commands";
import { UPDATE_KINDS } from "../acp/methods";

export interface ToolTurn extends McpOptions {
  readonly servers: readonly McpServer[];
  /** Sends a `session/update`. */
  update(update: JsonObject): void;
}

type Command = Exclude<Asked, { kind: "talk" }>;

/**
 * Never rejects because of a server: failures are returned as text. When the promise settles, the tool call has ended.
 */
export async function carryOut(command: Command, turn: ToolTurn): Promise<string> {
  const server = turn.servers.find(({ name }) => name === command.server);
  if (server === undefined) return `ERROR: ${noServer(command.server, turn.servers)}`;
  return command.kind === "list" ? listTools(server, turn) : callTool(command, server, turn);
}

function noServer(name: string, servers: readonly McpServer[]): string {
  const names = servers.map(server => server.name).join(", ");
  return `This session has no MCP server “${name}”; it has ${names === "" ? "none" : names}.`;
}

async function listTools(server: McpServer, turn: ToolTurn): Promise<string> {
  try {
    const tools = await useMcp(server, turn, connection => connection.tools());
    if (tools.length === 0) return `The MCP server “${server.name}” has no tools.`;
    return [
      "Available tools:",
      ...tools.map(({ name, description }) =>
        description === "" ? `  - ${name}` : `  - ${name}: ${oneLine(description)}`,
      ),
    ].join("\n");
  } catch (error) {
    return `ERROR: ${failureMessage(error)}`;
  }
}

async function callTool(
  { tool, json }: Extract<Asked, { kind: "use" }>,
  server: McpServer,
  turn: ToolTurn,
): Promise<string> {
  const args = readArguments(json);
  if (typeof args === "string") return `ERROR: ${args}`;
  const toolCallId = randomUUID();
  const ended = (status: "completed" | "failed", content: readonly JsonObject[], rawOutput: unknown) =>
    turn.update({
      sessionUpdate: UPDATE_KINDS.tool_call_update,
      toolCallId,
      status,
      content: content.map(toAcpContent),
      rawOutput,
    });
  turn.update({
    sessionUpdate: UPDATE_KINDS.tool_call,
    toolCallId,
    title: `${server.name}::${tool}`,
    name: tool,
    kind: "other",
    status: "in_progress",
    rawInput: args,
  });
  try {
    const result = await useMcp(server, turn, connection => connection.call(tool, args));
    const text = textOf(result);
    ended(result.failed ? "failed" : "completed", result.content, result.structured ?? text);
    return `${result.failed ? "ERROR" : "OK"}: ${text}`;
  } catch (error) {
    const message = failureMessage(error);
    ended("failed", [{ type: "text", text: message }], message);
    return `ERROR: ${message}`;
  }
}

/** Returns the message of an `McpFailure`. Rethrows other errors. */
function failureMessage(error: unknown): string {
  if (error instanceof McpFailure) return error.message;
  throw error;
}

const ACP_CONTENT = new Set<unknown>(["text", "image", "audio", "resource", "resource_link"]);

/** ACP uses MCP's content blocks. Kinds of blocks that ACP lacks become text. */
function toAcpContent(block: JsonObject): JsonObject {
  return {
    type: "content",
    content: ACP_CONTENT.has(block.type) ? block : { type: "text", text: JSON.stringify(block) },
  };
}

function textOf({ content, structured }: McpToolResult): string {
  const text = content
    .map(block => (typeof block.text === "string" ? block.text : `(${String(block.type)})`))
    .join("\n");
  return text !== "" || structured === undefined ? text : JSON.stringify(structured);
}

function oneLine(text: string): string {
  return text
    .split(/\s+/)
    .filter(word => word !== "")
    .join(" ");
}
