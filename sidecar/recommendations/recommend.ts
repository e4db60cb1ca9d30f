/** Decides which rules apply to a project, and which accepted recommendations are stale. Pure. */
import {
  recommendationKey,
  type AcceptedRecommendation,
  type ProjectFact,
  type Recommendation,
  type RecommendationReason,
  type Recommender,
  type StaleReason,
  type StaleRecommendation,
} from "../../src/protocol/agents/recommendations";
import { distinct, evaluate, type Project } from "./condition";
import type { Rule } from "./list";

/**
 * Recommendations for the project, one for each extension. `rules`: in the precedence of their lists. The first rule of
 * an extension determines its spelling and kind. Each list contributes its reasons.
 */
export function recommend(rules: readonly Rule[], project: Project): readonly Recommendation[] {
  const found = new Map<string, Recommendation>();
  for (const { source, kind, when, by } of rules) {
    const evaluation = evaluate(when, project);
    if (!evaluation.holds) continue;
    const key = recommendationKey(source),
      earlier = found.get(key),
      reason = { by, facts: evaluation.facts };
    found.set(
      key,
      earlier
        ? { ...earlier, reasons: withReason(earlier.reasons, reason) }
        : { key, source, ...(kind === undefined ? {} : { kind }), reasons: [reason] },
    );
  }
  return [...found.values()];
}

/** Reasons of the same recommender are one reason. */
function withReason(
  reasons: readonly RecommendationReason[],
  { by, facts }: RecommendationReason,
): readonly RecommendationReason[] {
  return reasons.some(reason => isSame(reason.by, by))
    ? reasons.map(reason => (isSame(reason.by, by) ? { by, facts: distinct([...reason.facts, ...facts]) } : reason))
    : [...reasons, { by, facts }];
}

export function isSame(a: Recommender, b: Recommender): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Accepted recommendations that no rule makes for the project now. `isKnown`: whether the current rules of a
 * recommender are known. A recommendation whose rules are unknown is not stale, and one for crates only if these are
 * known.
 */
export function staleIn(
  accepted: readonly AcceptedRecommendation[],
  rules: readonly Rule[],
  project: Project,
  isKnown: (by: Recommender) => boolean,
): readonly StaleRecommendation[] {
  const current = new Set(recommend(rules, project).map(({ key }) => key));
  return accepted.flatMap(({ key, reasons }) => {
    if (current.has(key) || reasons.length === 0 || !reasons.every(({ by }) => isKnown(by))) return [];
    if (!project.areCratesKnown && isAboutCrates(key, reasons, rules, project)) return [];
    return [{ key, reasons: reasons.map(reason => staleReason(key, reason, rules, project)) }];
  });
}

function isAboutCrates(
  key: string,
  reasons: readonly RecommendationReason[],
  rules: readonly Rule[],
  project: Project,
): boolean {
  const missing = rules.filter(({ source }) => recommendationKey(source) === key).flatMap(missingIn(project));
  return [...reasons.flatMap(({ facts }) => facts), ...missing].some(({ kind }) => kind === "crate");
}

const missingIn =
  (project: Project) =>
  ({ when }: Rule): readonly ProjectFact[] => {
    const evaluation = evaluate(when, project);
    return evaluation.holds ? [] : evaluation.missing;
  };

function staleReason(
  key: string,
  { by, facts }: RecommendationReason,
  rules: readonly Rule[],
  project: Project,
): StaleReason {
  const current = rules.filter(rule => recommendationKey(rule.source) === key && isSame(rule.by, by)),
    lost = facts.filter(fact => !holds(fact, project));
  // The rules of a crate are unknown after the project has stopped using it.
  if (lost.length > 0 && (current.length > 0 || by.kind === "crate")) return { kind: "unmet", facts: lost };
  if (current.length === 0) return { kind: "withdrawn", by };
  return { kind: "unmet", facts: distinct(current.flatMap(missingIn(project))) };
}

function holds(fact: ProjectFact, project: Project): boolean {
  return fact.kind === "crate" ? project.crate(fact.name) !== undefined : project.hasFile(fact.path);
}
