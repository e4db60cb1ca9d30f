/**
 * Recommended extensions for this workspace: reads them from the sidecar, notifies the user once per workspace, and
 * executes the user's decisions.
 *
 * Invariants:
 * - In an untrusted workspace, and without a folder, nothing is read, shown or added.
 * - One request at a time. Changes of the project cause one request, `DEBOUNCE_MS` after the last change.
 *   Changes during a request cause one further request.
 * - A failure is shown in the row of its recommendation, or logged. Nothing rejects.
 */
import type { Clock } from "../../clock";
import type { Log } from "../../log";
import type { FetchMode, Recommendation, RecommendationsView } from "../../protocol/agents/recommendations";
import { errorMessage } from "../../protocol/wire/errors";
import type { SidecarClient } from "../../sidecar/client";
import type { KeyValueStore } from "../store/persisted-controls";
import {
  addedRecord,
  existing,
  missingIn,
  readAdded,
  readDecisions,
  withAccepted,
  withAdded,
  withDismissed,
  withoutAccepted,
  type Accepted,
  type AddedExtension,
  type WorkspaceDecisions,
} from "../store/recommendation-memory";
import type { Settings } from "../store/settings";
import { announcement, staleSentence } from "./recommendation-texts";

export interface RecommendationsDeps {
  readonly clock: Clock;
  client(): Promise<SidecarClient>;
  isSidecarRunning(): boolean;
  settings(): Pick<Settings, "allExtensions" | "recommendations" | "registryUrl" | "updates">;
  /** The workspace folders. */
  folders(): readonly string[];
  isTrusted(): boolean;
  /** Storage of all windows, and of this workspace. */
  readonly shared: KeyValueStore;
  readonly workspace: KeyValueStore;
  /**
   * Adds the extension to the settings. Resolves with its id there; `undefined`: the user cancelled. Rejects with a
   * message for the user.
   */
  add(recommendation: Recommendation): Promise<string | undefined>;
  /** Shows a notification. Resolves with whether the user wants to see the recommendations. */
  ask(sentence: string): Promise<boolean>;
  /** Opens the settings page. */
  show(): void;
  changed(): void;
  readonly log: Log;
}

/** The state of one recommendation that the user is adding. */
export type Adding = { readonly kind: "adding" } | { readonly kind: "failed"; readonly sentence: string };

/** Content for the settings pages. */
export interface RecommendationsState {
  /** Neither added nor dismissed. */
  readonly open: readonly Recommendation[];
  /** Number of dismissed recommendations. */
  readonly dismissed: number;
  readonly problems: readonly string[];
  /** By the key of the recommendation. */
  readonly adding: ReadonlyMap<string, Adding>;
  /** Sentences about accepted recommendations that do not apply any longer, by the id of the extension. */
  readonly stale: ReadonlyMap<string, readonly string[]>;
}

/** Tools write a file in several steps, and often several files. */
export const DEBOUNCE_MS = 500;

type WantedFetch = Exclude<FetchMode, "no">;

const KEY = "symposium.recommendations",
  ADDED_KEY = "symposium.addedRecommendations";
const NOTHING: RecommendationsView = { recommendations: [], stale: [], problems: [] };

export class Recommendations {
  /** Undefined before the first response. */
  #view: RecommendationsView | undefined;
  readonly #adding = new Map<string, Adding>();
  #reading: Promise<void> | undefined;
  /** A change occurred during the request. */
  #next: WantedFetch | undefined;
  /** Runs while the project changes. */
  #debounce: { dispose(): void } | undefined;

  constructor(private readonly deps: RecommendationsDeps) {}

  get state(): RecommendationsState {
    const missing = this.#missing,
      { dismissed } = this.#decisions,
      accepted = this.#existing,
      { stale: all, problems } = this.#view ?? NOTHING;
    const stale = all.flatMap(({ key, reasons }) => {
      const id = accepted.find(each => each.key === key)?.id;
      return id === undefined ? [] : [[id, reasons.map(staleSentence)] as const];
    });
    return {
      open: missing.filter(({ key }) => !dismissed.includes(key)),
      dismissed: missing.filter(({ key }) => dismissed.includes(key)).length,
      problems,
      adding: this.#adding,
      stale: new Map(stale),
    };
  }

  /** Call it when a sidecar runs, so that no sidecar starts for recommendations. Never rejects. */
  async sidecarRuns(): Promise<void> {
    await this.read("ifOld");
    const { open } = this.state;
    if (open.length === 0 || this.#decisions.isAnnounced) return;
    await this.#decide(decisions => ({ ...decisions, isAnnounced: true }));
    try {
      if (await this.deps.ask(announcement(open))) this.deps.show();
    } catch (error) {
      this.deps.log.warn("registry", "Could not announce recommended extensions", { error });
    }
  }

  /**
   * Reads the recommendations, or joins the running request. `fetch`: "ifOld" follows `symposium.updates`. Never
   * rejects.
   */
  read(fetch: WantedFetch = "ifOld"): Promise<void> {
    // This request also covers the changes until now.
    this.#debounce?.dispose();
    if (this.#reading) {
      this.#next = this.#next === "refresh" ? "refresh" : fetch;
      return this.#reading;
    }
    this.#reading = this.#readAll(fetch).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Reads the recommendations after a pause of the changes, unless no sidecar runs then. */
  projectChanged(): void {
    this.#debounce?.dispose();
    this.#debounce = this.deps.clock.after(DEBOUNCE_MS, () => {
      if (this.deps.isSidecarRunning()) void this.read();
    });
  }

  /** Omits the request for the last changes. */
  dispose(): void {
    this.#debounce?.dispose();
  }

  /** Adds the extension. Resolves with its id in the settings; `undefined` if it was not added. */
  async accept(key: string): Promise<string | undefined> {
    const { deps } = this,
      recommendation = this.state.open.find(each => each.key === key);
    if (!recommendation || !deps.isTrusted() || this.#adding.get(key)?.kind === "adding") return undefined;
    this.#adding.set(key, { kind: "adding" });
    deps.changed();
    try {
      const id = await deps.add(recommendation);
      if (id !== undefined) {
        await this.#added(recommendation, id);
        deps.log.info("registry", "Added a recommended extension", { key, id });
      }
      this.#adding.delete(key);
      return id;
    } catch (error) {
      deps.log.warn("registry", "Could not add a recommended extension", { key, error });
      this.#adding.set(key, { kind: "failed", sentence: errorMessage(error) });
      return undefined;
    } finally {
      deps.changed();
    }
  }

  /** The extension is in the settings, also if this cannot be stored. */
  async #added({ key, reasons }: Recommendation, id: string): Promise<void> {
    const { shared, settings } = this.deps,
      config = settings().allExtensions.find(extension => extension.config.id === id)?.config;
    if (config) await this.#save(shared, ADDED_KEY, withAdded(this.#addedRecords, addedRecord(key, config)));
    await this.#decide(decisions => withAccepted(decisions, { key, id, reasons }));
  }

  /** Hides the recommendation in this workspace. */
  async dismiss(key: string): Promise<void> {
    this.#adding.delete(key);
    await this.#decide(decisions => withDismissed(decisions, key));
  }

  /** Shows dismissed recommendations again. */
  restore(): Promise<void> {
    return this.#decide(decisions => ({ ...decisions, dismissed: [] }));
  }

  /** Keeps an extension that is not recommended any longer. */
  keep(id: string): Promise<void> {
    return this.#decide(decisions => withoutAccepted(decisions, id));
  }

  async #readAll(fetch: WantedFetch): Promise<void> {
    let next: WantedFetch | undefined = fetch;
    while (next !== undefined) {
      this.#next = undefined;
      await this.#readOnce(next);
      next = this.#next;
    }
  }

  /** At first, the known lists are shown before newer ones are downloaded. */
  async #readOnce(fetch: WantedFetch): Promise<void> {
    if (fetch === "ifOld" && this.deps.settings().updates === "off") return this.#request("no");
    if (fetch === "ifOld" && this.#view === undefined) await this.#request("no");
    await this.#request(fetch);
  }

  async #request(fetch: FetchMode): Promise<void> {
    const { deps } = this,
      folders = deps.folders(),
      { recommendations: lists, registryUrl } = deps.settings();
    if (!deps.isTrusted() || folders.length === 0) {
      this.#view = undefined;
      deps.changed();
      return;
    }
    try {
      this.#view = await (await deps.client()).request("recommendations/read", {
        folders,
        lists,
        fetch,
        accepted: this.#existing.map(({ key, reasons }) => ({ key, reasons })),
        ...(registryUrl === "" ? {} : { registryUrl }),
      });
      deps.changed();
    } catch (error) {
      deps.log.info("registry", "Could not read the recommendations", { error });
    }
  }

  async #decide(change: (decisions: WorkspaceDecisions) => WorkspaceDecisions): Promise<void> {
    await this.#save(this.deps.workspace, KEY, change(this.#decisions));
    this.deps.changed();
  }

  async #save(store: KeyValueStore, key: string, value: unknown): Promise<void> {
    try {
      await store.update(key, value);
    } catch (error) {
      this.deps.log.warn("registry", "Could not store the decisions about recommended extensions", { key, error });
    }
  }

  get #missing(): readonly Recommendation[] {
    return missingIn(this.#view?.recommendations ?? [], this.deps.settings().allExtensions, this.#addedRecords);
  }

  get #existing(): readonly Accepted[] {
    return existing(this.#decisions.accepted, this.deps.settings().allExtensions, this.#addedRecords);
  }

  get #addedRecords(): readonly AddedExtension[] {
    return readAdded(this.deps.shared.get(ADDED_KEY));
  }

  get #decisions(): WorkspaceDecisions {
    return readDecisions(this.deps.workspace.get(KEY));
  }
}
