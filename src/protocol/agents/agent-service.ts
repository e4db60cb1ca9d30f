/**
 * Installable agents and extensions, between extension host and sidecar. The host owns the user's configuration; the
 * sidecar owns everything else.
 */
import type { AgentConfig } from "./agents";
import type { DistributionKind } from "./distribution";
import type { Diagnosis } from "./diagnosis";
import type { ExtensionConfig } from "./extensions";
import type { ConfigurationPlan, ConfigurationState } from "./own-configuration";
import type { Call, Note } from "../wire/wire";

/** `done` and `total`: bytes, if known. `line`: last output line of the tool. */
export interface InstallProgress {
  readonly phase: "waiting" | "downloading" | "unpacking" | "installing";
  readonly done?: number;
  readonly total?: number;
  readonly line?: string;
}

/** The sidecar's state of an installable item. */
export interface InstallState {
  /** Kind of distribution used on this machine; absent if none works. */
  readonly kind?: DistributionKind;
  /** `ready`: needs no installation (a program of the user, or built in). An archive may have no version. */
  readonly install:
    | { readonly kind: "ready" }
    | { readonly kind: "missing" }
    | { readonly kind: "installed"; readonly version?: string }
    | ({ readonly kind: "installing" } & InstallProgress);
  /** Reason why it cannot be used on this machine, as a sentence. */
  readonly missing?: string;
  /**
   * Reason of the last failed start or unexpected exit, as a sentence. `at`: milliseconds since 1970. Cleared on the
   * next successful start.
   */
  readonly lastError?: { readonly sentence: string; readonly at: number };
}

export interface AgentState extends InstallState {
  /** Number of its processes in this window. */
  readonly running: number;
  /** Result of the last session request; absent if there was none, or if the agent has no sign-in. */
  readonly signIn?: "in" | "needed";
  /** The agent advertises a method to sign its user out. Stored keys can always be deleted. */
  readonly canSignOut?: true;
  /** Symposium's entry in the agent's own configuration; absent if no configuration file of the agent is known. */
  readonly configuration?: ConfigurationState;
}

export interface RegistryAgent {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Reason why none of its distributions works on this machine, as a sentence. */
  readonly missing?: string;
  /** Value to add to `symposium.agents` or `symposium.extensions`: the registry's entry with `_source`. */
  readonly entry: Readonly<Record<string, unknown>>;
}

/** Age of the registry data, and the reason if the last request failed. */
export interface RegistryAge {
  /** Milliseconds since 1970. */
  readonly fetchedAt?: number;
  /** A sentence. */
  readonly problem?: string;
}

export interface RegistryView extends RegistryAge {
  readonly agents: readonly RegistryAgent[];
  readonly extensions: readonly RegistryAgent[];
}

/** Update of a settings entry from the registry. `entry` replaces it, except for the user's own choices. */
export interface EntryUpdate {
  readonly of: Installable;
  readonly id: string;
  readonly name: string;
  readonly from?: string;
  readonly to: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

/**
 * Update of an installed built-in agent. Its configuration names no version, so the settings do not change. `package`:
 * the npm package that has the versions.
 */
export interface PackageUpdate {
  readonly of: "agent";
  readonly id: string;
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly package: string;
}

export type RegistryUpdate = EntryUpdate | PackageUpdate;

/** Agents and extensions are installed separately and may have equal ids. */
export type Installable = "agent" | "extension";

type Entries = readonly Readonly<Record<string, unknown>>[];

/** `url`: a registry other than the public one. Fails with `ErrorCode.refused` if it is not an https URL. */
interface RegistryParams {
  readonly url?: string;
}

/** `text`: absent if the extension adds no text to prompts. */
export interface ExtensionAddition {
  readonly id: string;
  readonly text?: string;
}

export interface AgentsHostToSidecar {
  /** Fetched over the network; cached data if the request fails. */
  "registry/agents": Call<RegistryParams, RegistryView>;
  /**
   * Returns newer versions of the entries that were added from the registry, and of the installed agents among
   * `builtIns`. Fetched over the network if at least one of them can have an update; cached data otherwise, and if the
   * request fails.
   */
  "registry/updates": Call<
    RegistryParams & {
      readonly agents: Entries;
      readonly extensions: Entries;
      readonly builtIns: readonly AgentConfig[];
    },
    RegistryAge & { readonly updates: readonly RegistryUpdate[] }
  >;
  /** Returns the icons of these agents as `data:` URIs. Missing or unavailable icons are omitted. */
  "registry/icons": Call<
    RegistryParams & { readonly ids: readonly string[] },
    { readonly icons: Readonly<Record<string, string>> }
  >;
  /**
   * Reads the `extension.json` (for agents, the `agent.json`) at an https URL as a settings entry. For a GitHub page,
   * reads the file itself. Fails with `ErrorCode.refused` and a sentence.
   */
  "registry/extension": Call<
    { readonly url: string; readonly of?: Installable },
    { readonly entry: Readonly<Record<string, unknown>> }
  >;
  /** States by id. Uses no network and starts no process except the login shell. */
  "agents/states": Call<
    { readonly agents: readonly AgentConfig[]; readonly extensions: readonly ExtensionConfig[] },
    {
      readonly agents: Readonly<Record<string, AgentState>>;
      readonly extensions: Readonly<Record<string, InstallState>>;
    }
  >;
  /**
   * Installs an item and returns afterwards. `newest`: checks for a newer version if none is pinned. `anew`:
   * reinstalls, and removes the old files after the new ones are in place. `version`: installs this version of an
   * unpinned npm package, unless a version that is not older is installed. New sessions of an agent use the new
   * version; open sessions keep theirs. Fails with `ErrorCode.refused` and a sentence.
   */
  "agents/install": Call<
    {
      readonly of: Installable;
      readonly config: AgentConfig | ExtensionConfig;
      readonly how: "missing" | "newest" | "anew" | { readonly version: string };
    },
    { readonly version?: string }
  >;
  /** No effect if no installation is running. */
  "agents/cancelInstall": Call<{ readonly of: Installable; readonly id: string }, Record<string, never>>;
  /**
   * Removes all versions from Symposium's store, except files of running processes. Fails with `ErrorCode.refused` and
   * a sentence.
   */
  "agents/remove": Call<{ readonly of: Installable; readonly id: string }, Record<string, never>>;
  /** Starts the agent once and diagnoses problems. `report` is redacted, for copying. */
  "agents/examine": Call<
    { readonly agent: AgentConfig; readonly cwd: string },
    { readonly diagnosis: Diagnosis; readonly report: string }
  >;
  /** The tools and the environment of this computer, as `doctor` prints them. `report` is redacted, for copying. */
  "agents/doctor": Call<Readonly<Record<string, never>>, { readonly report: string }>;
  /**
   * Signs the agent's user out, deletes its stored keys and ends its processes. Fails with `ErrorCode.refused` and a
   * sentence.
   */
  "agents/signOut": Call<{ readonly agent: AgentConfig; readonly cwd: string }, Record<string, never>>;
  /** Previews the addition by `agents/changeConfiguration`. Fails with `ErrorCode.refused` and a sentence. */
  "agents/planConfiguration": Call<{ readonly agent: AgentConfig }, ConfigurationPlan>;
  /**
   * Adds Symposium's entry to the agent's own configuration, or removes it. The agent's next session starts a new
   * process. Fails with `ErrorCode.refused` and a sentence; the file is then unchanged.
   */
  "agents/changeConfiguration": Call<
    { readonly agent: AgentConfig; readonly change: "add" | "remove" },
    Record<string, never>
  >;
  /**
   * Returns the text that each built-in extension would add to the first prompt of a session in this folder. Never asks
   * the user. Other extensions are omitted, and those whose text could not be read.
   */
  "agents/previewExtensions": Call<
    { readonly extensions: readonly ExtensionConfig[]; readonly cwd: string },
    { readonly additions: readonly ExtensionAddition[] }
  >;
  /** Bytes that the installation of these agents needs, by id. Unknown sizes are omitted. Uses the network. */
  "agents/sizes": Call<
    { readonly agents: readonly AgentConfig[] },
    { readonly sizes: Readonly<Record<string, number>> }
  >;
  /** Returns the paths of these programs on the PATH of the login shell. Programs that are not found are omitted. */
  "agents/find": Call<{ readonly programs: readonly string[] }, { readonly found: Readonly<Record<string, string>> }>;
  /** The enabled extensions, ordered from the client to the agent. Applies to new sessions. */
  "settings/extensions": Note<{ readonly extensions: readonly ExtensionConfig[] }>;
}

export interface AgentsSidecarToHost {
  /** The state in `agents/states` has changed. */
  "agents/changed": Note<{ readonly of: Installable; readonly id: string }>;
  /** Without `progress`: the installation has ended. */
  "agents/installing": Note<{ readonly of: Installable; readonly id: string; readonly progress?: InstallProgress }>;
}
