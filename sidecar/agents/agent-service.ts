/**
 * Handles the host's `agents/*` and `registry/*` requests. Stateless: delegates the work and converts known errors to
 * sentences for the user.
 */
import * as l10n from "@vscode/l10n";
import type {
  AgentsHostToSidecar,
  AgentState,
  ExtensionAddition,
  Installable,
  InstallState,
} from "../../src/protocol/agents/agent-service";
import type { AgentConfig } from "../../src/protocol/agents/agents";
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import { unpinnedPackage } from "../../src/protocol/agents/built-in-agents";
import { ErrorCode, errorMessage } from "../../src/protocol/wire/errors";
import type { CancelSignal } from "../../src/protocol/wire/cancel-signal";
import type { Handlers } from "../../src/protocol/wire/wire";
import { AgentError } from "../errors";
import { RpcError } from "../rpc/message";
import type { AgentStatusTracker, AgentStatus } from "./agent-status-tracker";
import { displayedVersion } from "./distributions/folder-name";
import type { Examined } from "./doctor/report";
import { InstallError } from "./install/store/install-error";
import type { Installer } from "./install/installer";
import type { InstallSizes } from "./install/install-sizes";
import type { InstallConfig } from "./install/install-options";
import type { ConfigurationFile } from "./own-configuration/configuration-file";
import { ConfigurationError } from "./own-configuration/symposium-entry";
import type { Icons } from "./registry/icons";
import type { Registries } from "./registry/registries";
import type { InstalledPackage } from "./registry/updates";
import { RegistryError } from "../http/fetch-document";

export interface AgentServiceDeps {
  readonly installers: Readonly<
    Record<Installable, Pick<Installer, "state" | "missing" | "install" | "cancel" | "remove">>
  >;
  readonly registries: Registries;
  readonly icons: Icons;
  readonly sizes: Pick<InstallSizes, "of">;
  /** Rejects with a `RegistryError`. */
  readonly documentAt: (
    url: string,
    kind: Installable,
    signal: AbortSignal,
  ) => Promise<Readonly<Record<string, unknown>>>;
  readonly statusTracker: AgentStatusTracker;
  /** See `agents/previewExtensions`. Undefined for an extension that is not built in. */
  readonly preview: (extension: ExtensionConfig, cwd: string) => Promise<ExtensionAddition | undefined>;
  /** Searches the PATH of the login shell. */
  readonly find: (program: string) => Promise<string | undefined>;
  readonly examine: (
    agent: AgentConfig,
    cwd: string,
    signal: AbortSignal,
  ) => Promise<{ readonly examined: Examined; readonly report: string }>;
  /** The report about this computer, redacted. */
  readonly doctor: () => Promise<string>;
  /** The agent's own configuration file. Undefined: unknown. */
  readonly configuration?: (agent: AgentConfig) => Promise<ConfigurationFile | undefined>;
  /** After this call, new sessions of the agent start another process. */
  readonly retire?: (agentId: string) => void;
  /** Rejects with an `AgentError`. */
  readonly signOut: (agent: AgentConfig, cwd: string) => Promise<void>;
}

export type AgentHandlers = Omit<Handlers<AgentsHostToSidecar>, "settings/extensions">;

const MAX_PROGRAMS = 100;

export class AgentService {
  constructor(private readonly deps: AgentServiceDeps) {}

  readonly handlers: AgentHandlers = {
    "registry/agents": async ({ url }) =>
      this.deps.registries.view(url, (of, configs) => this.deps.installers[of].missing(configs)),
    "registry/updates": async ({ url, agents, extensions, builtIns }) =>
      this.deps.registries.updates(url, { agents, extensions }, await this.#installedPackages(builtIns)),
    "registry/icons": async ({ url, ids }, signal) => ({
      icons: await this.deps.icons.of(await this.deps.registries.pictures(url, ids), abortSignal(signal)),
    }),
    "registry/extension": ({ url, of = "extension" }, signal) =>
      refuseKnownErrors(async () => ({ entry: await this.deps.documentAt(url, of, abortSignal(signal)) })),
    "agents/states": async ({ agents, extensions }) => ({
      agents: await byId(agents, async agent => ({
        ...agentState(await this.#state("agent", agent), this.deps.statusTracker.of("agent", agent.id)),
        ...(await this.#configured(agent)),
      })),
      extensions: await byId(extensions, async extension =>
        withError(await this.#state("extension", extension), this.deps.statusTracker.of("extension", extension.id)),
      ),
    }),
    "agents/install": ({ of, config, how }, signal) =>
      refuseKnownErrors(async () => {
        const { install: before } = await this.#state(of, config),
          { release } = await this.deps.installers[of].install(config, abortSignal(signal), how),
          after = displayedVersion(release);
        // The configuration, which the agent pool compares, is the same for both versions.
        const isReplaced = how === "anew" || (before.kind === "installed" && before.version !== after.version);
        if (of === "agent" && isReplaced) this.deps.retire?.(config.id);
        return after;
      }),
    "agents/cancelInstall": async ({ of, id }) => {
      this.deps.installers[of].cancel(id);
      return {};
    },
    "agents/remove": ({ of, id }) =>
      refuseKnownErrors(async () => {
        await this.deps.installers[of].remove(id);
        this.deps.statusTracker.changed(of, id);
        return {};
      }),
    "agents/examine": async ({ agent, cwd }, signal) => {
      const {
        examined: { diagnosis },
        report,
      } = await this.deps.examine(agent, cwd, abortSignal(signal));
      // A successful examination replaces an earlier failure.
      if (diagnosis.cause === "fine" || diagnosis.cause === "signIn")
        this.deps.statusTracker.onStatus("agent", agent.id, { kind: "well" });
      if (diagnosis.cause === "signIn")
        this.deps.statusTracker.onStatus("agent", agent.id, { kind: "session", signIn: "needed" });
      return { diagnosis, report };
    },
    "agents/previewExtensions": async ({ extensions, cwd }) => ({
      additions: (await Promise.all(extensions.map(extension => this.deps.preview(extension, cwd)))).flatMap(
        addition => addition ?? [],
      ),
    }),
    "agents/doctor": async () => ({ report: await this.deps.doctor() }),
    "agents/signOut": ({ agent, cwd }) =>
      refuseKnownErrors(async () => {
        await this.deps.signOut(agent, cwd);
        return {};
      }),
    "agents/planConfiguration": ({ agent }) => refuseKnownErrors(async () => (await this.#configuration(agent)).plan()),
    "agents/changeConfiguration": ({ agent, change }) =>
      refuseKnownErrors(async () => {
        const configuration = await this.#configuration(agent);
        await (change === "add" ? configuration.add() : configuration.remove());
        this.deps.retire?.(agent.id);
        this.deps.statusTracker.changed("agent", agent.id);
        return {};
      }),
    "agents/sizes": async ({ agents }, signal) => ({
      sizes: await this.deps.sizes.of(agents.slice(0, MAX_PROGRAMS), abortSignal(signal)),
    }),
    "agents/find": async ({ programs }) => {
      const found = await Promise.all(
        [...new Set(programs)]
          .slice(0, MAX_PROGRAMS)
          .map(async program => [program, await this.deps.find(program)] as const),
      );
      return { found: Object.fromEntries(found.filter((item): item is [string, string] => item[1] !== undefined)) };
    },
  };

  async #configured(agent: AgentConfig): Promise<Pick<AgentState, "configuration">> {
    const configuration = await this.deps.configuration?.(agent);
    return configuration ? { configuration: await configuration.state() } : {};
  }

  async #configuration(agent: AgentConfig): Promise<ConfigurationFile> {
    const configuration = await this.deps.configuration?.(agent);
    if (!configuration)
      throw new ConfigurationError(
        l10n.t`Symposium does not know the configuration file of ${agent.name}. Set “ownConfiguration” in its entry of symposium.agents.`,
      );
    return configuration;
  }

  /** The agents that an npm package without a version provides, and that are installed. */
  async #installedPackages(agents: readonly AgentConfig[]): Promise<readonly InstalledPackage[]> {
    const packages = agents.map(async (agent): Promise<readonly InstalledPackage[]> => {
      const name = unpinnedPackage(agent.distribution);
      if (name === undefined) return [];
      const { kind, install } = await this.#state("agent", agent);
      return kind === "npx" && install.kind === "installed" && install.version !== undefined
        ? [{ id: agent.id, name: agent.name, package: name, version: install.version }]
        : [];
    });
    return (await Promise.all(packages)).flat();
  }

  /**
   * If the state cannot be determined (invalid id, unreadable store), the item is reported as missing, with the error
   * as its reason.
   */
  async #state(kind: Installable, config: InstallConfig): Promise<Pick<InstallState, "kind" | "install" | "missing">> {
    return this.deps.installers[kind].state(config).catch((error: unknown) => ({
      install: { kind: "missing" },
      missing: errorMessage(error),
    }));
  }
}

async function byId<C extends { readonly id: string }, S>(
  configs: readonly C[],
  state: (config: C) => Promise<S>,
): Promise<Readonly<Record<string, S>>> {
  return Object.fromEntries(await Promise.all(configs.map(async config => [config.id, await state(config)] as const)));
}

function withError<S>(state: S, { lastError }: AgentStatus): S & Pick<InstallState, "lastError"> {
  return { ...state, ...(lastError === undefined ? {} : { lastError }) };
}

function agentState(state: Pick<InstallState, "kind" | "install" | "missing">, status: AgentStatus): AgentState {
  const { running, signIn, canLogOut } = status;
  return {
    ...withError(state, status),
    running,
    ...(signIn === undefined ? {} : { signIn }),
    ...(canLogOut === true && signIn !== "needed" ? { canSignOut: true } : {}),
  };
}

/** Converts known errors to `ErrorCode.refused` with their sentence. Other errors are bugs and propagate unchanged. */
async function refuseKnownErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (
      error instanceof InstallError ||
      error instanceof AgentError ||
      error instanceof RegistryError ||
      error instanceof ConfigurationError
    )
      throw new RpcError(ErrorCode.refused, error.message);
    throw error;
  }
}

function abortSignal(signal: CancelSignal): AbortSignal {
  const controller = new AbortController();
  if (signal.aborted) controller.abort(new InstallError("cancelled", l10n.t("It was cancelled.")));
  signal.addEventListener("abort", () => controller.abort(new InstallError("cancelled", l10n.t("It was cancelled."))));
  return controller.signal;
}
