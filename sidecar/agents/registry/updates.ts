/** Finds updates of configured agents and extensions, and computes updated settings entries. Pure. */
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import { isObject, objectOr, type JsonObject } from "../../rpc/json";
import type { RegistryEntry } from "./document";
import { isNewer } from "./versions";

export interface Update {
  readonly id: string;
  readonly from?: string;
  readonly to: string;
  readonly entry: RegistryEntry;
}

/**
 * Returns updates of agents or of extensions; `entries` are of the same kind. Skips items from other sources and items
 * that the registry no longer has.
 */
export function updatesFor(
  configured: readonly Pick<AgentConfig, "id" | "version" | "_source">[],
  entries: readonly RegistryEntry[],
): readonly Update[] {
  const newest = new Map(entries.map(entry => [entry.id, entry]));
  return configured.flatMap(({ id, version, _source }): Update[] => {
    const entry = newest.get(id);
    if (_source !== "registry" || !entry || (version !== undefined && !isNewer(entry.version, version))) return [];
    return [{ id, ...(version === undefined ? {} : { from: version }), to: entry.version, entry }];
  });
}

/** Settings fields that belong to the user. No document sets them. */
const THE_USERS = new Set(["bypassPermissions", "enabled", "settings"]);
const isTheUsers = (field: string): boolean => THE_USERS.has(field) || (field.startsWith("_") && field !== "_source");

/**
 * Returns the complete entry for the settings, with unknown fields, but without the user's fields and without unsafe
 * addresses.
 */
export function imported({ raw, icon, website, repository }: RegistryEntry): JsonObject {
  const safe: JsonObject = { icon, website, repository };
  const supported = Object.entries(raw).filter(
    ([field]) => !isTheUsers(field) && (!Object.hasOwn(safe, field) || safe[field] !== undefined),
  );
  return { ...Object.fromEntries(supported), _source: "registry" };
}

/**
 * Returns the updated settings entry: the registry's new entry, the user's fields, and all variables and headers of the
 * old entry. One of them may be the user's key.
 */
export function updated(configured: JsonObject, entry: RegistryEntry): JsonObject {
  const fresh = imported(entry),
    distribution = withVariables(
      fresh["distribution"],
      isElsewhere(configured["distribution"], fresh["distribution"])
        ? without(configured["distribution"], "http")
        : configured["distribution"],
    );
  return {
    ...fresh,
    ...(distribution === undefined ? {} : { distribution }),
    ...Object.fromEntries(Object.entries(configured).filter(([field]) => isTheUsers(field))),
  };
}

/** Whether the server has moved to another host. Variables for the old host are not sent to the new one. */
function isElsewhere(old: unknown, fresh: unknown): boolean {
  const [before, after] = [old, fresh]
    .map(distribution => objectOr(objectOr(distribution)["http"])["url"])
    .map(url => (typeof url === "string" && URL.canParse(url) ? new URL(url).origin : undefined));
  return before !== after;
}

function without(distribution: unknown, kind: string): JsonObject {
  return Object.fromEntries(Object.entries(objectOr(distribution)).filter(([key]) => key !== kind));
}

const VARIABLES = ["env", "headers"] as const;

/** Merges `env` and `headers` of each kind and platform. Existing values take precedence. */
function withVariables(fresh: unknown, old: unknown): unknown {
  if (!isObject(fresh) || !isObject(old)) return fresh;
  const entries = Object.entries(fresh).map(
    ([key, value]) =>
      [
        key,
        VARIABLES.some(item => item === key) || !Object.hasOwn(old, key) ? value : withVariables(value, old[key]),
      ] as const,
  );
  const joined = VARIABLES.flatMap(key =>
    isObject(old[key]) ? [[key, { ...(isObject(fresh[key]) ? fresh[key] : {}), ...old[key] }] as const] : [],
  );
  return { ...Object.fromEntries(entries), ...Object.fromEntries(joined) };
}
