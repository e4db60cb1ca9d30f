/**
 * Queries the registry for newer versions of configured entries and built-in agents, announces and applies them.
 * `src/settings/store/update-policy.ts` decides the time and the wording.
 *
 * Invariants:
 * - One query at a time; concurrent callers share its result.
 * - Automatic queries run at most once a day, regardless of the result.
 * - Updates are applied only on a click or if `symposium.updates` is "auto".
 */
import * as l10n from "@vscode/l10n";
import type { Log } from "../../log";
import type { EntryUpdate, PackageUpdate, RegistryAge, RegistryUpdate } from "../../protocol/agents/agent-service";
import type { Settings } from "../store/settings";
import type { KeyValueStore } from "../store/persisted-controls";
import {
  configIn,
  isDue,
  readMemory,
  sentenceOf,
  stillNewer,
  unannounced,
  type Updatable,
} from "../store/update-policy";
import type { SidecarClient } from "../../sidecar/client";

export interface UpdateDeps {
  client(): Promise<SidecarClient>;
  settings(): Pick<Settings, "updates" | "registryUrl">;
  updatable(): Updatable;
  isTrusted(): boolean;
  /** Milliseconds since 1970. */
  now(): number;
  readonly memory: KeyValueStore;
  /** Writes the newer entry to the settings. Resolves with whether the older entry still existed. */
  replace(update: EntryUpdate): Promise<boolean>;
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
    return stillNewer(this.#known, this.deps.updatable());
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
    const isTrusted = deps.isTrusted(),
      updatable = deps.updatable();
    if (!isDue({ mode, isTrusted, updatable, memory: this.#memory, now: deps.now() })) return;
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
   * Resolves with whether new sessions use the new version: `false` if the user has meanwhile replaced, removed or
   * pinned the older one. Rejects with a message for the user; the older version then stays.
   */
  async take(update: RegistryUpdate): Promise<boolean> {
    const { of, id, from, to } = update;
    const isTaken = "package" in update ? await this.#takePackage(update) : await this.#takeEntry(update);
    this.deps.changed();
    if (isTaken) this.deps.log.info("registry", "Updated", { of, id, from, to });
    return isTaken;
  }

  /** Installs the new version first, so that the settings do not change if it is unavailable. */
  async #takeEntry(update: EntryUpdate): Promise<boolean> {
    const { of, entry } = update,
      config = configIn(of, entry);
    if (!config) throw new Error(l10n.t`The registry entry of ${update.name} ${update.to} is invalid.`);
    if (stillNewer([update], this.deps.updatable()).length === 0) return false;
    await (await this.deps.client()).request("agents/install", { of, config, how: "missing" });
    return this.deps.replace(update);
  }

  /** The settings do not change, so the update is dropped here. */
  async #takePackage(update: PackageUpdate): Promise<boolean> {
    const { of, id, to } = update,
      updatable = this.deps.updatable(),
      config = updatable.builtIns.find(agent => agent.id === id);
    if (!config || stillNewer([update], updatable).length === 0) return false;
    await (await this.deps.client()).request("agents/install", { of, config, how: { version: to } });
    this.#known = this.#known.filter(known => known.of !== of || known.id !== id);
    return true;
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
      ...deps.updatable(),
      ...(registryUrl === "" ? {} : { url: registryUrl }),
    });
    this.#known = updates;
    this.#age = age;
  }

  get #memory(): ReturnType<typeof readMemory> {
    return readMemory(this.deps.memory.get(KEY));
  }
}
