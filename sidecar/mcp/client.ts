/**
 * MCP client over stdio or Streamable HTTP. The SDK is loaded when the first server is used.
 *
 * Invariants:
 * - A request settles within the limit, when the signal aborts or when the server exits, even where the SDK would wait.
 * - Every failure is an `McpFailure` with a sentence for the user.
 * - The connection is closed after use. The SDK stops a stdio process by closing stdin, then with SIGTERM, then with
 *   SIGKILL.
 * - `closing` receives a promise that resolves when the connection is closed.
 */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { redactText } from "../../src/protocol/redaction/redact";
import type { Clock } from "../rpc/clock";
import { arrayOr, isObject, stringOr, type JsonObject } from "../rpc/json";
import type { McpServer } from "./read-mcp-servers";

export type McpFailureCode = "unsupported" | "unreachable" | "timeout" | "cancelled" | "answered";

/** `message` is a sentence for the user, `cause` is for the log. */
export class McpFailure extends Error {
  override readonly name = "McpFailure";
  constructor(
    readonly code: McpFailureCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(redactText(message), options);
  }
}

export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
}

/** `content` is passed on as received: text, image, audio, resource or resource_link blocks, or unknown kinds. */
export interface McpToolResult {
  readonly failed: boolean;
  readonly content: readonly JsonObject[];
  readonly structured: unknown;
}

/** Open connection to a server. */
export interface McpConnection {
  /** Fetches all pages. */
  tools(): Promise<readonly McpTool[]>;
  call(tool: string, args: JsonObject): Promise<McpToolResult>;
}

export interface McpOptions {
  /** Working directory of a stdio server. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly client: { readonly name: string; readonly version: string };
  /**
   * Extra environment of a stdio server, in addition to the SDK's few safe variables. Variables declared for the server
   * have precedence.
   */
  readonly environment?: Readonly<Record<string, string>>;
  /** Time limit in milliseconds for the connection and `use`. Default: 60 s. */
  readonly limit?: number;
  /**
   * Called for each connection that starts closing. Callers that must not leave processes behind await `done`. `done`
   * never rejects.
   */
  closing(done: Promise<void>): void;
}

const LIMIT_MS = 60_000,
  MAX_PAGES = 100,
  MAX_STDERR_LENGTH = 2000,
  CLOSE_TIMEOUT_MS = 1000;
/** Disables the SDK's own timers. The timeout runs on `clock`, which a test controls. */
const NEVER_MS = 0x7fff_ffff;

/**
 * Starts or connects to `server`, uses it and closes it. Rejects with `McpFailure` or with the error that `use` throws.
 */
export async function useMcp<T>(
  server: McpServer,
  options: McpOptions,
  use: (connection: McpConnection) => Promise<T>,
): Promise<T> {
  if (server.kind === "unsupported") {
    throw new McpFailure(
      "unsupported",
      `The MCP server “${server.name}” uses the transport “${server.transport}”, which is not supported. Use stdio or http.`,
    );
  }
  const ends = new AbortController();
  const cancelled = () =>
    ends.abort(new McpFailure("cancelled", `The use of the MCP server “${server.name}” was cancelled.`));
  const limit = options.limit ?? LIMIT_MS;
  using _limited = options.clock.after(limit, () =>
    ends.abort(
      new McpFailure(
        "timeout",
        `The MCP server “${server.name}” did not respond within ${Math.round(limit / 1000)} seconds.`,
      ),
    ),
  );
  options.signal.addEventListener("abort", cancelled, { once: true });
  if (options.signal.aborted) cancelled();
  try {
    return await untilAborted(connectAndUse(server, options, ends.signal, use), ends.signal);
  } finally {
    options.signal.removeEventListener("abort", cancelled);
    ends.abort(); // stops work that is still running
  }
}

async function connectAndUse<T>(
  server: Reachable,
  options: McpOptions,
  signal: AbortSignal,
  use: (connection: McpConnection) => Promise<T>,
): Promise<T> {
  const serverTransport = await open(server, options);
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  signal.throwIfAborted(); // no process or connection has been started yet
  const client = new Client(options.client);
  // Runs after `use` has settled or was abandoned: the signal aborts in both cases.
  signal.addEventListener("abort", () => options.closing(closed(client, serverTransport, options.clock)), {
    once: true,
  });
  try {
    await client.connect(serverTransport.transport, until(signal));
  } catch (cause) {
    throw unreachable(server, serverTransport.lastOutput(), cause);
  }
  const answered = async <R>(response: Promise<R>): Promise<R> => {
    try {
      return await response;
    } catch (cause) {
      throw refused(server, client, serverTransport.lastOutput(), cause);
    }
  };
  return use({
    tools: () => answered(allTools(client, signal)),
    call: (tool, args) => answered(callTool(client, tool, args, signal)),
  });
}

type Reachable = Exclude<McpServer, { kind: "unsupported" }>;

/**
 * The transport of a server. `lastOutput` returns the last line of stderr. `endSession` runs before the transport
 * closes.
 */
interface ServerTransport {
  readonly transport: Transport;
  lastOutput(): string;
  endSession(): Promise<void>;
}

async function open(server: Reachable, { cwd, environment }: McpOptions): Promise<ServerTransport> {
  if (server.kind === "http") {
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const transport = new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { ...server.headers } },
    });
    return { transport, lastOutput: () => "", endSession: () => transport.terminateSession() };
  }
  const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
  const { command, args, env } = server;
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...environment, ...env },
    cwd,
    stderr: "pipe",
  });
  let text = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-MAX_STDERR_LENGTH);
  });
  return { transport, lastOutput: () => text.trim().split("\n").at(-1) ?? "", endSession: () => Promise.resolve() };
}

async function closed(client: Client, serverTransport: ServerTransport, clock: Clock): Promise<void> {
  await new Promise<void>(resolve => {
    const timer = clock.after(CLOSE_TIMEOUT_MS, resolve);
    void serverTransport
      .endSession()
      .catch(() => undefined)
      .then(() => {
        timer[Symbol.dispose]();
        resolve();
      });
  });
  await client.close().catch(() => undefined);
}

/** Creates a separate signal per request, because the SDK never removes its listeners. */
const until = (signal: AbortSignal) => ({ signal: AbortSignal.any([signal]), timeout: NEVER_MS });

async function allTools(client: Client, signal: AbortSignal): Promise<readonly McpTool[]> {
  const found: McpTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && (page === 0 || cursor !== undefined); page++) {
    const { tools, nextCursor } = await client.listTools(cursor === undefined ? {} : { cursor }, until(signal));
    found.push(...tools.map(({ name, description = "", inputSchema }) => ({ name, description, inputSchema })));
    cursor = nextCursor;
  }
  return found;
}

async function callTool(client: Client, tool: string, args: JsonObject, signal: AbortSignal): Promise<McpToolResult> {
  const result = await client.callTool({ name: tool, arguments: { ...args } }, undefined, until(signal));
  return {
    failed: result.isError === true,
    content: arrayOr(result.content).filter(isObject),
    structured: result.structuredContent,
  };
}

/** Settles with `work` or with the abort reason, whichever comes first. Never causes an unhandled rejection. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject);
  });
}

function unreachable(server: Reachable, lastOutput: string, cause: unknown): McpFailure {
  const code = errno(cause);
  if (server.kind === "stdio" && (code === "ENOENT" || code === "EACCES")) {
    return new McpFailure(
      "unreachable",
      `The MCP server “${server.name}” could not be started: “${server.command}” was not found or is not executable.`,
      { cause },
    );
  }
  const address = server.kind === "http" ? ` at ${withoutQuery(server.url)}` : "";
  const reason = server.kind === "stdio" && lastOutput !== "" ? lastOutput : (code ?? plain(cause));
  return new McpFailure(
    "unreachable",
    `The MCP server “${server.name}” could not be ${server.kind === "http" ? "reached" : "started"}${address}: ${sentence(reason)}`,
    { cause },
  );
}

function refused(server: Reachable, client: Client, lastOutput: string, cause: unknown): McpFailure {
  const gone = client.transport === undefined;
  if (gone)
    return new McpFailure(
      "unreachable",
      `The MCP server “${server.name}” exited before it responded${lastOutput === "" ? "." : `: ${sentence(lastOutput)}`}`,
      { cause },
    );
  return new McpFailure("answered", `The MCP server “${server.name}” returned an error: ${sentence(plain(cause))}`, {
    cause,
  });
}

/**
 * Code such as `ENOENT` or `ECONNREFUSED` from the error, from its `cause` (`fetch` wraps errors), or from the first
 * address that was tried.
 */
export function errno(error: unknown): string | undefined {
  for (let each = error, depth = 0; isObject(each) && depth < 4; depth++) {
    if (typeof each.code === "string") return each.code;
    each = each.cause ?? arrayOr(each.errors)[0];
  }
  return undefined;
}

/** Removes the code that the SDK prepends to the server's message. */
function plain(error: unknown): string {
  const message = error instanceof Error ? error.message : stringOr(error, "no reason was given");
  return message.replace(/^MCP error -?\d+: /, "").trim() || "no reason was given";
}

function sentence(text: string): string {
  const short = text.length > 300 ? `${text.slice(0, 300)}…` : text;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}

/** Drops the query, which can contain keys. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
