/** What the registry has that is newer than what the settings have, and what goes into the settings. Pure. */
import type { AgentConfig } from "../../../src/protocol/agents";
import { isObject, objectOr, type JsonObject } from "../../rpc/json";
import type { RegistryEntry } from "./document";

export interface Update {
  readonly id: string;
  readonly from?: string;
  readonly to: string;
  readonly entry: RegistryEntry;
}

/**
 * Of agents, or of extensions: `entries` are those of the same kind. What came from elsewhere, and what the registry
 * has no more, is left alone.
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

/** By the rules of semver, with any number of parts. What cannot be compared is not newer. */
export function isNewer(a: string, b: string): boolean {
  const one = versionOf(a),
    other = versionOf(b);
  return (
    one !== undefined &&
    other !== undefined &&
    (compared(one.release, other.release) || comparedLabels(one.labels, other.labels)) > 0
  );
}

interface Version {
  readonly release: readonly string[];
  readonly labels: readonly string[];
}

function versionOf(text: string): Version | undefined {
  const [, release, labels] = /^v?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]*)?$/.exec(text) ?? [];
  return release === undefined ? undefined : { release: release.split("."), labels: labels?.split(".") ?? [] };
}

function compared(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const order = comparedNumbers(a[i] ?? "0", b[i] ?? "0");
    if (order !== 0) return order;
  }
  return 0;
}

/** A release comes after all that led to it; numbers before words. */
function comparedLabels(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const one = a[i],
      other = b[i];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    const numbers = [one, other].map(label => /^\d+$/.test(label));
    const order =
      numbers[0] && numbers[1]
        ? comparedNumbers(one, other)
        : numbers[0] !== numbers[1]
          ? numbers[0]
            ? -1
            : 1
          : comparedTexts(one, other);
    if (order !== 0) return order;
  }
  return 0;
}

/** However long they are: dates are versions, too. */
function comparedNumbers(a: string, b: string): number {
  const [one, other] = [a, b].map(digits => digits.replace(/^0+(?=\d)/, ""));
  return (one ?? "").length - (other ?? "").length || comparedTexts(one ?? "", other ?? "");
}

function comparedTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Fields of an entry of the settings that are the user's alone: no document sets them. */
const THE_USERS = new Set(["bypassPermissions", "enabled", "settings"]);
const isTheUsers = (field: string): boolean => THE_USERS.has(field) || (field.startsWith("_") && field !== "_source");

/**
 * What goes into the settings: the whole entry, with what we do not know of it, and without what would decide for the
 * user, or is no safe address.
 */
export function imported({ raw, icon, website, repository }: RegistryEntry): JsonObject {
  const safe: JsonObject = { icon, website, repository };
  const kept = Object.entries(raw).filter(
    ([field]) => !isTheUsers(field) && (!Object.hasOwn(safe, field) || safe[field] !== undefined),
  );
  return { ...Object.fromEntries(kept), _source: "registry" };
}

/**
 * The entry of the settings after an update: the registry's new one, with what the user had decided in the old one, and
 * every variable and header of it: one of them may be the user's key.
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

/** A server that has another host now: what was meant for the one before is not sent to it. */
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

/** `env` and `headers` of each kind, and of each platform, joined; the old value of a variable counts. */
function withVariables(fresh: unknown, old: unknown): unknown {
  if (!isObject(fresh) || !isObject(old)) return fresh;
  const entries = Object.entries(fresh).map(
    ([key, value]) =>
      [
        key,
        VARIABLES.some(one => one === key) || !Object.hasOwn(old, key) ? value : withVariables(value, old[key]),
      ] as const,
  );
  const joined = VARIABLES.flatMap(key =>
    isObject(old[key]) ? [[key, { ...(isObject(fresh[key]) ? fresh[key] : {}), ...old[key] }] as const] : [],
  );
  return { ...Object.fromEntries(entries), ...Object.fromEntries(joined) };
}
