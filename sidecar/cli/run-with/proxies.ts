/** Creates the proxies of `run-with` from their command line arguments. */
import path from "node:path";
import { addressComponent, serverComponent } from "../../agents/extensions/mcp-extension";
import { serverStarter } from "../../agents/start-component";
import type { ProxyComponent } from "../../conductor/component";
import { AgentError } from "../../errors";
import { builtInComponent } from "../../extensions/built-in";
import type { ExtensionDeps } from "../../extensions/extension";
import { findProgram, isProgramFile } from "../../process/find-program";
import { startProcess } from "../../process/stdio-process";
import type { ServerStarter } from "../../proxies/added-server";
import { realClock } from "../../rpc/clock";
import type { Scope } from "../../rpc/scope";
import type { ProxySpec, ServerProxy, Unresolved } from "../component-spec";
import { ownDeps } from "../runtime/extension-deps";
import type { StarterFor, StarterDeps } from "./start";

export interface ProxyDeps extends StarterDeps {
  readonly starterFor: StarterFor;
  readonly onWarning: (what: string, detail: unknown) => void;
}

interface ServerDeps extends Omit<ProxyDeps, "starterFor"> {
  readonly starter: ServerStarter;
}

/** Skipped proxies are missing in the result, after a warning in the log. `scope` ends what the proxies start. */
export async function proxiesOf(
  specs: readonly ProxySpec[],
  { starterFor, ...deps }: ProxyDeps,
  scope: Scope,
): Promise<readonly ProxyComponent[]> {
  const { version, processes, notify } = deps;
  const extensions = scope.add(
    ownDeps({ version, processes, log: (level, message, detail) => notify(level, message, detail) }),
  );
  const starter = serverStarter(process.cwd(), {
    version,
    clock: realClock,
    startProcess: spec => startProcess(spec, processes),
  });
  const proxies = await Promise.all(specs.map(spec => proxyOf(spec, starterFor, extensions, { ...deps, starter })));
  return proxies.filter(proxy => proxy !== undefined);
}

/** Returns undefined, after a warning in the log, if the proxy is skipped. */
async function proxyOf(
  { name, command }: ProxySpec,
  starterFor: StarterFor,
  extensions: ExtensionDeps,
  deps: ServerDeps,
): Promise<ProxyComponent | undefined> {
  if (command.kind === "mcp") return serverOf(name, command, deps);
  if (command.kind === "word") return namedProxy(name, command, starterFor, deps);
  if (command.kind !== "own") return { kind: "external", name, start: starterFor("extension", name, command) };
  const component = await builtInComponent(command.id, name, command.settings, extensions, deps.onWarning);
  if (!component) throw new Error(`no extension ${command.id}`);
  return component;
}

/** A plain word: its registry entry is a proxy or an MCP server. */
function namedProxy(
  name: string,
  command: Extract<Unresolved, { kind: "word" }>,
  starterFor: StarterFor,
  deps: ServerDeps,
): ProxyComponent {
  return {
    kind: "deferred",
    name,
    of: "external",
    resolve: async signal => {
      const resolver = await deps.resolver(),
        found = await resolver.serverNamed(command.word, signal);
      if (!found) return { kind: "external", name, start: starterFor("extension", name, command) };
      if ("url" in found) return addressComponent({ id: command.word, name }, name, found, deps);
      return installedServer(command.word, name, { kind: "store", config: found }, deps, signal);
    },
  };
}

/** An MCP server of the store. Each session starts it. */
async function installedServer(
  id: string,
  name: string,
  server: Extract<Unresolved, { kind: "store" }>,
  { onWarning, resolver, starter }: ServerDeps,
  signal: AbortSignal,
): Promise<ProxyComponent> {
  const { command } = await (await resolver()).resolve("extension", server, signal);
  return serverComponent({ id, name }, name, command, { onWarning, starter, find: async program => program });
}

/** Checks only that the program of a literal command exists. Each session starts the server. */
async function serverOf(
  name: string,
  { id, server }: ServerProxy["command"],
  deps: ServerDeps,
): Promise<ProxyComponent | undefined> {
  const { onWarning, notify, starter } = deps;
  try {
    if ("url" in server) return addressComponent({ id, name }, name, server, { onWarning });
    if (server.kind === "process")
      return await serverComponent({ id, name }, name, server, {
        onWarning,
        starter,
        find: async program => findFile(program),
      });
    return {
      kind: "deferred",
      name,
      of: "internal",
      resolve: signal => installedServer(id, name, server, deps, signal),
    };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    notify("warn", `The MCP server ${error.what} It is skipped.`);
    return undefined;
  }
}

/** Finds a program as for proxies: relative to the working directory, or on this process's PATH. */
function findFile(program: string): string | undefined {
  const isPath = program.includes("/") || program.includes(path.sep);
  return findProgram(isPath ? path.resolve(program) : program, {
    platform: process.platform,
    env: process.env,
    isProgram: isProgramFile,
  });
}
