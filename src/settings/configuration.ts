/** VS Code's configuration as `Settings`: read anew after each change, written at the user's level only. */
import * as vscode from "vscode";
import { bypassNotKept } from "../errors";
import type { Log } from "../log";
import type { SettingName } from "../names";
import { BypassWrites } from "./bypass-writes";
import { readSettings, type Settings } from "./settings";

export class Configuration implements vscode.Disposable {
  #settings: Settings = this.#read();
  /** What the user was told already. */
  #told: readonly string[] = [];
  readonly #bypasses = new BypassWrites({
    value: () => vscode.workspace.getConfiguration().inspect("symposium.agents")?.globalValue,
    write: value => this.#write("symposium.agents", value),
    failed: (agentId, error) => this.#bypassFailed(agentId, error),
  });
  readonly #changes = new vscode.EventEmitter<Settings>();
  readonly #subscription: vscode.Disposable;
  readonly onChange = this.#changes.event;

  constructor(private readonly log: Log, private readonly tell: (message: string) => void) {
    this.#subscription = vscode.workspace.onDidChangeConfiguration(change => {
      if (!change.affectsConfiguration("symposium")) return;
      this.#settings = this.#read();
      this.report();
      this.#changes.fire(this.settings);
    });
  }

  get settings(): Settings { return { ...this.#settings, bypass: this.#bypasses.with(this.#settings.bypass) }; }

  async selectAgent(agentId: string): Promise<void> { await this.#write("symposium.currentAgentId", agentId); }

  /** From now on this agent's requests are allowed without asking. */
  setBypass(agentId: string): Promise<void> { return this.#bypasses.add(agentId); }

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

  /** The sidecar goes by the settings again, as the user is told. */
  #bypassFailed(agentId: string, error: unknown): void {
    this.log.error("approval", "The bypass could not be kept in the settings", { agentId, error });
    this.tell(bypassNotKept(this.#settings.agents.find(({ id }) => id === agentId)?.name ?? agentId));
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
