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
      `${agent} then receives the tools of agent extensions from its own configuration. ` +
        `Symposium adds this to ${file}:`,
      text,
      [
        backup === undefined ? "The file does not exist and is created." : `The current file is saved as ${backup}.`,
        "The entry contains no URL and no key. Outside of Symposium it offers no tools.",
        `To undo this, select Remove from Configuration in the row of ${agent} in the settings of Symposium.`,
      ].join(" "),
    ].join("\n\n"),
  };
}

export function removeQuestion(agent: string, file: string): ConfigurationQuestion {
  return {
    question: `Remove Symposium from the configuration of ${agent}?`,
    yes: "Remove from Configuration",
    detail:
      `Symposium's entry is removed from ${file}. The rest of the file does not change. New sessions of ` +
      `${agent} then have no tools of agent extensions if it ignores the tools of its sessions.`,
  };
}

export function changedSentence(agent: string, file: string, change: "add" | "remove"): string {
  return change === "add"
    ? `Symposium is added to ${file}. Open a new tab to use the tools of agent extensions with ${agent}.`
    : `Symposium is removed from ${file}. Open tabs of ${agent} keep its tools until they are closed.`;
}
