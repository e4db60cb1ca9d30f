/**
 * Requests of an agent that the user answers, under ids of Symposium: permissions, elicitations, and Symposium's own
 * questions on the agent's behalf. Each is answered once. Unanswered requests are answered as cancelled.
 */
import type { PermissionOption } from "../../src/protocol/chat";
import { answerRequest, ELICITATION_CANCELLED, PERMISSION_CANCELLED } from "../agent-session/agent-answers";
import type { AcpVersion } from "../acp/connection";
import { objectOr, type JsonObject } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";
import { ConnectionClosed, type IncomingRequest } from "../rpc/peer";
import type { Form } from "../acp/sign-in-methods";
import type { Consent } from "./agent-files";
import { elicitationFrom } from "../acp/adapt/elicitation";
import { permissionOptions } from "../acp/adapt/tools";
import { subjectOf } from "../acp/adapt/v2";
import type { Asked, SessionEvent } from "./session-model";

interface Question {
  /** `undefined`: the user did not answer. */
  readonly answer: (response: JsonObject | undefined) => void;
}

export class AgentQuestions {
  readonly #open = new Map<string, Question>();
  #asked = 0;

  /** `withdrawn` is called for a question that the agent withdraws. `policy` returns the current permission setting. */
  constructor(
    private readonly prefix: string,
    private readonly policy: () => "ask" | "allow",
    private readonly withdrawn: (id: string) => void,
  ) {}

  /**
   * Handles `session/request_permission`, of a subagent's session if one is given. `undefined`: the request was
   * rejected.
   */
  permission(request: IncomingRequest, version: AcpVersion, subagent?: string): SessionEvent | undefined {
    const params = objectOr(request.params),
      options = permissionOptions(params.options);
    if (options.length === 0)
      return void request.fail(new RpcError(RpcCode.invalidParams, "options: at least one with an optionId is needed"));
    return this.#asking(
      this.#keep(request, "p", PERMISSION_CANCELLED),
      { ...(version === 2 ? subjectOf(params) : { toolCall: params.toolCall }), ...named(subagent) },
      options,
    );
  }

  /** Handles `elicitation/create` in the same way. */
  elicitation(request: IncomingRequest, subagent?: string): SessionEvent | undefined {
    const elicited = elicitationFrom(request.params);
    if ("wrong" in elicited) return void request.fail(new RpcError(RpcCode.invalidParams, elicited.wrong));
    return {
      kind: "elicited",
      elicited: { ...elicited, id: this.#keep(request, "e", ELICITATION_CANCELLED), ...named(subagent) },
    };
  }

  /**
   * A question of Symposium about the agent's `request`. `settle` receives the chosen option, or `undefined` if none
   * was chosen.
   */
  consent(
    { toolCall, title, description, options }: Consent,
    request: IncomingRequest,
    settle: (optionId: string | undefined) => void,
  ): SessionEvent {
    const id = this.#id("f");
    this.#open.set(id, { answer: response => settle(optionIn(response)) });
    this.#watch(request, id);
    // A setting that allows the agent's own permission requests does not apply to Symposium's questions.
    return { kind: "asked", asked: { permissionId: id, toolCall, title, description, options, policy: "ours" } };
  }

  /** A form of Symposium. `settle` receives the content, or `undefined` if the user did not accept. */
  form({ message, ask }: Form, settle: (content: JsonObject | undefined) => void): SessionEvent {
    const id = this.#id("s");
    this.#open.set(id, {
      answer: response => settle(response?.action === "accept" ? objectOr(response.content) : undefined),
    });
    return { kind: "elicited", elicited: { id, message, ask } };
  }

  /** Withdraws the forms of Symposium that are no longer needed. */
  withdrawForms(): void {
    for (const id of [...this.#open.keys()].filter(open => open.startsWith(`${this.prefix}s`))) {
      this.answer(id, undefined);
      this.withdrawn(id);
    }
  }

  /** Whether a question waits for the user. */
  get isAsking(): boolean {
    return this.#open.size > 0;
  }

  answer(id: string, response: JsonObject | undefined): void {
    const question = this.#open.get(id);
    this.#open.delete(id);
    question?.answer(response);
  }

  /** Answers all open questions as unanswered. */
  settle(): void {
    for (const id of [...this.#open.keys()]) this.answer(id, undefined);
  }

  #asking(
    permissionId: string,
    about: Pick<Asked, "toolCall" | "title" | "description" | "subagent">,
    options: readonly PermissionOption[],
  ): SessionEvent {
    return { kind: "asked", asked: { permissionId, ...about, options, policy: this.policy() } };
  }

  /** Keeps the request until it is answered or withdrawn. */
  #keep(request: IncomingRequest, mark: string, nobody: JsonObject): string {
    const id = this.#id(mark);
    this.#open.set(id, {
      answer: response => answerRequest(request, response ?? nobody),
    });
    this.#watch(request, id);
    return id;
  }

  #id(mark: string): string {
    return `${this.prefix}${mark}${++this.#asked}`;
  }

  #watch(request: IncomingRequest, id: string): void {
    request.signal.addEventListener(
      "abort",
      () => {
        // An agent that exited has withdrawn nothing. The handling of its exit settles the question, with the reason.
        if (!(request.signal.reason instanceof ConnectionClosed)) this.withdrawn(id);
      },
      { once: true },
    );
  }
}

function named(subagent: string | undefined): { readonly subagent?: string } {
  return subagent === undefined ? {} : { subagent };
}

function optionIn(response: JsonObject | undefined): string | undefined {
  const { optionId } = objectOr(response?.outcome);
  return typeof optionId === "string" ? optionId : undefined;
}
