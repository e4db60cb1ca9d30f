import type {
  AgentState,
  Installable,
  RegistryUpdate,
  RegistryAge,
  InstallState,
  InstallProgress,
} from "../../protocol/agents/agent-service";
import type { Diagnosis } from "../../protocol/agents/diagnosis";
import type { Settings } from "../store/settings";
import type { RecommendationsState } from "./recommendations";
import type { FoundPrograms } from "../../protocol/agents/known-programs";

/** Agents and extensions may have the same id. */
export type RowKey = `${Installable}/${string}`;
export const keyOf = (installable: Installable, id: string): RowKey => `${installable}/${id}`;

/** Outcome of a row's last action. */
export type Outcome =
  | { readonly kind: "diagnosed"; readonly diagnosis: Diagnosis; readonly report: string }
  | { readonly kind: "failed"; readonly sentence: string };

/** A running action of a row that no other state reports. */
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
  /** The reason why no sidecar runs, or the action that failed with it, as a message. */
  readonly sidecar?: string;
  /** By id; absent: unknown. */
  readonly agentStates?: ReadonlyMap<string, AgentState>;
  readonly extensionStates?: ReadonlyMap<string, InstallState>;
  /** Installations in progress. */
  readonly installing: ReadonlyMap<RowKey, InstallProgress>;
  readonly work: ReadonlyMap<RowKey, Work>;
  readonly outcomes: ReadonlyMap<RowKey, Outcome>;
  /** Timestamps of the last dismissed error per row. */
  readonly dismissed: ReadonlyMap<RowKey, number>;
  readonly updates: readonly RegistryUpdate[];
  /** The last read state of the registry; `isReading`: a query is running. */
  readonly registry: RegistryAge & { readonly isReading: boolean };
  readonly recommendations: RecommendationsState;
  readonly icons: ReadonlyMap<string, string>;
  readonly found: FoundPrograms;
  /** Agents with stored keys. */
  readonly withKeys: ReadonlySet<string>;
  /** Number of open tabs with outdated settings. */
  readonly outdatedTabs: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}
