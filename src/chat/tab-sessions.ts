/**
 * The map from tabs to the sidecar's sessions: the one state that the host keeps about a chat.
 *
 *     open() ▶ opening ─chat/new answered▶ open ─the sidecar died▶ lost ─open() with what the page shows▶ opening …
 *                │ refused, or no sidecar                            ▲
 *                └───────────────────────────────────────────────────┘
 *
 * Invariants: who waits for a tab's session gets it, or learns why not, in the order of asking; a session that opens
 * after its tab was closed is closed; a restart of the sidecar during an opening only delays it.
 */
import { deferred, type Deferred } from "../deferred";
import { SidecarGone } from "../errors";
import type { SessionId } from "../protocol/chat";
import type { NewChat } from "../protocol/sidecar";
import type { TabId } from "../protocol/webview";
import type { SidecarClient } from "../sidecar/client";

/** A session, and the process that has it. */
export interface OpenSession {
  readonly client: SidecarClient;
  readonly sessionId: SessionId;
}

type Tab =
  | { readonly kind: "opening" | "lost"; readonly session: Deferred<OpenSession> }
  | { readonly kind: "open"; readonly session: OpenSession };

export class TabSessions {
  readonly #tabs = new Map<TabId, Tab>();
  readonly #bySession = new Map<SessionId, TabId>();

  /** `client` as the supervisor's: waits while the sidecar is being started. */
  constructor(private readonly client: () => Promise<SidecarClient>) {}

  get ids(): readonly TabId[] {
    return [...this.#tabs.keys()];
  }
  get someLost(): boolean {
    return [...this.#tabs.values()].some(({ kind }) => kind === "lost");
  }
  /** `undefined`: there is no such tab. */
  kind(tabId: TabId): Tab["kind"] | undefined {
    return this.#tabs.get(tabId)?.kind;
  }
  tabOf(sessionId: SessionId): TabId | undefined {
    return this.#bySession.get(sessionId);
  }

  /** Opens a session for a tab that is new or lost; `plan` says what it begins with, and may have to ask the user. */
  open(tabId: TabId, plan: () => Promise<NewChat>): Promise<OpenSession> {
    const known = this.#tabs.get(tabId);
    if (known?.kind === "open" || known?.kind === "opening") return this.session(tabId);
    const tab: Tab = { kind: "opening", session: known?.session ?? deferred() };
    this.#tabs.set(tabId, tab);
    void this.#run(tabId, tab, plan);
    return tab.session.promise;
  }

  /** The tab's session, as soon as there is one. A lost tab waits for the page to ask with what it shows. */
  session(tabId: TabId): Promise<OpenSession> {
    const tab = this.#tabs.get(tabId);
    if (!tab) return Promise.reject(new Error("This tab is closed."));
    return tab.kind === "open" ? Promise.resolve(tab.session) : tab.session.promise;
  }

  /** Forgets the tab at once; its session is closed, also when it is only being opened. */
  close(tabId: TabId): void {
    const tab = this.#tabs.get(tabId);
    this.#tabs.delete(tabId);
    if (tab?.kind === "open") this.#closeSession(tab.session);
    else tab?.session.reject(new Error("This tab was closed."));
  }

  /** The sidecar died: its sessions are gone, if it had any. */
  lost(): boolean {
    const open = [...this.#tabs].filter(([, { kind }]) => kind === "open");
    for (const [tabId] of open) this.#lose(tabId);
    this.#bySession.clear();
    return open.length > 0;
  }

  /** There will be no sidecar: nobody waits in vain for a lost tab. */
  refuse(why: Error): void {
    for (const [tabId, tab] of this.#tabs) {
      if (tab.kind !== "lost") continue;
      this.#lose(tabId);
      tab.session.reject(why);
    }
  }

  /** The sidecar does not know this session: as if it had died, for this tab. */
  forget(tabId: TabId): void {
    const tab = this.#tabs.get(tabId);
    if (tab?.kind !== "open") return;
    this.#bySession.delete(tab.session.sessionId);
    this.#lose(tabId);
  }

  dispose(): void {
    for (const tabId of this.ids) this.close(tabId);
  }

  async #run(
    tabId: TabId,
    tab: Tab & { readonly kind: "opening" | "lost" },
    plan: () => Promise<NewChat>,
  ): Promise<void> {
    const opened = await this.#open(plan).catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    );
    const wanted = this.#tabs.get(tabId) === tab;
    if (opened instanceof Error) {
      if (wanted) this.#lose(tabId);
      tab.session.reject(opened);
    } else if (wanted) {
      this.#tabs.set(tabId, { kind: "open", session: opened });
      this.#bySession.set(opened.sessionId, tabId);
      tab.session.resolve(opened);
    } else {
      this.#closeSession(opened);
    }
  }

  /** Again and again while sidecars die under it; their supervisor gives up in the end. */
  async #open(plan: () => Promise<NewChat>): Promise<OpenSession> {
    const chat = await plan();
    for (;;) {
      const client = await this.client();
      try {
        const { sessionId } = await client.request("chat/new", chat);
        return { client, sessionId };
      } catch (error) {
        if (!(error instanceof SidecarGone)) throw error;
      }
    }
  }

  #lose(tabId: TabId): void {
    this.#tabs.set(tabId, { kind: "lost", session: deferred() });
  }

  #closeSession({ client, sessionId }: OpenSession): void {
    this.#bySession.delete(sessionId);
    client.request("chat/close", { sessionId }).catch(() => undefined); // a session of a sidecar that is gone is closed
  }
}
