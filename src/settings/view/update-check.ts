/**
 * Queries the registry for newer versions of configured entries, announces and applies them.
 * `src/settings/store/update-policy.ts` decides the time and the wording.
 *
 * Invariants:
 * - One query at a time; concurrent callers share its result.
 * - Automatic queries run at most once a day, regardless of the result.
 * - Updates are applied only on a click or if `symposium.updates` is "auto".
 */
import * as l10n from "@vscode/l10n";
import type { Log } from "../../log";
import type { RegistryAge, RegistryUpdate } from "../../protocol/agents/agent-service";
import type { Settings } from "../store/settings";
import type { KeyValueStore } from "../store/persisted-controls";
import { configIn, isDue, readMemory, sentenceOf, stillNewer, unannounced, type Imports } from "../store/update-policy";
import type { SidecarClient } from "../../sidecar/client";

export interface UpdateDeps {
  client(): Promise<SidecarClient>;
  settings(): Pick<Settings, "updates" | "registryUrl">;
  imports(): Imports;
  isTrusted(): boolean;
  /** Milliseconds since 1970. */
  now(): number;
  readonly memory: KeyValueStore;
  /** Writes the newer entry to the settings. Resolves with whether the older entry still existed. */
  replace(update: RegistryUpdate): Promise<boolean>;
  /** Resolves with whether the user accepts the updates. */
  ask(sentence: string): Promise<boolean>;
  notify(sentence: string): void;
  /** Called when the known updates change or a query starts. */
  changed(): void;
  readonly log: Log;
}

const KEY = "symposium.updates";

export class UpdateCheck {
  #known: readonly RegistryUpdate[] = [];
  #age: RegistryAge = {};
  #query: Promise<void> | undefined;

  constructor(private readonly deps: UpdateDeps) {}

  /** Updates that are newer than the current settings. */
  get known(): readonly RegistryUpdate[] {
    return stillNewer(this.#known, this.deps.imports());
  }
  get registry(): RegistryAge & { readonly isReading: boolean } {
    return { ...this.#age, isReading: this.#query !== undefined };
  }

  /** Queries the registry, or joins the running query. Rejects with a message for the user. */
  check(): Promise<void> {
    this.#query ??= this.#runQuery().finally(() => {
      this.#query = undefined;
      this.deps.changed();
    });
    this.deps.changed();
    return this.#query;
  }

  /** Call it when a sidecar runs, so that no sidecar starts for a query. Never rejects. */
  async sidecarRuns(): Promise<void> {
    const { deps } = this,
      mode = deps.settings().updates;
    if (!isDue({ mode, isTrusted: deps.isTrusted(), imports: deps.imports(), memory: this.#memory, now: deps.now() }))
      return;
    try {
      await this.check();
      if (mode === "auto")
        return await this.#takeAll(this.known, (update, error) =>
          deps.log.warn("registry", "Could not install an update", {
            of: update.of,
            id: update.id,
            to: update.to,
            error,
          }),
        );
      const { fresh, after } = unannounced(this.known, this.#memory);
      if (fresh.length === 0) return;
      await deps.memory.update(KEY, after);
      if (await deps.ask(sentenceOf(fresh)))
        await this.#takeAll(fresh, (update, error) =>
          deps.notify(l10n.t`${update.name} ${update.to} could not be installed: ${error.message}`),
        );
    } catch (error) {
      deps.log.warn("registry", "Could not check for updates", { error });
    }
  }

  /**
   * Installs the new version first, so that the settings do not change if it is unavailable. Resolves with whether the
   * settings contain it now: `false` if the user has replaced or removed the older entry. Rejects with a message for
   * the user.
   */
  async take(update: RegistryUpdate): Promise<boolean> {
    const { of, id, from, to, entry } = update,
      config = configIn(of, entry);
    if (!config) throw new Error(l10n.t`The registry entry of ${update.name} ${to} is invalid.`);
    if (stillNewer([update], this.deps.imports()).length === 0) return false;
    await (await this.deps.client()).request("agents/install", { of, config, how: "missing" });
    const isTaken = await this.deps.replace(update);
    this.deps.changed();
    if (isTaken) this.deps.log.info("registry", "Updated", { of, id, from, to });
    return isTaken;
  }

  /** Sequential, because each update is a download. */
  async #takeAll(
    updates: readonly RegistryUpdate[],
    failed: (update: RegistryUpdate, error: Error) => void,
  ): Promise<void> {
    for (const update of updates) {
      try {
        await this.take(update);
      } catch (error) {
        failed(update, error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  async #runQuery(): Promise<void> {
    const { deps } = this,
      { registryUrl } = deps.settings();
    await deps.memory.update(KEY, { ...this.#memory, askedAt: deps.now() });
    const { updates, ...age } = await (await deps.client()).request("registry/updates", {
      ...deps.imports(),
      ...(registryUrl === "" ? {} : { url: registryUrl }),
    });
    this.#known = updates;
    this.#age = age;
  }

  get #memory(): ReturnType<typeof readMemory> {
    return readMemory(this.deps.memory.get(KEY));
  }
}
