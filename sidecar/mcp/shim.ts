/**
 * How an agent that knows MCP servers only as programs reaches the endpoint: this very program, as `symposium-acp-agent mcp`.
 * Address and token travel in the environment, which other users of the machine cannot read, as they can arguments.
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

export const SHIM_URL = "SYMPOSIUM_MCP_URL", SHIM_TOKEN = "SYMPOSIUM_MCP_TOKEN";

/** The entry of `mcpServers` without its name. */
export function shimDeclaration({ command, script, electron }: ShimProgram, { url, token }: { readonly url: string; readonly token: string }) {
  const variables: Record<string, string> = { [SHIM_URL]: url, [SHIM_TOKEN]: token, ...(electron ? { ELECTRON_RUN_AS_NODE: "1" } : {}) };
  return { command, args: [script, "mcp"], env: Object.entries(variables).map(([name, value]) => ({ name, value })) };
}
