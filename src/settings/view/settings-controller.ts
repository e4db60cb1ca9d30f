/**
 * Controller of the settings pages: holds their complete view model and handles their messages. Several pages may
 * exist. A hidden page receives no messages until it is shown again.
 *
 * Invariants:
 * - A page receives a view when it is ready, and later only changed views, at most one per turn of the event loop.
 * - A button that is not shown has no effect, so that an outdated or malicious page cannot start an action.
 * - Without a live page, or in an untrusted workspace, no request is sent to the sidecar.
 */
import * as l10n from "@vscode/l10n";
import { sidecarState } from "../../chat/sidecar-state";
import type { InstallProgress, Installable, RegistryUpdate } from "../../protocol/agents/agent-service";
import { foundAgents } from "../../protocol/agents/known-programs";
import type { SettingsToHost } from "../../protocol/settings/settings-to-host";
import type { AgentRow, HostToSettings, NoteAction, RowAction, RowKind } from "../../protocol/settings/settings-view";
import { assertNever } from "../../protocol/wire/wire";
import { alwaysQuestion } from "../store/bypass-question";
import { fits } from "../../protocol/agents/extension-settings";
import { errorMessage } from "../../protocol/wire/errors";
import { moved, withEnabled, withSetting } from "../store/extensions";
import { forInstalled } from "../store/update-policy";
import type { SidecarPhase } from "../../sidecar/restart-policy";
import { agentsOf } from "./agent-rows";
import { pageOf } from "./recommendation-rows";
import { RowActions, type ActedRow } from "./row-actions";
import type { SettingsPage, SettingsDeps } from "./settings-deps";
import { settingsGroup, warningQuestion } from "./setting-rows";
import { SidecarStateCache } from "./sidecar-state-cache";
import { settingsView } from "./view-state";
import { type SettingsModel, keyOf, type RowKey } from "./settings-model";

/** `shown`: the last posted view as JSON, since the page was ready. */
interface Attached {
  readonly page: SettingsPage;
  isLive: boolean;
  shown?: string;
}

export class SettingsController {
  readonly #pages = new Set<Attached>();
  readonly #actions: RowActions;
  readonly #installing = new Map<RowKey, InstallProgress>();
  readonly #facts: SidecarStateCache;
  /** Message about an action that failed because the sidecar exited. */
  #lost: string | undefined;

  constructor(private readonly deps: SettingsDeps) {
    this.#facts = new SidecarStateCache(deps, {
      isWanted: () => this.#hasLivePage && deps.isTrusted(),
      changed: () => this.#draw(),
    });
    this.#actions = new RowActions(deps, {
      changed: what => {
        this.#draw();
        if (what === "states") this.#facts.refresh();
      },
      report: text => this.#toAll({ type: "announce", text }),
      lost: sentence => {
        this.#lost = sentence;
      },
    });
  }

  /** `onMessage` receives the page's validated messages. Call `hidden` when VS Code disposed its document. */
  attach(page: SettingsPage): { onMessage(message: SettingsToHost): Promise<void>; hidden(): void; dispose(): void } {
    const attached: Attached = { page, isLive: false };
    this.#pages.add(attached);
    return {
      onMessage: message => this.#route(message, attached).catch((error: unknown) => this.#failed(message, error)),
      hidden: () => {
        attached.isLive = false;
      },
      dispose: () => {
        this.#pages.delete(attached);
      },
    };
  }

  /** Call it after a change of settings, trust, tabs or updates. */
  changed(): void {
    this.#draw();
  }

  /** Call it after a change of settings that also affects the sidecar's states. */
  settingsChanged(): void {
    this.#draw();
    this.#facts.refresh();
  }

  stateChanged(): void {
    this.#facts.refresh();
  }

  installing(of: Installable, id: string, progress: InstallProgress | undefined): void {
    if (progress) this.#installing.set(keyOf(of, id), progress);
    else this.#installing.delete(keyOf(of, id));
    this.#draw();
    if (!progress) this.#facts.refresh();
  }

  phaseChanged(phase: SidecarPhase): void {
    this.#facts.phaseChanged(phase);
    if (phase.kind !== "running") this.#installing.clear();
    this.#draw();
  }

  /** Like the button in the agent's row, but for a tab: a failure is shown in a notification. Never rejects. */
  async addToConfiguration(agentId: string): Promise<void> {
    const row = this.#actedRow("agent", agentId),
      key = keyOf("agent", agentId);
    if (!row || !this.deps.isTrusted()) return;
    await this.#actions.perform(row, "addEntry");
    const outcome = this.#actions.outcomes.get(key);
    if (outcome?.kind === "failed") this.deps.notify(outcome.sentence);
  }

  async #route(message: SettingsToHost, from: Attached): Promise<void> {
    const { deps } = this,
      { configuration } = deps;
    switch (message.type) {
      case "ready":
        return this.#ready(from);
      case "row":
        return message.of === "recommendation"
          ? this.#recommendation(message.id, message.action, from)
          : this.#row(message.of, message.id, message.action);
      case "bypass":
        return this.#bypass(message, from);
      case "enable":
        return this.#hasExtension(message.id)
          ? configuration.changeExtensions(value => withEnabled(value, message.id, message.isOn))
          : undefined;
      case "setting":
        return this.#setting(message, from);
      case "move":
        return this.#hasExtension(message.id)
          ? configuration.changeExtensions(value => moved(value, message.id, message.to))
          : undefined;
      case "add":
        return this.#add(message.what, from);
      case "note":
        return this.#note(message.action);
      case "modifier":
        return configuration.set("symposium.requireModifierToSend", message.isOn);
      case "updates":
        return configuration.set("symposium.updates", message.mode);
      case "checkUpdates":
        return this.#checkUpdates();
      case "showDismissed":
        return deps.recommendations.restore();
      case "open":
        return deps.go(message.what);
      case "log":
        deps.log.emit({
          timestamp: new Date(deps.now()),
          category: "webview",
          level: message.level,
          message: message.message,
        });
        return;
      default:
        return assertNever(message, "settings page message");
    }
  }

  #ready(from: Attached): void {
    from.isLive = true;
    delete from.shown;
    this.#draw();
    this.#facts.lookAgain();
    void this.deps.recommendations.read();
  }

  async #row(of: Installable, id: string, action: RowAction): Promise<void> {
    const row = this.#actedRow(of, id);
    if (!row || action === "add" || !this.#isShown(of, id, action)) return this.#ignored(of, id, action);
    this.#lost = undefined;
    await this.#actions.perform(row, action);
  }

  /** Reveals an added extension in the page. */
  async #recommendation(id: string, action: RowAction, { page }: Attached): Promise<void> {
    const { recommendations, openPage } = this.deps;
    if (!this.#isShown("recommendation", id, action)) return this.#ignored("recommendation", id, action);
    if (action === "dismiss") return recommendations.dismiss(id);
    if (action === "page") {
      const found = recommendations.state.open.find(({ key }) => key === id),
        url = found && pageOf(found);
      return url === undefined ? undefined : openPage(url);
    }
    const added = await recommendations.accept(id);
    if (added === undefined) return;
    this.#post();
    page.post({ type: "reveal", of: "extension", id: added });
  }

  #ignored(of: RowKind, id: string, action: RowAction): void {
    this.deps.log.debug("webview", "Ignored a button that no longer exists", { of, id, action });
  }

  /** Whether the pages currently show this button. */
  #isShown(of: RowKind, id: string, action: RowAction): boolean {
    const { agents, extensions, recommendations } = settingsView(this.#model(), false),
      rows = { agent: agents, extension: extensions, recommendation: recommendations?.rows ?? [] }[of],
      row = rows.find(item => item.id === id);
    return (
      row !== undefined &&
      [...row.buttons, ...row.findings.flatMap(({ buttons }) => buttons)].some(button => button.action === action)
    );
  }

  #actedRow(of: Installable, id: string): ActedRow | undefined {
    const { settings } = this.deps.configuration,
      state = this.#facts[of === "agent" ? "agents" : "extensions"]?.get(id);
    const update = this.#updates.find(known => known.of === of && known.id === id),
      facts = {
        isInstalled: state?.install.kind === "installed",
        lastError: state?.lastError?.at,
        ...(update ? { update } : {}),
      };
    if (of === "extension") {
      const config = settings.allExtensions.find(extension => extension.config.id === id)?.config;
      return config && { of, config, ...facts };
    }
    const config = agentsOf({ settings, found: this.#facts.found }).find(agent => agent.id === id),
      found = foundAgents(settings.agents, this.#facts.found).find(agent => agent.isNew && agent.agent.id === id);
    return config && { of, config, ...facts, ...(found ? { found } : {}) };
  }

  get #updates(): readonly RegistryUpdate[] {
    return forInstalled(this.deps.updates.known, this.#facts.agents);
  }

  /** Like `#isShown`, for the bypass switch. */
  #bypassRow(id: string): AgentRow | undefined {
    return this.deps.isTrusted()
      ? settingsView(this.#model(), false).agents.find(row => row.id === id && row.bypass !== undefined)
      : undefined;
  }

  /** If nothing changes, posts the view again, because the page already shows the pressed switch. */
  async #bypass({ id, isOn }: Extract<SettingsToHost, { readonly type: "bypass" }>, from: Attached): Promise<void> {
    const row = this.#bypassRow(id);
    if (!row) return;
    const { question, detail, yes } = alwaysQuestion(row.name);
    if ((!isOn || (await this.deps.confirm(question, detail, yes))) && this.#bypassRow(id))
      return this.deps.configuration.setBypass(id, isOn);
    this.#drawAgain(from);
  }

  /** Confirms an option with a warning. If nothing changes, posts the view again, like `#bypass`. */
  async #setting(
    { id, name, value }: Extract<SettingsToHost, { readonly type: "setting" }>,
    from: Attached,
  ): Promise<void> {
    const { allExtensions } = this.deps.configuration.settings,
      extension = allExtensions.find(({ config }) => config.id === id),
      row = extension && settingsGroup(extension)?.rows.find(item => item.name === name);
    if (!extension || !row || !this.deps.isTrusted()) return;
    const question = value === undefined ? undefined : warningQuestion(row, value, extension.config.name);
    if (
      (value === undefined || fits(row.control, value)) &&
      (!question || (await this.deps.confirm(question.question, question.detail, question.yes)))
    )
      await this.deps.configuration.changeExtensions(all => withSetting(all, id, name, value));
    this.#drawAgain(from);
  }

  #drawAgain(from: Attached): void {
    delete from.shown;
    this.#draw();
  }

  #hasExtension(id: string): boolean {
    return (
      this.deps.isTrusted() && this.deps.configuration.settings.allExtensions.some(({ config }) => config.id === id)
    );
  }

  /** Reveals the added entry in the page. */
  async #add(what: Extract<SettingsToHost, { readonly type: "add" }>["what"], { page }: Attached): Promise<void> {
    if (!this.deps.isTrusted()) return;
    const id = await this.deps.add(what);
    if (id === undefined) return;
    this.#post();
    page.post({ type: "reveal", of: what === "extension" ? "extension" : "agent", id });
  }

  #note(action: NoteAction): Promise<void> {
    switch (action) {
      case "trust":
        return this.deps.go("trust");
      case "settingsFile":
        return this.deps.go("agentsFile");
      case "newTab":
        return this.deps.openTab();
      default:
        return assertNever(action, "note action");
    }
  }

  async #checkUpdates(): Promise<void> {
    if (!this.deps.isTrusted()) return;
    const { updates, recommendations } = this.deps;
    void recommendations.read("refresh");
    await updates.check();
    const { length } = updates.known,
      { problem } = updates.registry;
    this.#toAll({
      type: "announce",
      text:
        problem ??
        (length === 0
          ? l10n.t("No updates are available.")
          : length === 1
            ? l10n.t("1 update is available.")
            : l10n.t`${length} updates are available.`),
    });
  }

  #failed(message: SettingsToHost, error: unknown): void {
    this.deps.log.warn("webview", "A request of a settings page failed", { type: message.type, error });
    this.deps.notify(errorMessage(error));
  }

  get #hasLivePage(): boolean {
    return [...this.#pages].some(({ isLive }) => isLive);
  }

  #draw(): void {
    if (this.#hasLivePage) queueMicrotask(() => this.#post());
  }

  /** Skips views equal to the last posted one. Several changes in one turn therefore post one view. */
  #post(): void {
    const model = this.#model();
    for (const attached of this.#pages) {
      if (!attached.isLive) continue;
      const view = settingsView(model, attached.page.isPage),
        shown = JSON.stringify(view);
      if (shown === attached.shown) continue;
      attached.shown = shown;
      attached.page.post({ type: "view", view });
    }
  }

  #toAll(message: HostToSettings): void {
    for (const { page, isLive } of this.#pages) if (isLive) page.post(message);
  }

  #model(): SettingsModel {
    const { deps } = this,
      isTrusted = deps.isTrusted(),
      state = sidecarState(deps.sidecar.phase, isTrusted),
      sidecar = "message" in state ? state.message : (this.#lost ?? this.#facts.problem),
      { agents, extensions, icons, found, withKeys } = this.#facts;
    return {
      settings: deps.configuration.settings,
      isTrusted,
      ...(sidecar === undefined ? {} : { sidecar }),
      ...(agents ? { agentStates: agents } : {}),
      ...(extensions ? { extensionStates: extensions } : {}),
      installing: this.#installing,
      work: this.#actions.work,
      outcomes: this.#actions.outcomes,
      dismissed: this.#actions.dismissed,
      updates: this.#updates,
      registry: deps.updates.registry,
      recommendations: deps.recommendations.state,
      icons,
      found,
      withKeys,
      outdatedTabs: deps.outdatedTabs(),
      now: deps.now(),
    };
  }
}
