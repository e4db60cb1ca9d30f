/**
 * Parses recommendations: lists in TOML, and the metadata of crates. Pure. Lists are untrusted.
 *
 * Invariants:
 * - No function throws.
 * - An unusable entry is skipped with a sentence that names its list and line. The other entries are kept.
 * - An unknown member makes an entry unusable, because a mistyped condition would otherwise hold for all projects.
 */
import * as l10n from "@vscode/l10n";
import { parse, TomlError } from "smol-toml";
import type { ExtensionSource, Recommender } from "../../src/protocol/agents/recommendations";
import { isCrateName } from "../extensions/ferris/crate-version";
import { secureUrl } from "../http/secure-url";
import { arrayOr, isObject, objectOr, type JsonObject } from "../rpc/json";
import { conditionOf, InvalidRecommendation, type Condition } from "./condition";
import { firstOf } from "./first-of";

/** An entry of a list: recommends the extension to projects that fulfil the condition. */
export interface Rule {
  readonly source: ExtensionSource;
  readonly kind?: "mcp";
  readonly when: Condition;
  readonly by: Recommender;
}

export interface ParsedList {
  readonly rules: readonly Rule[];
  /** Sentences. */
  readonly problems: readonly string[];
}

const MAX_ENTRIES = 1_000,
  /** Entries in one table of a crate. */
  MAX_CRATE_ENTRIES = 100,
  MAX_DEPTH = 30,
  MAX_URL_LENGTH = 500,
  /** Problems of one list. */
  MAX_PROBLEMS = 20;

/** `name`: path or URL of the list, for problems. */
export function parseList(text: string, name: string, by: Recommender): ParsedList {
  let document: JsonObject;
  try {
    document = objectOr(parse(text, { maxDepth: MAX_DEPTH }));
  } catch (error) {
    return { rules: [], problems: [syntaxProblem(error, name)] };
  }
  const { recommendation, ...others } = document,
    [unknown] = Object.keys(others),
    lines = headerLines(text);
  const problems =
    unknown === undefined
      ? []
      : [l10n.t`${name} contains “${unknown.slice(0, 50)}”, which is not part of a list. Use [[recommendation]].`];
  if (recommendation !== undefined && !Array.isArray(recommendation))
    return { rules: [], problems: [...problems, l10n.t`${name} has no list of [[recommendation]]. It is ignored.`] };
  const entries = arrayOr(recommendation),
    place = (i: number): string => {
      const line = lines.length === entries.length ? lines[i] : undefined;
      return line === undefined ? l10n.t`${name}, entry ${i + 1}` : l10n.t`${name}, line ${line}`;
    };
  const { first, problems: omitted } = firstEntries(entries, MAX_ENTRIES, name),
    parsed = first.map((entry, i) => parsedEntry(entry, place(i), by));
  return {
    rules: parsed.flatMap(each => ("rule" in each ? [each.rule] : [])),
    problems: firstProblems([...problems, ...omitted, ...problemsIn(parsed)], name),
  };
}

function firstEntries(entries: readonly unknown[], max: number, name: string) {
  return firstOf(entries, max, total => l10n.t`Only the first ${max} of ${total} recommendations in ${name} are used.`);
}

function firstProblems(all: readonly string[], name: string): readonly string[] {
  const { first, problems } = firstOf(
    all,
    MAX_PROBLEMS,
    total => l10n.t`Only the first ${MAX_PROBLEMS} of ${total} problems in ${name} are shown.`,
  );
  return [...first, ...problems];
}

type ParsedEntry = { readonly rule: Rule } | { readonly problem: string };

function problemsIn(entries: readonly ParsedEntry[]): readonly string[] {
  return entries.flatMap(each => ("problem" in each ? [each.problem] : []));
}

function parsedEntry(entry: unknown, place: string, by: Recommender): ParsedEntry {
  try {
    return { rule: ruleOf(entry, by) };
  } catch (error) {
    if (!(error instanceof InvalidRecommendation)) throw error;
    return { problem: l10n.t`${place}: ${error.message} The recommendation is ignored.` };
  }
}

function syntaxProblem(error: unknown, name: string): string {
  if (!(error instanceof TomlError)) return l10n.t`${name} is not valid TOML. It is ignored.`;
  // The other lines of the message quote the document.
  const [reason = ""] = error.message.replace(/^Invalid TOML document: /, "").split("\n", 1);
  return l10n.t`${name}, line ${error.line}: This is not valid TOML: ${reason.replace(/\.$/, "")}. The file is ignored.`;
}

/** Line numbers of the table headers, from 1. The parser reports no positions of values. */
function headerLines(text: string): readonly number[] {
  return text
    .split("\n")
    .flatMap((line, i) => (/^\s*\[\[\s*["']?recommendation["']?\s*\]\]/.test(line) ? [i + 1] : []));
}

const MEMBERS: ReadonlySet<string> = new Set(["source", "kind", "when", "when-using-crate", "when-using-crates"]);

function ruleOf(entry: unknown, by: Recommender): Rule {
  if (!isObject(entry)) throw new InvalidRecommendation(l10n.t("The entry is not a table."));
  const unknown = Object.keys(entry).find(name => !MEMBERS.has(name));
  if (unknown !== undefined)
    throw new InvalidRecommendation(
      l10n.t`“${unknown.slice(0, 50)}” is unknown. Known members: ${[...MEMBERS].join(", ")}.`,
    );
  return { ...sourceIn(entry), when: conditionOf(entry), by };
}

function sourceIn({ source, kind = "proxy" }: JsonObject): Pick<Rule, "source" | "kind"> {
  const members = Object.entries(objectOr(source)),
    [first] = members;
  if (!first || members.length > 1)
    throw new InvalidRecommendation(l10n.t("It needs one source: source.crate, source.acp or source.url."));
  const parsed = sourceOf(...first);
  if (kind !== "proxy" && kind !== "mcp")
    throw new InvalidRecommendation(l10n.t("“kind” is neither “proxy” nor “mcp”."));
  return { source: parsed, ...(kind === "mcp" && "crate" in parsed ? { kind } : {}) };
}

function sourceOf(name: string, value: unknown): ExtensionSource {
  switch (name) {
    case "crate":
      if (typeof value === "string" && isCrateName(value)) return { crate: value };
      throw new InvalidRecommendation(l10n.t("“source.crate” is not the name of a crate."));
    case "acp":
      if (typeof value === "string" && /^[a-z][a-z0-9-]{0,99}$/.test(value)) return { acp: value };
      throw new InvalidRecommendation(
        l10n.t("“source.acp” is not an id of the registry: lowercase letters, digits and hyphens."),
      );
    case "url": {
      const url =
        typeof value === "string" && value.length <= MAX_URL_LENGTH ? secureUrl(value, NO_LOOPBACK) : undefined;
      // The normalized URL may be longer.
      if (url && url.href.length <= MAX_URL_LENGTH) return { url: url.href };
      throw new InvalidRecommendation(l10n.t("“source.url” is not an https URL without user name and password."));
    }
    default:
      throw new InvalidRecommendation(
        l10n.t`“source.${name.slice(0, 50)}” is unknown. Use source.crate, source.acp or source.url.`,
      );
  }
}
const NO_LOOPBACK = { loopback: false };

/**
 * Parses the recommendations in a crate's manifest. `metadata`: `package.metadata`, as `cargo metadata` reports it.
 * Strings are names of crates. Both `symposium.recommended` and `symposium.extension.recommended` are read.
 */
export function rulesOfCrate(metadata: unknown, crate: string): ParsedList {
  const symposium = objectOr(objectOr(metadata)["symposium"]),
    by: Recommender = { kind: "crate", name: crate };
  const parsed = [
    ["symposium", symposium] as const,
    ["symposium.extension", objectOr(symposium["extension"])] as const,
  ].flatMap(([table, { recommended }]): readonly ParsedEntry[] => {
    const { first, problems } = firstEntries(arrayOr(recommended), MAX_CRATE_ENTRIES, crate);
    const entries = first.map((item, i) => {
      const entry = typeof item === "string" ? { source: { crate: item } } : item;
      return parsedEntry(entry, l10n.t`${crate}, entry ${i + 1} of package.metadata.${table}.recommended`, by);
    });
    return [...problems.map(problem => ({ problem })), ...entries];
  });
  return {
    rules: parsed.flatMap(each => ("rule" in each ? [forUsersOf(each.rule, crate)] : [])),
    problems: firstProblems(problemsIn(parsed), crate),
  };
}

/** Recommends to users of the crate. */
function forUsersOf(rule: Rule, crate: string): Rule {
  return { ...rule, when: { kind: "all", of: [{ kind: "crate", name: crate }, rule.when] } };
}
