/**
 * What the sidecar knows of agents and extensions, for the settings pages: asked for whenever it may be something else,
 * one question at a time.
 *
 * Invariants: nothing is asked while nobody wants to see it; a sidecar that is gone takes with it what it knew;
 * pictures, which come over the network, hold up nothing, and without them nothing is the matter.
 */
import { SidecarGone, SidecarUnavailable } from "../../errors";
import type { AgentState, InstallState } from "../../protocol/agent-service";
import { KNOWN_PROGRAMS, type FoundPrograms } from "../../protocol/known-programs";
import type { SidecarClient } from "../../sidecar/client";
import type { SidecarPhase } from "../../sidecar/restart-policy";
import { agentsOf } from "./agent-rows";
import type { SettingsDeps } from "./settings-deps";

export interface FactsReader {
  /** Whether a page shows it, and the sidecar may be asked. */
  isWanted(): boolean;
  changed(): void;
}

export class SidecarFacts {
  /** Absent: nobody knows. */
  agents: ReadonlyMap<string, AgentState> | undefined;
  extensions: ReadonlyMap<string, InstallState> | undefined;
  found: FoundPrograms = {};
  withKeys: ReadonlySet<string> = new Set();
  readonly icons = new Map<string, string>();
  /** Why it does not know, as a sentence; that there is no sidecar is not said here. */
  problem: string | undefined;
  /** Since a page became ready; programs come and go seldom. */
  #isFoundFresh = false;
  readonly #iconsAsked = new Set<string>();
  /** `again`: something changed since it was asked. */
  #asking: "no" | "once" | "again" = "no";

  constructor(
    private readonly deps: Pick<SettingsDeps, "sidecar" | "configuration" | "hasKeys" | "log">,
    private readonly reader: FactsReader,
  ) {}

  /** Asks for everything, now or after what is being asked. */
  refresh(): void {
    if (!this.reader.isWanted()) return;
    if (this.#asking !== "no") {
      this.#asking = "again";
      return;
    }
    void this.#ask();
  }

  /** Somebody looks anew. */
  lookAgain(): void {
    this.#isFoundFresh = false;
    // there may have been no network
    for (const id of this.#iconsAsked) if (!this.icons.has(id)) this.#iconsAsked.delete(id);
    this.refresh();
  }

  phaseChanged(phase: SidecarPhase): void {
    // What is being asked waits for this very sidecar.
    if (phase.kind === "running") {
      if (this.#asking === "no") this.refresh();
    } else this.agents = this.extensions = undefined;
  }

  async #ask(): Promise<void> {
    do {
      this.#asking = "once";
      await this.#askOnce().then(
        () => {
          this.problem = undefined;
        },
        (error: unknown) => this.#unknown(error),
      );
      this.reader.changed();
    } while (this.#isAskedAgain());
    this.#asking = "no";
  }

  #isAskedAgain(): boolean {
    return this.#asking === "again";
  }

  async #askOnce(): Promise<void> {
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
    const kept = await Promise.all(agents.map(async ({ id }) => ((await deps.hasKeys(id)) ? [id] : [])));
    this.withKeys = new Set(kept.flat());
    // Over the network: as everything that nobody asked for.
    if (settings.updates !== "off")
      void this.#askIcons(
        client,
        [...agents, ...extensions].filter(({ _source }) => _source === "registry").map(({ id }) => id),
      );
  }

  /** Those that could not be asked for are asked for the next time. */
  async #askIcons(client: SidecarClient, wanted: readonly string[]): Promise<void> {
    const ids = wanted.filter(id => !this.#iconsAsked.has(id)),
      { registryUrl } = this.deps.configuration.settings;
    if (ids.length === 0) return;
    for (const id of ids) this.#iconsAsked.add(id);
    try {
      const { icons } = await client.request("registry/icons", {
        ids,
        ...(registryUrl === "" ? {} : { url: registryUrl }),
      });
      for (const [id, icon] of Object.entries(icons)) this.icons.set(id, icon);
      this.reader.changed();
    } catch (error) {
      for (const id of ids) this.#iconsAsked.delete(id);
      this.deps.log.debug("registry", "Pictures of agents could not be asked for", { ids, error });
    }
  }

  /** When there is a sidecar again it is asked again. */
  #unknown(error: unknown): void {
    this.deps.log.warn("agent", "The settings view does not know the states of agents", { error });
    if (!(error instanceof SidecarGone || error instanceof SidecarUnavailable))
      this.problem = error instanceof Error ? error.message : String(error);
  }
}
