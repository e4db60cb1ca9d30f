/**
 * Computes the content of a settings page from the host's state. All texts except the page's static ones are created
 * here and in the rows. Pure.
 */
import * as l10n from "@vscode/l10n";
import { NOT_TRUSTED } from "../../errors";
import { ageOf } from "../../protocol/text/age";
import type { Note, SettingsView } from "../../protocol/settings/settings-view";
import { agentRows } from "./agent-rows";
import { extensionRows } from "./extension-rows";
import { recommendationsSection } from "./recommendation-rows";
import type { SettingsModel } from "./settings-model";

export function settingsView(model: SettingsModel, isPage: boolean): SettingsView {
  const { settings, isTrusted } = model,
    registry = registryAge(model),
    recommendations = recommendationsSection(model.recommendations, isTrusted);
  return {
    agents: agentRows(model),
    extensions: extensionRows(model),
    ...(recommendations ? { recommendations } : {}),
    requireModifier: settings.requireModifier,
    updates: settings.updates,
    notes: notes(model),
    ...(registry === undefined ? {} : { registry }),
    isRestricted: !isTrusted,
    isPage,
  };
}

function notes({ isTrusted, sidecar, settings: { problems }, outdatedTabs }: SettingsModel): readonly Note[] {
  return [
    ...(isTrusted
      ? []
      : [
          {
            tone: "warning",
            sentence: NOT_TRUSTED,
            button: { action: "trust", label: l10n.t("Manage Workspace Trust") },
          } as const,
        ]),
    ...(problems.length === 0
      ? []
      : [
          {
            tone: "warning",
            sentence: problems.join(" "),
            button: { action: "settingsFile", label: l10n.t("Open settings.json") },
          } as const,
        ]),
    ...(sidecar === undefined || !isTrusted ? [] : [{ tone: "error", sentence: sidecar } as const]),
    ...(outdatedTabs === 0
      ? []
      : [
          {
            tone: "neutral",
            sentence:
              outdatedTabs === 1
                ? l10n.t("1 open tab still uses its old settings.")
                : l10n.t`${outdatedTabs} open tabs still use their old settings.`,
            button: { action: "newTab", label: l10n.t("New Tab") },
          } as const,
        ]),
  ];
}

function registryAge({ registry: { isReading, fetchedAt, problem }, now }: SettingsModel): string | undefined {
  if (isReading) return l10n.t("Reading the registry…");
  const read = fetchedAt === undefined ? undefined : l10n.t`The registry was read ${ageOf(now - fetchedAt)} ago.`;
  return problem === undefined ? read : [problem, ...(read === undefined ? [] : [read])].join(" ");
}
