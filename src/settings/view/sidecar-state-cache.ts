/**
 * State of agents and extensions for the settings pages. Requested from the sidecar after each possible change, one
 * request at a time.
 *
 * Invariants:
 * - No state is requested while no page shows it.
 * - The states are discarded when the sidecar exits.
 * - Icons are downloaded. They do not delay the states, and a missing icon is not an error.
 */
import { SidecarExited, SidecarUnavailable } from "../../errors";
import type { AgentState, InstallState } from "../../protocol/agents/agent-service";
import { KNOWN_PROGRAMS, type FoundPrograms } from "../../protocol/agents/known-programs";
import { errorMessage } from "../../protocol/wire/errors";
import type { SidecarClient } from "../../sidecar/client";
import type { SidecarPhase } from "../../sidecar/restart-policy";
import { agentsOf } from "./agent-rows";
import type { SettingsDeps } from "./settings-deps";

export interface FactsListener {
  /** Whether a page shows the facts and the sidecar may be used. */
  isWanted(): boolean;
  changed(): void;
}

export class SidecarStateCache {
  /** Absent: unknown. */
  agents: ReadonlyMap<string, AgentState> | undefined;
  extensions: ReadonlyMap<string, InstallState> | undefined;
  found: FoundPrograms = {};
  withKeys: ReadonlySet<string> = new Set();
  readonly icons = new Map<string, string>();
  /** The reason why the states are unknown, as a message. A missing sidecar is reported elsewhere. */
  problem: string | undefined;
  /** Whether programs were detected since a page became ready. They rarely change. */
  #isFoundFresh = false;
  readonly #requestedIcons = new Set<string>();
  /** `again`: a change occurred during the request. */
  #requestState: "no" | "once" | "again" = "no";

  constructor(
    private readonly deps: Pick<SettingsDeps, "sidecar" | "hasKeys" | "log"> & {
      readonly configuration: Pick<SettingsDeps["configuration"], "settings">;
    },
    private readonly reader: FactsListener,
  ) {}

  /** Requests all states, now or after the running request. */
  refresh(): void {
    if (!this.reader.isWanted()) return;
    if (this.#requestState !== "no") {
      this.#requestState = "again";
      return;
    }
    void this.#request();
  }

  /** Call it when a page is opened; repeats requests that may have failed. */
  lookAgain(): void {
    this.#isFoundFresh = false;
    // the network may have been down
    for (const id of this.#requestedIcons) if (!this.icons.has(id)) this.#requestedIcons.delete(id);
    this.refresh();
  }

  phaseChanged(phase: SidecarPhase): void {
    // The running request is waiting for this sidecar.
    if (phase.kind === "running") {
      if (this.#requestState === "no") this.refresh();
    } else this.agents = this.extensions = undefined;
  }

  async #request(): Promise<void> {
    do {
      this.#requestState = "once";
      await this.#requestOnce().then(
        () => {
          this.problem = undefined;
        },
        (error: unknown) => this.#unknown(error),
      );
      this.reader.changed();
    } while (this.#isRequestedAgain());
    this.#requestState = "no";
  }

  #isRequestedAgain(): boolean {
    return this.#requestState === "again";
  }

  async #requestOnce(): Promise<void> {
    const { deps } = this,
      client = await deps.sidecar.client();
    if (!this.#isFoundFresh) {
      this.found = (
        await client.request("agents/find", { programs: KNOWN_PROGRAMS.map(({ program }) => program) })
      ).found;
      this.#isFoundFresh = true;
    }
    const { settings } = deps.configuration,
      agents = agentsOf({ settings, found: this.found }),
      extensions = settings.allExtensions.map(({ config }) => config);
    const states = await client.request("agents/states", { agents, extensions });
    this.agents = new Map(Object.entries(states.agents));
    this.extensions = new Map(Object.entries(states.extensions));
    this.reader.changed();
    const withKeys = await Promise.all(agents.map(async ({ id }) => ((await deps.hasKeys(id)) ? [id] : [])));
    this.withKeys = new Set(withKeys.flat());
    // Icons use the network, so the setting for automatic updates applies to them.
    if (settings.updates !== "off")
      void this.#requestIcons(
        client,
        [...agents, ...extensions].filter(({ _source }) => _source === "registry").map(({ id }) => id),
      );
  }

  /** Failed requests are repeated the next time. */
  async #requestIcons(client: SidecarClient, wanted: readonly string[]): Promise<void> {
    const ids = wanted.filter(id => !this.#requestedIcons.has(id)),
      { registryUrl } = this.deps.configuration.settings;
    if (ids.length === 0) return;
    for (const id of ids) this.#requestedIcons.add(id);
    try {
      const { icons } = await client.request("registry/icons", {
        ids,
        ...(registryUrl === "" ? {} : { url: registryUrl }),
      });
      for (const [id, icon] of Object.entries(icons)) this.icons.set(id, icon);
      this.reader.changed();
    } catch (error) {
      for (const id of ids) this.#requestedIcons.delete(id);
      this.deps.log.debug("registry", "Could not request the icons of agents", { ids, error });
    }
  }

  /** Ignores the loss of the sidecar, because the next sidecar is queried again. */
  #unknown(error: unknown): void {
    this.deps.log.warn("agent", "Could not request the states of agents", { error });
    if (!(error instanceof SidecarExited || error instanceof SidecarUnavailable)) this.problem = errorMessage(error);
  }
}
