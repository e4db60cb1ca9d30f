/** Texts about recommended extensions. Pure. */
import * as l10n from "@vscode/l10n";
import type {
  ExtensionSource,
  ProjectFact,
  Recommendation,
  RecommendationReason,
  Recommender,
  StaleReason,
} from "../../protocol/agents/recommendations";
import { enumerated } from "../../protocol/text/phrases";

/** Facts in a sentence. Others are omitted. */
const MAX_FACTS = 5,
  MAX_REASONS = 5;

export function nameOf({ name, source }: Pick<Recommendation, "name" | "source">): string {
  if (name !== undefined) return name;
  if ("crate" in source) return source.crate;
  return "acp" in source ? source.acp : addressOf(source.url);
}

/** A URL is shown by its host, because its path can be any text. */
function nameInNotification(recommendation: Pick<Recommendation, "name" | "source">): string {
  const { name, source } = recommendation;
  return name === undefined && "url" in source && URL.canParse(source.url)
    ? new URL(source.url).host
    : nameOf(recommendation);
}

export function originOf(source: ExtensionSource): string {
  if ("crate" in source) return l10n.t`Crate ${source.crate}`;
  return "acp" in source ? l10n.t`${source.acp} from the registry` : source.url;
}

/** Without scheme and query. */
function addressOf(url: string): string {
  return URL.canParse(url) ? `${new URL(url).host}${new URL(url).pathname}` : url;
}

function reasonSentence({ by, facts }: RecommendationReason): string {
  if (facts.length > 0)
    return l10n.t`Recommended by ${recommenderName(by)} because this project ${factsText(facts, "does")}.`;
  return by.kind === "workspace"
    ? l10n.t`Recommended by ${recommenderName(by)} for this workspace.`
    : l10n.t`Recommended by ${recommenderName(by)} for all projects.`;
}

/** The first reasons, and a sentence about the others. */
export function reasonSentences(reasons: readonly RecommendationReason[]): readonly string[] {
  const others = reasons.length - MAX_REASONS;
  return [
    ...reasons.slice(0, MAX_REASONS).map(reasonSentence),
    ...(others <= 0
      ? []
      : [
          others === 1
            ? l10n.t("Recommended by one other list or crate.")
            : l10n.t`Recommended by ${others} other lists and crates.`,
        ]),
  ];
}

export function staleSentence(reason: StaleReason): string {
  return reason.kind === "withdrawn"
    ? l10n.t`This extension was recommended for this workspace, but ${recommenderName(reason.by)} does not recommend it any longer.`
    : l10n.t`This extension was recommended for this workspace, but this project ${factsText(reason.facts, "does not")}.`;
}

function recommenderName(by: Recommender): string {
  switch (by.kind) {
    case "symposium":
      return "Symposium";
    case "user":
      return by.list;
    case "workspace":
      return l10n.t`.symposium/recommendations.toml of ${by.folder.split(/[\\/]/).at(-1) ?? by.folder}`;
    case "crate":
      return l10n.t`the crate ${by.name}`;
  }
}

/** “uses tokio and contains Dockerfile”. */
function factsText(facts: readonly ProjectFact[], verb: "does" | "does not"): string {
  const shown = facts.slice(0, MAX_FACTS),
    crates = shown.flatMap(fact =>
      fact.kind === "crate"
        ? [fact.through === undefined ? fact.name : l10n.t`${fact.name} (through ${fact.through})`]
        : [],
    ),
    files = shown.flatMap(fact => (fact.kind === "file" ? [fact.path] : []));
  const [used, contained] = [enumerated(crates), enumerated(files)];
  return enumerated([
    ...(crates.length === 0 ? [] : [verb === "does" ? l10n.t`uses ${used}` : l10n.t`does not use ${used}`]),
    ...(files.length === 0
      ? []
      : [verb === "does" ? l10n.t`contains ${contained}` : l10n.t`does not contain ${contained}`]),
  ]);
}

/** Names of extensions in a notification. */
const MAX_NAMES = 3;

export function announcement(recommendations: readonly Recommendation[]): string {
  const [first] = recommendations,
    [reason] = first?.reasons ?? [];
  if (recommendations.length === 1 && first && reason)
    return l10n.t`An agent extension is available for this workspace: ${nameInNotification(first)}. ${reasonSentence(reason)}`;
  const names = recommendations.slice(0, MAX_NAMES).map(nameInNotification),
    remaining = recommendations.length - names.length;
  return remaining === 0
    ? l10n.t`${recommendations.length} agent extensions are recommended for this workspace: ${enumerated(names)}.`
    : l10n.t`${recommendations.length} agent extensions are recommended for this workspace: ${names.join(", ")} and others.`;
}
