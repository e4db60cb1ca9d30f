/** The section of recommended extensions. Pure. */
import * as l10n from "@vscode/l10n";
import type { Recommendation } from "../../protocol/agents/recommendations";
import type {
  Finding,
  RecommendationRow,
  RecommendationsSection,
  RowButton,
} from "../../protocol/settings/settings-view";
import { nameOf, originOf, reasonSentences } from "./recommendation-texts";
import type { RecommendationsState } from "./recommendations";
import { about } from "./row-texts";

const MAX_ROWS = 20;

/** Absent in an untrusted workspace, and if the section would be empty. */
export function recommendationsSection(
  { open, dismissed, problems, adding }: RecommendationsState,
  isTrusted: boolean,
): RecommendationsSection | undefined {
  if (!isTrusted || (open.length === 0 && dismissed === 0 && problems.length === 0)) return undefined;
  return {
    rows: open.slice(0, MAX_ROWS).map(each => row(each, adding)),
    hidden: Math.max(0, open.length - MAX_ROWS),
    problems,
    dismissed,
  };
}

function row(recommendation: Recommendation, adding: RecommendationsState["adding"]): RecommendationRow {
  const { key, source, description, reasons } = recommendation,
    name = nameOf(recommendation),
    state = adding.get(key);
  const buttons: readonly RowButton[] = [
    { action: "add", label: l10n.t("Add"), isMain: true },
    { action: "dismiss", label: l10n.t("Dismiss"), isMain: true },
    ...(pageOf(recommendation) === undefined
      ? []
      : [{ action: "page", label: l10n.t("Open Page"), isMain: true } as const]),
  ];
  return {
    id: key,
    name,
    ...(description === undefined || description === "" ? {} : { description }),
    origin: originOf(source),
    ...(state?.kind === "adding" ? { progress: { label: l10n.t("Adding…") } } : {}),
    findings: [
      ...(state?.kind === "failed" ? [{ tone: "error", sentence: state.sentence, buttons: [] } satisfies Finding] : []),
      ...reasonSentences(reasons).map((sentence): Finding => ({ tone: "neutral", sentence, buttons: [] })),
    ],
    buttons: state?.kind === "adding" ? [] : buttons.map(about(name)),
  };
}

/** A page with information about the extension. */
export function pageOf({ source }: Pick<Recommendation, "source">): string | undefined {
  if ("crate" in source) return `https://crates.io/crates/${source.crate}`;
  return "url" in source ? source.url : undefined;
}
