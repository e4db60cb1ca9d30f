/**
 * How an agent that knows MCP servers only as programs reaches the endpoint, or a server of others at an address: by
 * this very program, as `symposium-acp-agent mcp`. Address, token and headers travel in the environment, which other
 * users of the machine cannot read, as they can arguments.
 */

/** What runs the shim: a Node, and the script of `symposium-acp-agent`. */
export interface ShimProgram {
  /** Absolute path. */
  readonly command: string;
  readonly script: string;
  /** `command` is Electron (VS Code's own), which is a Node only when told so. */
  readonly electron: boolean;
}

/** The program that runs now. */
export function ownProgram(): ShimProgram {
  return { command: process.execPath, script: process.argv[1] ?? "", electron: "electron" in process.versions };
}

/** `SHIM_HEADERS`: in place of the token, a JSON object; says that the server is one of others. */
export const SHIM_URL = "SYMPOSIUM_MCP_URL",
  SHIM_TOKEN = "SYMPOSIUM_MCP_TOKEN",
  SHIM_HEADERS = "SYMPOSIUM_MCP_HEADERS";

/**
 * `ATTACH`: in the environment of an agent whose own configuration starts `symposium-acp-agent mcp --attach`, the
 * address and token of the servers of this very process as `URL#TOKEN`. `ATTACH_TO`: the same, as the configuration
 * passes it on.
 */
export const ATTACH = "SYMPOSIUM_ATTACH",
  ATTACH_TO = "SYMPOSIUM_ATTACH_TO";

/** A server of others at an address, over streamable HTTP. */
export interface HttpServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The entry of `mcpServers` without its name. */
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
