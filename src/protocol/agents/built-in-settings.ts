/**
 * Settings of the built-in extensions: the settings page and the extensions read the same schema. Settings without a
 * control, such as the environment of Cargo, are documented and edited in settings.json.
 */
import * as l10n from "@vscode/l10n";
import type { SettingControl, SettingsSchema } from "./setting-schema";

/** Consent to the actions of an extension. */
const approve = <W extends string>(ask: string, all: string, warning: W) =>
  ({
    type: "choice",
    label: l10n.t("Approval"),
    default: "ask",
    options: [
      { value: "ask", label: ask },
      { value: "all", label: all, warning },
    ],
  }) as const satisfies SettingControl;

export const SPARKLE_SETTINGS = {
  embodiment: {
    type: "choice",
    label: l10n.t("Start of a session"),
    description: l10n.t("Whether new sessions start with your profile and your notes."),
    default: "first-prompt",
    options: [
      { value: "first-prompt", label: l10n.t("With profile and notes") },
      { value: "off", label: l10n.t("Without profile and notes") },
    ],
  },
  embodimentBytes: {
    type: "number",
    label: l10n.t("Size of profile and notes"),
    description: l10n.t("Maximum size of the text at the start of a session."),
    default: 16_384,
    min: 4_096,
    max: 262_144,
    isWhole: true,
    unit: l10n.t("bytes"),
  },
  sparkler: {
    type: "text",
    label: l10n.t("Sparkler"),
    description: l10n.t("Name of the sparkler of new sessions. Empty: the first one by the name of its folder."),
    default: "",
    maxLength: 60,
    isName: true,
  },
  approve: approve(
    l10n.t("Ask before writing files"),
    l10n.t("Write files without asking"),
    l10n.t("Sparkle writes its files about you and your workspaces without asking you."),
  ),
} as const satisfies SettingsSchema;

export const FERRIS_SETTINGS = {
  tools: {
    type: "choices",
    label: l10n.t("Tools"),
    options: [
      {
        value: "crate_sources",
        label: "crate_sources",
        description: l10n.t("Returns the folder of a crate's source."),
        default: true,
      },
      {
        value: "rust_crate_query",
        label: "rust_crate_query",
        description: l10n.t("Answers questions about a crate in a second session, which consumes your agent's quota."),
        default: true,
      },
    ],
  },
  everywhere: {
    type: "boolean",
    label: l10n.t("Offer the tools in sessions without a Rust project"),
    default: false,
  },
  cacheAnswers: {
    type: "boolean",
    label: l10n.t("Keep the answers of research until the agent exits"),
    default: true,
  },
  approve: approve(
    l10n.t("Ask before starting cargo"),
    l10n.t("Start cargo without asking"),
    l10n.t("Ferris starts cargo in your project, which can run programs that the project names, without asking you."),
  ),
} as const satisfies SettingsSchema;

export const CARGO_SETTINGS = {
  timeoutMinutes: {
    type: "number",
    label: l10n.t("Time limit of a command"),
    description: l10n.t("Ends cargo and its child processes."),
    default: 10,
    min: 0.1,
    max: 1_440,
    unit: l10n.t("minutes"),
  },
  maxWarnings: {
    type: "number",
    label: l10n.t("Shown warnings"),
    description: l10n.t("Maximum number of warnings in an answer. All warnings are counted."),
    default: 5,
    min: 0,
    max: 100,
    isWhole: true,
  },
  approve: approve(
    l10n.t("Ask before each command"),
    l10n.t("Run commands without asking"),
    l10n.t("Cargo runs code of the workspace, such as build scripts and tests, without asking you."),
  ),
} as const satisfies SettingsSchema;

export const WORKSPACE_SETTINGS = {
  approve: approve(
    l10n.t("Ask before changes and commands"),
    l10n.t("Change files and run commands without asking"),
    l10n.t("Agents change files and run commands, also in .git and .vscode, without asking you."),
  ),
} as const satisfies SettingsSchema;

export const IDE_SETTINGS = {
  timeLimitSeconds: {
    type: "number",
    label: l10n.t("Time limit of an operation"),
    description: l10n.t("Applies to language servers, not to VS Code's services."),
    default: 60,
    min: 5,
    max: 600,
    unit: l10n.t("seconds"),
  },
  approve: approve(
    l10n.t("Ask before starting a language server"),
    l10n.t("Start language servers without asking"),
    l10n.t("Language servers can run build scripts and plug-ins of the project without asking you."),
  ),
} as const satisfies SettingsSchema;

/** By the id of the extension. */
export const BUILT_IN_SETTINGS: Readonly<Record<string, SettingsSchema>> = {
  sparkle: SPARKLE_SETTINGS,
  ferris: FERRIS_SETTINGS,
  cargo: CARGO_SETTINGS,
  workspace: WORKSPACE_SETTINGS,
  ide: IDE_SETTINGS,
};
