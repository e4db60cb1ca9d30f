/**
 * Draws the changed tabs. A tab that fails to draw affects neither other tabs nor the acknowledgement, without which
 * the host stops posting. A failed tab is drawn again only after its next change.
 */
import type { TabId } from "../../src/protocol/page/host-to-page";

export function drawTabs(
  wanted: Set<TabId>,
  draw: (tabId: TabId) => void,
  failed: (tabId: TabId, error: unknown) => void,
): void {
  const tabIds = [...wanted];
  wanted.clear();
  for (const tabId of tabIds) {
    try {
      draw(tabId);
    } catch (error) {
      failed(tabId, error);
    }
  }
}
