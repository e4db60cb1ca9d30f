/**
 * From an agent that wants its user to sign in to one that can be spoken to. The user is asked how, where the prompt
 * waits that needs it; then the agent signs in, or its program does in a terminal, or it is given a key.
 *
 * Invariants: one round; whatever the user does there is one outcome, a sentence or a way on; keys go to the secret
 * storage and to the agent alone.
 */
import type { AgentConnection, OpenedSession } from "../acp/connection";
import {
  chosenMethod,
  methodForm,
  variablesForm,
  variablesIn,
  type AuthMethod,
  type Form,
} from "../acp/sign-in-methods";
import { AgentError, noWayToSignIn, notSignedIn, signedInElsewhere, stillNotSignedIn } from "../errors";
import type { JsonObject } from "../rpc/json";
import { assertNever } from "../../src/protocol/wire";

export interface SignInDeps {
  /** What was filled in; `undefined`: nobody wants to. */
  readonly ask: (form: Form) => Promise<JsonObject | undefined>;
  /**
   * The agent's own program, with what the method adds. Resolves with its exit code when it has ended; `undefined`: it
   * was closed before.
   */
  readonly runInTerminal: (method: Extract<AuthMethod, { readonly kind: "terminal" }>) => Promise<number | undefined>;
  /** For this start of the agent, and all others. */
  readonly keep: (variables: Readonly<Record<string, string>>) => Promise<void>;
}

/** `how`: the method's name. `isFresh`: only a new process of the agent knows of it. */
interface SignedIn {
  readonly how: string;
  readonly isFresh: boolean;
}

/** Whether it is worth asking: the agent said that it wants it, and nothing else. */
export function wantsSignIn(error: unknown): boolean {
  return error instanceof AgentError && error.code === "authRequired";
}

/**
 * `first`; `wanted`: a session would open, and its first prompt be refused again; with the `other` process, because the
 * first one went while it asked; after its user has just signed in, that way: who still wants it is not asked again.
 */
export type Attempt = "first" | "wanted" | "other" | { readonly signedIn: string };

export interface Entrance {
  readonly connection: AgentConnection;
  readonly open: () => Promise<OpenedSession>;
  readonly deps: SignInDeps;
  /** What is asked is of nobody any more. */
  readonly withdraw: () => void;
  /** Ends this process; `why` is for other tabs that use it. */
  readonly restart: (why: AgentError) => void;
}

/**
 * A session, after one round of signing in where the agent wants that; or how to try again, with the process that
 * serves then. Rejects with an `AgentError`.
 */
export async function openSignedIn(
  agent: string,
  { connection, open, deps, withdraw, restart }: Entrance,
  attempt: Attempt,
): Promise<OpenedSession | { readonly again: Attempt }> {
  try {
    if (attempt !== "wanted") return await open();
  } catch (error) {
    if (!wantsSignIn(error)) throw error;
  }
  if (typeof attempt === "object") throw stillNotSignedIn(agent, attempt.signedIn);
  const signing = signIn(agent, connection, deps),
    signedIn = await Promise.race([signing, connection.closed.then(() => undefined)]);
  if (!signedIn) {
    // Another tab has signed in, or the agent has died.
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
    throw wantsSignIn(error) ? stillNotSignedIn(agent, signedIn.how) : error;
  });
}

/** Rejects with an `AgentError`. */
async function signIn(
  agent: string,
  connection: Pick<AgentConnection, "authMethods" | "authenticate">,
  { ask, runInTerminal, keep }: SignInDeps,
): Promise<SignedIn> {
  const { authMethods } = connection;
  if (authMethods.length === 0) throw noWayToSignIn(agent);
  const answer = await ask(methodForm(agent, authMethods)),
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
          new Error(
            code === undefined ? "its terminal was closed before it had ended." : `it ended with exit code ${code}.`,
          ),
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
