/**
 * Declaration of the shim (`symposium-acp-agent mcp`). An agent that supports only stdio MCP servers uses the shim to
 * connect to the endpoint or to a third-party server. Address, token and headers are passed in the environment because
 * other users of the machine can read command-line arguments.
 */

/** Program that runs the shim: Node and the script of `symposium-acp-agent`. */
export interface ShimProgram {
  /** Absolute path. */
  readonly command: string;
  readonly script: string;
  /** Whether `command` is VS Code's Electron, which acts as Node only with `ELECTRON_RUN_AS_NODE`. */
  readonly electron: boolean;
}

/** Program of the current process. */
export function ownProgram(): ShimProgram {
  return { command: process.execPath, script: process.argv[1] ?? "", electron: "electron" in process.versions };
}

/** `SHIM_HEADERS`: JSON object that replaces the token and marks a third-party server. */
export const SHIM_URL = "SYMPOSIUM_MCP_URL",
  SHIM_TOKEN = "SYMPOSIUM_MCP_TOKEN",
  SHIM_HEADERS = "SYMPOSIUM_MCP_HEADERS";

/**
 * `ATTACH`: address and token of this process's servers as `URL#TOKEN`, in the environment of an agent whose own
 * configuration starts `symposium-acp-agent mcp --attach`. `ATTACH_TO`: the same value, as the configuration passes it
 * on.
 */
export const ATTACH = "SYMPOSIUM_ATTACH",
  ATTACH_TO = "SYMPOSIUM_ATTACH_TO";

/** Third-party server at an address, over Streamable HTTP. */
export interface HttpServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Entry of `mcpServers` without its name. */
export function shimDeclaration(
  { command, script, electron }: ShimProgram,
  to: { readonly url: string; readonly token: string } | HttpServer,
) {
  const key = "token" in to ? { [SHIM_TOKEN]: to.token } : { [SHIM_HEADERS]: JSON.stringify(to.headers) };
  const variables: Record<string, string> = {
    [SHIM_URL]: to.url,
    ...key,
    ...(electron ? { ELECTRON_RUN_AS_NODE: "1" } : {}),
  };
  return { command, args: [script, "mcp"], env: Object.entries(variables).map(([name, value]) => ({ name, value })) };
}
