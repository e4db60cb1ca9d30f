/**
 * Resumes the tabs of a page. A tab without a session gets a new session that starts with the content on screen. The
 * sidecar then replays the missing events.
 *
 *     position ─┬─ of a lost tab, from a page not notified of the loss ▶ rejected; the page repeats it
 *               └─ else ▶ session opened if missing ▶ wait for it ▶ chat/replay with the latest position
 *
 * Invariant: no session starts with less than the content on screen. A position does not include messages in flight to
 * the page. After a loss, no message of the lost session is in flight to a page that has received the loss.
 */
import { SIDECAR_RESTARTED, SidecarRefused, WINDOW_RELOADED } from "../errors";
import type { HostToSidecar } from "../protocol/sidecar";
import type { TabId, TabPosition } from "../protocol/page/host-to-page";
import type { ParamsOf } from "../protocol/wire/wire";
import type { ChatDeps } from "./chat-deps";
import type { TabSessions } from "./tab-sessions";

type Replay = ParamsOf<HostToSidecar, "chat/replay">;
/** Opens a session; `why`: reason for the loss of the previous session. */
export type Open = (tabId: TabId, position: TabPosition, why: string) => Promise<void>;

export class PageResume {
  /** Number of times that sessions were lost, with their sidecar or alone. */
  #losses = 0;
  /** Value of `#losses` when `requestReplay` was last sent to an outdated page. */
  #reportedLoss = 0;
  /** For each tab, the latest position that waits for its session. */
  readonly #pending = new Map<TabId, Omit<Replay, "sessionId">>();

  constructor(
    private readonly deps: Pick<ChatDeps, "page" | "sidecar" | "log">,
    private readonly sessions: TabSessions,
    private readonly open: Open,
  ) {}

  /** The count that the page receives and returns with its messages. */
  get losses(): number {
    return this.#losses;
  }

  lost(): void {
    this.#losses++;
  }

  /** Whether the page sent its message before it received the latest loss of the tab's session. */
  isLate(tabId: TabId, losses: number): boolean {
    return this.sessions.kind(tabId) === "lost" && losses !== this.#losses;
  }

  take(position: TabPosition, losses: number): void {
    if (!this.isLate(position.tabId, losses)) void this.#replay(position);
  }

  /**
   * Call it after the page received the current count. Without a running sidecar, the next start sends `requestReplay`.
   */
  requestReplay(): void {
    // Once per loss, regardless of the number of messages. The page requests missing content by itself.
    if (this.#reportedLoss === this.#losses || this.deps.sidecar.phase.kind !== "running") return;
    this.#reportedLoss = this.#losses;
    this.deps.page.post({ type: "requestReplay" });
  }

  async #replay(position: TabPosition): Promise<void> {
    const { tabId, at, requestNumber } = position,
      isWaiting = this.#pending.has(tabId),
      kind = this.sessions.kind(tabId);
    this.#pending.set(tabId, { requestNumber, ...(at === undefined ? {} : { at }) });
    if (kind === undefined || kind === "lost")
      this.open(tabId, position, kind === undefined ? WINDOW_RELOADED : SIDECAR_RESTARTED).catch(() => undefined);
    if (isWaiting) return;
    try {
      const { client, sessionId } = await this.sessions.session(tabId);
      const latest = this.#pending.get(tabId);
      if (latest) client.notify("chat/replay", { sessionId, ...latest });
    } catch (error) {
      if (error instanceof SidecarRefused)
        this.deps.page.post({ type: "failed", tabId, message: error.message, noSession: true });
      this.deps.log.warn("agent", "Could not open the session of a tab", { tabId, error });
    } finally {
      this.#pending.delete(tabId);
    }
  }
}
