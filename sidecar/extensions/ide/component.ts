/**
 * The component adds the tool `ide_operation` to each session and sends the operations upstream. The requested file
 * must be inside the session's folders. Results may be outside, such as a definition in a library.
 */
import path from "node:path";
import { fileURLToPath } from "node:url";
import { readIdeAnswer, type IdeOperation } from "../../../src/protocol/ide/ide";
import { offersIde } from "../../../src/protocol/ide/ide-capability";
import { errorMessage } from "../../../src/protocol/wire/errors";
import { contains, resolveInWorkspace } from "../../permissions/workspace-boundary";
import type { Chain, ProxyDefinition } from "../../proxies/proxy";
import { RpcError } from "../../rpc/message";
import type { ExtensionDeps } from "../extension";
import { sessionTools, type SessionPlace, type SessionToolsProxy } from "../session-tools";
import { ToolFailure, type Tool, type ToolAnswer, type ToolCall } from "../tool";
import { connectToolServer } from "../tool-server";
import type { Operate } from "./adapter";
import { ARGUMENTS, operationOf } from "./arguments";
import { rendered } from "./render";
import { EXTENSION_METHODS } from "../../acp/methods";

/** MCP server name. Not `ide`: Claude reserves that name and drops other servers that use it. */
export const SERVER = "ide-operations";
const INSTRUCTIONS =
  "Language features of the editor or a language server: errors without a build, definitions, references, hover, and previews of renaming, quick fixes and formatting. More exact than a text search. Changes no files.";

export interface IdeToolsOptions {
  readonly operate: Operate;
  /** Whether the client or an adapter answers the operations. Evaluated for each new session. */
  readonly isOffered: () => boolean;
  /** Receives the start and the end of each session. */
  readonly sessions?: {
    opened(place: SessionPlace, sessionId: string): void;
    closed(sessionId: string): void;
  };
}

export function ideTools(
  chain: Chain,
  deps: Pick<ExtensionDeps, "clock" | "version">,
  { operate, isOffered, sessions }: IdeToolsOptions,
): SessionToolsProxy {
  const { clock, version } = deps,
    { onWarning } = chain;
  return sessionTools(chain, {
    name: SERVER,
    server: place =>
      isOffered()
        ? {
            connect: connectToolServer({
              name: SERVER,
              title: "IDE operations",
              version,
              instructions: INSTRUCTIONS,
              tools: [ideOperation(place, operate)],
              clock,
              onWarning,
            }),
          }
        : undefined,
    opened: (place, sessionId) => sessions?.opened(place, sessionId),
    closed: sessionId => sessions?.closed(sessionId),
  });
}

/**
 * The component as a separate proxy, behind a client or an adapter with the capability. Without the capability, the
 * component adds no tool.
 */
export function ideComponent(deps: Pick<ExtensionDeps, "clock" | "version">): ProxyDefinition {
  return {
    name: "IDE operations",
    create: chain => {
      let isOffered = false;
      const tools = ideTools(chain, deps, {
        operate: (request, { signal }) => chain.client.request(EXTENSION_METHODS.ide_operation, request, { signal }),
        isOffered: () => isOffered,
      });
      return {
        fromClient: {
          requests: {
            ...tools.requests,
            initialize: request => {
              isOffered = offersIde(request.params);
              return request.pass();
            },
          },
        },
        close: () => tools.close(),
      };
    },
  };
}

function ideOperation(place: SessionPlace, operate: Operate): Tool {
  const { folders } = place;
  return {
    name: "ide_operation",
    title: "IDE operation",
    inputSchema: ARGUMENTS,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    description:
      "Queries the editor's language services: diagnostics, definition, references, hover, document_symbols, workspace_symbols, and previews of rename, code_actions and format. Select a name with `path`, `line` and `symbol`. Edits are only shown, not applied: make them yourself.",
    call: async (args, call) => runOperation(await placed(operationOf(args), folders), place, operate, call),
  };
}

async function runOperation(
  operation: IdeOperation,
  place: SessionPlace,
  operate: Operate,
  call: ToolCall,
): Promise<ToolAnswer> {
  const { folders } = place;
  const raw = await operate({ ...operation, folders }, call, place).catch((error: unknown) => {
    throw error instanceof RpcError ? new ToolFailure(error.message) : error;
  });
  const answer = readIdeAnswer(operation.operation, raw);
  if (!answer) throw new ToolFailure("The editor's response is invalid.");
  return { ...rendered(operation, answer, folders) };
}

/**
 * Resolves the path against the session's folders and returns it in their spelling. Rejects with a `ToolFailure` if the
 * file is outside of the folders.
 */
export async function placed<T extends IdeOperation>(operation: T, folders: readonly string[]): Promise<T> {
  const { path: given } = operation;
  if (given === undefined) return operation;
  const [cwd = ""] = folders,
    file = path.resolve(cwd, given.startsWith("file:") ? pathOfUri(given) : given);
  const { real, isInside } = file.includes("\0")
    ? { real: file, isInside: false }
    : await resolveInWorkspace(file, folders).catch((error: unknown) => {
        throw new ToolFailure(`${given} cannot be accessed: ${errorMessage(error)}`);
      });
  if (!isInside) throw new ToolFailure(`${given} is outside of this session's folders (${folders.join(", ")}).`);
  return {
    ...operation,
    path: folders.some(folder => contains(folder, file)) ? file : await withFolderSpelling(real, folders),
  };
}

function pathOfUri(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch {
    throw new ToolFailure(`${uri} is not a file URI.`);
  }
}

/**
 * Translates the real path of a file back into a path below a session folder, because editors use the folder's
 * spelling.
 */
async function withFolderSpelling(real: string, folders: readonly string[]): Promise<string> {
  for (const folder of folders) {
    const { real: root } = await resolveInWorkspace(folder, folders);
    if (contains(root, real)) return path.join(folder, path.relative(root, real));
  }
  return real;
}
