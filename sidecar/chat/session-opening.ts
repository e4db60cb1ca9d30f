/**
 * One opening of a session at its agent: the connection, a sign-in if required, the agent's session, and the user's
 * choices for it.
 *
 * Invariants: a connection is released unless a session was opened on it; no question is asked for an opening that was
 * left.
 */
import type { OpenedSession } from "../acp/connection";
import type { MissingExtension } from "../acp/chain-extensions";
import type { AgentKey, Lease } from "../agents/pool";
import { objectOr } from "../rpc/json";
import { controlsOf } from "../acp/adapt/controls";
import type { AgentControls } from "./agent-controls";
import type { AgentMessage } from "./agent-message";
import type { AgentQuestions } from "./agent-questions";
import type { SessionTimeouts } from "./session-timeouts";
import type { SessionStart, SessionDeps } from "./session-deps";
import type { SessionEvent, Trouble } from "./session-model";
import { openSignedIn, type Attempt, type SignInDeps } from "./sign-in";

/** Dependencies of all openings of an `AgentClient`. */
export interface OpeningDeps {
  readonly start: SessionStart;
  readonly deps: SessionDeps;
  readonly key: AgentKey;
  readonly controls: AgentControls;
  readonly questions: AgentQuestions;
  readonly patience: SessionTimeouts;
  /** Sentences about missing extensions that were already shown: each start finds them missing again. */
  readonly missed: Set<string>;
  report(message: AgentMessage): void;
  trouble(error: unknown): Trouble;
}

export class SessionOpening {
  /** `of`: number of the opening. `left` aborts when the agent is left. */
  constructor(
    private readonly all: OpeningDeps,
    private readonly of: number,
    private readonly left: AbortSignal,
  ) {}

  /** Posts `opened` when the session is open. Rejects with the reason if it cannot be opened. */
  async enter(attempt: Attempt): Promise<void> {
    const {
        start: { agent },
        deps: { pool },
        key,
        questions,
        controls,
      } = this.all,
      lease = await pool.acquire(key, this.left),
      { connection } = lease;
    if (this.left.aborted) return lease.release(); // closed or restarted in the meantime
    this.#miss(connection.missing);
    try {
      const opened = await openSignedIn(
        agent.name,
        {
          connection,
          open: () => this.#session(lease),
          deps: this.#signInWorld,
          withdraw: () => questions.withdrawForms(),
          restart: why => pool.restart(key, why, connection),
        },
        attempt,
      );
      if ("again" in opened) {
        lease.release();
        return this.left.aborted ? undefined : await this.enter(opened.again);
      }
      await controls.setAgain(connection, opened.sessionId, controlsOf(opened.result), event => this.#notify(event));
      this.all.report({ kind: "opened", lease, agentSession: opened.sessionId, of: this.of });
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  #miss(missing: readonly MissingExtension[]): void {
    for (const { sentence } of missing) {
      if (!this.all.missed.has(sentence)) this.#notify({ kind: "extensionMissing", sentence });
      this.all.missed.add(sentence);
    }
  }

  #session({ connection }: Lease): Promise<OpenedSession> {
    const { start, questions, patience } = this.all,
      { version, agentName } = connection;
    let toldOptions = false; // options arrived in an update, before the response, which may lack them
    return connection.newSession(start.cwd, {
      update: update => {
        patience.onEvent();
        toldOptions ||= objectOr(update).sessionUpdate === "config_option_update";
        this.#notify({ kind: "updated", update, version });
      },
      opened: answer => {
        const controls = controlsOf(answer),
          { availableCommands } = objectOr(answer); // v2 also has commands in its response
        if (controls.length > 0 || !toldOptions) this.#notify({ kind: "controlSet", controls });
        if (availableCommands !== undefined)
          this.#notify({
            kind: "updated",
            update: { sessionUpdate: "available_commands_update", availableCommands },
            version,
          });
      },
      isAsking: () => questions.isAsking,
      subagentUpdate: (subagent, update) => {
        patience.onEvent();
        this.#notify({ kind: "updated", update, version, subagent });
      },
      request: (request, subagent) =>
        this.all.report({ kind: "request", request, version, agentName, subagent, of: this.of }),
      elicitationCompleted: elicitationId => this.#notify({ kind: "elicitationCompleted", elicitationId }),
      closed: reason => this.#notify({ kind: "agentDown", ...this.all.trouble(reason) }),
    });
  }

  get #signInWorld(): SignInDeps {
    const {
      start: { agent, cwd },
      deps: {
        signIn: { runInTerminal, keepEnvironment },
      },
      questions,
    } = this.all;
    return {
      ask: form =>
        new Promise(settle => {
          if (this.left.aborted) settle(undefined);
          else this.#notify(questions.form(form, settle));
        }),
      runInTerminal: method => runInTerminal(agent, cwd, method),
      keep: variables => keepEnvironment(agent.id, variables),
    };
  }

  #notify(event: SessionEvent): void {
    this.all.report({ kind: "event", event, of: this.of });
  }
}
