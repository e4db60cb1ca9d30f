/** Creates the models for VS Code's own chat with their persisted state. `register.ts` registers them in VS Code. */
import * as vscode from "vscode";
import { realClock } from "../clock";
import type { Log } from "../log";
import type { SidecarToHost } from "../protocol/sidecar";
import type { Handlers } from "../protocol/wire/wire";
import type { Configuration } from "../settings/store/configuration";
import type { ToolDeps } from "./agent-tools";
import { CapabilityCache } from "./capability-cache";
import { PersistedSessions } from "./persisted-sessions";
import { LmProvider, type ProviderDeps } from "./provider";
import { lmErrors, partClasses, partsTaken, registerLm, toolParts, type LmRegistration } from "./register";
import { ToolGroups } from "./tool-groups";

type LmMethods =
  | "lm/responsePart"
  | "lm/responseComplete"
  | "lm/agentFacts"
  | "lm/persistedSessions"
  | "lm/keepSession"
  | "lm/forgetSessions";

export interface LanguageModelDeps extends Pick<ProviderDeps, "client" | "cwd" | "folders">, Pick<ToolDeps, "running"> {
  readonly context: Pick<vscode.ExtensionContext, "globalState" | "workspaceState">;
  readonly configuration: Configuration;
  readonly log: Log;
}

export class LanguageModels implements vscode.Disposable {
  readonly #provider: LmProvider;
  readonly #registration: LmRegistration;
  readonly #subscription: vscode.Disposable;
  readonly #capabilities: CapabilityCache;
  readonly #sessions: PersistedSessions;

  constructor({ context, configuration, log, client, running, cwd, folders }: LanguageModelDeps) {
    const groups = new ToolGroups(context.globalState, context.workspaceState, log),
      permissionGroup = (agentId: string) => groups.groupOf(agentId);
    this.#capabilities = new CapabilityCache(context.globalState, log, () =>
      this.#registration.changed(configuration.settings.languageModel.isEnabled),
    );
    this.#sessions = new PersistedSessions(context.workspaceState, log, realClock);
    this.#provider = new LmProvider({
      client,
      settings: () => configuration.settings,
      capabilities: this.#capabilities,
      isTrusted: () => vscode.workspace.isTrusted,
      permissionGroup,
      cwd,
      folders,
      classes: partClasses,
      errors: lmErrors,
      partsTaken,
      leftOut: part => log.debug("lm", "VS Code does not have this API", { part }),
    });
    this.#registration = registerLm(this.#provider, { running, ...toolParts }, permissionGroup, log);
    this.#registration.changed(configuration.settings.languageModel.isEnabled);
    this.#subscription = configuration.onChange(({ languageModel }) =>
      this.#registration.changed(languageModel.isEnabled),
    );
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#registration.dispose();
  }

  /** Writes pending records. Call it when the sidecar has exited. */
  close(): void {
    this.#sessions.dispose();
  }

  /** Handlers of the sidecar's messages about models. */
  static listeners(models: () => LanguageModels): Pick<Handlers<SidecarToHost>, LmMethods> {
    return {
      "lm/responsePart": ({ requestId, part }) => models().#provider.part(requestId, part),
      "lm/responseComplete": () => undefined, // the response follows immediately
      "lm/agentFacts": facts => models().#capabilities.learn(facts),
      "lm/persistedSessions": async () => ({ sessions: models().#sessions.all() }),
      "lm/keepSession": ({ id, session, turns }) => models().#sessions.keep(id, session, turns),
      "lm/forgetSessions": ({ ids }) => models().#sessions.forget(ids),
    };
  }
}
