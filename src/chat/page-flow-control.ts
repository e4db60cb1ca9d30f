/**
 * What may be posted to the page, which VS Code drops silently when the view is hidden and which may be slower than a
 * stream. Pure; `page-channel.ts` posts.
 *
 *     absent ─page is ready▶ live ─too many unacknowledged▶ lagging ─caught up▶ live, and the page asks again
 *       ◀─ hidden, refused ─┴──────────────────────────────────┘
 *
 * Invariants: nothing is kept here (the sidecar's session is the buffer); of events and snapshots at most `LIMIT` are
 * on their way; every drop is followed by a `webview-ready`, from the page that is built anew or because we say
 * `askAgain`.
 *
 * A page counts what it handled since its own start, and a page that was reloaded is not told from one that merely
 * asks. So each `webview-ready` starts the count over: too generous by what was on its way, and exact from the next
 * acknowledgement on.
 */
import { assertNever } from "../protocol/wire";

/** `page` counts `webview-ready`s: a late refusal of what an earlier page was sent says nothing about this one. */
export type PageFlowControl =
  | { readonly kind: "absent"; readonly page: number }
  | {
      readonly kind: "live" | "lagging";
      readonly page: number;
      readonly unacknowledged: number;
      readonly handled: number;
    };

export type OutletEvent =
  | { readonly kind: "pageReady" | "hidden" }
  /** An event or a snapshot wants to go out, or another message, which the page does not count. */
  | { readonly kind: "offered"; readonly counted: boolean }
  /** VS Code said that this message was not delivered. */
  | { readonly kind: "refused"; readonly page: number }
  | { readonly kind: "acknowledged"; readonly handled: number };

export type OutletEffect = "post" | "drop" | "askAgain" | "none";

/** Events and snapshots on their way. */
export const LIMIT = 500;
const CAUGHT_UP = LIMIT / 2;

export const ABSENT: PageFlowControl = { kind: "absent", page: 0 };

export function step(outlet: PageFlowControl, event: OutletEvent): readonly [PageFlowControl, OutletEffect] {
  switch (event.kind) {
    case "pageReady":
      return [{ kind: "live", page: outlet.page + 1, unacknowledged: 0, handled: 0 }, "none"];
    case "hidden":
      return [{ kind: "absent", page: outlet.page }, "none"];
    case "refused":
      return [event.page === outlet.page ? { kind: "absent", page: outlet.page } : outlet, "none"];
    case "offered":
      return offered(outlet, event.counted);
    case "acknowledged":
      return acknowledged(outlet, event.handled);
    default:
      return assertNever(event, "event of the outlet");
  }
}

function offered(outlet: PageFlowControl, counted: boolean): readonly [PageFlowControl, OutletEffect] {
  if (outlet.kind === "absent") return [outlet, "drop"];
  if (!counted) return [outlet, "post"];
  if (outlet.kind === "lagging" || outlet.unacknowledged >= LIMIT) return [{ ...outlet, kind: "lagging" }, "drop"];
  return [{ ...outlet, unacknowledged: outlet.unacknowledged + 1 }, "post"];
}

function acknowledged(outlet: PageFlowControl, handled: number): readonly [PageFlowControl, OutletEffect] {
  if (outlet.kind === "absent") return [outlet, "none"];
  const fresh = handled < outlet.handled ? handled : handled - outlet.handled;
  const next = { ...outlet, handled, unacknowledged: Math.max(0, outlet.unacknowledged - fresh) };
  return next.kind === "lagging" && next.unacknowledged <= CAUGHT_UP
    ? [{ ...next, kind: "live" }, "askAgain"]
    : [next, "none"];
}
