/** Rows of the extensions, ordered from the editor to the agent. Pure. */
import * as l10n from "@vscode/l10n";
import type { ExtensionConfig } from "../../protocol/agents/extensions";
import type { ExtensionRow, Finding, RowAction, RowButton } from "../../protocol/settings/settings-view";
import {
  about,
  howStarted,
  installActions,
  installMark,
  lastErrorFinding,
  outcomeFindings,
  progressOf,
  updateFinding,
} from "./row-texts";
import type { ConfiguredExtension } from "../store/extensions";
import { settingsGroup } from "./setting-rows";
import { type SettingsModel, keyOf } from "./settings-model";

export function extensionRows(model: SettingsModel): readonly ExtensionRow[] {
  return model.settings.allExtensions.map(extension => extensionRow(model, extension));
}

function extensionRow(model: SettingsModel, extension: ConfiguredExtension): ExtensionRow {
  const { config, isEnabled } = extension,
    settings = settingsGroup(extension),
    { id, name, description, distribution } = config,
    key = keyOf("extension", id),
    state = model.extensionStates?.get(id),
    icon = model.icons.get(id);
  const progress = progressOf(model.installing.get(key), model.work.get(key), state);
  const actions = installActions({ model, of: "extension", id, distribution, state }),
    can = (action: RowAction): boolean => [...actions].some(item => item === action);
  const isBehind = model.updates.some(update => update.of === "extension" && update.id === id),
    isIdle = progress === undefined;
  const buttons: readonly (RowButton | false)[] = model.isTrusted
    ? [
        actions.has("install") && { action: "install", label: l10n.t("Install"), isMain: true },
        actions.has("cancel") && { action: "cancel", label: l10n.t("Cancel") },
        actions.has("update") && !isBehind && { action: "update", label: l10n.t("Update"), isMain: true },
        { action: "edit", label: l10n.t("Edit") },
        actions.has("uninstall") && { action: "uninstall", label: l10n.t("Uninstall") },
        isIdle && { action: "remove", label: l10n.t("Remove") },
      ]
    : [];
  return {
    id,
    name,
    ...(description === undefined ? {} : { description }),
    origin: [
      ORIGINS[config._source],
      ...(config.kind === "mcp" ? [l10n.t("MCP server")] : []),
      howStarted(distribution, state?.kind),
    ].join(", "),
    ...(icon === undefined ? {} : { icon }),
    marks: model.isTrusted && isIdle ? installMark(state) : [],
    ...(progress === undefined ? {} : { progress }),
    findings: [
      ...outcomeFindings(model.outcomes.get(key), { name, can, isUsable: model.isTrusted && isIdle }),
      ...(model.outcomes.has(key)
        ? []
        : lastErrorFinding(
            state,
            model.dismissed.get(key),
            name,
            actions.has("reinstall") ? [{ action: "reinstall", label: l10n.t("Install Again"), isMain: true }] : [],
            model.isTrusted && isIdle,
          )),
      ...(state?.missing === undefined ? [] : [{ tone: "warning", sentence: state.missing, buttons: [] } as const]),
      ...updateFinding(
        model.updates.find(update => update.of === "extension" && update.id === id),
        name,
        actions.has("update"),
      ),
      ...(model.isTrusted && isIdle ? staleFindings(model, id, name) : []),
    ],
    buttons: buttons.filter(button => button !== false).map(about(name)),
    isEnabled,
    ...(settings ? { settings } : {}),
  };
}

/** The extension was added on a recommendation that does not apply any longer. */
function staleFindings({ recommendations }: SettingsModel, id: string, name: string): readonly Finding[] {
  const sentences = recommendations.stale.get(id) ?? [];
  return sentences.map((sentence, i) => ({
    tone: "neutral",
    sentence,
    buttons:
      i < sentences.length - 1
        ? []
        : [
            { action: "remove", label: l10n.t("Remove"), about: name },
            { action: "keep", label: l10n.t("Keep"), about: name },
          ],
  }));
}

const ORIGINS: Readonly<Record<ExtensionConfig["_source"], string>> = {
  "built-in": l10n.t("Built in"),
  registry: l10n.t("From the registry"),
  custom: l10n.t("Your own"),
};
