/**
 * Parses a registry document. The document is untrusted, and later versions may contain more fields. Pure.
 *
 * Invariants:
 * - No function throws.
 * - An unusable entry is skipped, with the reason as a sentence. The other entries are kept.
 * - Accepted values can be serialised, displayed and used as folder names.
 * - Unknown fields remain in `raw`.
 */
import * as l10n from "@vscode/l10n";
import type { Installable } from "../../../src/protocol/agents/agent-service";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import { PLATFORMS, readDistribution, type Distribution } from "../../../src/protocol/agents/distribution";
import { choose } from "../distributions/choose";
import { isSegment } from "../distributions/folder-name";
import { wrongAddress } from "../distributions/server-address";
import { arrayOr, isObject, objectOr, type JsonObject } from "../../rpc/json";
import { refusalOf } from "./entry-policy";
import { packageVersions, type PackageVersions } from "./package-versions";
import { secureUrl } from "../../http/secure-url";

export interface RegistryEntry {
  readonly id: string;
  /** Defaults to the id. */
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly distribution: Distribution;
  readonly icon?: string;
  readonly website?: string;
  readonly repository?: string;
  readonly authors?: readonly string[];
  readonly license?: string;
  /** The unchanged entry. */
  readonly raw: JsonObject;
}

export interface LeftOut {
  readonly id?: string;
  readonly why: string;
}

export interface Registry {
  readonly agents: readonly RegistryEntry[];
  readonly extensions: readonly RegistryEntry[];
  readonly leftOut: readonly LeftOut[];
  /** Also from entries in `leftOut`. */
  readonly packageVersions: PackageVersions;
}

export const NO_REGISTRY: Registry = { agents: [], extensions: [], leftOut: [], packageVersions: new Map() };

export interface ReadOptions {
  /** Accepts http addresses of this computer, for a document from this computer. Does not apply to archives. */
  readonly loopback?: boolean;
  /** For tests: accepts http archives of this computer. */
  readonly httpArchives?: boolean;
}

const MAX_ENTRIES = 10_000,
  MAX_ENTRY_LENGTH = 100_000,
  MAX_DEPTH = 40,
  MAX_NAME_LENGTH = 100,
  MAX_DESCRIPTION_LENGTH = 1000,
  MAX_ADDRESS_LENGTH = 2000;

/** `text`: content of a file or a response. */
export function parseRegistry(text: string, options: ReadOptions = {}): Registry | { readonly wrong: string } {
  try {
    return readRegistry(JSON.parse(text), options);
  } catch {
    return { wrong: l10n.t("It is not JSON.") };
  }
}

/** `wrong`: why the document is not a registry, as a sentence. */
export function readRegistry(value: unknown, options: ReadOptions = {}): Registry | { readonly wrong: string } {
  if (!isObject(value) || !Array.isArray(value.agents))
    return { wrong: l10n.t("It is not a registry: it has no list of agents.") };
  const leftOut: LeftOut[] = [];
  const given: readonly unknown[] = value.agents,
    isExtension = (entry: unknown): boolean => objectOr(entry).type === "extension";
  const agents = readEntries(
    given.filter(entry => !isExtension(entry)),
    "agent",
    options,
    leftOut,
  );
  const extensions = readEntries(
    [...arrayOr(value.extensions), ...given.filter(isExtension)],
    "extension",
    options,
    leftOut,
  );
  const [first] = leftOut;
  if (first && agents.length + extensions.length === 0)
    return { wrong: l10n.t`None of its entries is usable. The first: ${first.why}` };
  return { agents, extensions, leftOut, packageVersions: packageVersions(given.slice(0, MAX_ENTRIES)) };
}

function readEntries(
  values: readonly unknown[],
  kind: Installable,
  options: ReadOptions,
  leftOut: LeftOut[],
): readonly RegistryEntry[] {
  const entries = new Map<string, RegistryEntry>();
  for (const value of values.slice(0, MAX_ENTRIES)) {
    const entry = readEntry(value, kind, options);
    if ("why" in entry) leftOut.push(entry);
    else if (entries.has(entry.id))
      leftOut.push({ id: entry.id, why: l10n.t`“${entry.id}” is a duplicate; the first entry is used.` });
    else entries.set(entry.id, entry);
  }
  if (values.length > MAX_ENTRIES)
    leftOut.push({ why: l10n.t`Only the first ${MAX_ENTRIES} of ${values.length} entries are read.` });
  return [...entries.values()];
}

/** `at`: the path of the member that causes the problem. `why`: a sentence. */
export interface EntryProblem extends LeftOut {
  readonly at: readonly string[];
}

export function readEntry(value: unknown, kind: Installable, options: ReadOptions): RegistryEntry | LeftOut {
  const inspected = inspectEntry(value, kind, options);
  if ("entry" in inspected) return inspected.entry;
  const { id, why } = inspected.problems[0];
  return { ...(id === undefined ? {} : { id }), why };
}

/** Version of an entry at a URL without a version. */
export const NO_VERSION = "none";

/** The version of an entry at a URL is optional, because the entry is never updated. */
export function withVersion(value: unknown): unknown {
  return isObject(value) && value.version === undefined ? { ...value, version: NO_VERSION } : value;
}

/** Reads an entry, or returns the problems that prevent its use. Without an id, the other members are not inspected. */
export function inspectEntry(
  value: unknown,
  kind: Installable,
  { loopback = false, httpArchives = false }: ReadOptions,
): { readonly entry: RegistryEntry } | { readonly problems: readonly [EntryProblem, ...EntryProblem[]] } {
  if (!isObject(value)) return { problems: [{ at: [], why: l10n.t("An entry is not an object.") }] };
  const { id } = value;
  if (typeof id !== "string" || !/^[a-z][a-z0-9-]*$/.test(id) || !isSegment(id))
    return { problems: [{ at: ["id"], why: l10n.t("An entry has no id of lowercase letters, digits and hyphens.") }] };
  const problem = (at: readonly string[], clause: string): EntryProblem => ({ id, at, why: `“${id}” ${clause}.` });
  if (!isWithinLimits(value)) return { problems: [problem([], l10n.t("is too large"))] };
  const { name = id, version, description = "" } = value,
    described = typeof description === "string" ? description.replaceAll(/\s+/g, " ").trim() : undefined;
  const isNamed = isReadable(name, MAX_NAME_LENGTH) && name.trim() !== "",
    isVersioned = typeof version === "string" && isSegment(version),
    isDescribed = isReadable(described, MAX_DESCRIPTION_LENGTH);
  const refusal = refusalOf(value, kind),
    distribution = readDistribution(value.distribution, kind === "extension" && value.kind === "mcp");
  const [first, ...others] = [
    ...(isNamed
      ? []
      : [problem(["name"], l10n.t`has a name that is not a text of at most ${MAX_NAME_LENGTH} visible characters`)]),
    ...(isVersioned ? [] : [problem(["version"], l10n.t("has no version"))]),
    ...(isDescribed
      ? []
      : [
          problem(
            ["description"],
            l10n.t`has a description that is not a text of at most ${MAX_DESCRIPTION_LENGTH} visible characters`,
          ),
        ]),
    ...(refusal ? [problem(refusal.at, refusal.why)] : []),
    ...(distribution
      ? unusable(distribution, { loopback, httpArchives }).map(({ at, why }) => problem(["distribution", ...at], why))
      : [problem(["distribution"], l10n.t("has no supported distribution"))]),
  ];
  if (first || !isNamed || !isVersioned || !isDescribed || !distribution)
    return { problems: [first ?? problem([], l10n.t("cannot be used")), ...others] };
  return {
    entry: {
      id,
      name: name.trim(),
      version,
      description: described,
      distribution,
      ...optionalFields(value, loopback),
      raw: value,
    },
  };
}

/** Invalid optional fields are dropped. */
export function optionalFields(
  { icon, website, repository, authors, license }: JsonObject,
  loopback = false,
): Partial<RegistryEntry> {
  const validAuthors = arrayOr(authors).filter(author => isReadable(author, MAX_NAME_LENGTH));
  return {
    ...(isAddress(icon, loopback) ? { icon } : {}),
    ...(isAddress(website, loopback) ? { website } : {}),
    ...(isAddress(repository, loopback) ? { repository } : {}),
    ...(validAuthors.length > 0 ? { authors: validAuthors } : {}),
    ...(isReadable(license, MAX_NAME_LENGTH) && license !== "" ? { license } : {}),
  };
}

/** Part of a distribution that no computer can use. `at`: its path. `why`: a clause. */
interface UnusablePart {
  readonly at: readonly string[];
  readonly why: string;
}

/** One such part rejects the entry, because it indicates a mistake or malice. */
function unusable(
  distribution: Distribution,
  { loopback, httpArchives }: Required<ReadOptions>,
): readonly UnusablePart[] {
  const { binary, http, ...kinds } = distribution,
    archives = Object.entries(binary ?? {});
  const wrong = http && wrongAddress(http);
  const alone = [
    ...Object.entries(kinds).map(([kind, of]) => ({ at: [kind], distribution: { [kind]: of } })),
    ...archives.map(([platform, of]) => ({ at: ["binary", platform], distribution: { binary: { [platform]: of } } })),
  ];
  return [
    ...archives.flatMap(([platform, { archive }]) =>
      isAddress(archive, httpArchives)
        ? []
        : [{ at: ["binary", platform, "archive"], why: l10n.t("has an archive whose URL is not https") }],
    ),
    ...(http && !isAddress(http.url, loopback)
      ? [{ at: ["http", "url"], why: l10n.t("is a server whose URL is not https") }]
      : []),
    ...(wrong === undefined ? [] : [{ at: ["http"], why: l10n.t`cannot be used: ${wrong}` }]),
    ...alone.flatMap(({ at, distribution: item }) => {
      const choice = choose(item, { platforms: PLATFORMS, has: () => true });
      const [error] = "missing" in choice ? choice.missing.wrong : [];
      return error === undefined ? [] : [{ at, why: l10n.t`cannot be used: ${error}` }];
    }),
  ];
}

function isAddress(value: unknown, loopback: boolean): value is string {
  return (
    typeof value === "string" && value.length <= MAX_ADDRESS_LENGTH && secureUrl(value, { loopback }) !== undefined
  );
}

/**
 * Control characters, directional marks and overrides, unpaired surrogates, and invisible characters other than
 * joiners. Such characters are used to spoof names.
 */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029\u200B\u2060-\u206F\uFEFF\u{E0000}-\u{E0FFF}]/u;

function isReadable(value: unknown, maxLength: number): value is string {
  return typeof value === "string" && value.length <= maxLength && !HIDDEN.test(value);
}

/**
 * Limits size and depth: entries are written to settings and sent between processes, and serialisation fails on deep
 * nesting.
 */
function isWithinLimits(entry: JsonObject): boolean {
  return isShallow(entry, MAX_DEPTH) && JSON.stringify(entry).length <= MAX_ENTRY_LENGTH;
}

function isShallow(value: unknown, depth: number): boolean {
  return (
    typeof value !== "object" ||
    value === null ||
    (depth > 0 && Object.values(value).every(inner => isShallow(inner, depth - 1)))
  );
}

/** Converts an entry to an agent in the settings. */
export function configOf({ id, name, version, description, distribution }: RegistryEntry): AgentConfig {
  return { id, name, version, distribution, ...(description === "" ? {} : { description }), _source: "registry" };
}
