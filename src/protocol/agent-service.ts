/**
 * Agents and extensions that can be had, between extension host and sidecar: the host knows what the user configured,
 * the sidecar everything else.
 */
import type { AgentConfig } from "./agents";
import type { DistributionKind } from "./distribution";
import type { Diagnosis } from "./doctor";
import type { ExtensionConfig } from "./extensions";
import type { ConfigurationPlan, ConfigurationState } from "./own-configuration";
import type { Call, Note } from "./wire";

/** `done` and `total` in bytes, where they are known; `line`: what the tool said last. */
export interface InstallProgress {
  readonly phase: "waiting" | "downloading" | "unpacking" | "installing";
  readonly done?: number;
  readonly total?: number;
  readonly line?: string;
}

/** What the sidecar knows of what can be installed. */
export interface InstallState {
  /** How it would be started here; absent: it cannot be. */
  readonly kind?: DistributionKind;
  /** `ready`: needs no installation (a program of the user's, or one of ours). An archive may have no version. */
  readonly install:
    | { readonly kind: "ready" }
    | { readonly kind: "missing" }
    | { readonly kind: "installed"; readonly version?: string }
    | ({ readonly kind: "installing" } & InstallProgress);
  /** Why it cannot be had here, as a sentence. */
  readonly missing?: string;
  /**
   * Why it last did not start, or ended by itself, as a sentence; `at`: milliseconds since 1970. Gone as soon as it
   * starts.
   */
  readonly lastError?: { readonly sentence: string; readonly at: number };
}

export interface AgentState extends InstallState {
  /** Its processes in this window. */
  readonly running: number;
  /** What it said when it was last asked for a session; absent: nobody has asked it, or it knows no users. */
  readonly signIn?: "in" | "needed";
  /**
   * It said that it can be told to forget its user. (Keys that are kept for it can be forgotten always: by whom keeps
   * them that is known.)
   */
  readonly canSignOut?: true;
  /** Symposium's entry in its own configuration; absent: no configuration of its is known. */
  readonly configuration?: ConfigurationState;
}

export interface RegistryAgent {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Why none of its distributions can be used here, as a sentence. */
  readonly missing?: string;
  /**
   * What stands in `symposium.agents` (`symposium.extensions`) when it is added: the registry's own entry, and
   * `_source`.
   */
  readonly entry: Readonly<Record<string, unknown>>;
}

/** How old what a registry said is, and why it is not newer. */
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

/** `entry`: in place of the one in the settings; what the user decided in it stays. */
export interface RegistryUpdate {
  readonly of: Installable;
  readonly id: string;
  readonly name: string;
  readonly from?: string;
  readonly to: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

/** They are installed side by side, and may have the same id. */
export type Installable = "agent" | "extension";

type Entries = readonly Readonly<Record<string, unknown>>[];

/** `url`: of another registry than the public one. Fails as `ErrorCode.refused` where it is no https address. */
interface Of {
  readonly url?: string;
}

export interface AgentsHostToSidecar {
  /** Over the network, else as it was last read. */
  "registry/agents": Call<Of, RegistryView>;
  /**
   * What the registry has that is newer than these entries of the settings, of those that came from it. Over the
   * network, else as it was last read.
   */
  "registry/updates": Call<
    Of & { readonly agents: Entries; readonly extensions: Entries },
    RegistryAge & { readonly updates: readonly RegistryUpdate[] }
  >;
  /** The pictures of these agents, as `data:` addresses; those that have none, or cannot be had, are left out. */
  "registry/icons": Call<
    Of & { readonly ids: readonly string[] },
    { readonly icons: Readonly<Record<string, string>> }
  >;
  /**
   * The `extension.json` at an address (https; of a page on GitHub the file itself), as an entry of
   * `symposium.extensions`; of an agent the `agent.json`, for `symposium.agents`. Fails as `ErrorCode.refused` with a
   * sentence.
   */
  "registry/extension": Call<
    { readonly url: string; readonly of?: Installable },
    { readonly entry: Readonly<Record<string, unknown>> }
  >;
  /** Without network, and without starting anything but the login shell. By id. */
  "agents/states": Call<
    { readonly agents: readonly AgentConfig[]; readonly extensions: readonly ExtensionConfig[] },
    {
      readonly agents: Readonly<Record<string, AgentState>>;
      readonly extensions: Readonly<Record<string, InstallState>>;
    }
  >;
  /**
   * `newest`: asks for a newer one where no version is named. `anew`: in place of what is there, which goes when the
   * new one stands. Answers when it is installed; fails as `ErrorCode.refused` with a sentence.
   */
  "agents/install": Call<
    {
      readonly of: Installable;
      readonly config: AgentConfig | ExtensionConfig;
      readonly how: "missing" | "newest" | "anew";
    },
    { readonly version?: string }
  >;
  /** One that is not being installed (any more) changes nothing. */
  "agents/cancelInstall": Call<{ readonly of: Installable; readonly id: string }, Record<string, never>>;
  /** All versions in our store, but for the files of those that run. Fails as `ErrorCode.refused` with a sentence. */
  "agents/remove": Call<{ readonly of: Installable; readonly id: string }, Record<string, never>>;
  /** Starts it once, to see how far it gets; `report` is redacted, to be copied. */
  "agents/examine": Call<
    { readonly agent: AgentConfig; readonly cwd: string },
    { readonly diagnosis: Diagnosis; readonly report: string }
  >;
  /**
   * Tells it to forget its user, and forgets the keys that are kept for it; its processes end. Fails as
   * `ErrorCode.refused` with a sentence.
   */
  "agents/signOut": Call<{ readonly agent: AgentConfig; readonly cwd: string }, Record<string, never>>;
  /** What `agents/changeConfiguration` would add. Fails as `ErrorCode.refused` with a sentence. */
  "agents/planConfiguration": Call<{ readonly agent: AgentConfig }, ConfigurationPlan>;
  /**
   * Adds Symposium's entry to the agent's own configuration, or removes it. The agent's next session starts a new
   * process. Fails as `ErrorCode.refused` with a sentence; the file is as it was then.
   */
  "agents/changeConfiguration": Call<
    { readonly agent: AgentConfig; readonly change: "add" | "remove" },
    Record<string, never>
  >;
  /** Where these programs are, on the PATH of the login shell; those that are nowhere are left out. */
  "agents/find": Call<{ readonly programs: readonly string[] }, { readonly found: Readonly<Record<string, string>> }>;
  /** The enabled extensions, in their order from the client to the agent: of sessions that begin from now on. */
  "settings/extensions": Note<{ readonly extensions: readonly ExtensionConfig[] }>;
}

export interface AgentsSidecarToHost {
  /** What `agents/states` says of it is another now. */
  "agents/changed": Note<{ readonly of: Installable; readonly id: string }>;
  /** No `progress`: it is over. */
  "agents/installing": Note<{ readonly of: Installable; readonly id: string; readonly progress?: InstallProgress }>;
}
