/**
 * Confirmations before an agent's own configuration is changed, and the messages afterwards (issue 14 item 5). Pure: VS
 * Code shows the questions as modal dialogs.
 */
import type { ConfigurationPlan } from "../../protocol/own-configuration";

export interface ConfigurationQuestion {
  readonly question: string;
  readonly detail: string;
  readonly yes: string;
}

export function addQuestion(agent: string, { file, text, backup }: ConfigurationPlan): ConfigurationQuestion {
  return {
    question: `Add Symposium to the configuration of ${agent}?`,
    yes: "Add to Configuration",
    detail: [
      `${agent} then gets the tools of agent extensions from its own configuration. This is added to ${file}:`,
      text,
      [
        backup === undefined
          ? "The file does not exist yet and is created."
          : `The file as it is now is kept as ${backup}.`,
        "The entry has no address and no key. Outside of Symposium it offers no tools.",
        `To undo this, select Remove from Configuration in the row of ${agent} in the settings of Symposium.`,
      ].join(" "),
    ].join("\n\n"),
  };
}

export function removeQuestion(agent: string, file: string): ConfigurationQuestion {
  return {
    question: `Remove Symposium from the configuration of ${agent}?`,
    yes: "Remove from Configuration",
    detail: `Symposium's entry is removed from ${file}. Everything else in the file stays as it is. New sessions of ${agent} do not have the tools of agent extensions then, if it ignores those of its sessions.`,
  };
}

export function changedSentence(agent: string, file: string, change: "add" | "remove"): string {
  return change === "add"
    ? `Symposium is added to ${file}. Open a new tab to use the tools of agent extensions with ${agent}.`
    : `Symposium is removed from ${file}. Open tabs of ${agent} keep its tools until they are closed.`;
}
