/** Small MCP server for tests, on any transport of the SDK or over HTTP on 127.0.0.1. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema, type CallToolResult } from "@modelcontextprotocol/sdk/types.js";

/** One red pixel. */
export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

const tool = (name: string, description: string, properties: Record<string, object> = {}) => ({
  name,
  description,
  inputSchema: { type: "object" as const, properties, required: Object.keys(properties) },
});
const text = (text: string): CallToolResult => ({ content: [{ type: "text", text: text }] });

const PAGES = [
  [
    tool("echo", "Says it again.", { text: { type: "string" } }),
    tool("add", "Adds two numbers.", { a: { type: "number" }, b: { type: "number" } }),
    tool("fail", "Fails."),
    tool("image", "Shows\n   a pixel."),
  ],
  [
    tool("structured", ""),
    tool("where", "Tells its folder, process and environment."),
    tool("slow", "Answers when it is cancelled."),
    tool("die", "Dies."),
  ],
];

/** `note` receives the events for which a test waits: `slow began`, `slow was cancelled`. */
export function testMcpServer(note: (line: string) => void): Server {
  const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
    params?.cursor === "2" ? { tools: PAGES[1] ?? [] } : { tools: PAGES[0] ?? [], nextCursor: "2" },
  );
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: args = {} } }, { signal }) =>
    call(name, args, signal, note),
  );
  return server;
}

function call(
  name: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
  note: (line: string) => void,
): CallToolResult | Promise<CallToolResult> {
  switch (name) {
    case "echo":
      return text(String(args.text));
    case "add":
      return text(String(Number(args.a) + Number(args.b)));
    case "fail":
      return { ...text("It failed, as it should."), isError: true };
    case "image":
      return {
        content: [
          { type: "text", text: "Behold:" },
          { type: "image", data: PIXEL, mimeType: "image/png" },
        ],
      };
    case "structured":
      return { content: [], structuredContent: { answer: 42 } };
    case "where":
      return text(JSON.stringify({ pid: process.pid, cwd: process.cwd(), env: process.env }));
    case "slow":
      return new Promise(resolve => {
        signal.addEventListener("abort", () => {
          note("slow was cancelled");
          resolve(text("cancelled"));
        });
        note("slow began");
      });
    case "die":
      return new Promise(() => {
        process.stderr.write("one word\nthe last words\n", () => process.exit(3));
      });
    default:
      throw new Error(`There is no tool ${name}`);
  }
}

export interface HttpMcpServer extends AsyncDisposable {
  readonly url: string;
}

/** Requires the header `authorization: Bearer secret`. `note` also receives `session closed`. */
export async function serveMcpOverHttp(note: (line: string) => void): Promise<HttpMcpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.headers.authorization !== "Bearer secret") {
      response.writeHead(401).end("Who are you?");
      return;
    }
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known) return known.handleRequest(request, response);
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => {
        sessions.set(id, transport);
      },
      onsessionclosed: id => {
        sessions.delete(id);
        note("session closed");
      },
    });
    await testMcpServer(note).connect(transport);
    await transport.handleRequest(request, response);
  };
  return listen((request, response) => void answer(request, response));
}

/** HTTP server on 127.0.0.1, for responses that no MCP server returns. */
export async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<HttpMcpServer> {
  const http = createServer(answer);
  await new Promise<void>(resolve => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  if (typeof address !== "object" || address === null) throw new Error("it listens nowhere");
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    [Symbol.asyncDispose]: () =>
      new Promise(resolve => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}
