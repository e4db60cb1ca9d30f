/** Lets the user add a custom agent to the settings. Does not select it. */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { BUILT_IN_AGENTS } from "../../protocol/agents/built-in-agents";
import type { Fields } from "../../protocol/wire/json";
import { askCustom } from "./ask-custom";
import type { Configuration } from "./configuration";
import { besideOthers, customSources, takenIds } from "./custom-entry";

/**
 * `read`: fetches the entry at a URL; rejects with a message for the user. Resolves with the id of the new entry;
 * `undefined`: the user cancelled.
 */
export async function addAgent(
  configuration: Configuration,
  read: (url: string) => Promise<Fields>,
): Promise<string | undefined> {
  const picked = await vscode.window.showQuickPick(
    customSources("agent").map(way => ({ label: way.label, way })),
    { title: l10n.t("Add Agent"), placeHolder: l10n.t("Source") },
  );
  if (!picked) return undefined;
  const taken = [...BUILT_IN_AGENTS.map(({ id }) => id), ...takenIds(configuration.ownValue("symposium.agents"))];
  const answer = await askCustom("agent", picked.way, taken);
  if (!answer) return undefined;
  const entry = answer.kind === "entry" ? answer.entry : besideOthers(await reading(read, answer.url), taken);
  await configuration.addAgent(entry);
  return entry.id;
}

function reading(read: (url: string) => Promise<Fields>, url: string): Thenable<Fields> {
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: l10n.t`Reading ${new URL(url).host}…` },
    () => read(url),
  );
}
