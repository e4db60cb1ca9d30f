/** The confirmation before a recommended extension is added. Pure: VS Code shows it as a modal dialog. */
import * as l10n from "@vscode/l10n";
import { readDistribution } from "../../protocol/agents/distribution";
import type { Recommendation, Recommender } from "../../protocol/agents/recommendations";
import type { Fields } from "../../protocol/wire/json";
import { nameOf, reasonSentences } from "./recommendation-texts";
import { howStarted } from "./row-texts";

export interface AddQuestion {
  readonly question: string;
  readonly detail: string;
}

const MAX_ARCHIVES = 10;

/** `entry`: the entry that is added to the settings. Undefined if the user needs no confirmation. */
export function addQuestion(recommendation: Recommendation, entry: Fields): AddQuestion | undefined {
  const { source, reasons } = recommendation;
  if (!("url" in source) && reasons.some(({ by }) => isTrusted(by))) return undefined;
  return {
    question: l10n.t`Add “${nameOf(recommendation)}” and enable it in all workspaces?`,
    detail: [
      reasonSentences(reasons).join("\n"),
      l10n.t`Symposium installs and starts: ${programsOf(entry).join(", ")}.`,
    ].join("\n\n"),
  };
}

/** Lists of the user and of Symposium. Files of projects and manifests of crates can have any author. */
function isTrusted({ kind }: Recommender): boolean {
  return kind === "user" || kind === "symposium";
}

/** All alternatives of the distribution, and the addresses of archives. */
function programsOf(entry: Fields): readonly string[] {
  const distribution = readDistribution(entry["distribution"], entry["kind"] === "mcp");
  if (!distribution) return [l10n.t("unsupported distribution")];
  const { binary = {}, ...packages } = distribution,
    archives = [...new Set(Object.values(binary).flatMap(each => each?.archive ?? []))],
    others = archives.length - MAX_ARCHIVES;
  const kinds = (["local", "executable", "symposium", "http", "npx", "uvx", "pipx", "cargo"] as const).filter(
    kind => packages[kind] !== undefined,
  );
  return [
    ...kinds.map(kind => howStarted(packages, kind)),
    ...archives.slice(0, MAX_ARCHIVES),
    ...(others <= 0 ? [] : [l10n.t`${others} other archives`]),
  ];
}
