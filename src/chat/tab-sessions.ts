/**
 * Maps tabs to the sidecar's sessions.
 *
 *     open() ▶ opening ─chat/new answered▶ open ─sidecar exited▶ lost ─open()▶ opening …
 *                │ refused, or no sidecar                         ▲
 *                └────────────────────────────────────────────────┘
 *
 * Invariants:
 * - Callers that wait for a tab's session receive the session or an error, in the order of the calls.
 * - A session that opens after its tab was closed is closed.
 * - A tab that is passed to another surface keeps its session, also one that is still opening.
 * - A restart of the sidecar only delays the opening of a session.
 */
import * as l10n from "@vscode/l10n";
import { deferred, type Deferred } from "../protocol/wire/deferred";
import { SidecarExited } from "../errors";
import type { SessionId } from "../protocol/chat/chat";
import type { NewChat } from "../protocol/sidecar";
import type { TabId } from "../protocol/page/host-to-page";
import type { SidecarClient } from "../sidecar/client";

/** A session and the client of the process that owns it. */
export interface OpenSession {
  readonly client: SidecarClient;
  readonly sessionId: SessionId;
}

interface OpeningTab {
  readonly kind: "opening";
  readonly session: Deferred<OpenSession>;
  /** The surface that shows the tab. */
  owner: TabSessions;
}
type Tab =
  | OpeningTab
  | { readonly kind: "lost"; readonly session: Deferred<OpenSession> }
  | { readonly kind: "open"; readonly session: OpenSession };

export class TabSessions {
  readonly #tabs = new Map<TabId, Tab>();
  readonly #bySession = new Map<SessionId, TabId>();

  /** `client`: resolves when the sidecar has started, like the supervisor's. */
  constructor(private readonly client: () => Promise<SidecarClient>) {}

  get ids(): readonly TabId[] {
    return [...this.#tabs.keys()];
  }
  /** Whether a tab has no session, or a session that is still opening. */
  get isAnyWithoutSession(): boolean {
    return [...this.#tabs.values()].some(({ kind }) => kind !== "open");
  }
  /** `undefined`: the tab does not exist. */
  kind(tabId: TabId): Tab["kind"] | undefined {
    return this.#tabs.get(tabId)?.kind;
  }
  tabOf(sessionId: SessionId): TabId | undefined {
    return this.#bySession.get(sessionId);
  }

  /** `undefined`: the tab has no open session. */
  sessionOf(tabId: TabId): SessionId | undefined {
    const tab = this.#tabs.get(tabId);
    return tab?.kind === "open" ? tab.session.sessionId : undefined;
  }

  /** Opens a session for a new or lost tab. `plan` returns the start options and may ask the user. */
  open(tabId: TabId, plan: () => Promise<NewChat>): Promise<OpenSession> {
    const existing = this.#tabs.get(tabId);
    if (existing?.kind === "open" || existing?.kind === "opening") return this.session(tabId);
    const tab: OpeningTab = { kind: "opening", session: existing?.session ?? deferred(), owner: this };
    this.#tabs.set(tabId, tab);
    void this.#run(tabId, tab, plan);
    return tab.session.promise;
  }

  /** Resolves with the tab's session when it is open. A lost tab must first be reopened by `open`. */
  session(tabId: TabId): Promise<OpenSession> {
    const tab = this.#tabs.get(tabId);
    if (!tab) return Promise.reject(new Error(l10n.t("This tab is closed.")));
    return tab.kind === "open" ? Promise.resolve(tab.session) : tab.session.promise;
  }

  /**
   * Removes the tab immediately. Closes its session, even while the session is opening. Resolves when an open session
   * is closed.
   */
  async close(tabId: TabId): Promise<void> {
    const tab = this.#tabs.get(tabId);
    this.#tabs.delete(tabId);
    if (tab?.kind === "open") await this.#closeSession(tab.session);
    else tab?.session.reject(new Error(l10n.t("This tab was closed.")));
  }

  /** Passes the tab with its session to another surface. No effect if the tab does not exist. */
  pass(tabId: TabId, target: TabSessions): void {
    const tab = this.#tabs.get(tabId);
    if (tab === undefined) return;
    this.#tabs.delete(tabId);
    target.#tabs.set(tabId, tab);
    if (tab.kind === "opening") tab.owner = target;
    if (tab.kind !== "open") return;
    this.#bySession.delete(tab.session.sessionId);
    target.#bySession.set(tab.session.sessionId, tabId);
  }

  /** Call it when the sidecar exited. */
  lost(): void {
    for (const [tabId, { kind }] of this.#tabs) if (kind === "open") this.#lose(tabId);
    this.#bySession.clear();
  }

  /** Call it when no sidecar will start. Rejects all callers that wait for a lost tab. */
  refuse(why: Error): void {
    for (const [tabId, tab] of this.#tabs) {
      if (tab.kind !== "lost") continue;
      this.#lose(tabId);
      tab.session.reject(why);
    }
  }

  /** Marks the tab's session as lost, because it is unknown to the sidecar. */
  forget(tabId: TabId): void {
    const tab = this.#tabs.get(tabId);
    if (tab?.kind !== "open") return;
    this.#bySession.delete(tab.session.sessionId);
    this.#lose(tabId);
  }

  dispose(): void {
    for (const tabId of this.ids) void this.close(tabId);
  }

  async #run(tabId: TabId, tab: OpeningTab, plan: () => Promise<NewChat>): Promise<void> {
    const opened = await this.#open(plan).catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    );
    const { owner } = tab,
      isCurrent = owner.#tabs.get(tabId) === tab;
    if (opened instanceof Error) {
      if (isCurrent) owner.#lose(tabId);
      tab.session.reject(opened);
    } else if (isCurrent) {
      owner.#tabs.set(tabId, { kind: "open", session: opened });
      owner.#bySession.set(opened.sessionId, tabId);
      tab.session.resolve(opened);
    } else {
      void this.#closeSession(opened);
    }
  }

  /** Retries when the sidecar exits; the supervisor limits the restarts. */
  async #open(plan: () => Promise<NewChat>): Promise<OpenSession> {
    const chat = await plan();
    for (;;) {
      const client = await this.client();
      try {
        const { sessionId } = await client.request("chat/new", chat);
        return { client, sessionId };
      } catch (error) {
        if (!(error instanceof SidecarExited)) throw error;
      }
    }
  }

  #lose(tabId: TabId): void {
    this.#tabs.set(tabId, { kind: "lost", session: deferred() });
  }

  async #closeSession({ client, sessionId }: OpenSession): Promise<void> {
    this.#bySession.delete(sessionId);
    await client.request("chat/close", { sessionId }).catch(() => undefined); // sessions end with their sidecar
  }
}
