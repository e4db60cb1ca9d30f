/**
 * `symposium-acp-agent registry`: lists the available agents, prints the command that starts one, and installs one, for
 * other programs. `check` is for authors of entries.
 *
 * Invariants, except for `check`:
 * - stdout is JSON or empty. A printed command exists.
 * - Nothing is started. Only `install`, and `resolve` with `--install`, install.
 * - Built-in agents need no registry.
 */
import { homedir } from "node:os";
import path from "node:path";
import { ageOf } from "../../src/protocol/text/age";
import type { Distribution } from "../../src/protocol/agents/agents";
import { BUILT_IN_AGENTS, builtInAgent, builtInAgents } from "../../src/protocol/agents/built-in-agents";
import type { AgentCommand } from "../agents/distributions/agent-command";
import { documentedCommand, type DocumentedDeps } from "../agents/distributions/documented-command";
import { platformOf } from "../agents/distributions/platform";
import { InstallError } from "../agents/install/store/install-error";
import { configOf } from "../agents/registry/document";
import { versionInRegistry } from "../agents/registry/package-versions";
import { RegistryCache, type RegistrySnapshot } from "../agents/registry/registry-cache";
import { httpGet } from "../http/http-get";
import { proxiedFetch } from "../http/proxied-fetch";
import { REGISTRY_ADDRESSES } from "../http/secure-url";
import { findOnPath } from "../process/find-program";
import { realClock } from "../rpc/clock";
import { Scope } from "../rpc/scope";
import { checkDocument } from "./registry/check-document";
import { endEarlierProcesses, openOwnLedger, ownProcesses } from "./runtime/command-ledger";
import type { ComponentResolver, Named } from "./runtime/component-resolver";
import { printReply, type CommandReply } from "./runtime/reply";
import { firstSignal, progressOnStderr } from "./runtime/stdio";

export type RegistryRequest =
  /** Checks a document: `agent.json` as an agent, any other name as an extension. */
  { readonly kind: "check"; readonly file: string } | RegistryQuery;

export type RegistryQuery =
  | { readonly kind: "list" }
  /** `install`: installs the agent if it is missing. */
  | { readonly kind: "resolve"; readonly id: string; readonly install: boolean }
  | { readonly kind: "install"; readonly id: string };

export interface RegistryCommandDeps extends DocumentedDeps {
  readonly snapshot: () => Promise<RegistrySnapshot>;
  /** Whether a program is on the PATH or, for a path, exists. */
  readonly has: (program: string) => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Version of Symposium. */
  readonly version: string;
  /** Version of a built-in agent in the store. Undefined: not installed. */
  readonly installedVersion: (id: string) => Promise<string | undefined>;
  /** The command of an installed version. Undefined: not installed. */
  readonly installed: (named: Named) => Promise<AgentCommand | undefined>;
  /** Installs if missing. Rejects with a sentence. */
  readonly install: (named: Named) => Promise<AgentCommand>;
  /** Installs the newest version. Rejects with a sentence. */
  readonly update: (named: Named) => Promise<{ readonly version?: string }>;
}

export async function answerRegistry(request: RegistryQuery, deps: RegistryCommandDeps): Promise<CommandReply> {
  if (request.kind === "list") return listed(deps);
  const found = await entryNamed(request.id, deps);
  if ("code" in found) return found;
  const { named, notes } = found;
  try {
    const reply =
      request.kind === "install" ? await installed(named, deps) : await resolved(named, request.install, deps);
    return { ...reply, notes: [...notes, ...reply.notes] };
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    return failed([...notes, `${named.config.name} could not be installed. ${error.message}`]);
  }
}

function failed(notes: readonly string[]): CommandReply {
  return { code: 1, out: "", notes };
}

/** VS Code shows Eliza without a description. */
const ELIZA_DESCRIPTION = "Built-in agent for testing";

async function listed(deps: RegistryCommandDeps): Promise<CommandReply> {
  const snapshot = await deps.snapshot(),
    { agents, packageVersions } = snapshot.registry;
  const own = await Promise.all(
    builtInAgents(deps.has).map(async agent => ({
      ...agent,
      description: agent.description ?? ELIZA_DESCRIPTION,
      version: agent.distribution.symposium
        ? deps.version
        : (versionInRegistry(agent, packageVersions) ?? (await deps.installedVersion(agent.id))),
    })),
  );
  const others = agents.filter(({ id }) => !BUILT_IN_AGENTS.some(agent => agent.id === id)).map(configOf);
  const all = [...own, ...others].map(({ id, name, version, description }) => ({ id, name, version, description }));
  return {
    code: 0,
    out: `${JSON.stringify(all, undefined, 2)}\n`,
    notes: [...stale(snapshot, deps.now()), ...ignoredEntries(snapshot)],
  };
}

async function entryNamed(
  id: string,
  deps: RegistryCommandDeps,
): Promise<CommandReply | { readonly named: Named; readonly notes: readonly string[] }> {
  const own = builtInAgent(id);
  if (own) return { named: { kind: "agent", config: own, accepted: "requested" }, notes: [] };
  const snapshot = await deps.snapshot(),
    notes = stale(snapshot, deps.now());
  const { agents, extensions, leftOut } = snapshot.registry;
  for (const [kind, entries] of [
    ["agent", agents],
    ["extension", extensions],
  ] as const) {
    const entry = entries.find(item => item.id === id);
    if (entry) return { named: { kind, config: configOf(entry), accepted: "requested" }, notes };
  }
  const why = leftOut.find(out => out.id === id)?.why;
  return failed([
    ...notes,
    why === undefined
      ? `Unknown agent “${id}”. See symposium-acp-agent registry list.`
      : `The registry's entry cannot be used: ${why}`,
  ]);
}

async function resolved(named: Named, isInstalling: boolean, deps: RegistryCommandDeps): Promise<CommandReply> {
  const { config } = named,
    { id, name, distribution } = config;
  if (isInstalling && needsInstallation(distribution)) return command(name, await deps.install(named));
  const documented = documentedCommand(config, deps),
    stored = needsInstallation(distribution) ? await deps.installed(named) : undefined;
  // The store's command of an archive or a crate is exact. A package is documented as its tool's command.
  if (stored && ("why" in documented || documented.fromStore || !deps.has(documented.server.command)))
    return command(name, stored);
  const advice = `Run symposium-acp-agent registry install ${id}.`;
  if ("why" in documented) return failed([distribution.cargo ? `${name} is not installed. ${advice}` : documented.why]);
  const { server, fromStore } = documented;
  if (distribution.symposium !== undefined || deps.has(server.command))
    return { code: 0, out: `${JSON.stringify(server)}\n`, notes: [] };
  if (!needsInstallation(distribution))
    return failed([`${name} cannot be started: “${server.command}” was not found on the PATH. Install it first.`]);
  return failed([
    fromStore
      ? `${name} is not installed. ${advice}`
      : `${name} is not installed, and “${server.command}” was not found on the PATH. ${advice}`,
  ]);
}

async function installed(named: Named, deps: RegistryCommandDeps): Promise<CommandReply> {
  const { id, name, distribution } = named.config;
  if (distribution.http) return failed([`${name} is a remote server and needs no installation.`]);
  if (!needsInstallation(distribution)) {
    const { local, executable } = distribution,
      program = local?.command ?? executable?.path;
    if (program !== undefined && !deps.has(program))
      return failed([`Symposium cannot install ${name}: “${program}” was not found on the PATH. Install it first.`]);
    const version = distribution.symposium ? { version: deps.version } : {};
    return { code: 0, out: `${JSON.stringify({ id, name, ...version })}\n`, notes: [`${name} needs no installation.`] };
  }
  return { code: 0, out: `${JSON.stringify({ id, name, ...(await deps.update(named)) })}\n`, notes: [] };
}

function needsInstallation({ local, executable, symposium, http }: Distribution): boolean {
  return !local && !executable && !symposium && !http;
}

function command(name: string, resolvedCommand: AgentCommand): CommandReply {
  if (resolvedCommand.kind !== "process") throw new Error(`${name} has no process`);
  const { command: program, args, env } = resolvedCommand;
  const server = {
    name,
    command: program,
    args,
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
  };
  return { code: 0, out: `${JSON.stringify(server)}\n`, notes: [] };
}

/** One sentence if the snapshot is not the registry's current content. */
function stale({ problem, fetchedAt }: RegistrySnapshot, now: number): readonly string[] {
  if (problem === undefined) return [];
  return [
    `${problem} ${fetchedAt === undefined ? "Only built-in agents are available." : `A cached copy is used; its age is ${ageOf(now - fetchedAt)}.`}`,
  ];
}

function ignoredEntries({
  registry: {
    leftOut: [first, ...others],
  },
}: RegistrySnapshot): readonly string[] {
  return first === undefined
    ? []
    : [
        `${others.length + 1 === 1 ? "An entry of the registry is" : `${others.length + 1} entries of the registry are`} ignored: ${first.why}`,
      ];
}

/** Resolves with the exit code. `url`: address of another registry. A signal cancels an installation. */
export async function runRegistry(request: RegistryRequest, url: string | undefined, version: string): Promise<number> {
  if (request.kind === "check") return printReply(checkDocument(request.file));
  await using scope = new Scope("symposium-acp-agent", () => undefined);
  const cache = new RegistryCache({
    folder: path.join(homedir(), ".symposium", "cache"),
    urls: url === undefined ? REGISTRY_ADDRESSES : [url],
    clock: realClock,
    date: () => Date.now(),
    version,
    onWarning: () => undefined,
    fetch: proxiedFetch({ environment: async () => process.env, editor: "", direct: httpGet(), log: () => undefined }),
  });
  const abort = new AbortController(),
    { signal } = abort;
  let loading: Promise<ComponentResolver> | undefined;
  const resolver = (): Promise<ComponentResolver> => (loading ??= openResolver(scope, url, version));
  const answer = answerRegistry(request, {
    platform: platformOf(process.platform, process.arch),
    home: homedir(),
    sidecar: ourselves(),
    version,
    now: () => Date.now(),
    has: program => findOnPath(program) !== undefined,
    snapshot: () => cache.refresh(signal),
    installedVersion: async id => (await (await resolver()).agents.stores.agent.newest(id))?.release,
    installed: async named => (await resolver()).installedCommand(named),
    install: async named => (await (await resolver()).commandOf(named, signal)).command,
    update: async named => (await resolver()).update(named, signal),
  });
  const ended = await Promise.race([answer, firstSignal()]);
  if (typeof ended !== "number") return printReply(ended);
  abort.abort(new Error("Ended by a signal"));
  await answer.catch(() => undefined);
  return ended;
}

async function openResolver(scope: Scope, registry: string | undefined, version: string): Promise<ComponentResolver> {
  const { ComponentResolver: Resolver } = await import("./runtime/component-resolver"),
    notify = (): void => undefined;
  const processes = ownProcesses(openOwnLedger(scope, notify), notify);
  endEarlierProcesses(notify);
  return scope.add(new Resolver({ version, processes, notify, registry, progress: progressOnStderr }));
}

/** Command line of this program. VS Code's Electron acts as Node only with `ELECTRON_RUN_AS_NODE`. */
function ourselves(): DocumentedDeps["sidecar"] {
  const { ELECTRON_RUN_AS_NODE: asNode } = process.env,
    [, script] = process.argv;
  return {
    command: process.execPath,
    args: script === undefined ? [] : [path.resolve(script)],
    env: asNode === undefined ? {} : { ELECTRON_RUN_AS_NODE: asNode },
  };
}
