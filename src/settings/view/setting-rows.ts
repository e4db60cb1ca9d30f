/** Settings of an extension as rows of the settings page. Pure. */
import * as l10n from "@vscode/l10n";
import {
  defaultOf,
  expectedValue,
  isEqual,
  storedSetting,
  warningOf,
  type SettingValue,
} from "../../protocol/agents/extension-settings";
import type { SettingControl } from "../../protocol/agents/setting-schema";
import type { SettingRow, SettingsGroup } from "../../protocol/settings/settings-view";
import type { ConfiguredExtension } from "../store/extensions";

export function settingsGroup({ config, schema }: ConfiguredExtension): SettingsGroup | undefined {
  if (!schema) return undefined;
  const { settings = {} } = config;
  return {
    rows: Object.entries(schema).map(([name, control]): SettingRow => {
      const { value, misfits } = storedSetting(settings, name, control);
      return {
        name,
        control,
        value,
        isChanged: misfits.length > 0 || !isEqual(value, defaultOf(control)),
        ...(misfits.length === 0 ? {} : { problem: problemOf(misfits, control) }),
      };
    }),
    others: Object.keys(settings).filter(name => !Object.hasOwn(schema, name)),
  };
}

/** The confirmation of an option with a warning. Absent for other values, and for the current one. */
export function warningQuestion(
  { control, value: current }: SettingRow,
  value: SettingValue,
  name: string,
): { readonly question: string; readonly detail: string; readonly yes: string } | undefined {
  const warning = warningOf(control, value);
  return warning === undefined || value === current
    ? undefined
    : { question: l10n.t`Change “${control.label}” of ${name}?`, detail: warning, yes: l10n.t("Change") };
}

function problemOf(misfits: readonly string[], control: SettingControl): string {
  const isOption = control.type === "choices" && misfits.every(path => path.includes(".")),
    expected = isOption ? l10n.t("true or false") : expectedValue(control);
  return l10n.t(
    "The value of {0} in settings.json is not {1}. The default applies. A change here replaces the value.",
    misfits.map(path => `“${path}”`).join(", "),
    expected,
  );
}
