/**
 * Signs the user in to an agent that requires it. The user selects a method in the conversation whose prompt waits. The
 * agent or its program in a terminal then performs the sign-in, or the user enters keys.
 *
 * Invariants:
 * - An attempt includes at most one sign-in.
 * - Every action of the user results in an error or in another attempt.
 * - Keys are passed only to the secret storage and to the agent.
 */
import type { AgentConnection, OpenedSession } from "../../acp/connection";
import {
  chosenMethod,
  methodForm,
  variablesForm,
  variablesIn,
  type AuthMethod,
  type Form,
} from "../../acp/sign-in-methods";
import { requiresSignIn } from "../../agent-session/agent-failure";
import { type AgentError, noSignInMethod, notSignedIn, signedInElsewhere, stillNotSignedIn } from "../../errors";
import type { JsonObject } from "../../rpc/json";
import { assertNever } from "../../../src/protocol/wire/wire";

export interface SignInDeps {
  /** Resolves with the content of the form, or `undefined` if the user does not accept it. */
  readonly ask: (form: Form) => Promise<JsonObject | undefined>;
  /**
   * Runs the agent's own program with the method's arguments and environment. Resolves with its exit code, or
   * `undefined` if the terminal was closed before the program ended.
   */
  readonly runInTerminal: (method: Extract<AuthMethod, { readonly kind: "terminal" }>) => Promise<number | undefined>;
  /** Stores the variables for this start of the agent and all later ones. */
  readonly keep: (variables: Readonly<Record<string, string>>) => Promise<void>;
}

/** `how`: the method's name. `isFresh`: the sign-in takes effect only in a new process of the agent. */
interface SignedIn {
  readonly how: string;
  readonly isFresh: boolean;
}

/**
 * The reason for an attempt to open a session:
 * - `first`: the first attempt.
 * - `wanted`: a session would open, but its first prompt would be rejected again.
 * - `other`: another process, because the first one exited while the question was open.
 * - `signedIn`: the user has just signed in with that method. If the agent still requires a sign-in, the attempt fails.
 */
export type Attempt = "first" | "wanted" | "other" | { readonly signedIn: string };

export interface Entrance<S extends OpenedSession> {
  readonly connection: AgentConnection;
  readonly open: () => Promise<S>;
  readonly deps: SignInDeps;
  /** Withdraws the forms that are no longer needed. */
  readonly withdraw: () => void;
  /** Ends this process. `why` is for other tabs that use the process. */
  readonly restart: (why: AgentError) => void;
}

/**
 * Opens a session, after one sign-in if the agent requires it. Resolves with `again` if the session must be opened with
 * another process. Rejects with an `AgentError`.
 */
export async function openSignedIn<S extends OpenedSession>(
  agent: string,
  { connection, open, deps, withdraw, restart }: Entrance<S>,
  attempt: Attempt,
): Promise<S | { readonly again: Attempt }> {
  try {
    if (attempt !== "wanted") return await open();
  } catch (error) {
    if (!requiresSignIn(error)) throw error;
  }
  if (typeof attempt === "object") throw stillNotSignedIn(agent, attempt.signedIn);
  const signing = signIn(agent, connection, deps),
    signedIn = await Promise.race([signing, connection.closed.then(() => undefined)]);
  if (!signedIn) {
    // Another tab has signed in, or the agent has exited.
    signing.catch(() => undefined);
    withdraw();
    if (attempt !== "other") return { again: "other" };
    throw notSignedIn(agent);
  }
  if (signedIn.isFresh) {
    restart(signedInElsewhere(agent));
    return { again: { signedIn: signedIn.how } };
  }
  return open().catch((error: unknown) => {
    throw requiresSignIn(error) ? stillNotSignedIn(agent, signedIn.how) : error;
  });
}

/** Rejects with an `AgentError`. */
async function signIn(
  agent: string,
  connection: Pick<AgentConnection, "authMethods" | "authenticate">,
  { ask, runInTerminal, keep }: SignInDeps,
): Promise<SignedIn> {
  const { authMethods } = connection;
  if (authMethods.length === 0) throw noSignInMethod(agent);
  const answer = await ask(methodForm(authMethods)),
    method = answer && chosenMethod(authMethods, answer);
  if (!method) throw notSignedIn(agent);
  switch (method.kind) {
    case "agent":
      try {
        await connection.authenticate(method.id);
      } catch (error) {
        throw notSignedIn(agent, error);
      }
      return { how: method.name, isFresh: false };
    case "terminal": {
      const code = await runInTerminal(method).catch((error: unknown) => {
        throw notSignedIn(agent, error);
      });
      if (code !== 0)
        throw notSignedIn(
          agent,
          new Error(code === undefined ? "its terminal was closed before it exited." : `it exited with code ${code}.`),
        );
      return { how: method.name, isFresh: true };
    }
    case "environment": {
      const entered = await ask(variablesForm(agent, method));
      if (!entered) throw notSignedIn(agent);
      await keep(variablesIn(method, entered)).catch((error: unknown) => {
        throw notSignedIn(agent, error);
      });
      return { how: method.name, isFresh: true };
    }
    default:
      return assertNever(method, "way to sign in");
  }
}
