/**
 * Resumes the tabs of a page: opens the missing session, whose journal is the start of its conversation. Then replays
 * the events after the page's position.
 */
import { SidecarRefused } from "../errors";
import type { HostToSidecar } from "../protocol/sidecar";
import type { TabId, TabPosition } from "../protocol/page/host-to-page";
import type { ParamsOf } from "../protocol/wire/wire";
import type { ChatDeps } from "./chat-deps";
import type { TabSessions } from "./tab-sessions";

type Replay = ParamsOf<HostToSidecar, "chat/replay">;

export class PageResume {
  /** For each tab, the latest position that waits for its session. */
  readonly #pending = new Map<TabId, Omit<Replay, "sessionId">>();

  constructor(
    private readonly deps: Pick<ChatDeps, "page" | "log">,
    private readonly sessions: TabSessions,
    private readonly open: (position: TabPosition) => Promise<void>,
  ) {}

  async replay(position: TabPosition): Promise<void> {
    const { tabId, at, requestNumber } = position,
      isWaiting = this.#pending.has(tabId),
      kind = this.sessions.kind(tabId);
    this.#pending.set(tabId, { requestNumber, ...(at === undefined ? {} : { at }) });
    if (kind === undefined || kind === "lost") this.open(position).catch(() => undefined);
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
