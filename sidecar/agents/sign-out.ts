/**
 * Signs out of an agent: sends `logout` if supported, deletes the stored keys and ends its processes, which have both
 * in memory.
 *
 * Invariants:
 * - The stored keys are deleted even if the agent's `logout` fails.
 * - No earlier process of the agent runs after the sign-out.
 * - Signing out installs nothing.
 */
import * as l10n from "@vscode/l10n";
import type { AgentConfig } from "../../src/protocol/agents/agents";
import { errorMessage } from "../../src/protocol/wire/errors";
import { AgentError, signedOut } from "../errors";
import type { AgentStatusTracker } from "./agent-status-tracker";
import type { AgentPool, Lease } from "./pool";

export interface SignOutDeps {
  readonly pool: Pick<AgentPool, "acquire" | "connected" | "endAll">;
  readonly statusTracker: AgentStatusTracker;
  /** Whether the agent can be started without an installation. */
  readonly isThere: (agent: AgentConfig) => Promise<boolean>;
  /** Keys that the user stored for the agent. */
  readonly keys: {
    stored(agentId: string): Promise<Readonly<Record<string, string>>>;
    forget(agentId: string): Promise<void>;
  };
}

/** Rejects with an `AgentError`. */
export async function signOut(agent: AgentConfig, cwd: string, deps: SignOutDeps): Promise<void> {
  const { pool, statusTracker, keys } = deps,
    hasKeys = Object.keys(await keys.stored(agent.id)).length > 0;
  const outcome = await logOut(agent, cwd, deps, hasKeys);
  if (!hasKeys && (outcome.kind === "cannot" || outcome.kind === "notInstalled")) {
    throw new AgentError(
      "unsupported",
      outcome.kind === "cannot"
        ? l10n.t`${agent.name} does not support signing out.`
        : l10n.t`${agent.name} is not installed, so there is no session to sign out of.`,
      { advice: l10n.t("Sign out with its own command line.") },
    );
  }
  await keys.forget(agent.id);
  pool.endAll(agent.id, signedOut(agent.name));
  if (outcome.kind === "failed")
    throw new AgentError("protocol", l10n.t`${agent.name} may still be signed in: ${asSentence(outcome.error)}`, {
      cause: outcome.error,
      advice: l10n.t("Sign out with its own command line."),
    });
  statusTracker.onStatus("agent", agent.id, { kind: "session", signIn: "needed" });
}

type Outcome =
  | { readonly kind: "done" }
  | { readonly kind: "cannot" }
  | { readonly kind: "notInstalled" }
  | { readonly kind: "failed"; readonly error: unknown };

/** Sends `logout` to a running process, or else to a new one. */
async function logOut(
  agent: AgentConfig,
  cwd: string,
  { pool, isThere }: SignOutDeps,
  hasKeys: boolean,
): Promise<Outcome> {
  let lease: Lease | undefined;
  try {
    const running = pool.connected(agent.id);
    if (!running && !(await isThere(agent))) return { kind: "notInstalled" };
    const connection =
      running ?? (lease = await pool.acquire({ agent, cwd, protocol: 1 }, new AbortController().signal)).connection;
    if (!connection.canLogOut) return { kind: "cannot" };
    await connection.logout();
    return { kind: "done" };
  } catch (error) {
    // With stored keys, a failure to start is not reported: the keys are deleted anyway.
    return hasKeys && !lease && !pool.connected(agent.id) ? { kind: "cannot" } : { kind: "failed", error };
  } finally {
    lease?.release();
  }
}

function asSentence(error: unknown): string {
  const text = errorMessage(error);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
