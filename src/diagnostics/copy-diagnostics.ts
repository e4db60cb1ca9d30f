/**
 * *Copy Diagnostics*: collects the facts, copies the report and notifies the user of its content.
 *
 * Invariants:
 * - The report is copied also if the sidecar does not start or does not answer in time.
 * - In an untrusted workspace, the sidecar is not started.
 */
import * as l10n from "@vscode/l10n";
import type { Clock } from "../clock";
import type { Log } from "../log";
import type { Settings } from "../settings/store/settings";
import type { SidecarClient } from "../sidecar/client";
import type { SidecarPhase } from "../sidecar/restart-policy";
import type { RecentLog } from "./recent-log";
import { diagnosticsReport, type DiagnosticsFacts, type SidecarFacts } from "./report";

export interface DiagnosticsDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly recent: RecentLog;
  readonly sidecar: { readonly phase: SidecarPhase; client(): Promise<SidecarClient> };
  readonly settings: () => Settings;
  readonly environment: () => Omit<DiagnosticsFacts, "phase" | "settings" | "sidecar" | "log">;
  copy(text: string): Promise<void>;
  /** Shows the sentence. Resolves with whether the user wants to open the report. */
  offer(sentence: string): Promise<boolean>;
  /** Opens the text in an editor. */
  open(text: string): Promise<void>;
}

/** The first start of a sidecar and the query of the login shell take some seconds on a busy computer. */
const MAX_WAIT_MS = 20_000;

/** Resolves when the report is in the clipboard. */
export async function copyDiagnostics(deps: DiagnosticsDeps): Promise<void> {
  const environment = deps.environment(),
    settings = deps.settings(),
    sidecar = environment.isTrusted ? await sidecarFacts(deps, settings) : ({ kind: "untrusted" } as const);
  const text = diagnosticsReport({
    ...environment,
    phase: deps.sidecar.phase,
    settings,
    sidecar,
    log: deps.recent.lines,
  });
  await deps.copy(text);
  void offerToOpen(deps, text);
}

async function offerToOpen({ offer, open, log }: DiagnosticsDeps, text: string): Promise<void> {
  try {
    const isWanted = await offer(
      l10n.t(
        "Symposium’s diagnostics are in the clipboard: versions, changed settings, states of agents, tools of this computer, and the last lines of the log. Secrets are removed. Names of projects and paths are included, so review the text before you share it.",
      ),
    );
    if (isWanted) await open(text);
  } catch (error) {
    log.warn("sidecar", "Could not open the diagnostics", { error });
  }
}

async function sidecarFacts({ sidecar, clock }: DiagnosticsDeps, settings: Settings): Promise<SidecarFacts> {
  let timer: { dispose(): void } | undefined;
  const late = new Promise<SidecarFacts>(resolve => {
    timer = clock.after(MAX_WAIT_MS, () => resolve({ kind: "late", seconds: MAX_WAIT_MS / 1000 }));
  });
  const known = requestedFacts(sidecar, settings).catch((error: unknown): SidecarFacts => ({ kind: "failed", error }));
  return Promise.race([known, late]).finally(() => timer?.dispose());
}

async function requestedFacts(
  sidecar: DiagnosticsDeps["sidecar"],
  { agents, allExtensions }: Settings,
): Promise<SidecarFacts> {
  const client = await sidecar.client(),
    extensions = allExtensions.map(({ config }) => config);
  const [states, { report: computer }] = await Promise.all([
    client.request("agents/states", { agents, extensions }),
    client.request("agents/doctor", {}),
  ]);
  return { kind: "known", ...states, computer };
}
