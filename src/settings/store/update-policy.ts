/**
 * Update policy: when to query the registry for newer versions, and which updates to announce. Pure;
 * `src/settings/view/update-check.ts` sends the queries.
 */
import * as l10n from "@vscode/l10n";
import type { AgentConfig } from "../../protocol/agents/agents";
import type { EntryUpdate, Installable, InstallState, RegistryUpdate } from "../../protocol/agents/agent-service";
import { BUILT_IN_AGENTS, unpinnedPackage } from "../../protocol/agents/built-in-agents";
import type { ExtensionConfig } from "../../protocol/agents/extensions";
import { isObject, type Fields } from "../../protocol/wire/json";
import { enumerated } from "../../protocol/text/phrases";
import type { UpdateMode } from "../../protocol/settings/settings-view";
import { readAgents, withAgent } from "./agents";
import { readExtensions, withExtension } from "./extensions";

/** Persisted state for all windows: the time of the last query (milliseconds since 1970) and the announced versions. */
export interface UpdateMemory {
  readonly askedAt?: number;
  // eslint-disable-next-line plain-english/names -- Stored by earlier versions under this name.
  readonly told: readonly string[];
}

/**
 * Items that can have updates: settings entries that were added from the registry, and built-in agents. A built-in
 * agent that the user has changed is included while its package is not pinned.
 */
export interface Updatable {
  readonly agents: readonly Fields[];
  readonly extensions: readonly Fields[];
  readonly builtIns: readonly AgentConfig[];
}

const DAY = 24 * 60 * 60 * 1000;
const MAX_ANNOUNCED = 200;

/**
 * `agents`, `extensions`: the user's raw values of `symposium.agents` and `symposium.extensions`. `effective`: all
 * agents with the user's changes.
 */
export function updatableIn(agents: unknown, extensions: unknown, effective: readonly AgentConfig[]): Updatable {
  return {
    agents: importsIn(agents),
    extensions: importsIn(extensions),
    builtIns: effective.filter(
      ({ id, distribution }) =>
        BUILT_IN_AGENTS.some(agent => agent.id === id) && unpinnedPackage(distribution) !== undefined,
    ),
  };
}

function importsIn(value: unknown): readonly Fields[] {
  return (Array.isArray(value) ? value : []).filter(isObject).filter(({ _source }) => _source === "registry");
}

export function readMemory(value: unknown): UpdateMemory {
  const { askedAt, told } = isObject(value) ? value : {};
  return {
    ...(typeof askedAt === "number" ? { askedAt } : {}),
    told: Array.isArray(told) ? told.filter(item => typeof item === "string").slice(-MAX_ANNOUNCED) : [],
  };
}

/** Whether an automatic query is due. If the clock was set back, the wait is at most one day. */
export function isDue({
  mode,
  isTrusted,
  updatable: { agents, extensions, builtIns },
  memory: { askedAt },
  now,
}: {
  readonly mode: UpdateMode;
  readonly isTrusted: boolean;
  readonly updatable: Updatable;
  readonly memory: UpdateMemory;
  readonly now: number;
}): boolean {
  const hasItems = agents.length + extensions.length + builtIns.length > 0;
  return mode !== "off" && isTrusted && hasItems && (askedAt === undefined || Math.abs(now - askedAt) >= DAY);
}

/** Updates that were not announced yet, and the memory after their announcement. */
export function unannounced(
  updates: readonly RegistryUpdate[],
  memory: UpdateMemory,
): { readonly fresh: readonly RegistryUpdate[]; readonly after: UpdateMemory } {
  const fresh = updates.filter(update => !memory.told.includes(nameOf(update)));
  return { fresh, after: { ...memory, told: [...memory.told, ...fresh.map(nameOf)].slice(-MAX_ANNOUNCED) } };
}

/**
 * Updates whose older version is still in the settings with the registry as its source, and updates of built-in agents
 * with the same unpinned package. For others the new version might not be an update.
 */
export function stillNewer(
  updates: readonly RegistryUpdate[],
  { agents, extensions, builtIns }: Updatable,
): readonly RegistryUpdate[] {
  return updates.filter(update =>
    "package" in update
      ? builtIns.some(({ id, distribution }) => id === update.id && unpinnedPackage(distribution) === update.package)
      : isEntryOlder(update, update.of === "agent" ? agents : extensions),
  );
}

/** Whether the update's older version is in these entries. */
function isEntryOlder({ id, from }: EntryUpdate, imports: readonly Fields[]): boolean {
  return imports.some(entry => entry["id"] === id && entry["version"] === from);
}

/** Drops updates of built-in agents of which no installed version, or another one than at the check, is known. */
export function forInstalled(
  updates: readonly RegistryUpdate[],
  states: ReadonlyMap<string, InstallState> | undefined,
): readonly RegistryUpdate[] {
  return updates.filter(update => {
    if (!("package" in update)) return true;
    const install = states?.get(update.id)?.install;
    return install?.kind === "installed" && install.version === update.from;
  });
}

/**
 * Applies the update to a value of `symposium.agents` or `symposium.extensions`. Returns the same value if the older
 * version is not in it.
 */
export function withUpdate(value: unknown, update: EntryUpdate): unknown {
  const { of, entry } = update;
  if (!isEntryOlder(update, importsIn(value))) return value;
  return of === "agent" ? withAgent(value, entry) : withExtension(value, entry);
}

export function sentenceOf(updates: readonly RegistryUpdate[]): string {
  const each = updates.map(({ name, from, to }) =>
    from === undefined ? `${name} ${to}` : l10n.t`${name} ${to} (you have ${from})`,
  );
  return l10n.t`The registry has ${enumerated(each)}.`;
}

/** The part of a settings entry that the sidecar installs; `undefined` if the entry is invalid. */
export function configIn(installable: Installable, entry: Fields): AgentConfig | ExtensionConfig | undefined {
  if (installable === "extension")
    return readExtensions([entry]).all.find(({ config }) => config.id === entry["id"])?.config;
  return readAgents({ agents: [entry], currentAgentId: "", bypassPermissions: [] }).agents.find(
    ({ id }) => id === entry["id"],
  );
}

function nameOf({ of, id, to }: RegistryUpdate): string {
  return `${of}/${id} ${to}`;
}
