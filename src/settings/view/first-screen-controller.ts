/**
 * Provides the first screen of empty tabs: agents with their states, enabled extensions and the active file.
 *
 * Invariants:
 * - The page receives the content after `refresh`, and later only changed content, at most once per turn of the event
 *   loop.
 * - In an untrusted workspace, or without a page, no request is sent to the sidecar.
 * - Sizes of installations are requested after the states, and do not delay them.
 */
import * as l10n from "@vscode/l10n";
import type { InstallProgress, Installable } from "../../protocol/agents/agent-service";
import type { ExtensionConfig } from "../../protocol/agents/extensions";
import { entryOf, foundAgents } from "../../protocol/agents/known-programs";
import type { ActiveFile, FirstScreen } from "../../protocol/page/first-screen";
import type { SidecarPhase } from "../../sidecar/restart-policy";
import type { Configuration } from "../store/configuration";
import { withEnabled } from "../store/extensions";
import { agentOffers } from "./agent-offers";
import { agentsOf } from "./agent-rows";
import { previewText } from "./extension-preview";
import type { SettingsDeps } from "./settings-deps";
import { keyOf, type RowKey } from "./settings-model";
import { SidecarStateCache } from "./sidecar-state-cache";

export interface FirstScreenDeps extends Pick<SettingsDeps, "sidecar" | "log" | "isTrusted" | "cwd"> {
  readonly configuration: Pick<Configuration, "settings" | "addAgent" | "changeExtensions">;
  /** The user's home folder. */
  readonly home: string;
  /** Whether a page of the chat is loaded. */
  hasPage(): boolean;
  post(screen: FirstScreen): void;
  hasFolder(): boolean;
  activeFile(): ActiveFile | undefined;
  /** Whether the workspace contains a Rust project. Never rejects. */
  isRust(): Promise<boolean>;
  /** Opens a read-only document. */
  showText(title: string, text: string): Promise<void>;
}

/** Built-in extensions for Rust projects. */
const FOR_RUST: readonly string[] = ["ferris", "cargo"];

export class FirstScreenController {
  readonly #installing = new Map<RowKey, InstallProgress>();
  readonly #states: SidecarStateCache;
  /** Bytes by agent id. */
  readonly #sizes = new Map<string, number>();
  /** Ids of agents whose sizes were requested. The sidecar stores the sizes. */
  readonly #requestedSizes = new Set<string>();
  #isRust = false;
  /** The last posted content as JSON, since the last `refresh`. */
  #posted: string | undefined;

  constructor(private readonly deps: FirstScreenDeps) {
    this.#states = new SidecarStateCache(
      { ...deps, hasKeys: async () => false },
      { isWanted: () => deps.hasPage() && deps.isTrusted(), changed: () => this.#statesChanged() },
    );
  }

  /** Call it when a page is ready or opens a tab. */
  refresh(): void {
    this.#posted = undefined;
    this.changed();
    this.#states.lookAgain();
    void this.projectChanged();
  }

  /** Call it after a change of the settings. */
  settingsChanged(): void {
    this.changed();
    this.#states.refresh();
  }

  /** Call it after a change of the editor or of a displayed state. */
  changed(): void {
    queueMicrotask(() => this.#post());
  }

  /** Call it after a change of the workspace's folders or Rust projects. */
  async projectChanged(): Promise<void> {
    this.#isRust = await this.deps.isRust();
    this.changed();
  }

  stateChanged(): void {
    this.#states.refresh();
  }

  installing(of: Installable, id: string, progress: InstallProgress | undefined): void {
    if (progress) this.#installing.set(keyOf(of, id), progress);
    else this.#installing.delete(keyOf(of, id));
    this.changed();
    if (!progress) this.#states.refresh();
  }

  phaseChanged(phase: SidecarPhase): void {
    this.#states.phaseChanged(phase);
    if (phase.kind !== "running") this.#installing.clear();
    this.changed();
  }

  /** Adds a detected agent to the user's settings. No effect on other ids. */
  async addFound(agentId: string): Promise<void> {
    const { configuration } = this.deps,
      found = foundAgents(configuration.settings.agents, this.#states.found),
      agent = found.find(each => each.isNew && each.agent.id === agentId);
    if (agent) await configuration.addAgent(entryOf(agent));
  }

  async disable(ids: readonly string[]): Promise<void> {
    await this.deps.configuration.changeExtensions(value =>
      ids.reduce<unknown>((changed, id) => withEnabled(changed, id, false), value),
    );
  }

  /** Rejects with a message for the user. */
  async preview(): Promise<void> {
    const { deps } = this,
      extensions = this.#extensions(),
      client = await deps.sidecar.client(),
      { additions } = await client.request("agents/previewExtensions", { extensions, cwd: deps.cwd() });
    await deps.showText(l10n.t("Additions to Prompts"), previewText(extensions, additions));
  }

  /** The enabled extensions that apply to this workspace. */
  #extensions(): readonly ExtensionConfig[] {
    return this.deps.configuration.settings.extensions.filter(
      ({ id, _source }) => this.#isRust || _source !== "built-in" || !FOR_RUST.includes(id),
    );
  }

  #statesChanged(): void {
    this.changed();
    void this.#requestSizes();
  }

  /**
   * Requests the sizes of agents that the screen offers to install. They use the network, so the setting for automatic
   * updates applies to them. An unknown size is not shown.
   */
  async #requestSizes(): Promise<void> {
    const { settings } = this.deps.configuration,
      { agents: states, found } = this.#states;
    if (settings.updates === "off" || states === undefined) return;
    const offered = new Set(this.#agents().map(({ id }) => id));
    const agents = agentsOf({ settings, found }).filter(({ id }) => {
      const state = states.get(id);
      return (
        offered.has(id) &&
        state?.install.kind === "missing" &&
        state.missing === undefined &&
        !this.#requestedSizes.has(id)
      );
    });
    if (agents.length === 0) return;
    for (const { id } of agents) this.#requestedSizes.add(id);
    try {
      const { sizes } = await (await this.deps.sidecar.client()).request("agents/sizes", { agents });
      for (const [id, size] of Object.entries(sizes)) this.#sizes.set(id, size);
      this.changed();
    } catch (error) {
      for (const { id } of agents) this.#requestedSizes.delete(id);
      this.deps.log.debug("registry", "Could not request the sizes of agents", { error });
    }
  }

  #post(): void {
    const { deps } = this;
    if (!deps.hasPage()) return;
    const activeFile = deps.activeFile();
    const screen: FirstScreen = {
      agents: deps.isTrusted() ? this.#agents() : [],
      extensions: this.#extensions().map(({ id, name }) => ({ id, name })),
      ...(activeFile ? { activeFile } : {}),
      hasFolder: deps.hasFolder(),
    };
    const posted = JSON.stringify(screen);
    if (posted === this.#posted) return;
    this.#posted = posted;
    deps.post(screen);
  }

  #agents(): FirstScreen["agents"] {
    const { agents, icons, found } = this.#states;
    return agentOffers({
      settings: this.deps.configuration.settings,
      installing: this.#installing,
      icons,
      found,
      home: this.deps.home,
      sizes: this.#sizes,
      ...(agents ? { agentStates: agents } : {}),
    });
  }
}
