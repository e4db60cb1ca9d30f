/**
 * The Cargo extension adds the MCP server `cargo-mcp` to sessions with a Rust project. All other sessions are forwarded
 * byte for byte.
 */
import type { Chain, Proxy } from "../../proxies/proxy";
import { objectOr } from "../../rpc/json";
import { Consent } from "../consent";
import type { BuiltInExtension, ExtensionDeps } from "../extension";
import { OpenCalls } from "../open-calls";
import { rustFolders } from "../rust-projects";
import { capabilityTracker, sessionClient, type ClientCapabilities } from "../session-client";
import { sessionTools, type SessionPlace, type SessionServer } from "../session-tools";
import { connectToolServer } from "../tool-server";
import { readSettings, type CargoSettings } from "./settings";
import { cargoTools, INSTRUCTIONS } from "./tools";
import { WorkingFolder } from "./working-folder";
import { AGENT_METHODS } from "../../acp/methods";

export const cargo: BuiltInExtension = {
  id: "cargo",
  name: "Cargo",
  define: (given, deps) => {
    const settings = readSettings(given, deps);
    return { name: "Cargo", create: chain => proxy(chain, settings, deps) };
  },
};

function proxy(chain: Chain, settings: CargoSettings, deps: ExtensionDeps): Proxy {
  const calls = new Map<SessionPlace, OpenCalls>(),
    { offers, requests } = capabilityTracker();
  const tools = sessionTools(chain, {
    name: "cargo-mcp",
    server: place => server(place, calls, chain, settings, offers, deps),
  });
  const cancelCalls = (sessionId: unknown): void => {
    for (const [place, open] of calls)
      if (sessionId !== undefined && place.sessionId() === sessionId) open.stop("The turn was stopped.");
  };
  return {
    fromClient: {
      requests: { ...tools.requests, ...requests },
      notifications: {
        [AGENT_METHODS.session_cancel]: notification => {
          notification.pass();
          cancelCalls(objectOr(notification.params).sessionId);
        },
      },
    },
    close: () => tools.close(),
  };
}

async function server(
  place: SessionPlace,
  calls: Map<SessionPlace, OpenCalls>,
  chain: Chain,
  settings: CargoSettings,
  offers: () => ClientCapabilities,
  deps: ExtensionDeps,
): Promise<SessionServer | undefined> {
  const { folders } = place,
    open = new OpenCalls();
  if ((await rustFolders(folders, deps.home)).length === 0) return undefined;
  const consent = new Consent({
    extension: "cargo",
    client: sessionClient(chain.client, place.sessionId),
    approve: settings.approve,
    version: () => offers().version,
  });
  const tools = cargoTools({ deps, settings, folder: new WorkingFolder(folders, deps.home) }, consent);
  calls.set(place, open);
  return {
    connect: connectToolServer({
      name: "cargo-mcp",
      title: "Cargo",
      version: deps.version,
      instructions: INSTRUCTIONS,
      tools: tools.map(tool => open.watched(tool)),
      clock: deps.clock,
      onWarning: chain.onWarning,
    }),
    close: () => {
      open.stop("The session has ended.");
      calls.delete(place);
    },
  };
}
