/**
 * Recommendations of agent extensions for the user's project, between extension host and sidecar. A recommendation only
 * suggests: the user adds the extension.
 */
import type { Call } from "../wire/wire";

/** Source of an extension, in the form of the documents: a Rust crate, an id of the registry, or an https URL. */
export type ExtensionSource = { readonly crate: string } | { readonly acp: string } | { readonly url: string };

/** Identifies an extension. Recommendations with the same key are shown once. */
export function recommendationKey(source: ExtensionSource): string {
  // The registry of crates treats hyphens and underscores, and all cases, as equal.
  if ("crate" in source) return `crate ${source.crate.toLowerCase().replaceAll("_", "-")}`;
  return "acp" in source ? `acp ${source.acp}` : `url ${source.url}`;
}

/** A fact about the project. `through`: the direct dependency that uses the crate. */
export type ProjectFact =
  | { readonly kind: "crate"; readonly name: string; readonly through?: string }
  | { readonly kind: "file"; readonly path: string };

/** Author of a recommendation. `list`: path or URL. `folder`: path of the workspace folder. */
export type Recommender =
  | { readonly kind: "symposium" }
  | { readonly kind: "user"; readonly list: string }
  | { readonly kind: "workspace"; readonly folder: string }
  | { readonly kind: "crate"; readonly name: string };

/** `facts`: the facts that fulfil the condition. Empty: the recommendation is for all projects. */
export interface RecommendationReason {
  readonly by: Recommender;
  readonly facts: readonly ProjectFact[];
}

export interface Recommendation {
  readonly key: string;
  readonly source: ExtensionSource;
  /** The crate is an MCP server. Entries of the registry and documents contain their kind. */
  readonly kind?: "mcp";
  /** Name and description in the last known registry. */
  readonly name?: string;
  readonly description?: string;
  /** In the precedence of the lists; never empty. */
  readonly reasons: readonly RecommendationReason[];
}

/** A recommendation that the user accepted, with the reasons at that time. */
export interface AcceptedRecommendation {
  readonly key: string;
  readonly reasons: readonly RecommendationReason[];
}

/**
 * Reasons why an accepted recommendation does not apply to the project any longer. `unmet`: facts that do not hold.
 * `withdrawn`: the list, or the crate, does not contain the recommendation.
 */
export type StaleReason =
  | { readonly kind: "unmet"; readonly facts: readonly ProjectFact[] }
  | { readonly kind: "withdrawn"; readonly by: Recommender };

export interface StaleRecommendation {
  readonly key: string;
  readonly reasons: readonly StaleReason[];
}

/** `problems`: unusable lists and entries of the user and the workspace, as sentences. */
export interface RecommendationsView {
  readonly recommendations: readonly Recommendation[];
  readonly stale: readonly StaleRecommendation[];
  readonly problems: readonly string[];
}

/**
 * "no" uses no network. "ifOld" downloads lists that are older than a day. "refresh" downloads all lists, and reads the
 * metadata of crates again.
 */
export type FetchMode = "no" | "ifOld" | "refresh";

export interface RecommendationsHostToSidecar {
  /**
   * Reads the recommendations for the workspace. `lists`: the user's files and URLs. A list that cannot be downloaded
   * is used in its last known version. Never fails.
   */
  "recommendations/read": Call<
    {
      readonly folders: readonly string[];
      readonly lists: readonly string[];
      readonly fetch: FetchMode;
      readonly accepted: readonly AcceptedRecommendation[];
      /** A registry other than the public one. */
      readonly registryUrl?: string;
    },
    RecommendationsView
  >;
}
