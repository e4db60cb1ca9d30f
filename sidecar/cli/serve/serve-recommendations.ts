/** Recommendations part of a window. The sidecar loads it on the first request. */
import { homedir } from "node:os";
import path from "node:path";
import { RecommendationService, type RecommendationDeps } from "../../recommendations/recommendation-service";
import { CrateMetadataReader, type CrateMetadataDeps } from "../../recommendations/crate-metadata";
import type { DownloadDeps } from "../../recommendations/downloaded-list";
import { CENTRAL_URL, Lists } from "../../recommendations/lists";
import shipped from "../../../recommendations.toml";

export interface ServedRecommendationsDeps extends Omit<CrateMetadataDeps, "cache"> {
  readonly version: string;
  readonly fetch: DownloadDeps["fetch"];
  readonly registered: RecommendationDeps["registered"];
}

export function serveRecommendations(deps: ServedRecommendationsDeps): RecommendationService {
  const cache = path.join(homedir(), ".symposium", "cache");
  return new RecommendationService({
    ...deps,
    lists: new Lists({ ...deps, cache, shipped, centralUrl: CENTRAL_URL }),
    metadata: new CrateMetadataReader({ ...deps, cache }),
  });
}
