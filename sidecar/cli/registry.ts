/**
 * `symposium-acp-agent registry`: lists the available agents and the command that starts one, for other programs.
 *
 * Invariants:
 * - stdout is JSON or empty.
 * - Nothing is installed or started.
 * - Built-in agents need no network.
 */
import { homedir } from "node:os";
import path from "node:path";
import { ageOf } from "../../src/protocol/text/age";
import type { AgentConfig } from "../../src/protocol/agents/agents";
import { BUILT_IN_AGENTS, builtInAgents } from "../../src/protocol/agents/built-in-agents";
import { documentedCommand, type DocumentedDeps } from "../agents/distributions/documented-command";
import { platformOf } from "../agents/distributions/platform";
import { proxiedFetch } from "../http/proxied-fetch";
import { findProgram, isProgramFile } from "../process/find-program";
import { REGISTRY_ADDRESSES } from "../http/secure-url";
import { configOf } from "../agents/registry/document";
import { httpGet } from "../http/http-get";
import { RegistryCache, type RegistrySnapshot } from "../agents/registry/registry-cache";
import { realClock } from "../rpc/clock";
import { printReply, type CommandReply } from "./runtime/reply";

export type RegistryRequest = { readonly kind: "list" } | { readonly kind: "resolve"; readonly id: string };

export interface RegistryCommandDeps extends DocumentedDeps {
  readonly snapshot: () => Promise<RegistrySnapshot>;
  /** Whether a program is on the PATH or, for a path, exists. */
  readonly has: (program: string) => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export async function answerRegistry(request: RegistryRequest, deps: RegistryCommandDeps): Promise<CommandReply> {
  return request.kind === "list" ? listed(deps) : resolved(request.id, deps);
}

async function listed(deps: RegistryCommandDeps): Promise<CommandReply> {
  const snapshot = await deps.snapshot(),
    own = builtInAgents(deps.has);
  const others = snapshot.registry.agents
    .filter(({ id }) => !BUILT_IN_AGENTS.some(agent => agent.id === id))
    .map(configOf);
  const all = [...own, ...others].map(({ id, name, version, description }: AgentConfig) => ({
    id,
    name,
    version,
    description,
  }));
  return {
    code: 0,
    out: `${JSON.stringify(all, undefined, 2)}\n`,
    notes: [...stale(snapshot, deps.now()), ...ignoredEntries(snapshot)],
  };
}

async function resolved(id: string, deps: RegistryCommandDeps): Promise<CommandReply> {
  const own = BUILT_IN_AGENTS.find(agent => agent.id === id);
  if (own) return commandOf(own, deps, []);
  const snapshot = await deps.snapshot(),
    notes = stale(snapshot, deps.now());
  const { agents, extensions, leftOut: missed } = snapshot.registry,
    entry = [...agents, ...extensions].find(registryEntry => registryEntry.id === id);
  if (entry) return commandOf(configOf(entry), deps, notes);
  const why = missed.find(out => out.id === id)?.why;
  return {
    code: 1,
    out: "",
    notes: [
      ...notes,
      why === undefined
        ? `Unknown agent “${id}”. See symposium-acp-agent registry list.`
        : `The registry's entry cannot be used: ${why}`,
    ],
  };
}

function commandOf(config: AgentConfig, deps: RegistryCommandDeps, notes: readonly string[]): CommandReply {
  const documented = documentedCommand(config, deps);
  if ("why" in documented) return { code: 1, out: "", notes: [...notes, documented.why] };
  const { server, fromStore } = documented;
  return {
    code: 0,
    out: `${JSON.stringify(server)}\n`,
    notes:
      fromStore && !deps.has(server.command)
        ? [...notes, `${server.name} is not installed. The command exists after Symposium installs it.`]
        : notes,
  };
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

/** Resolves with the exit code. `url`: address of another registry. */
export async function runRegistry(request: RegistryRequest, url: string | undefined, version: string): Promise<number> {
  const cache = new RegistryCache({
    folder: path.join(homedir(), ".symposium", "cache"),
    urls: url === undefined ? REGISTRY_ADDRESSES : [url],
    clock: realClock,
    date: () => Date.now(),
    version,
    onWarning: () => undefined,
    fetch: proxiedFetch({ environment: async () => process.env, editor: "", direct: httpGet(), log: () => undefined }),
  });
  const reply = await answerRegistry(request, {
    platform: platformOf(process.platform, process.arch),
    home: homedir(),
    sidecar: ourselves(),
    now: () => Date.now(),
    has: program =>
      findProgram(program, { platform: process.platform, env: process.env, isProgram: isProgramFile }) !== undefined,
    snapshot: () => cache.refresh(new AbortController().signal),
  });
  return printReply(reply);
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
