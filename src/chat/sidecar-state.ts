/** Converts the sidecar's phase into the state that the page shows. Pure. */
import { NOT_TRUSTED, RESTARTING } from "../errors";
import type { ActionId } from "../protocol/chat/chat";
import type { SidecarState } from "../protocol/page/host-to-page";
import { assertNever } from "../protocol/wire/wire";
import type { SidecarPhase } from "../sidecar/restart-policy";

/** Actions that the page offers when the sidecar is not restarted automatically. */
export const GAVE_UP = ["restartSidecar", "showLogs"] as const satisfies readonly ActionId[];

export function isWindowClosing(phase: SidecarPhase): boolean {
  return phase.kind === "stopped" || (phase.kind === "stopping" && phase.next === "rest");
}

export function sidecarState(phase: SidecarPhase, isTrusted: boolean): SidecarState {
  if (!isTrusted && phase.kind !== "failed")
    return { state: "readOnly", message: NOT_TRUSTED, actions: ["manageTrust"] };
  switch (phase.kind) {
    case "idle":
    case "running":
      return { state: "running" };
    // The first start counts as running, because prompts can already be sent.
    case "starting":
      return phase.run === 1 ? { state: "running" } : { state: "restarting", message: RESTARTING };
    case "backoff":
    case "stopping":
    case "stopped":
      return { state: "restarting", message: RESTARTING };
    case "failed":
      return { state: "failed", message: phase.message, actions: GAVE_UP };
    default:
      return assertNever(phase, "sidecar phase");
  }
}
