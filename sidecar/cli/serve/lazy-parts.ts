/** Parts of the sidecar that are loaded on first use. */
import type { Installable } from "../../../src/protocol/agents/agent-service";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import type { LmSettings } from "../../../src/protocol/lm/lm";
import type { ConfigurationState } from "../../../src/protocol/agents/own-configuration";
import { commandOf, type AgentCommand } from "../../agents/distributions/agent-command";
import { NEVER_CANCELLED } from "../../../src/protocol/wire/cancel-signal";
import type { ProxyComponent } from "../../conductor/component";
import type { LmService } from "../../lm/lm-service";
import type { Environment } from "../../process/login-shell-environment";
import type { ServedAgents } from "./serve-agents";
import type { LmPart } from "./serve-lm";

/** Loads the agents part on first use. Eliza needs neither a shell nor an installation. */
export class LazyAgents {
  #loading: Promise<ServedAgents> | undefined;
  #part: ServedAgents | undefined;

  constructor(private readonly load: () => Promise<ServedAgents>) {}

  async command(agent: AgentConfig, signal: AbortSignal): Promise<AgentCommand> {
    const { symposium, ...others } = agent.distribution;
    if (symposium && Object.keys(others).length === 0) return commandOf(agent);
    return (await this.part()).command(agent, signal);
  }

  /** Undefined if no configuration is known. */
  async configuration(agent: AgentConfig): Promise<ConfigurationState | undefined> {
    return agent.distribution.symposium ? undefined : (await (await this.part()).configuration(agent))?.state();
  }

  /** Whether the agent can be started without an installation. */
  async isInstalled(agent: AgentConfig): Promise<boolean> {
    if (agent.distribution.symposium) return true;
    const { agents } = await (await this.part()).handlers["agents/states"](
        { agents: [agent], extensions: [] },
        NEVER_CANCELLED,
      ),
      state = agents[agent.id];
    return state !== undefined && state.missing === undefined && ["ready", "installed"].includes(state.install.kind);
  }

  async part(): Promise<ServedAgents> {
    return (this.#part = await (this.#loading ??= this.load()));
  }

  cancelInstall(kind: Installable, id: string): void {
    this.#part?.installers[kind].cancel(id);
  }

  environment(): Environment {
    return this.#part?.environment() ?? process.env;
  }
}

/** Loads the language model part on first use. Earlier settings are stored until then. */
export class LazyLm {
  #loading: Promise<LmPart> | undefined;
  #part: LmPart | undefined;
  #settings: LmSettings | undefined;

  constructor(private readonly load: () => Promise<LmPart>) {}

  async service(): Promise<LmService> {
    this.#loading ??= this.load().then(part => {
      this.#part = part;
      if (this.#settings) part.service.handlers["settings/languageModel"](this.#settings);
      return part;
    });
    return (await this.#loading).service;
  }

  settings(settings: LmSettings): void {
    this.#settings = settings;
    this.#part?.service.handlers["settings/languageModel"](settings);
  }

  proxies(onWarning: (what: string, detail: unknown) => void): readonly ProxyComponent[] {
    return this.#part?.proxies(onWarning) ?? [];
  }
}
