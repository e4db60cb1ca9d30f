/**
 * Calls of the session's MCP servers, each shown as a tool call. The dialects announce and confirm a call as published
 * agents do.
 */
import { useMcp, type McpConnection } from "../../mcp/client";
import type { McpServer } from "../../mcp/read-mcp-servers";
import { realClock } from "../../rpc/clock";
import type { JsonObject } from "../../rpc/json";
import type { Questions } from "./questions";
import type { McpDialect, Step } from "./script";

export type Mcp = Extract<Step, { step: "mcp" }>;

export interface McpCallDeps {
  readonly servers: readonly McpServer[];
  readonly cwd: string;
  /** Aborts at `session/cancel`. */
  readonly cancelled: AbortSignal;
  /** Returns numbers that are unique in this process. */
  readonly next: () => number;
  readonly questions: Pick<Questions, "askAbout">;
  update(update: JsonObject): Promise<void>;
  /** Sends a part of the answer. */
  sendText(text: string): Promise<void>;
}

export class McpCalls {
  constructor(private readonly deps: McpCallDeps) {}

  /** Makes all calls to one server over one connection, in parallel. */
  async call(calls: readonly Mcp[]): Promise<void> {
    const servers = [...new Set(calls.map(({ server }) => server))];
    await Promise.all(
      servers.map(server =>
        this.#useServer(server, async (connection, name) => {
          await Promise.all(
            calls.filter(call => call.server === server).map(call => this.#callTool(connection, name, call)),
          );
        }),
      ),
    );
  }

  async #callTool(connection: McpConnection, name: string, { server, tool, args, dialect }: Mcp): Promise<void> {
    const toolCallId = `mcp-${this.deps.next()}`,
      { announcement, question } = announced(dialect, { server: dialect === "plain" ? server : name, tool, args });
    if (question) await connection.tools(); // published agents list the tools before their first call
    await this.deps.update({ sessionUpdate: "tool_call", toolCallId, status: "in_progress", ...announcement });
    if (question) {
      const answer = await this.deps.questions.askAbout({
        ...question,
        toolCall: { toolCallId, ...question.toolCall },
      });
      if (answer !== "chose allow_once") {
        await this.deps.update({ sessionUpdate: "tool_call_update", toolCallId, status: "failed" });
        return this.deps.sendText(answer);
      }
    }
    try {
      const { failed, content, structured } = await connection.call(tool, args);
      const shown = content.map(block => ({ type: "content", content: block }));
      await this.deps.update({
        sessionUpdate: "tool_call_update",
        toolCallId,
        status: failed ? "failed" : "completed",
        content: shown,
        ...(structured === undefined ? {} : { rawOutput: structured }),
      });
      const words = content.map(({ type, text, data }) =>
        String(text ?? (typeof data === "string" ? `${String(type)} ${data.slice(0, 11)}` : type)),
      );
      await this.deps.sendText(`${tool}: ${words.join(" ")}`);
    } catch (error) {
      await this.deps.update({ sessionUpdate: "tool_call_update", toolCallId, status: "failed" });
      throw error;
    }
  }

  /** Names of the server's tools. */
  async tools(name: string): Promise<readonly string[]> {
    const names: string[] = [];
    await this.#useServer(name, async server => {
      names.push(...(await server.tools()).map(tool => tool.name));
    });
    return names;
  }

  async #useServer(name: string, use: (connection: McpConnection, name: string) => Promise<void>): Promise<void> {
    const { servers, cancelled, cwd } = this.deps;
    const server = servers.find(declared =>
      name.endsWith("*") ? declared.name.startsWith(name.slice(0, -1)) : declared.name === name,
    );
    if (!server) throw new Error(`no MCP server ${name}`);
    let closed = Promise.resolve();
    await useMcp(
      server,
      {
        cwd,
        clock: realClock,
        signal: cancelled,
        client: { name: "scripted-agent", version: "1.0.0" },
        closing: done => {
          closed = done;
        },
      },
      connection => use(connection, server.name),
    );
    await closed;
  }
}

interface Announced {
  readonly announcement: JsonObject;
  readonly question?: { readonly toolCall: JsonObject; readonly _meta?: JsonObject };
}

/** `codex`: as recorded from codex-acp 2.6.0. */
function announced(dialect: McpDialect, { server, tool, args }: Pick<Mcp, "server" | "tool" | "args">): Announced {
  switch (dialect) {
    case "plain":
      return { announcement: { kind: "other", title: `${server}: ${tool}`, rawInput: args } };
    case "codex":
      return {
        announcement: {
          kind: "execute",
          title: `mcp.${server}.${tool}`,
          rawInput: { server, tool, arguments: args },
          _meta: { is_mcp_tool_call: true },
        },
        question: { toolCall: { kind: "execute", status: "pending" }, _meta: { is_mcp_tool_approval: true } },
      };
    case "titled":
      return {
        announcement: { kind: "other", title: `${server}-${tool}`, rawInput: args },
        question: { toolCall: { kind: "other", title: `${server}-${tool}`, rawInput: args } },
      };
  }
}
