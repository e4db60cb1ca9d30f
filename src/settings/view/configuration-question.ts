/**
 * Confirmations before an agent's own configuration is changed, and the messages afterwards (issue 14 item 5). Pure: VS
 * Code shows the questions as modal dialogs.
 */
import * as l10n from "@vscode/l10n";
import type { ConfigurationPlan } from "../../protocol/agents/own-configuration";

export interface ConfigurationQuestion {
  readonly question: string;
  readonly detail: string;
  readonly yes: string;
}

export function addQuestion(agent: string, { file, text, backup }: ConfigurationPlan): ConfigurationQuestion {
  return {
    question: l10n.t`Add Symposium to the configuration of ${agent}?`,
    yes: l10n.t("Add to Configuration"),
    detail: [
      l10n.t(
        "{0} then receives the tools of agent extensions from its own configuration. " + "Symposium adds this to {1}:",
        agent,
        file,
      ),
      text,
      [
        backup === undefined
          ? l10n.t("The file does not exist and is created.")
          : l10n.t`The current file is saved as ${backup}.`,
        l10n.t("The entry contains no URL and no key. Outside of Symposium it offers no tools."),
        l10n.t`To undo this, select Remove from Configuration in the row of ${agent} in the settings of Symposium.`,
      ].join(" "),
    ].join("\n\n"),
  };
}

export function removeQuestion(agent: string, file: string): ConfigurationQuestion {
  return {
    question: l10n.t`Remove Symposium from the configuration of ${agent}?`,
    yes: l10n.t("Remove from Configuration"),
    detail: l10n.t(
      "Symposium's entry is removed from {0}. The rest of the file does not change. New sessions of " +
        "{1} then have no tools of agent extensions if it ignores the tools of its sessions.",
      file,
      agent,
    ),
  };
}

export function changedSentence(agent: string, file: string, change: "add" | "remove"): string {
  return change === "add"
    ? l10n.t`Symposium is added to ${file}. Open a new tab to use the tools of agent extensions with ${agent}.`
    : l10n.t`Symposium is removed from ${file}. Open tabs of ${agent} keep its tools until they are closed.`;
}
