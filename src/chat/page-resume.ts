/**
 * Where the page says that its tabs are: a tab without a session gets one that begins with what the page shows, and the
 * sidecar is told to send what the page misses.
 *
 *     said ─┬─ of a lost tab, by a page that had not heard of the loss ▶ not taken; the page hears of it, and asks again
 *           └─ else ▶ opened, where there is no session ▶ waits for it ▶ chat/replay with what was said last
 *
 * Invariant: no session begins with less than what is on the screen. What was on its way to the page when it spoke is
 * not in what it said; after a loss nothing of the lost session is on its way to a page that has heard of it.
 */
import { SIDECAR_RESTARTED, SidecarRefused, WINDOW_RELOADED } from "../errors";
import type { HostToSidecar } from "../protocol/sidecar";
import type { TabId, TabPosition } from "../protocol/webview";
import type { ParamsOf } from "../protocol/wire";
import type { ChatDeps } from "./chat-deps";
import type { TabSessions } from "./tab-sessions";

type Replay = ParamsOf<HostToSidecar, "chat/replay">;
/** Begins a session; `why`: the tab had one. */
export type Open = (tabId: TabId, position: TabPosition, why: string) => Promise<void>;

export class PageResume {
  /** How often sessions were lost, with their sidecar or alone. */
  #losses = 0;
  /** The loss after which a page that had not heard of it was told to ask again. */
  #toldLate = 0;
  /** Per tab, the latest position that waits for its session. */
  readonly #asking = new Map<TabId, Omit<Replay, "sessionId">>();

  constructor(
    private readonly deps: Pick<ChatDeps, "page" | "sidecar" | "log">,
    private readonly sessions: TabSessions,
    private readonly open: Open,
  ) {}

  /** As the page is told, and says back. */
  get losses(): number {
    return this.#losses;
  }

  lost(): void {
    this.#losses++;
  }

  /** Said before its speaker had heard that the session of this tab is lost, maybe for the second time. */
  isLate(tabId: TabId, losses: number): boolean {
    return this.sessions.kind(tabId) === "lost" && losses !== this.#losses;
  }

  take(position: TabPosition, losses: number): void {
    if (!this.isLate(position.tabId, losses)) void this.#replay(position);
  }

  /** After the page was told how many losses there are. While there is no sidecar, its start will say it. */
  askAgain(): void {
    // Once for each loss, however much a page has said: what is missing it asks for by itself.
    if (this.#toldLate === this.#losses || this.deps.sidecar.phase.kind !== "running") return;
    this.#toldLate = this.#losses;
    this.deps.page.post({ type: "askAgain" });
  }

  async #replay(position: TabPosition): Promise<void> {
    const { tabId, at, asked } = position,
      isWaiting = this.#asking.has(tabId),
      kind = this.sessions.kind(tabId);
    this.#asking.set(tabId, { asked, ...(at === undefined ? {} : { at }) });
    if (kind === undefined || kind === "lost")
      this.open(tabId, position, kind === undefined ? WINDOW_RELOADED : SIDECAR_RESTARTED).catch(() => undefined);
    if (isWaiting) return;
    try {
      const { client, sessionId } = await this.sessions.session(tabId);
      const latest = this.#asking.get(tabId);
      if (latest) client.notify("chat/replay", { sessionId, ...latest });
    } catch (error) {
      if (error instanceof SidecarRefused)
        this.deps.page.post({ type: "failed", tabId, message: error.message, noSession: true });
      this.deps.log.warn("agent", "A tab has no session", { tabId, error });
    } finally {
      this.#asking.delete(tabId);
    }
  }
}
