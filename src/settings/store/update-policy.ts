/**
 * Update policy: when to query the registry for newer versions, and which updates to announce. Pure;
 * `src/settings/view/update-check.ts` sends the queries.
 */
import * as l10n from "@vscode/l10n";
import type { AgentConfig } from "../../protocol/agents/agents";
import type { Installable, RegistryUpdate } from "../../protocol/agents/agent-service";
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

/** Settings entries that were added from the registry. */
export interface Imports {
  readonly agents: readonly Fields[];
  readonly extensions: readonly Fields[];
}

const DAY = 24 * 60 * 60 * 1000;
const MAX_ANNOUNCED = 200;

/** `agents`, `extensions`: the user's raw values of `symposium.agents` and `symposium.extensions`. */
export function importsIn(agents: unknown, extensions: unknown): Imports {
  const of = (value: unknown): readonly Fields[] =>
    (Array.isArray(value) ? value : []).filter(isObject).filter(({ _source }) => _source === "registry");
  return { agents: of(agents), extensions: of(extensions) };
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
  imports,
  memory: { askedAt },
  now,
}: {
  readonly mode: UpdateMode;
  readonly isTrusted: boolean;
  readonly imports: Imports;
  readonly memory: UpdateMemory;
  readonly now: number;
}): boolean {
  const hasEntries = imports.agents.length + imports.extensions.length > 0;
  return mode !== "off" && isTrusted && hasEntries && (askedAt === undefined || Math.abs(now - askedAt) >= DAY);
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
 * Updates whose older version is still in the settings with the registry as its source. For other entries the new
 * version might not be an update.
 */
export function stillNewer(updates: readonly RegistryUpdate[], imports: Imports): readonly RegistryUpdate[] {
  return updates.filter(({ of, id, from }) =>
    (of === "agent" ? imports.agents : imports.extensions).some(
      entry => entry["id"] === id && entry["version"] === from,
    ),
  );
}

/**
 * Applies the update to a value of `symposium.agents` or `symposium.extensions`. Returns the same value if the older
 * version is not in it.
 */
export function withUpdate(value: unknown, update: RegistryUpdate): unknown {
  const { of, entry } = update,
    isApplicable =
      stillNewer([update], of === "agent" ? importsIn(value, undefined) : importsIn(undefined, value)).length > 0;
  return isApplicable ? (of === "agent" ? withAgent(value, entry) : withExtension(value, entry)) : value;
}

export function sentenceOf(updates: readonly RegistryUpdate[]): string {
  const each = updates.map(({ name, from, to }) => `${name} ${to}${from === undefined ? "" : ` (you have ${from})`}`);
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
