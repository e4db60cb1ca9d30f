/**
 * The confirmation before an agent may act without asking. Pure: VS Code shows it as a modal dialog, first choice
 * first.
 */
import * as l10n from "@vscode/l10n";
import type { BypassUntil } from "../../protocol/sidecar";

export interface BypassQuestion {
  readonly question: string;
  readonly detail: string;
  readonly choices: readonly { readonly label: string; readonly until: BypassUntil }[];
}

/** For a tab: the bypass applies to its session, or until it is revoked in the settings. */
export function bypassQuestion(agent: string): BypassQuestion {
  const name = shortened(agent);
  return {
    question: questionFor(name),
    detail: [
      l10n.t`${meaningFor(name)} This also allows its open permission requests in this tab.`,
      l10n.t(
        "“{0}” ends when you select Ask Again above the prompt, or close the tab or the window. " +
          "“{1}” applies to all tabs and VS Code's chat until you turn it off " +
          "in the settings of Symposium.",
        THIS_SESSION,
        alwaysFor(name),
      ),
    ].join("\n\n"),
    choices: [
      { label: THIS_SESSION, until: "sessionEnds" },
      { label: alwaysFor(name), until: "revoked" },
    ],
  };
}

/** For the settings page, which always stores the bypass. */
export function alwaysQuestion(agent: string): {
  readonly question: string;
  readonly detail: string;
  readonly yes: string;
} {
  const name = shortened(agent);
  return {
    question: questionFor(name),
    yes: alwaysFor(name),
    detail: l10n.t`${meaningFor(name)}\n\nThis applies to all tabs and VS Code's chat until you turn it off here.`,
  };
}

const THIS_SESSION = l10n.t("This Session");
const alwaysFor = (agent: string): string => l10n.t`Always for ${agent}`;
const questionFor = (agent: string): string => l10n.t`Allow ${agent} to do everything without asking?`;
const meaningFor = (agent: string): string =>
  l10n.t(
    "{0} can then read, change and delete files, run commands and use the network with your rights, " +
      "without asking you.",
    agent,
  );

/** Names come from the settings or a registry. Reduces them to one line that fits a button. */
function shortened(agent: string): string {
  const line = agent.replaceAll(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/gu, " ").trim();
  return line.length > MAX_NAME ? `${line.slice(0, MAX_NAME - 1)}…` : line || l10n.t("this agent");
}
const MAX_NAME = 40;
