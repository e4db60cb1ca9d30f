/** VS Code's configuration as `Settings`: read anew after each change, written at the user's level only. */
import * as vscode from "vscode";
import type { Log } from "../log";
import type { SettingName } from "../names";
import { withBypass } from "./agents";
import { readSettings, type Settings } from "./settings";

export class Configuration implements vscode.Disposable {
  #settings: Settings = this.#read();
  /** What the user was told already. */
  #told: readonly string[] = [];
  /** One after the other, because each begins with what is there. */
  #writing: Promise<void> = Promise.resolve();
  readonly #changes = new vscode.EventEmitter<Settings>();
  readonly #subscription: vscode.Disposable;
  readonly onChange = this.#changes.event;

  constructor(private readonly log: Log) {
    this.#subscription = vscode.workspace.onDidChangeConfiguration(change => {
      if (!change.affectsConfiguration("symposium")) return;
      this.#settings = this.#read();
      this.report();
      this.#changes.fire(this.#settings);
    });
  }

  get settings(): Settings { return this.#settings; }

  async selectAgent(agentId: string): Promise<void> { await this.#write("symposium.currentAgentId", agentId); }

  /** From now on this agent's requests are allowed without asking. */
  setBypass(agentId: string): Promise<void> {
    return this.#writing = this.#writing.then(async () => {
      const value = vscode.workspace.getConfiguration().inspect("symposium.agents")?.globalValue;
      try { await this.#write("symposium.agents", withBypass(value, agentId)); }
      catch (error) { this.log.error("approval", "The bypass could not be kept in the settings", { agentId, error }); }
    });
  }

  /** Says once what cannot be read. */
  report(): void {
    const { problems } = this.#settings;
    const fresh = problems.filter(problem => !this.#told.includes(problem));
    this.#told = problems;
    for (const problem of fresh) this.log.warn("agent", problem);
    if (fresh.length === 0) return;
    void vscode.window.showWarningMessage(fresh.join(" "), "Open Settings").then(chosen => chosen && vscode.commands.executeCommand("workbench.action.openSettings", "symposium"));
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changes.dispose();
  }

  #read(): Settings {
    const configuration = vscode.workspace.getConfiguration();
    return readSettings(name => configuration.get(name));
  }

  async #write(name: SettingName, value: unknown): Promise<void> {
    await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
  }
}
