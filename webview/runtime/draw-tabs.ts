/**
 * Draws the tabs that changed. One that cannot be drawn takes neither another with it nor what follows a drawing (the
 * acknowledgement, without which the host stops posting), and is not tried again until something of it changes.
 */
import type { TabId } from "../../src/protocol/webview";

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
