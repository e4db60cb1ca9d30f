import type {
  AgentState,
  Installable,
  RegistryUpdate,
  RegistryAge,
  InstallState,
  InstallProgress,
} from "../../protocol/agent-service";
import type { Diagnosis } from "../../protocol/doctor";
import type { Settings } from "../store/settings";
import type { FoundPrograms } from "../../protocol/known-programs";

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
