/**
 * Requests of an agent that the user answers, under ids of Symposium: permissions, elicitations, and Symposium's own
 * questions on the agent's behalf. Unanswered requests are answered as cancelled.
 */
import type { PermissionOption } from "../../../src/protocol/chat/chat";
import { answerRequest, ELICITATION_CANCELLED, PERMISSION_CANCELLED } from "../../agent-session/agent-answers";
import { OpenQuestions } from "../../agent-session/open-questions";
import type { AcpVersion } from "../../acp/connection";
import { objectOr, type JsonObject } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import type { IncomingRequest } from "../../rpc/peer";
import type { Form } from "../../acp/sign-in-methods";
import type { Consent } from "./agent-files";
import { elicitationFrom } from "../../acp/adapt/elicitation";
import { permissionOptions } from "../../acp/adapt/tools";
import { subjectOf } from "../../acp/adapt/v2";
import type { PermissionAsk, SessionEvent } from "../session-model";

export class AgentQuestions {
  /** Response `undefined`: the user did not answer. */
  readonly #open: OpenQuestions<JsonObject | undefined>;
  #lastId = 0;

  /** `withdrawn` is called for a question that the agent withdraws. `policy` returns the current permission setting. */
  constructor(
    private readonly prefix: string,
    private readonly policy: () => "ask" | "allow",
    private readonly withdrawn: (id: string) => void,
  ) {
    this.#open = new OpenQuestions(withdrawn);
  }

  /**
   * Handles `session/request_permission`. `subagent`: session id of the requesting subagent. Returns `undefined` for an
   * invalid request, which is rejected.
   */
  permission(request: IncomingRequest, version: AcpVersion, subagent?: string): SessionEvent | undefined {
    const params = objectOr(request.params),
      options = permissionOptions(params.options);
    if (options.length === 0)
      return void request.fail(
        new RpcError(RpcCode.invalidParams, "options: at least one with an optionId is required"),
      );
    return this.#asking(
      this.#store(request, "p", PERMISSION_CANCELLED),
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
      elicited: { ...elicited, id: this.#store(request, "e", ELICITATION_CANCELLED), ...named(subagent) },
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
    this.#open.add(id, { answer: response => settle(optionIn(response)) }, request.signal);
    // A setting that allows the agent's own permission requests does not apply to Symposium's questions.
    return { kind: "asked", permission: { permissionId: id, toolCall, title, description, options, policy: "ours" } };
  }

  /** A form of Symposium. `settle` receives the content, or `undefined` if the user did not accept. */
  form({ message, ask }: Form, settle: (content: JsonObject | undefined) => void): SessionEvent {
    const id = this.#id("s");
    this.#open.add(id, {
      answer: response => settle(response?.action === "accept" ? objectOr(response.content) : undefined),
    });
    return { kind: "elicited", elicited: { id, message, ask } };
  }

  /** Withdraws the forms of Symposium that are no longer needed. */
  withdrawForms(): void {
    for (const id of this.#open.ids.filter(open => open.startsWith(`${this.prefix}s`))) {
      this.answer(id, undefined);
      this.withdrawn(id);
    }
  }

  /** Whether a question waits for the user. */
  get isAsking(): boolean {
    return this.#open.ids.length > 0;
  }

  answer(id: string, response: JsonObject | undefined): void {
    this.#open.answer(id, response);
  }

  /** Cancels all open questions. */
  settle(): void {
    for (const id of this.#open.ids) this.answer(id, undefined);
  }

  #asking(
    permissionId: string,
    details: Pick<PermissionAsk, "toolCall" | "title" | "description" | "subagent">,
    options: readonly PermissionOption[],
  ): SessionEvent {
    return { kind: "asked", permission: { permissionId, ...details, options, policy: this.policy() } };
  }

  /** Stores the request until it is answered or withdrawn. Returns its id. */
  #store(request: IncomingRequest, mark: string, unanswered: JsonObject): string {
    const id = this.#id(mark);
    this.#open.add(id, { answer: response => answerRequest(request, response ?? unanswered) }, request.signal);
    return id;
  }

  #id(mark: string): string {
    return `${this.prefix}${mark}${++this.#lastId}`;
  }
}

function named(subagent: string | undefined): { readonly subagent?: string } {
  return subagent === undefined ? {} : { subagent };
}

function optionIn(response: JsonObject | undefined): string | undefined {
  const { optionId } = objectOr(response?.outcome);
  return typeof optionId === "string" ? optionId : undefined;
}
