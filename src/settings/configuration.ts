/** VS Code's configuration as `Settings`: read anew after each change, written at the user's level only. */
import * as vscode from "vscode";
import type { Log } from "../log";
import type { SettingName } from "../names";
import { withBypass } from "./agents";
import { readSettings, type Settings } from "./settings";

export class Configuration implements vscode.Disposable {
  #settings: Settings;
  readonly #changes = new vscode.EventEmitter<Settings>();
  readonly #subscription: vscode.Disposable;
  readonly onChange = this.#changes.event;

  constructor(private readonly log: Log) {
    this.#settings = this.#read();
    this.#subscription = vscode.workspace.onDidChangeConfiguration(change => {
      if (!change.affectsConfiguration("symposium")) return;
      this.#settings = this.#read();
      this.#changes.fire(this.#settings);
    });
  }

  get settings(): Settings { return this.#settings; }

  async selectAgent(agentId: string): Promise<void> { await this.#write("symposium.currentAgentId", agentId); }

  /** From now on this agent's requests are allowed without asking. */
  async setBypass(agentId: string): Promise<void> {
    const value = vscode.workspace.getConfiguration().inspect("symposium.agents")?.globalValue;
    await this.#write("symposium.agents", withBypass(value, agentId));
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changes.dispose();
  }

  #read(): Settings {
    const configuration = vscode.workspace.getConfiguration();
    const settings = readSettings(name => configuration.get(name));
    for (const problem of settings.problems) this.log.warn("agent", problem);
    return settings;
  }

  async #write(name: SettingName, value: unknown): Promise<void> {
    await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
  }
}
