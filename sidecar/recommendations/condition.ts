/** Conditions of recommendations: parsing of the documented members, and evaluation against a project. Pure. */
import * as l10n from "@vscode/l10n";
import type { ProjectFact } from "../../src/protocol/agents/recommendations";
import { isCrateName } from "../extensions/ferris/crate-version";
import { isObject, type JsonObject } from "../rpc/json";

export type Condition =
  | { readonly kind: "crate"; readonly name: string }
  /** Path in a workspace folder, with slashes. */
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "any" | "all"; readonly of: readonly Condition[] };

/** The condition of a recommendation for all projects. */
export const ALWAYS: Condition = { kind: "all", of: [] };

/** A project as conditions see it. */
export interface Project {
  /** If not, the absence of a crate is not a fact. */
  readonly areCratesKnown: boolean;
  /** The fact that the project depends on the crate. Undefined if it does not. */
  crate(name: string): Extract<ProjectFact, { readonly kind: "crate" }> | undefined;
  hasFile(path: string): boolean;
}

/** `facts` fulfil the condition; of `any`, all true branches. `missing`: the facts that do not hold. */
export type Evaluation =
  | { readonly holds: true; readonly facts: readonly ProjectFact[] }
  | { readonly holds: false; readonly missing: readonly ProjectFact[] };

/** `message`: a sentence for the author of the list, without the position. */
export class InvalidRecommendation extends Error {
  override readonly name = "InvalidRecommendation";
}

export function evaluate(condition: Condition, project: Project): Evaluation {
  switch (condition.kind) {
    case "crate": {
      const fact = project.crate(condition.name);
      return fact
        ? { holds: true, facts: [fact] }
        : { holds: false, missing: [{ kind: "crate", name: condition.name }] };
    }
    case "file": {
      const fact = { kind: "file", path: condition.path } as const;
      return project.hasFile(condition.path) ? { holds: true, facts: [fact] } : { holds: false, missing: [fact] };
    }
    case "any":
    case "all": {
      const parts = condition.of.map(part => evaluate(part, project)),
        facts = parts.flatMap(part => (part.holds ? part.facts : [])),
        missing = parts.flatMap(part => (part.holds ? [] : part.missing));
      const holds = condition.kind === "all" ? parts.every(part => part.holds) : parts.some(part => part.holds);
      return holds ? { holds, facts: distinct(facts) } : { holds, missing: distinct(missing) };
    }
  }
}

export function distinct(facts: readonly ProjectFact[]): readonly ProjectFact[] {
  const seen = new Map(facts.map(fact => [factKey(fact), fact]));
  return [...seen.values()];
}

function factKey(fact: ProjectFact): string {
  return fact.kind === "crate" ? `crate ${fact.name}` : `file ${fact.path}`;
}

/** All paths that the condition names. */
export function pathsIn(condition: Condition): readonly string[] {
  switch (condition.kind) {
    case "crate":
      return [];
    case "file":
      return [condition.path];
    case "any":
    case "all":
      return condition.of.flatMap(pathsIn);
  }
}

/** Conditions may contain conditions up to this depth. */
const MAX_DEPTH = 10,
  MAX_ITEMS = 100,
  MAX_PATH_LENGTH = 300;

/**
 * Reads `when`, `when-using-crate` and `when-using-crates` of an entry. All that are present must hold. Throws
 * `InvalidRecommendation`.
 */
export function conditionOf(entry: JsonObject): Condition {
  const parts: Condition[] = [];
  if (entry["when-using-crate"] !== undefined)
    parts.push(crateCondition(entry["when-using-crate"], "when-using-crate"));
  // Each crate of this list is a trigger (documents, "Central Recommendations").
  if (entry["when-using-crates"] !== undefined)
    parts.push({ kind: "any", of: listOf(entry["when-using-crates"], "when-using-crates", crateCondition) });
  if (entry["when"] !== undefined) parts.push(whenCondition(entry["when"], "when", 1));
  return all(parts);
}

const all = (parts: readonly Condition[]): Condition => {
  const [only] = parts;
  return parts.length === 1 && only ? only : { kind: "all", of: parts };
};

const MEMBERS = ["using-crate", "using-crates", "file-exists", "files-exist", "any", "all"] as const;

/** Reads a `when` table. All its members must hold. */
function whenCondition(value: unknown, name: string, depth: number): Condition {
  if (!isObject(value)) throw new InvalidRecommendation(l10n.t`“${name}” is not a table of conditions.`);
  if (depth > MAX_DEPTH) throw new InvalidRecommendation(l10n.t`“${name}” is nested too deep.`);
  const names = Object.keys(value),
    unknown = names.find(each => !MEMBERS.some(member => member === each));
  if (unknown !== undefined)
    throw new InvalidRecommendation(
      l10n.t`“${name}” has the unknown condition “${unknown.slice(0, 50)}”. Known conditions: ${MEMBERS.join(", ")}.`,
    );
  if (names.length === 0) throw new InvalidRecommendation(l10n.t`“${name}” has no condition.`);
  const member = (part: (typeof MEMBERS)[number]): Condition => {
    const given = value[part],
      at = `${name}.${part}`;
    const nested = (item: unknown, itemName: string): Condition => whenCondition(item, itemName, depth + 1);
    switch (part) {
      case "using-crate":
        return crateCondition(given, at);
      case "using-crates":
        return { kind: "all", of: listOf(given, at, crateCondition) };
      case "file-exists":
        return fileCondition(given, at);
      case "files-exist":
        return { kind: "all", of: listOf(given, at, fileCondition) };
      case "any":
      case "all":
        return { kind: part, of: listOf(given, at, nested) };
    }
  };
  return all(MEMBERS.filter(part => value[part] !== undefined).map(member));
}

function listOf(value: unknown, name: string, read: (item: unknown, name: string) => Condition): readonly Condition[] {
  if (!Array.isArray(value) || value.length === 0)
    throw new InvalidRecommendation(l10n.t`“${name}” is not a list with at least one item.`);
  if (value.length > MAX_ITEMS) throw new InvalidRecommendation(l10n.t`“${name}” has more than ${MAX_ITEMS} items.`);
  return value.map((item: unknown) => read(item, name));
}

function crateCondition(value: unknown, name: string): Condition {
  if (typeof value !== "string" || !isCrateName(value))
    throw new InvalidRecommendation(l10n.t`“${name}” is not the name of a crate.`);
  return { kind: "crate", name: value };
}

function fileCondition(value: unknown, name: string): Condition {
  if (typeof value !== "string" || !isPathInWorkspace(value))
    throw new InvalidRecommendation(l10n.t`“${name}” is not a relative path in the workspace, such as src/main.rs.`);
  return { kind: "file", path: value };
}

function isPathInWorkspace(text: string): boolean {
  return (
    text !== "" &&
    text.length <= MAX_PATH_LENGTH &&
    !/^\/|^[A-Za-z]:|\\|\p{Cc}/u.test(text) &&
    !text.split("/").includes("..")
  );
}
