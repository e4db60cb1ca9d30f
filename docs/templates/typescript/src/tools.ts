/**
 * The MCP server of the extension. Each request is independent of the others: MCP revision 2026-07-28, over ACP.
 * Specification: https://agentclientprotocol.com/rfds/mcp-over-acp
 */
import type { Settings } from "./settings.js";

type Members = Readonly<Record<string, unknown>>;

/** The result or the error of an MCP request. */
export type Outcome =
  | { readonly result: Members }
  | { readonly error: { readonly code: number; readonly message: string } };

const REVISION = "2026-07-28";
const METHOD_NOT_FOUND = -32601,
  INVALID_PARAMS = -32602;
/** Lists may not be stored by the client. */
const NOT_CACHED = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

const COUNT_WORDS = {
  name: "count_words",
  description: "Counts the lines and the words of a text.",
  inputSchema: {
    type: "object",
    properties: { text: { type: "string", description: "The text to count." } },
    required: ["text"],
  },
};

export class ToolServer {
  /** Unique among the servers of a session. Agents show it beside the names of its tools. */
  readonly name = "my-extension";

  constructor(private readonly settings: Settings) {}

  async answer(method: string, params: Members): Promise<Outcome> {
    switch (method) {
      case "server/discover":
        return {
          result: {
            ...NOT_CACHED,
            supportedVersions: [REVISION],
            capabilities: { tools: {} },
            serverInfo: { name: this.name, version: "0.1.0" },
          },
        };
      case "tools/list":
        return { result: { ...NOT_CACHED, tools: [COUNT_WORDS] } };
      case "tools/call":
        return call(params, this.settings);
      default:
        return { error: { code: METHOD_NOT_FOUND, message: `Unknown method ${method}` } };
    }
  }
}

function call({ name, arguments: given }: Members, { countCharacters }: Settings): Outcome {
  if (name !== COUNT_WORDS.name) return { error: { code: INVALID_PARAMS, message: `Unknown tool ${String(name)}` } };
  const text = typeof given === "object" && given !== null && "text" in given ? given.text : undefined;
  // An error that the model can correct is a result, not an error of the protocol.
  if (typeof text !== "string") return toolResult("“text” is missing. Pass the text to count.", true);
  const words = text.split(/\s+/).filter(word => word !== "").length,
    lines = text.replace(/\n$/, "").split("\n").length;
  return toolResult(`${lines} lines, ${words} words${countCharacters ? `, ${[...text].length} characters` : ""}`);
}

function toolResult(text: string, isError = false): Outcome {
  return { result: { resultType: "complete", content: [{ type: "text", text }], isError } };
}
