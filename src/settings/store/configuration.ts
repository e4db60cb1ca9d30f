/** VS Code's configuration as `Settings`. Reads it after each change. Writes at the user level, except for `set`. */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { bypassNotSaved } from "../../errors";
import type { Log } from "../../log";
import type { SettingName } from "../../names";
import { showWarning } from "../../notifications";
import type { EntryUpdate } from "../../protocol/agents/agent-service";
import type { Fields } from "../../protocol/wire/json";
import type { UpdateMode } from "../../protocol/settings/settings-view";
import { withAgent, withoutAgent } from "./agents";
import { BypassWrites } from "./bypass-writes";
import { SerialWrites } from "./serial-writes";
import { readSettings, type Settings } from "./settings";
import { withUpdate } from "./update-policy";

/** Settings with a primitive value that the settings view writes. */
interface Simple {
  readonly "symposium.requireModifierToSend": boolean;
  readonly "symposium.updates": UpdateMode;
}

export class Configuration implements vscode.Disposable {
  #settings: Settings = this.#read();
  /** Problems that were already reported to the user. */
  #reported: readonly string[] = [];
  readonly #writes = new SerialWrites({
    value: name => this.ownValue(name),
    write: (name, value) => this.#write(name, value),
  });
  readonly #bypasses = new BypassWrites({
    change: change => this.#writes.change("symposium.agents", change),
    failed: (agentId, isOn, error) => this.#bypassFailed(agentId, isOn, error),
  });
  readonly #changes = new vscode.EventEmitter<Settings>();
  readonly #subscription: vscode.Disposable;
  readonly onChange = this.#changes.event;

  constructor(
    private readonly log: Log,
    private readonly notify: (message: string) => void,
  ) {
    this.#subscription = vscode.workspace.onDidChangeConfiguration(change => {
      if (!change.affectsConfiguration("symposium")) return;
      this.#settings = this.#read();
      this.report();
      this.#changes.fire(this.settings);
    });
  }

  get settings(): Settings {
    return { ...this.#settings, bypass: this.#bypasses.with(this.#settings.bypass) };
  }

  /** The user's raw value. */
  ownValue(name: SettingName): unknown {
    return vscode.workspace.getConfiguration().inspect(name)?.globalValue;
  }

  /** The value of VS Code's `http.proxy`, which extensions must use; empty if unset. */
  get proxy(): string {
    const value: unknown = vscode.workspace.getConfiguration("http").get("proxy");
    return typeof value === "string" ? value : "";
  }

  async selectAgent(agentId: string): Promise<void> {
    await this.#write("symposium.currentAgentId", agentId);
  }

  /** Adds an entry to the user's agents, or replaces the one with its id. */
  addAgent(entry: Fields): Promise<void> {
    return this.#writes.change("symposium.agents", value => withAgent(value, entry));
  }

  /** Removes an agent from the user's agents. */
  removeAgent(agentId: string): Promise<void> {
    return this.#writes.change("symposium.agents", value => withoutAgent(value, agentId));
  }

  /** Replaces the user's entry with the registry's newer entry. Resolves with whether the older entry still existed. */
  async takeUpdate(update: EntryUpdate): Promise<boolean> {
    let isTaken = false;
    await this.#writes.change(update.of === "agent" ? "symposium.agents" : "symposium.extensions", value => {
      const after = withUpdate(value, update);
      isTaken = after !== value;
      return after;
    });
    return isTaken;
  }

  /** `change` maps the user's value of `symposium.extensions` to the next; `undefined` removes the key. */
  changeExtensions(change: (value: unknown) => unknown): Promise<void> {
    return this.#writes.change("symposium.extensions", change);
  }

  /** Turns the bypass of this agent on or off. */
  setBypass(agentId: string, isOn: boolean): Promise<void> {
    return this.#bypasses.set(agentId, isOn);
  }

  /** Writes to the workspace if it overrides the setting, because the page shows the effective value. */
  async set<N extends keyof Simple>(name: N, value: Simple[N]): Promise<void> {
    const isInWorkspace = vscode.workspace.getConfiguration().inspect(name)?.workspaceValue !== undefined;
    await vscode.workspace
      .getConfiguration()
      .update(name, value, isInWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global);
  }

  /** Reports each unreadable entry once. */
  report(): void {
    const { problems } = this.#settings;
    const fresh = problems.filter(problem => !this.#reported.includes(problem));
    this.#reported = problems;
    for (const problem of fresh) this.log.warn("agent", problem);
    if (fresh.length === 0) return;
    void showWarning(fresh.join(" "), l10n.t("Open Settings")).then(
      chosen => chosen && vscode.commands.executeCommand("workbench.action.openSettings", "symposium"),
    );
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changes.dispose();
  }

  /** Notifies the user and sends the stored settings to the sidecar. */
  #bypassFailed(agentId: string, isOn: boolean, error: unknown): void {
    this.log.error("approval", "Could not save the bypass in the settings", { agentId, isOn, error });
    this.notify(bypassNotSaved(this.#settings.agents.find(({ id }) => id === agentId)?.name ?? agentId, isOn));
    this.#changes.fire(this.settings);
  }

  #read(): Settings {
    const configuration = vscode.workspace.getConfiguration();
    return readSettings(name => configuration.get(name));
  }

  async #write(name: SettingName, value: unknown): Promise<void> {
    await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
  }
}
