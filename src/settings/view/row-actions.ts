/**
 * Actions of the buttons in rows. The outcome of an action is shown in its row until the next action or its dismissal.
 *
 * Invariants:
 * - At most one action runs per row, except for cancelling.
 * - A failure is shown in its row. The loss of the sidecar is shown once, above all rows.
 */
import * as l10n from "@vscode/l10n";
import { SidecarExited, SidecarUnavailable } from "../../errors";
import { ELIZA, type AgentConfig } from "../../protocol/agents/agents";
import type { AgentsHostToSidecar, Installable, RegistryUpdate } from "../../protocol/agents/agent-service";
import type { ExtensionConfig } from "../../protocol/agents/extensions";
import { entryOf, type FoundAgent } from "../../protocol/agents/known-programs";
import type { RowAction } from "../../protocol/settings/settings-view";
import { assertNever, type ParamsOf, type ResultOf } from "../../protocol/wire/wire";
import { errorMessage } from "../../protocol/wire/errors";
import { without } from "../store/extensions";
import { addQuestion, changedSentence, removeQuestion, type ConfigurationQuestion } from "./configuration-question";
import { isPage, named } from "./row-texts";
import type { SettingsDeps } from "./settings-deps";
import { type Work, type Outcome, keyOf, type RowKey } from "./settings-model";

/** `isInstalled`: Symposium has installed a copy. `update`: the row shows it. */
interface RowState {
  readonly isInstalled: boolean;
  readonly lastError: number | undefined;
  readonly update?: RegistryUpdate;
}

/** `found`: detected, but not configured. */
export type ActedRow =
  | (RowState & { readonly of: "agent"; readonly config: AgentConfig; readonly found?: FoundAgent })
  | (RowState & { readonly of: "extension"; readonly config: ExtensionConfig });

/** The view that shows the rows. */
export interface RowsShown {
  /** Called when the content of rows changes; `states`: also the sidecar's state of agents. */
  changed(what: "shown" | "states"): void;
  /** Announces a text to screen readers. */
  report(text: string): void;
  /** Called when an action failed because the sidecar exited. */
  lost(sentence: string): void;
}

export class RowActions {
  readonly work = new Map<RowKey, Work>();
  readonly outcomes = new Map<RowKey, Outcome>();
  readonly dismissed = new Map<RowKey, number>();
  /** Rows with an open confirmation. */
  readonly #confirming = new Set<RowKey>();
  /** Rows whose action the user cancelled. */
  readonly #cancelled = new Set<RowKey>();

  constructor(
    private readonly deps: SettingsDeps,
    private readonly shown: RowsShown,
  ) {}

  /** Never rejects. */
  async perform(row: ActedRow, action: Exclude<RowAction, "add">): Promise<void> {
    const { deps } = this,
      { of, config } = row,
      key = keyOf(of, config.id);
    switch (action) {
      case "cancel":
        this.#cancelled.add(key);
        return this.#runShort(key, async () => {
          await this.#ask("agents/cancelInstall", { of, id: config.id });
        });
      case "logs":
        return this.#runShort(key, () => deps.go("logs"));
      case "edit":
        return this.#runShort(key, () => deps.go(of === "agent" ? "agentsFile" : "extensionsFile"));
      case "signIn":
        return this.#runShort(key, () => this.#signIn(row));
      case "page":
        return this.#runShort(key, () => this.#openPage(key));
      case "copyReport":
        return this.#runShort(key, () => this.#copyReport(key));
      case "dismiss":
        return this.#dismiss(key, row.lastError);
      case "choose":
        return this.#runShort(key, () => this.#choose(row));
      case "install":
        return this.#work(key, "starting", () => this.#install(row, "missing"));
      case "reinstall":
        return this.#work(key, "starting", () => this.#install(row, "anew"));
      case "update":
        return this.#work(key, "starting", () => this.#update(row));
      case "uninstall":
        return this.#work(key, "removing", () => this.#removeFiles(of, config.id));
      case "remove":
        return this.#remove(row, key);
      case "examine":
        return this.#examine(row, key);
      case "addEntry":
        return this.#configure(row, key, "add");
      case "removeEntry":
        return this.#configure(row, key, "remove");
      case "signOut":
        return this.#signOut(row, key);
      case "keep":
        return this.#runShort(key, () => deps.recommendations.keep(config.id));
      default:
        return assertNever(action, "row action");
    }
  }

  async #choose(row: ActedRow): Promise<void> {
    await this.#addFound(row);
    await this.deps.configuration.selectAgent(row.config.id);
  }

  /** The conversation shows the sign-in when the agent requests it. */
  async #signIn(row: ActedRow): Promise<void> {
    await this.#addFound(row);
    await this.deps.openTab(row.config.id);
  }

  async #addFound(row: ActedRow): Promise<void> {
    if (row.of === "agent" && row.found) await this.deps.configuration.addAgent(entryOf(row.found));
  }

  async #install({ of, config }: ActedRow, how: ParamsOf<AgentsHostToSidecar, "agents/install">["how"]): Promise<void> {
    const { version } = await this.#ask("agents/install", { of, config, how });
    this.shown.report(l10n.t`${named(config.name, version)} is installed.`);
  }

  /** Updates to the registry's version, otherwise to the latest version of the package. */
  async #update(row: ActedRow): Promise<void> {
    const { update } = row;
    if (!update) return this.#install(row, "newest");
    if (await this.deps.updates.take(update)) this.shown.report(l10n.t`${update.name} ${update.to} is installed.`);
  }

  async #examine(row: ActedRow, key: RowKey): Promise<void> {
    const { of, config } = row;
    if (of !== "agent") return;
    await this.#work(key, "examining", async () => {
      const { diagnosis, report } = await this.#ask("agents/examine", { agent: config, cwd: this.deps.cwd() });
      this.outcomes.set(key, { kind: "diagnosed", diagnosis, report });
      this.shown.report(diagnosis.sentence);
    });
  }

  /** Asks first, because the file belongs to the user (issue 14 item 5). */
  async #configure(row: ActedRow, key: RowKey, change: "add" | "remove"): Promise<void> {
    const { of, config: agent } = row;
    if (of !== "agent" || this.work.has(key)) return;
    await this.#runShort(key, async () => {
      const { file, ask } = await this.#configurationQuestion(row.config, change);
      if (!(await this.#confirmed(key, ask.question, ask.detail, ask.yes))) return;
      await this.#work(key, "configuring", async () => {
        await this.#ask("agents/changeConfiguration", { agent, change });
        this.deps.offerTab(changedSentence(agent.name, file, change), agent.id);
      });
    });
  }

  async #configurationQuestion(
    agent: AgentConfig,
    change: "add" | "remove",
  ): Promise<{ readonly file: string; readonly ask: ConfigurationQuestion }> {
    if (change === "add") {
      const plan = await this.#ask("agents/planConfiguration", { agent });
      return { file: plan.file, ask: addQuestion(agent.name, plan) };
    }
    const { agents } = await this.#ask("agents/states", { agents: [agent], extensions: [] }),
      file = agents[agent.id]?.configuration?.file ?? l10n.t("its configuration");
    return { file, ask: removeQuestion(agent.name, file) };
  }

  async #signOut(row: ActedRow, key: RowKey): Promise<void> {
    const { of, config } = row;
    if (of !== "agent") return;
    await this.#work(key, "signingOut", async () => {
      await this.#ask("agents/signOut", { agent: config, cwd: this.deps.cwd() });
      this.shown.report(l10n.t`You are signed out of ${config.name}.`);
    });
  }

  /** Removes files first: if that fails, the entry stays, so that the user can retry. */
  async #remove({ of, config, isInstalled }: ActedRow, key: RowKey): Promise<void> {
    const { configuration } = this.deps,
      { id, name } = config;
    if (
      isInstalled &&
      !(await this.#confirmed(
        key,
        l10n.t`Remove ${name}?`,
        l10n.t(
          "This removes its entry from your settings and the copy that Symposium installed. " +
            "Running sessions continue until their tabs are closed.",
        ),
        "Remove",
      ))
    )
      return;
    await this.#work(key, "removing", async () => {
      if (isInstalled) await this.#removeFiles(of, id);
      if (of === "extension") return configuration.changeExtensions(value => without(value, id));
      const wasCurrent = configuration.settings.currentAgentId === id;
      if (wasCurrent) await configuration.selectAgent("");
      await configuration.removeAgent(id);
      this.shown.report(
        wasCurrent ? l10n.t`${name} is removed. New tabs use ${ELIZA.name}.` : l10n.t`${name} is removed.`,
      );
    });
    if (!this.outcomes.has(key)) this.dismissed.delete(key);
  }

  async #confirmed(key: RowKey, question: string, detail: string, yes: string): Promise<boolean> {
    if (this.#confirming.has(key)) return false;
    this.#confirming.add(key);
    try {
      return await this.deps.confirm(question, detail, yes);
    } finally {
      this.#confirming.delete(key);
    }
  }

  async #removeFiles(of: Installable, id: string): Promise<void> {
    await this.#ask("agents/remove", { of, id });
  }

  async #openPage(key: RowKey): Promise<void> {
    const outcome = this.outcomes.get(key),
      url = outcome?.kind === "diagnosed" ? outcome.diagnosis.fix?.url : undefined;
    if (isPage(url)) await this.deps.openPage(url);
  }

  async #copyReport(key: RowKey): Promise<void> {
    const outcome = this.outcomes.get(key);
    if (outcome?.kind !== "diagnosed") return;
    await this.deps.copy(outcome.report);
    this.shown.report(l10n.t("The report was copied."));
  }

  #dismiss(key: RowKey, lastError: number | undefined): void {
    this.outcomes.delete(key);
    if (lastError !== undefined) this.dismissed.set(key, lastError);
    this.shown.changed("shown");
  }

  /** Runs an action too short for a progress indicator. */
  async #runShort(key: RowKey, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.#failed(key, error);
    }
    this.shown.changed("shown");
  }

  async #work(key: RowKey, work: Work, run: () => Promise<void>): Promise<void> {
    if (this.work.has(key)) return;
    this.work.set(key, work);
    this.outcomes.delete(key);
    this.#cancelled.delete(key);
    this.shown.changed("shown");
    try {
      await run();
    } catch (error) {
      if (!this.#cancelled.has(key)) this.#failed(key, error);
    }
    this.work.delete(key);
    this.shown.changed("states");
  }

  #failed(key: RowKey, error: unknown): void {
    const sentence = errorMessage(error);
    this.deps.log.warn("agent", "A request of the settings view failed", { row: key, error });
    if (error instanceof SidecarExited || error instanceof SidecarUnavailable) this.shown.lost(sentence);
    else this.outcomes.set(key, { kind: "failed", sentence });
  }

  async #ask<
    M extends
      | "agents/install"
      | "agents/cancelInstall"
      | "agents/remove"
      | "agents/examine"
      | "agents/signOut"
      | "agents/planConfiguration"
      | "agents/changeConfiguration"
      | "agents/states",
  >(method: M, params: ParamsOf<AgentsHostToSidecar, M>): Promise<ResultOf<AgentsHostToSidecar, M>> {
    return (await this.deps.sidecar.client()).request(method, params);
  }
}
