/**
 * The environment of a child process: the user's, without the variables that VS Code, Electron, Chromium, code-server
 * and Node debuggers set for their own processes. `ELECTRON_RUN_AS_NODE` would prevent an agent's Electron program from
 * opening a window. `NODE_OPTIONS` and `NODE_CHANNEL_FD` would make its Node load our preloads or take over our IPC
 * pipe. Address and token of the MCP servers of an agent that started this program (`mcp/shim.ts`) would route tool
 * calls to the sessions of that agent. Pure.
 */

/** Variable with the run id (`run-id.ts`). All descendants inherit it, so that the reaper and the census find them. */
export const RUN_ID = "SYMPOSIUM_RUN_ID";

const NOT_INHERITED =
  /^(ELECTRON_|VSCODE_|CHROME_|CODE_SERVER_|NODE_OPTIONS$|NODE_INSPECT|NODE_CHANNEL_|NODE_UNIQUE_ID$|SYMPOSIUM_ATTACH|SYMPOSIUM_L10N$|SYMPOSIUM_MCP_)/;

/**
 * Merges `parent` without the filtered variables, `extra` and the run id; later values win. `extra` is the agent's
 * configuration and may set any name except the run id's. On Windows, variable names are case-insensitive.
 */
export function childEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string | undefined>>,
  runId: string,
  platform: string = process.platform,
): Record<string, string> {
  const key = (name: string): string => (platform === "win32" ? name.toUpperCase() : name);
  const variables = new Map<string, readonly [name: string, value: string]>();
  const set = (name: string, value: string | undefined): void => {
    if (value !== undefined) variables.set(key(name), [name, value]);
  };
  for (const [name, value] of Object.entries(parent)) if (!NOT_INHERITED.test(key(name))) set(name, value);
  for (const [name, value] of Object.entries(extra)) set(name, value);
  set(RUN_ID, runId);
  return Object.fromEntries(variables.values());
}
