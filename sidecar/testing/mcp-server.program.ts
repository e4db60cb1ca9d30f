/**
 * A small MCP server for tests: on stdio, or with `--http` on 127.0.0.1, where it prints its URL. Over HTTP it wants the
 * header `authorization: Bearer secret`. What it does is chosen by arguments: `--hang` never answers, `--die` says why and
 * exits 3, `--tools N` adds N tools and a second page, `--ignore-end` outlives the end of stdin and SIGTERM.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

/** One red pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });

function server(): McpServer {
  const mcp = new McpServer({ name: "test", version: "1" });
  mcp.registerTool("echo", { description: "Says it again.", inputSchema: { text: z.string() } }, ({ text: said }) => text(said));
  mcp.registerTool("add", { description: "Adds two numbers.", inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => text(String(a + b)));
  mcp.registerTool("fail", { description: "Fails." }, () => ({ ...text("It failed, as it should."), isError: true }));
  mcp.registerTool("image", { description: "Shows\n   a pixel." }, () => ({ content: [{ type: "text", text: "Behold:" }, { type: "image", data: PIXEL, mimeType: "image/png" }] }));
  mcp.registerTool("where", { description: "Tells its folder and its environment." }, () => text(JSON.stringify({ cwd: process.cwd(), env: process.env })));
  mcp.registerTool("die", { description: "Dies." }, () => { process.stderr.write("the last words\n"); setTimeout(() => process.exit(3), 10); return new Promise<never>(() => undefined); });
  mcp.registerTool("slow", { description: "Answers only when it is cancelled." }, ({ signal }) => new Promise(resolve => {
    process.stderr.write("slow began\n");
    signal.addEventListener("abort", () => { process.stderr.write("slow was cancelled\n"); resolve(text("cancelled")); });
  }));
  return mcp;
}

const [kind = ""] = process.argv.slice(2);
switch (kind) {
  case "--hang": process.stdin.resume(); break;
  case "--die": process.stderr.write("starting\nno licence was found\n"); process.exitCode = 3; break;
  case "--http": serveHttp(); break;
  default:
    if (kind === "--ignore-end") { process.on("SIGTERM", () => undefined); setInterval(() => undefined, 1000); }
    await server().connect(new StdioServerTransport());
}

function serveHttp(): void {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.headers.authorization !== "Bearer secret") { response.writeHead(401).end("Who are you?"); return; }
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known) return known.handleRequest(request, response);
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => { sessions.set(id, transport); },
      onsessionclosed: id => { sessions.delete(id); process.stdout.write(`closed, ${sessions.size} left\n`); },
    });
    await server().connect(transport);
    await transport.handleRequest(request, response);
  };
  const http = createServer((request, response) => void answer(request, response));
  http.listen(0, "127.0.0.1", () => {
    const address = http.address();
    if (typeof address === "object" && address !== null) process.stdout.write(`http://127.0.0.1:${address.port}/mcp\n`);
  });
  process.stdin.on("end", () => process.exit(0)).resume();
}
