/**
 * The environment of a child: the user's, without what VS Code, Electron, Chromium, code-server and a Node debugger put
 * into ours for themselves. With `ELECTRON_RUN_AS_NODE` an agent's own Electron program would not open a window, with
 * `NODE_OPTIONS` or `NODE_CHANNEL_FD` its Node would load our preloads or take over our IPC pipe. Nor does a child
 * inherit the address and token of the MCP servers of another agent, below which this program was started
 * (`mcp/shim.ts`): its tool calls would reach the sessions of that agent. Pure.
 */

/** Inherited by everything that a child starts: how a reaper and a census recognise them. See `run-id.ts`. */
export const RUN_ID = "SYMPOSIUM_RUN_ID";

const NOT_INHERITED =
  /^(ELECTRON_|VSCODE_|CHROME_|CODE_SERVER_|NODE_OPTIONS$|NODE_INSPECT|NODE_CHANNEL_|NODE_UNIQUE_ID$|SYMPOSIUM_ATTACH|SYMPOSIUM_MCP_)/;

/**
 * `parent` without what is not inherited, then `extra` (the agent's configuration, where any name may be set on
 * purpose), then the run id, which neither can set. On Windows, where `Path` and `PATH` are one name, the last one
 * wins.
 */
export function childEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string | undefined>>,
  runId: string,
  platform: string = process.platform,
): Record<string, string> {
  const key = (name: string): string => (platform === "win32" ? name.toUpperCase() : name);
  const chosen = new Map<string, readonly [name: string, value: string]>();
  const set = (name: string, value: string | undefined): void => {
    if (value !== undefined) chosen.set(key(name), [name, value]);
  };
  for (const [name, value] of Object.entries(parent)) if (!NOT_INHERITED.test(key(name))) set(name, value);
  for (const [name, value] of Object.entries(extra)) set(name, value);
  set(RUN_ID, runId);
  return Object.fromEntries(chosen.values());
}
