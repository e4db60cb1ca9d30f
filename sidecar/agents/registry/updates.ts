/** Finds updates of configured agents and extensions, and computes updated settings entries. Pure. */
import type { PackageUpdate } from "../../../src/protocol/agents/agent-service";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import { isObject, objectOr, type JsonObject } from "../../rpc/json";
import type { RegistryEntry } from "./document";
import type { PackageVersions } from "./package-versions";
import { isNewer } from "./versions";

export interface Update {
  readonly id: string;
  readonly from?: string;
  readonly to: string;
  readonly entry: RegistryEntry;
}

/**
 * Returns updates of agents or of extensions. `entries` are of the same kind. Skips items from other sources and items
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

/** An installed agent whose configuration names this npm package without a version. */
export interface InstalledPackage {
  readonly id: string;
  readonly name: string;
  readonly package: string;
  readonly version: string;
}

/** Returns updates of built-in agents. */
export function packageUpdatesFor(
  installed: readonly InstalledPackage[],
  versions: PackageVersions,
): readonly PackageUpdate[] {
  return installed.flatMap(({ id, name, package: packageName, version: from }): readonly PackageUpdate[] => {
    const to = versions.get(packageName);
    return to !== undefined && isNewer(to, from) ? [{ of: "agent", id, name, from, to, package: packageName }] : [];
  });
}

/** Settings fields of the user, which no document may set. */
const USER_FIELDS = new Set(["bypassPermissions", "enabled", "settings"]);
const isUserField = (field: string): boolean =>
  USER_FIELDS.has(field) || (field.startsWith("_") && field !== "_source");

/**
 * Returns the complete entry for the settings, including unknown fields, without the user's fields and unsafe
 * addresses.
 */
export function imported({ raw, icon, website, repository }: RegistryEntry): JsonObject {
  const safe: JsonObject = { icon, website, repository };
  const supported = Object.entries(raw).filter(
    ([field]) => !isUserField(field) && (!Object.hasOwn(safe, field) || safe[field] !== undefined),
  );
  return { ...Object.fromEntries(supported), _source: "registry" };
}

/**
 * Returns the updated settings entry: the registry's new entry, the user's fields, and the old variables and headers,
 * which may contain keys. Headers are dropped if the server's origin has changed.
 */
export function updated(configured: JsonObject, entry: RegistryEntry): JsonObject {
  const fresh = imported(entry),
    distribution = withVariables(
      fresh["distribution"],
      hasOriginChanged(configured["distribution"], fresh["distribution"])
        ? without(configured["distribution"], "http")
        : configured["distribution"],
    );
  return {
    ...fresh,
    ...(distribution === undefined ? {} : { distribution }),
    ...Object.fromEntries(Object.entries(configured).filter(([field]) => isUserField(field))),
  };
}

/** Whether the server's origin has changed. Headers for the old server are not sent to the new server. */
function hasOriginChanged(old: unknown, fresh: unknown): boolean {
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
