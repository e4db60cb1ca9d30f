/**
 * Workspace adds an MCP server with file, search and command tools to each session, for agents without such tools. The
 * tools use the editor's capabilities if offered (unsaved changes, undo, visible terminals), else files and processes
 * directly. Changes and commands require consent.
 *
 * Invariants: the file and search tools access nothing outside of the session's folders. A call ends with its processes
 * and permission requests when the call, its turn or its session is cancelled or ends.
 */
import path from "node:path";
import { WORKSPACE_SETTINGS } from "../../../src/protocol/agents/built-in-settings";
import type { Chain, Proxy } from "../../proxies/proxy";
import { objectOr } from "../../rpc/json";
import { Consent, type Approve } from "../consent";
import { readValues, type BuiltInExtension, type ExtensionDeps } from "../extension";
import { OpenCalls } from "../open-calls";
import { capabilityTracker, sessionClient, type ClientCapabilities } from "../session-client";
import { sessionTools, type SessionPlace, type SessionServer } from "../session-tools";
import type { Tool } from "../tool";
import { connectToolServer } from "../tool-server";
import { clientCommands, nodeCommands } from "./commands";
import { fileTools } from "./file-tools";
import { Folders } from "./folders";
import { nodeSearch } from "./node-search";
import { findRipgrep, ripgrepSearch } from "./ripgrep";
import type { Search } from "./search-backend";
import { searchTools } from "./search-tools";
import { terminalTool } from "./terminal-tool";
import { clientFiles, nodeFiles, textFiles } from "./text-files";
import { AGENT_METHODS } from "../../acp/methods";

const NAME = "Workspace";
/** Not `workspace`: Claude reserves that name and drops other servers that use it. */
const SERVER = "workspace-tools";

export const workspace: BuiltInExtension = {
  id: "workspace",
  name: NAME,
  define: (settings, deps) => {
    const { approve } = readValues("workspace", WORKSPACE_SETTINGS, settings, deps);
    return { name: NAME, create: chain => proxyOf(chain, approve, deps) };
  },
};

function proxyOf(chain: Chain, approve: Approve, deps: ExtensionDeps): Proxy {
  const places = new Map<SessionPlace, OpenCalls>(),
    sessions = new Map<string, OpenCalls>();
  const { offers, requests } = capabilityTracker(),
    tools = sessionTools(chain, {
      name: SERVER,
      server: place => {
        if (!path.isAbsolute(place.folders[0])) return undefined;
        const calls = new OpenCalls();
        places.set(place, calls);
        return serverOf(place, toolsOf(place, chain, approve, offers, deps), calls, chain, deps, () =>
          places.delete(place),
        );
      },
      opened: (place, sessionId) => {
        const calls = places.get(place);
        if (calls) sessions.set(sessionId, calls);
      },
      closed: sessionId => {
        sessions.delete(sessionId);
      },
    });
  return {
    fromClient: {
      requests: {
        ...tools.requests,
        ...requests,
      },
      notifications: {
        // Some agents do not cancel tool calls when their turn is cancelled.
        [AGENT_METHODS.session_cancel]: notification => {
          notification.pass();
          sessions.get(String(objectOr(notification.params).sessionId))?.stop("The turn was stopped.");
        },
      },
    },
    close: () => tools.close(),
  };
}

function serverOf(
  place: SessionPlace,
  tools: readonly Tool[],
  calls: OpenCalls,
  { onWarning }: Chain,
  { version, clock }: ExtensionDeps,
  onClose: () => void,
): SessionServer {
  return {
    connect: connectToolServer({
      name: SERVER,
      title: NAME,
      version,
      clock,
      onWarning,
      tools: tools.map(tool => calls.watched(tool)),
      instructions: `Reads, searches and changes files of the user's workspace, and runs commands there. Paths are relative to ${place.folders[0]}. Changes and commands are shown to the user, who may refuse.`,
    }),
    close: () => {
      calls.stop("The session has ended.");
      onClose();
    },
  };
}

function toolsOf(
  place: SessionPlace,
  chain: Chain,
  approve: Approve,
  offers: () => ClientCapabilities,
  deps: ExtensionDeps,
): readonly Tool[] {
  const client = sessionClient(chain.client, place.sessionId),
    { reads, writes, terminals } = offers(),
    folders = new Folders(place.folders),
    editorFiles = clientFiles(client);
  const files = textFiles(reads ? editorFiles : nodeFiles, writes ? editorFiles : nodeFiles),
    consent = new Consent({ extension: "workspace", client, approve, version: () => offers().version });
  const commands = terminals ? clientCommands(client, deps) : nodeCommands(deps);
  return [
    ...fileTools({ folders, files, consent }),
    terminalTool({ folders, consent, commands }),
    ...searchTools({ folders, search: searchBy(deps) }),
  ];
}

/** Looks for ripgrep on the first search, because the lookup may wait for the login shell. */
function searchBy(deps: ExtensionDeps): Search {
  const builtIn = nodeSearch(deps.clock);
  let chosen: Promise<Search> | undefined;
  const choose = (): Promise<Search> =>
    (chosen ??= findRipgrep(deps).then(program =>
      program === undefined ? builtIn : ripgrepSearch(program, deps, builtIn),
    ));
  return {
    files: async (...args) => (await choose()).files(...args),
    lines: async (...args) => (await choose()).lines(...args),
  };
}
