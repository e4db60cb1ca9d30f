/**
 * One opening of a chat session's agent: the sign-in if required, the agent's session, and the user's choices for it.
 *
 * Invariant: no question is displayed for an abandoned opening.
 */
import type { AgentConnection, OpenedSession } from "../../acp/connection";
import type { SessionOpening, SessionUpdates } from "../../agent-session/agent-session";
import type { SessionBegin } from "../../agent-session/open-agent-session";
import type { AgentKey } from "../../agents/pool";
import { objectOr } from "../../rpc/json";
import { controlsOf } from "../../acp/adapt/controls";
import { isConversation } from "../../acp/adapt/replayed-conversation";
import type { AgentControls } from "./agent-controls";
import type { AgentQuestions } from "./agent-questions";
import type { SessionTimeouts } from "./session-timeouts";
import type { SessionStart, SessionDeps } from "../session-deps";
import type { SessionEvent } from "../session-model";
import { openSignedIn, type Attempt, type SignInDeps } from "./sign-in";
import { UPDATE_KINDS } from "../../acp/methods";

/** Dependencies of all openings of an `AgentClient`. */
export interface ChatOpeningDeps {
  readonly start: SessionStart;
  readonly deps: SessionDeps;
  readonly key: AgentKey;
  readonly controls: AgentControls;
  readonly questions: AgentQuestions;
  readonly timeouts: SessionTimeouts;
  /** Displayed sentences about missing extensions. Each start reports the extensions again. */
  readonly missed: Set<string>;
}

export class ChatOpening implements SessionOpening {
  readonly setup = {};

  /** `notify` posts events of this opening. `abandoned` aborts when the opening ends. */
  constructor(
    private readonly shared: ChatOpeningDeps,
    readonly begin: SessionBegin,
    private attempt: Attempt,
    private readonly abandoned: AbortSignal,
    private readonly notify: (event: SessionEvent) => void,
  ) {}

  async enter<S extends OpenedSession>(
    connection: AgentConnection,
    open: () => Promise<S>,
  ): Promise<S | "otherProcess"> {
    const {
        start,
        deps: { pool },
        key,
        questions,
        controls,
      } = this.shared,
      { agent } = start;
    this.#reportMissing([...(start.missingExtensions ?? []), ...connection.missing.map(({ sentence }) => sentence)]);
    const opened = await openSignedIn(
      agent.name,
      {
        connection,
        open,
        deps: this.#signInDeps,
        withdraw: () => questions.withdrawForms(),
        restart: why => pool.restart(key, why, connection),
      },
      this.attempt,
    );
    if ("again" in opened) {
      this.attempt = opened.again;
      return "otherProcess";
    }
    await controls.setAgain(connection, opened.sessionId, controlsOf(opened.result), this.notify);
    return opened;
  }

  /**
   * `session/load` replays the conversation, which the tab already shows. The replay is buffered until the end, and
   * only its missing part is added (`replayed-conversation.ts`).
   */
  listener({ version }: AgentConnection, isNew: boolean): SessionUpdates {
    const { questions, timeouts } = this.shared;
    let hasOptions = false; // an update contained the options; the response, which follows, may lack them
    let replay: unknown[] | undefined = isNew ? undefined : [];
    return {
      update: update => {
        timeouts.onEvent();
        hasOptions ||= objectOr(update).sessionUpdate === UPDATE_KINDS.config_option_update;
        if (replay && isConversation(update)) replay.push(update);
        else this.notify({ kind: "updated", update, version });
      },
      opened: answer => {
        if (replay && replay.length > 0) this.notify({ kind: "replayed", updates: replay, version });
        replay = undefined;
        const controls = controlsOf(answer),
          { availableCommands } = objectOr(answer); // the v2 response also contains commands
        if (controls.length > 0 || !hasOptions) this.notify({ kind: "controlSet", controls });
        if (availableCommands !== undefined)
          this.notify({
            kind: "updated",
            update: { sessionUpdate: UPDATE_KINDS.available_commands_update, availableCommands },
            version,
          });
      },
      isAsking: () => questions.isAsking,
      subagentUpdate: (subagent, update) => {
        timeouts.onEvent();
        if (replay) return; // the tab already shows the subagent's card
        this.notify({ kind: "updated", update, version, subagent });
      },
      elicitationCompleted: elicitationId => this.notify({ kind: "elicitationCompleted", elicitationId }),
    };
  }

  #reportMissing(sentences: readonly string[]): void {
    for (const sentence of sentences) {
      if (!this.shared.missed.has(sentence)) this.notify({ kind: "extensionMissing", sentence });
      this.shared.missed.add(sentence);
    }
  }

  get #signInDeps(): SignInDeps {
    const {
      start: { agent, cwd },
      deps: {
        signIn: { runInTerminal, keepEnvironment },
      },
      questions,
    } = this.shared;
    return {
      ask: form =>
        new Promise(settle => {
          if (this.abandoned.aborted) settle(undefined);
          else this.notify(questions.form(form, settle));
        }),
      runInTerminal: method => runInTerminal(agent, cwd, method),
      keep: variables => keepEnvironment(agent.id, variables),
    };
  }
}
