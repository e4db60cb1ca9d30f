/**
 * Draws the changed tabs. A failing tab affects neither other tabs nor the steps after a drawing (the acknowledgement,
 * without which the host stops posting). It is drawn again only after its next change.
 */
import type { TabId } from "../../src/protocol/page/host-to-page";

export function drawTabs(
  wanted: Set<TabId>,
  draw: (tabId: TabId) => void,
  failed: (tabId: TabId, error: unknown) => void,
): void {
  const now = [...wanted];
  wanted.clear();
  for (const tabId of now) {
    try {
      draw(tabId);
    } catch (error) {
      failed(tabId, error);
    }
  }
}
