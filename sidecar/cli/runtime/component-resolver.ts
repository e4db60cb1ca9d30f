/**
 * Resolves the components of a command line: packages and archives come from the store of installed programs, which
 * all windows and commands share; a plain word is an id of the registry, or else a program on the PATH. Commands load
 * this module when the first component needs it.
 *
 * Invariants:
 * - An installed component starts without network access, without its package tool and without the login shell.
 * - The progress of an installation is written to stderr, regardless of the log's level.
 */
import { homedir } from "node:os";
import path from "node:path";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import { builtInAgent } from "../../../src/protocol/agents/built-in-agents";
import { BUILT_IN_EXTENSIONS } from "../../../src/protocol/agents/extensions";
import type { Installable, InstallProgress } from "../../../src/protocol/agents/agent-service";
import { commandOf, type AgentCommand } from "../../agents/distributions/agent-command";
import type { HttpDistribution } from "../../../src/protocol/agents/distribution";
import { addressIn } from "../../agents/distributions/server-address";
import { displayedVersion } from "../../agents/distributions/folder-name";
import type { AcceptedVersion, InstallConfig } from "../../agents/install/install-options";
import { configOf, type RegistryEntry } from "../../agents/registry/document";
import { RegistryCache, type RegistrySnapshot } from "../../agents/registry/registry-cache";
import { AgentError } from "../../errors";
import { REGISTRY_ADDRESSES } from "../../http/secure-url";
import type { ProcessDeps } from "../../process/child";
import { findOnPath } from "../../process/find-program";
import type { Environment } from "../../process/login-shell-environment";
import { realClock } from "../../rpc/clock";
import type { Unresolved } from "../component-spec";
import { InstallLines } from "./install-lines";
import type { Notify } from "./log";
import { openAgents, type AgentsPart } from "./open-agents";

export interface ResolverDeps {
  readonly version: string;
  readonly processes: ProcessDeps;
  readonly notify: Notify;
  /** Receives one line without its end. */
  readonly progress: (line: string) => void;
  /** Address of another registry. */
  readonly registry?: string | undefined;
  /** For tests: allows downloads of archives over HTTP from this computer. */
  readonly httpArchives?: boolean;
}

export interface Resolved {
  readonly command: AgentCommand;
  /** Environment of its process. */
  readonly environment: Environment;
}

export type Named = { readonly accepted: AcceptedVersion } & (
  | { readonly kind: "agent"; readonly config: AgentConfig }
  | { readonly kind: "extension"; readonly config: InstallConfig }
);

export class ComponentResolver implements AsyncDisposable {
  readonly agents: AgentsPart;
  readonly registry: RegistryCache;
  readonly #lines: InstallLines;

  constructor({ version, processes, notify, progress, registry, httpArchives = false }: ResolverDeps) {
    this.#lines = new InstallLines(realClock, progress);
    this.agents = openAgents({
      processes,
      proxy: "",
      httpArchives,
      ownTools: { find: findOnPath },
      log: (level, message, detail) => notify(level === "warn" ? "debug" : level, message, detail),
      installing: (_, id, step: InstallProgress | undefined) => this.#lines.report(id, step),
    });
    this.registry = new RegistryCache({
      folder: path.join(homedir(), ".symposium", "cache"),
      urls: registry === undefined ? REGISTRY_ADDRESSES : [registry],
      clock: realClock,
      date: () => Date.now(),
      version,
      httpArchives,
      onWarning: (what, detail) => notify("debug", what, detail),
      fetch: this.agents.fetch,
    });
  }

  /** Installs the component if it is missing. Rejects with a sentence, or with the reason of `signal`. */
  async resolve(kind: Installable, unresolved: Unresolved, signal: AbortSignal): Promise<Resolved> {
    if (unresolved.kind === "store") return this.#fromStore(kind, unresolved.config, "requested", signal);
    const { word } = unresolved,
      entry = await this.#entry(kind, word, signal);
    if (entry) return this.#fromStore(kind, configOf(entry), "any", signal);
    if (findOnPath(word) === undefined) throw unknown(kind, word);
    return { command: { kind: "process", command: word, args: [], env: {} }, environment: process.env };
  }

  /** An agent or an extension by its id: a built-in one, or else an entry of the registry. */
  async named(id: string, signal: AbortSignal): Promise<Named | undefined> {
    const agent = builtInAgent(id);
    if (agent) return { kind: "agent", config: agent, accepted: "requested" };
    const extension = BUILT_IN_EXTENSIONS.find(config => config.id === id);
    if (extension) return { kind: "extension", config: extension, accepted: "requested" };
    const stored = await this.registry.current();
    return entryNamed(stored, id) ?? entryNamed(await this.registry.refresh(signal), id);
  }

  /** Resolves the command, and installs it if it is missing. */
  commandOf({ kind, config, accepted }: Named, signal: AbortSignal): Promise<Resolved> {
    return this.#fromStore(kind, config, accepted, signal);
  }

  /** The command of an installed version. Undefined: not installed. Uses no network. */
  installedCommand({ kind, config, accepted }: Named): Promise<AgentCommand | undefined> {
    return this.agents.installers[kind].installedCommand(config, accepted);
  }

  /** Installs the newest version that the configuration allows. Rejects with `InstallError`. */
  async update({ kind, config }: Named, signal: AbortSignal): Promise<{ readonly version?: string }> {
    const { release } = await this.installed(kind, config, () =>
      this.agents.installers[kind].install(config, signal, "newest"),
    );
    return displayedVersion(release);
  }

  /** An MCP server of the registry: its address, or its configuration for the store. */
  async serverNamed(word: string, signal: AbortSignal): Promise<HttpDistribution | InstallConfig | undefined> {
    const entry = await this.#entry("extension", word, signal);
    if (entry?.raw.kind !== "mcp") return undefined;
    return addressIn(entry.distribution) ?? configOf(entry);
  }

  /** Installs, and reports the installed version on stderr. */
  async installed<T>(kind: Installable, { id, name }: InstallConfig, install: () => Promise<T>): Promise<T> {
    this.#lines.named(id, name);
    const result = await install();
    if (this.#lines.ended(id)) {
      const release = (await this.agents.stores[kind].newest(id))?.release;
      this.#lines.installed(id, release === undefined ? undefined : displayedVersion(release).version);
    }
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.agents[Symbol.asyncDispose]();
    this.#lines[Symbol.dispose]();
  }

  /** `accepted`: a newer entry of the registry does not replace an installed version without a request. */
  async #fromStore(
    kind: Installable,
    config: InstallConfig,
    accepted: AcceptedVersion,
    signal: AbortSignal,
  ): Promise<Resolved> {
    const { local, executable, symposium } = config.distribution;
    if (local || executable || symposium) return { command: commandOf(config), environment: process.env };
    const command = await this.installed(kind, config, () =>
      this.agents.installers[kind].command(config, signal, accepted),
    );
    return { command, environment: this.#environment() };
  }

  /**
   * The environment of this process, if Node is on its PATH. An editor that was started from a dock lacks it, and its
   * components get the environment of the login shell.
   */
  #environment(): Environment {
    return findOnPath("node") === undefined ? this.agents.environment() : process.env;
  }

  /** The stored copy of the registry is sufficient. It is downloaded if it is missing or the id is found nowhere. */
  async #entry(kind: Installable, id: string, signal: AbortSignal): Promise<RegistryEntry | undefined> {
    const stored = await this.registry.current(),
      known = entryIn(stored, kind, id);
    if (known) return known;
    if (stored.from !== "none" && findOnPath(id) !== undefined) return undefined;
    return entryIn(await this.registry.refresh(signal), kind, id);
  }
}

function entryNamed(snapshot: RegistrySnapshot, id: string): Named | undefined {
  for (const kind of ["agent", "extension"] as const) {
    const entry = entryIn(snapshot, kind, id);
    if (entry) return { kind, config: configOf(entry), accepted: "any" };
  }
  return undefined;
}

function entryIn({ registry }: RegistrySnapshot, kind: Installable, id: string): RegistryEntry | undefined {
  return (kind === "agent" ? registry.agents : registry.extensions).find(entry => entry.id === id);
}

function unknown(kind: Installable, word: string): AgentError {
  const what = kind === "agent" ? "an agent" : "an agent extension";
  return new AgentError(
    "notFound",
    `“${word}” is neither ${what} of Symposium or of the registry nor a program on the PATH. See symposium-acp-agent registry list.`,
  );
}
