/**
 * Persisted decisions of the user about recommended extensions, and the recommendations that remain. Pure. Malformed
 * data, such as that of another version, counts as absent.
 */
import {
  recommendationKey,
  type AcceptedRecommendation,
  type ProjectFact,
  type Recommendation,
  type RecommendationReason,
} from "../../protocol/agents/recommendations";
import { arrayOr, isObject, objectOr } from "../../protocol/wire/json";
import type { ConfiguredExtension } from "./extensions";

/** Decisions in one workspace. */
export interface WorkspaceDecisions {
  /** Keys. */
  readonly dismissed: readonly string[];
  readonly accepted: readonly Accepted[];
  /** Whether the user was notified. This happens once per workspace. */
  readonly isAnnounced: boolean;
}

/** `id`: in `symposium.extensions`. */
export interface Accepted extends AcceptedRecommendation {
  readonly id: string;
}

/** Added in any workspace. An entry that was read from a URL does not contain the URL. */
export interface AddedExtension {
  readonly key: string;
  readonly id: string;
}

const MAX_ITEMS = 200;

export function readDecisions(value: unknown): WorkspaceDecisions {
  const { dismissed, accepted, isAnnounced } = objectOr(value);
  return {
    dismissed: arrayOr(dismissed).filter(item => typeof item === "string"),
    accepted: arrayOr(accepted).filter(isAccepted),
    isAnnounced: isAnnounced === true,
  };
}

export function readAdded(value: unknown): readonly AddedExtension[] {
  return arrayOr(value).filter(isAdded);
}

function isAdded(value: unknown): value is AddedExtension {
  return isObject(value) && typeof value["key"] === "string" && typeof value["id"] === "string";
}

function isAccepted(value: unknown): value is Accepted {
  return isAdded(value) && "reasons" in value && Array.isArray(value.reasons) && value.reasons.every(isReason);
}

function isReason(value: unknown): value is RecommendationReason {
  const { by, facts } = objectOr(value);
  return isObject(by) && typeof by["kind"] === "string" && Array.isArray(facts) && facts.every(isFact);
}

function isFact(value: unknown): value is ProjectFact {
  const { kind, name, path } = objectOr(value);
  return (kind === "crate" && typeof name === "string") || (kind === "file" && typeof path === "string");
}

export function withDismissed(decisions: WorkspaceDecisions, key: string): WorkspaceDecisions {
  return { ...decisions, dismissed: [...decisions.dismissed.filter(each => each !== key), key].slice(-MAX_ITEMS) };
}

export function withAccepted(decisions: WorkspaceDecisions, accepted: Accepted): WorkspaceDecisions {
  const others = decisions.accepted.filter(({ key, id }) => key !== accepted.key && id !== accepted.id);
  return { ...decisions, accepted: [...others, accepted].slice(-MAX_ITEMS) };
}

/** The extension stays, and is not reported as stale any longer. */
export function withoutAccepted(decisions: WorkspaceDecisions, id: string): WorkspaceDecisions {
  return { ...decisions, accepted: decisions.accepted.filter(each => each.id !== id) };
}

export function withAdded(all: readonly AddedExtension[], added: AddedExtension): readonly AddedExtension[] {
  return [...all.filter(({ id }) => id !== added.id), added].slice(-MAX_ITEMS);
}

/** Records of removed extensions are forgotten, because another extension may get the id. */
export function ofExisting<T extends { readonly id: string }>(
  records: readonly T[],
  extensions: readonly ConfiguredExtension[],
): readonly T[] {
  return records.filter(({ id }) => extensions.some(({ config }) => config.id === id));
}

/** Recommended extensions that are not in the settings, also if they are disabled there. */
export function missingIn(
  recommendations: readonly Recommendation[],
  extensions: readonly ConfiguredExtension[],
  added: readonly AddedExtension[],
): readonly Recommendation[] {
  return recommendations.filter(
    ({ key, source }) =>
      !extensions.some(({ config: { id, distribution, _source } }) => {
        if (added.some(each => each.key === key && each.id === id)) return true;
        if ("acp" in source) return _source !== "built-in" && id === source.acp;
        const { cargo } = distribution;
        return cargo !== undefined && recommendationKey({ crate: cargo.crate }) === key;
      }),
  );
}
