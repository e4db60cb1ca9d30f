/**
 * An agent forgets its user: it is told to, where it can be; the keys that are kept for it go; and its processes, which
 * know both, end.
 *
 * Invariants: what can be forgotten here is, also when the agent does not do its part; nothing of it that ran before
 * runs after it; nothing is installed for it.
 */
import type { AgentConfig } from "../../src/protocol/agents";
import { AgentError, signedOut } from "../errors";
import type { AgentStatusTracker } from "./agent-status-tracker";
import type { AgentPool, Lease } from "./pool";

export interface SignOutDeps {
  readonly pool: Pick<AgentPool, "acquire" | "connected" | "endAll">;
  readonly witness: AgentStatusTracker;
  /** It can be started without being installed before. */
  readonly isThere: (agent: AgentConfig) => Promise<boolean>;
  /** Keys that the user gave for it. */
  readonly keys: {
    kept(agentId: string): Promise<Readonly<Record<string, string>>>;
    forget(agentId: string): Promise<void>;
  };
}

/** Rejects with an `AgentError`. */
export async function signOut(agent: AgentConfig, cwd: string, deps: SignOutDeps): Promise<void> {
  const { pool, witness, keys } = deps,
    hasKeys = Object.keys(await keys.kept(agent.id)).length > 0;
  const outcome = await loggedOut(agent, cwd, deps, hasKeys);
  if (!hasKeys && (outcome.kind === "cannot" || outcome.kind === "notThere")) {
    throw new AgentError(
      "unsupported",
      outcome.kind === "cannot"
        ? `${agent.name} cannot be told to sign out.`
        : `${agent.name} is not installed: there is nobody to tell.`,
      { advice: "Sign out with its own command line." },
    );
  }
  await keys.forget(agent.id);
  pool.endAll(agent.id, signedOut(agent.name));
  if (outcome.kind === "failed")
    throw new AgentError("protocol", `${agent.name} may still know you: ${sentence(outcome.error)}`, {
      cause: outcome.error,
      advice: "Sign out with its own command line.",
    });
  witness.saw("agent", agent.id, { kind: "session", signIn: "needed" });
}

type Outcome =
  | { readonly kind: "done" }
  | { readonly kind: "cannot" }
  | { readonly kind: "notThere" }
  | { readonly kind: "failed"; readonly error: unknown };

/** By a process that is there, else by one that is started for it: it need not be, where there are keys to forget. */
async function loggedOut(
  agent: AgentConfig,
  cwd: string,
  { pool, isThere }: SignOutDeps,
  hasKeys: boolean,
): Promise<Outcome> {
  let lease: Lease | undefined;
  try {
    const running = pool.connected(agent.id);
    if (!running && !(await isThere(agent))) return { kind: "notThere" };
    const connection =
      running ?? (lease = await pool.acquire({ agent, cwd, protocol: 1 }, new AbortController().signal)).connection;
    if (!connection.canLogOut) return { kind: "cannot" };
    await connection.logout();
    return { kind: "done" };
  } catch (error) {
    // Where only the keys are known, that it does not start is no news.
    return hasKeys && !lease && !pool.connected(agent.id) ? { kind: "cannot" } : { kind: "failed", error };
  } finally {
    lease?.release();
  }
}

function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
