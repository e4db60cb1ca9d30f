/** Handles the host's `recommendations/*` requests: reads the project and the lists, and decides. Never fails. */
import * as l10n from "@vscode/l10n";
import type {
  Recommendation,
  RecommendationsHostToSidecar,
  RecommendationsView,
} from "../../src/protocol/agents/recommendations";
import type { Handlers, ParamsOf } from "../../src/protocol/wire/wire";
import type { RegistryEntry } from "../agents/registry/document";
import type { CrateMetadataReader } from "./crate-metadata";
import { firstOf } from "./first-of";
import { rulesOfCrate } from "./list";
import type { Lists } from "./lists";
import { existingPaths, projectOf, readProject } from "./project-reader";
import { recommend, staleIn } from "./recommend";
import { crateKey } from "./used-crates";
import { wantedPaths } from "./wanted-paths";

export interface RecommendationDeps {
  readonly home: string;
  readonly lists: Pick<Lists, "read">;
  readonly metadata: Pick<CrateMetadataReader, "read">;
  /** Extensions of the last known registry. Uses no network. */
  readonly registered: (registryUrl: string | undefined) => Promise<readonly RegistryEntry[]>;
  readonly log: (level: "info" | "warn", message: string, detail: Readonly<Record<string, unknown>>) => void;
}

type ReadParams = ParamsOf<RecommendationsHostToSidecar, "recommendations/read">;

const MAX_FOLDERS = 50,
  MAX_RECOMMENDATIONS = 500,
  /** Crates with recommendations. */
  MAX_CRATES = 200,
  MAX_PROBLEMS = 20;

export class RecommendationService {
  constructor(private readonly deps: RecommendationDeps) {}

  readonly handlers: Handlers<RecommendationsHostToSidecar> = {
    "recommendations/read": async params => {
      try {
        return await this.#read(params);
      } catch (error) {
        this.deps.log("warn", "The recommendations could not be read", { error: String(error) });
        return { recommendations: [], stale: [], problems: [] };
      }
    },
  };

  async #read({ folders: all, lists, fetch, accepted, registryUrl }: ReadParams): Promise<RecommendationsView> {
    const { deps } = this,
      { first: folders, problems: omittedFolders } = firstOf(
        all,
        MAX_FOLDERS,
        total => l10n.t`Only the first ${MAX_FOLDERS} of ${total} folders are searched for recommendations.`,
      ),
      facts = await readProject(folders, deps.home, deps.metadata, fetch === "refresh");
    const known = await deps.lists.read({ folders, lists, fetch, isRust: facts.isRust }),
      crates = firstOf(
        facts.metadata,
        MAX_CRATES,
        total => l10n.t`Only the first ${MAX_CRATES} of ${total} crates that recommend extensions are used.`,
      ),
      crateLists = crates.first.map(({ name, metadata }) => rulesOfCrate(metadata, name));
    const rules = [...known.highPrecedence, ...crateLists.flatMap(parsed => parsed.rules), ...known.lowPrecedence],
      { paths, isComplete } = wantedPaths(rules, accepted),
      project = projectOf(facts, await existingPaths(paths, folders));
    const problems = crateLists.flatMap(parsed => parsed.problems);
    if (problems.length > 0) deps.log("info", "Recommendations of crates are unusable", { problems });
    const { first: recommended, problems: omitted } = firstOf(
      recommend(rules, project),
      MAX_RECOMMENDATIONS,
      total => l10n.t`Only the first ${MAX_RECOMMENDATIONS} of ${total} recommended extensions are shown.`,
    );
    return {
      recommendations: recommended.length === 0 ? [] : named(recommended, await this.#registered(registryUrl)),
      stale: staleIn(
        accepted,
        rules,
        project,
        by =>
          isComplete(by) &&
          (by.kind === "crate"
            ? facts.areCratesKnown &&
              ((facts.isMetadataKnown && crates.problems.length === 0) || project.crate(by.name) === undefined)
            : known.isKnown(by)),
      ),
      problems: this.#firstProblems([
        ...omittedFolders,
        ...omitted,
        ...crates.problems,
        ...known.problems,
        ...facts.problems,
      ]),
    };
  }

  #firstProblems(all: readonly string[]): readonly string[] {
    const { first, problems } = firstOf(all, MAX_PROBLEMS, total => l10n.t`The log shows all ${total} problems.`);
    if (problems.length > 0) this.deps.log("info", "Recommendations have many problems", { problems: all });
    return [...first, ...problems];
  }

  /** Without a usable registry, the recommendations have no names and descriptions. */
  async #registered(registryUrl: string | undefined): Promise<readonly RegistryEntry[]> {
    try {
      return await this.deps.registered(registryUrl);
    } catch (error) {
      this.deps.log("info", "The registry could not be read for recommendations", { error: String(error) });
      return [];
    }
  }
}

/** Adds the names and descriptions of the registry. */
function named(
  recommendations: readonly Recommendation[],
  registered: readonly RegistryEntry[],
): readonly Recommendation[] {
  return recommendations.map(each => {
    const { source } = each;
    const entry = registered.find(({ id, distribution }) =>
      "acp" in source
        ? id === source.acp
        : "crate" in source &&
          distribution.cargo !== undefined &&
          crateKey(distribution.cargo.crate) === crateKey(source.crate),
    );
    return entry ? { ...each, name: entry.name, description: entry.description } : each;
  });
}
