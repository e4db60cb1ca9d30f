/**
 * Flow control towards the page: decides which messages may be posted. VS Code drops messages silently when the view is
 * hidden, and a page can be slower than a stream. Pure; `page-channel.ts` posts the messages.
 *
 *     absent ─page is ready▶ live ─too many unacknowledged▶ lagging ─caught up▶ live, and requestReplay
 *       ◀─ hidden, refused ─┴──────────────────────────────────┘
 *
 * Invariants:
 * - No message is buffered here; the sidecar's session is the buffer.
 * - At most `LIMIT` events and snapshots are unacknowledged.
 * - Every dropped message is followed by a `webviewReady`, from a recreated page or in response to `requestReplay`.
 *
 * A page counts the messages that it has handled since its start. The host cannot distinguish a reloaded page from a
 * repeated `webviewReady`, so each `webviewReady` resets the count. Until the next acknowledgement, the count is too
 * low by the number of messages in flight.
 */
import { assertNever } from "../protocol/wire/wire";

/** `page`: number of `webviewReady` messages so far, to ignore late delivery failures of an earlier page. */
export type PageFlowControl =
  | { readonly kind: "absent"; readonly page: number }
  | {
      readonly kind: "live" | "lagging";
      readonly page: number;
      readonly unacknowledged: number;
      readonly handled: number;
    };

export type PageFlowEvent =
  | { readonly kind: "pageReady" | "hidden" }
  /** An outgoing message. `counted`: an event or a snapshot, which the page acknowledges. */
  | { readonly kind: "offered"; readonly counted: boolean }
  /** VS Code reported that this message was not delivered. */
  | { readonly kind: "refused"; readonly page: number }
  | { readonly kind: "acknowledged"; readonly handled: number };

export type PageFlowEffect = "post" | "drop" | "requestReplay" | "none";

/** Maximum number of unacknowledged events and snapshots. */
export const LIMIT = 500;
const LOW_WATER_MARK = LIMIT / 2;

export const DISCONNECTED: PageFlowControl = { kind: "absent", page: 0 };

export function step(flowControl: PageFlowControl, event: PageFlowEvent): readonly [PageFlowControl, PageFlowEffect] {
  switch (event.kind) {
    case "pageReady":
      return [{ kind: "live", page: flowControl.page + 1, unacknowledged: 0, handled: 0 }, "none"];
    case "hidden":
      return [{ kind: "absent", page: flowControl.page }, "none"];
    case "refused":
      return [event.page === flowControl.page ? { kind: "absent", page: flowControl.page } : flowControl, "none"];
    case "offered":
      return offered(flowControl, event.counted);
    case "acknowledged":
      return acknowledged(flowControl, event.handled);
    default:
      return assertNever(event, "page flow event");
  }
}

function offered(flowControl: PageFlowControl, counted: boolean): readonly [PageFlowControl, PageFlowEffect] {
  if (flowControl.kind === "absent") return [flowControl, "drop"];
  if (!counted) return [flowControl, "post"];
  if (flowControl.kind === "lagging" || flowControl.unacknowledged >= LIMIT)
    return [{ ...flowControl, kind: "lagging" }, "drop"];
  return [{ ...flowControl, unacknowledged: flowControl.unacknowledged + 1 }, "post"];
}

function acknowledged(flowControl: PageFlowControl, handled: number): readonly [PageFlowControl, PageFlowEffect] {
  if (flowControl.kind === "absent") return [flowControl, "none"];
  const newlyHandled = handled < flowControl.handled ? handled : handled - flowControl.handled;
  const next = { ...flowControl, handled, unacknowledged: Math.max(0, flowControl.unacknowledged - newlyHandled) };
  return next.kind === "lagging" && next.unacknowledged <= LOW_WATER_MARK
    ? [{ ...next, kind: "live" }, "requestReplay"]
    : [next, "none"];
}
