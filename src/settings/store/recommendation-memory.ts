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
import type { ExtensionConfig } from "../../protocol/agents/extensions";
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

/**
 * Added in any workspace. An entry that was read from a URL does not contain the URL. `distribution`: as JSON. It
 * distinguishes the extension from a later one with the same id, so that records of removed extensions may remain.
 */
export interface AddedExtension {
  readonly key: string;
  readonly id: string;
  readonly distribution: string;
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
  return areTexts(value, ["key", "id", "distribution"]);
}

function isAccepted(value: unknown): value is Accepted {
  const { reasons } = objectOr(value);
  return areTexts(value, ["key", "id"]) && Array.isArray(reasons) && reasons.every(isReason);
}

function areTexts(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && names.every(name => typeof value[name] === "string");
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

/** The record of an extension that was just added. */
export function addedRecord(key: string, { id, distribution }: ExtensionConfig): AddedExtension {
  return { key, id, distribution: JSON.stringify(distribution) };
}

/** Accepted recommendations whose extension is in the settings. */
export function existing(
  accepted: readonly Accepted[],
  extensions: readonly ConfiguredExtension[],
  added: readonly AddedExtension[],
): readonly Accepted[] {
  return accepted.filter(({ key, id }) =>
    extensions.some(({ config }) => config.id === id && isExtension(key, config, added)),
  );
}

/** Recommended extensions that are not in the settings, also if they are disabled there. */
export function missingIn(
  recommendations: readonly Recommendation[],
  extensions: readonly ConfiguredExtension[],
  added: readonly AddedExtension[],
): readonly Recommendation[] {
  return recommendations.filter(({ key }) => !extensions.some(({ config }) => isExtension(key, config, added)));
}

/** Whether the extension has this key: by its id in the registry, its crate, or the record of its addition. */
function isExtension(key: string, config: ExtensionConfig, added: readonly AddedExtension[]): boolean {
  const { id, _source, distribution } = config,
    record = addedRecord(key, config);
  return (
    (_source !== "built-in" && key === recommendationKey({ acp: id })) ||
    (distribution.cargo !== undefined && key === recommendationKey({ crate: distribution.cargo.crate })) ||
    added.some(each => each.key === key && each.id === id && each.distribution === record.distribution)
  );
}
