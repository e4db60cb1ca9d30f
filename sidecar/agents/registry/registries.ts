/** The registries in use, each with a separate cache, and their views. */
import type {
  Installable,
  RegistryAge,
  RegistryAgent,
  RegistryUpdate,
  RegistryView,
} from "../../../src/protocol/agents/agent-service";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import { ErrorCode } from "../../../src/protocol/wire/errors";
import type { JsonObject } from "../../rpc/json";
import { RpcError } from "../../rpc/message";
import { REGISTRY_ADDRESSES, secureUrl } from "../../http/secure-url";
import { configOf, type RegistryEntry } from "./document";
import { RegistryCache, type RegistrySnapshot, type RegistryDeps } from "./registry-cache";
import { imported, packageUpdatesFor, updated, updatesFor, type InstalledPackage } from "./updates";

const NEVER = new AbortController().signal;

/** Returns why each entry cannot be used here, in the order of `configs`. Undefined: it can be used. */
export type MissingOf = (of: Installable, configs: readonly AgentConfig[]) => Promise<readonly (string | undefined)[]>;

/** All methods reject with `ErrorCode.refused` for an address that is not allowed. */
export class Registries {
  readonly #caches = new Map<string, RegistryCache>();

  constructor(private readonly deps: Omit<RegistryDeps, "urls">) {}

  async view(address: string | undefined, missingOf: MissingOf): Promise<RegistryView> {
    const snapshot = await this.#cache(address).refresh(NEVER),
      { agents, extensions } = snapshot.registry;
    const shown = async (of: Installable, entries: readonly RegistryEntry[]): Promise<readonly RegistryAgent[]> => {
      const missing = await missingOf(of, entries.map(configOf));
      return entries.map((entry, i) => {
        const { id, name, version, description } = entry,
          why = missing[i];
        return {
          id,
          name,
          version,
          description,
          entry: imported(entry),
          ...(why === undefined ? {} : { missing: why }),
        };
      });
    };
    return {
      agents: await shown("agent", agents),
      extensions: await shown("extension", extensions),
      ...ageOf(snapshot),
    };
  }

  /**
   * `configured`: entries of the settings. `installed`: built-in agents. Uses the network only if one of them can have
   * an update.
   */
  async updates(
    address: string | undefined,
    configured: Readonly<Record<"agents" | "extensions", readonly JsonObject[]>>,
    installed: readonly InstalledPackage[],
  ): Promise<RegistryAge & { readonly updates: readonly RegistryUpdate[] }> {
    const cache = this.#cache(address),
      canHaveUpdates = installed.length > 0 || [...configured.agents, ...configured.extensions].some(isImport);
    const snapshot = await (canHaveUpdates ? cache.refresh(NEVER) : cache.current()),
      { agents, extensions, packageVersions } = snapshot.registry;
    return {
      updates: [
        ...updatesOf("agent", configured.agents, agents),
        ...updatesOf("extension", configured.extensions, extensions),
        ...packageUpdatesFor(installed, packageVersions),
      ],
      ...ageOf(snapshot),
    };
  }

  /** Extensions of the last known registry. Uses no network. */
  async knownExtensions(address: string | undefined): Promise<readonly RegistryEntry[]> {
    return (await this.#cache(address).current()).registry.extensions;
  }

  /** Returns icon addresses by id from the last known registry. Uses the network only if no copy exists. */
  async pictures(address: string | undefined, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const cache = this.#cache(address),
      current = await cache.current();
    const {
      registry: { agents, extensions },
    } = current.from === "none" ? await cache.refresh(NEVER) : current;
    // If an agent and an extension have the same id, the agent's icon wins.
    return new Map(
      [...extensions, ...agents].flatMap(({ id, icon }) =>
        icon !== undefined && ids.includes(id) ? [[id, icon]] : [],
      ),
    );
  }

  #cache(address: string | undefined): RegistryCache {
    const url = address === undefined ? undefined : secureUrl(address, { loopback: true })?.href;
    if (address !== undefined && url === undefined)
      throw new RpcError(ErrorCode.refused, "symposium.registryUrl is not an https URL.");
    const name = url ?? "",
      existing = this.#caches.get(name);
    if (existing) return existing;
    const cache = new RegistryCache({ ...this.deps, urls: url === undefined ? REGISTRY_ADDRESSES : [url] });
    this.#caches.set(name, cache);
    return cache;
  }
}

const isImport = ({ _source }: JsonObject): boolean => _source === "registry";

function updatesOf(
  of: Installable,
  configured: readonly JsonObject[],
  entries: readonly RegistryEntry[],
): readonly RegistryUpdate[] {
  const entriesById = new Map(
    configured.flatMap(entry => (typeof entry.id === "string" && isImport(entry) ? [[entry.id, entry] as const] : [])),
  );
  const requested = [...entriesById].map(([id, { version }]) => ({
    id,
    _source: "registry" as const,
    ...(typeof version === "string" ? { version } : {}),
  }));
  return updatesFor(requested, entries).map(({ id, from, to, entry }) => ({
    of,
    id,
    name: entry.name,
    ...(from === undefined ? {} : { from }),
    to,
    entry: updated(entriesById.get(id) ?? {}, entry),
  }));
}

function ageOf({ fetchedAt, problem }: RegistrySnapshot): RegistryAge {
  return { ...(fetchedAt === undefined ? {} : { fetchedAt }), ...(problem === undefined ? {} : { problem }) };
}
