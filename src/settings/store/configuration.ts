/** VS Code's configuration as `Settings`: read anew after each change, written at the user's level only. */
import * as vscode from "vscode";
import { bypassNotKept } from "../../errors";
import type { Log } from "../../log";
import type { SettingName } from "../../names";
import type { RegistryUpdate } from "../../protocol/agent-service";
import type { Fields } from "../../protocol/json";
import type { UpdateMode } from "../../protocol/settings-view";
import { withAgent, withoutAgent } from "./agents";
import { BypassWrites } from "./bypass-writes";
import { SerialWrites } from "./serial-writes";
import { readSettings, type Settings } from "./settings";
import { withUpdate } from "./update-policy";

/** Settings that are one word, and where the settings view writes them. */
interface Simple {
  readonly "symposium.requireModifierToSend": boolean;
  readonly "symposium.updates": UpdateMode;
}

export class Configuration implements vscode.Disposable {
  #settings: Settings = this.#read();
  /** What the user was told already. */
  #told: readonly string[] = [];
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
    private readonly tell: (message: string) => void,
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

  /** What stands in the user's settings, as it is. */
  ownValue(name: SettingName): unknown {
    return vscode.workspace.getConfiguration().inspect(name)?.globalValue;
  }

  /** VS Code's own, which extensions have to go through where there is one; empty: none. */
  get proxy(): string {
    const value: unknown = vscode.workspace.getConfiguration("http").get("proxy");
    return typeof value === "string" ? value : "";
  }

  async selectAgent(agentId: string): Promise<void> {
    await this.#write("symposium.currentAgentId", agentId);
  }

  /** Adds it to the user's own agents, or puts it in the place of the one with its id. */
  addAgent(entry: Fields): Promise<void> {
    return this.#writes.change("symposium.agents", value => withAgent(value, entry));
  }

  /** Removes it from the user's own agents. */
  removeAgent(agentId: string): Promise<void> {
    return this.#writes.change("symposium.agents", value => withoutAgent(value, agentId));
  }

  /** Writes what the registry has in place of the user's older entry. Resolves with whether that still stood there. */
  async takeUpdate(update: RegistryUpdate): Promise<boolean> {
    let isTaken = false;
    await this.#writes.change(update.of === "agent" ? "symposium.agents" : "symposium.extensions", value => {
      const after = withUpdate(value, update);
      isTaken = after !== value;
      return after;
    });
    return isTaken;
  }

  /** `change`: from the user's own value of `symposium.extensions` to the next; `undefined` removes it. */
  changeExtensions(change: (value: unknown) => unknown): Promise<void> {
    return this.#writes.change("symposium.extensions", change);
  }

  /** From now on this agent's requests are allowed without asking, or asked about. */
  setBypass(agentId: string, isOn: boolean): Promise<void> {
    return this.#bypasses.set(agentId, isOn);
  }

  /** Where it counts: a workspace may have a value of its own, which is the one that is shown. */
  async set<N extends keyof Simple>(name: N, value: Simple[N]): Promise<void> {
    const isOfWorkspace = vscode.workspace.getConfiguration().inspect(name)?.workspaceValue !== undefined;
    await vscode.workspace
      .getConfiguration()
      .update(name, value, isOfWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global);
  }

  /** Says once what cannot be read. */
  report(): void {
    const { problems } = this.#settings;
    const fresh = problems.filter(problem => !this.#told.includes(problem));
    this.#told = problems;
    for (const problem of fresh) this.log.warn("agent", problem);
    if (fresh.length === 0) return;
    void vscode.window
      .showWarningMessage(fresh.join(" "), "Open Settings")
      .then(chosen => chosen && vscode.commands.executeCommand("workbench.action.openSettings", "symposium"));
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changes.dispose();
  }

  /** The sidecar goes by the settings again, as the user is told. */
  #bypassFailed(agentId: string, isOn: boolean, error: unknown): void {
    this.log.error("approval", "The bypass could not be kept in the settings", { agentId, isOn, error });
    this.tell(bypassNotKept(this.#settings.agents.find(({ id }) => id === agentId)?.name ?? agentId, isOn));
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
