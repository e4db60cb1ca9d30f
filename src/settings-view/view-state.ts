/**
 * From what the host knows to what a settings page shows: all of its words but the page's own are made here and in the
 * rows. Pure.
 */
import { NOT_TRUSTED } from "../errors";
import { ageOf } from "../protocol/age";
import type {
  AgentState,
  InstallProgress,
  InstallState,
  Installable,
  RegistryAge,
  RegistryUpdate,
} from "../protocol/agent-service";
import type { Diagnosis } from "../protocol/doctor";
import type { FoundPrograms } from "../protocol/known-programs";
import type { Note, SettingsView } from "../protocol/settings-view";
import type { Settings } from "../settings/settings";
import { agentRows } from "./agent-rows";
import { extensionRows } from "./extension-rows";

/** They may have the same id. */
export type RowKey = `${Installable}/${string}`;
export const keyOf = (of: Installable, id: string): RowKey => `${of}/${id}`;

/** What a row's last act came to. */
export type Outcome =
  | { readonly kind: "diagnosed"; readonly diagnosis: Diagnosis; readonly report: string }
  | { readonly kind: "failed"; readonly sentence: string };

/** What is under way for a row, and is said by nobody else. */
export type Work = "starting" | "examining" | "removing" | "signingOut" | "configuring";

export interface SettingsModel {
  readonly settings: Pick<
    Settings,
    | "agents"
    | "configured"
    | "own"
    | "currentAgentId"
    | "bypass"
    | "problems"
    | "requireModifier"
    | "updates"
    | "allExtensions"
  >;
  readonly isTrusted: boolean;
  /** Why there is no sidecar, or what was lost with one, as a sentence. */
  readonly sidecar?: string;
  /** By id; absent: nobody knows yet. */
  readonly agentStates?: ReadonlyMap<string, AgentState>;
  readonly extensionStates?: ReadonlyMap<string, InstallState>;
  /** Of installations that go on. */
  readonly installing: ReadonlyMap<RowKey, InstallProgress>;
  readonly work: ReadonlyMap<RowKey, Work>;
  readonly outcomes: ReadonlyMap<RowKey, Outcome>;
  /** When the last error was put away, by the time that it bears. */
  readonly dismissed: ReadonlyMap<RowKey, number>;
  readonly updates: readonly RegistryUpdate[];
  /** What was read last; `isReading`: it is being read. */
  readonly registry: RegistryAge & { readonly isReading: boolean };
  readonly icons: ReadonlyMap<string, string>;
  readonly found: FoundPrograms;
  /** Agents for which keys are kept. */
  readonly withKeys: ReadonlySet<string>;
  /** Open tabs that go on with what was set when they began. */
  readonly outdatedTabs: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export function settingsView(model: SettingsModel, isPage: boolean): SettingsView {
  const { settings, isTrusted } = model,
    registry = registryAge(model);
  return {
    agents: agentRows(model),
    extensions: extensionRows(model),
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
            button: { act: "trust", label: "Manage Workspace Trust" },
          } as const,
        ]),
    ...(problems.length === 0
      ? []
      : [
          {
            tone: "warning",
            sentence: problems.join(" "),
            button: { act: "settingsFile", label: "Open settings.json" },
          } as const,
        ]),
    ...(sidecar === undefined || !isTrusted ? [] : [{ tone: "error", sentence: sidecar } as const]),
    ...(outdatedTabs === 0
      ? []
      : [
          {
            tone: "neutral",
            sentence: `${outdatedTabs === 1 ? "1 open tab goes on with what was set when it" : `${outdatedTabs} open tabs go on with what was set when they`} began.`,
            button: { act: "newTab", label: "New Tab" },
          } as const,
        ]),
  ];
}

function registryAge({ registry: { isReading, fetchedAt, problem }, now }: SettingsModel): string | undefined {
  if (isReading) return "Reading the registry…";
  const read = fetchedAt === undefined ? undefined : `The registry was read ${ageOf(now - fetchedAt)} ago.`;
  return problem === undefined ? read : [problem, ...(read === undefined ? [] : [read])].join(" ");
}
