/**
 * Consent policy of all built-in tools that execute or change something: Cargo's commands, Ferris' lookups with cargo,
 * Workspace's files and commands, and Sparkle's files. Also covers the language servers of IDE operations, which can
 * run the project's build scripts. Each such action is a tool call of the session, so the user sees its diff or
 * command. The user is asked unless an earlier decision covers the action.
 *
 * Not covered: read-only tools, IDE operations by the editor's own services, and Ferris' research session, which may
 * only read the crate's source.
 *
 *   shown ── asked ── allowed ──▶ running ──▶ completed | failed
 *              └ denied, withdrawn ──▶ failed
 *
 * Invariants:
 * - No action runs before it is allowed.
 * - A standing approval applies to one extension, one kind of action and one session, with the scope that its option
 *   names.
 * - Actions that the standing approval of a pending permission request would cover wait for its response.
 * - A permission request is cancelled when its call ends.
 * - The tool call always ends.
 */
import { randomUUID } from "node:crypto";
import { RpcCode, RpcError } from "../rpc/message";
import type { JsonObject } from "../rpc/json";
import { selectedOption, until, type SessionClient } from "./session-client";
import { ToolFailure, type Tool, type ToolCall } from "./tool";
import { CLIENT_METHODS, UPDATE_KINDS } from "../acp/methods";

export interface GatedAction {
  readonly title: string;
  /** `execute` also covers changes made by a program, as in ACP. */
  readonly kind: "edit" | "execute";
  readonly content: readonly JsonObject[];
  /** The affected file. */
  readonly path?: string;
  /** Present if `content` does not show the whole action. */
  readonly rawInput?: JsonObject;
  /** Scope of "Always Allow": `key` identifies the actions it covers, `name` labels the option. Absent: not offered. */
  readonly standing?: { readonly key: string; readonly name: string };
}

/** The visible tool call of a running action. */
export interface Card {
  show(content: readonly JsonObject[]): void;
  /** Marks the tool call as failed although the action does not throw. */
  failed(): void;
}

/** Value of the setting `approve` of each extension that needs consent. */
export type Approve = "ask" | "all";

export interface ConsentDeps {
  /** Extension id. */
  readonly extension: string;
  readonly client: SessionClient;
  readonly approve: Approve;
  /** ACP version of the client. */
  readonly version: () => 1 | 2;
}

const ALLOW = "allow",
  ALWAYS = "always",
  DENY = "deny";

/** Consent of one session to the actions of one extension. */
export class Consent {
  readonly #allowed = new Set<string>();
  readonly #pending = new Map<string, Promise<unknown>>();
  /** Keeps tool call ids distinct from the agent's own. */
  readonly #prefix: string;
  #callCount = 0;

  constructor(private readonly deps: ConsentDeps) {
    this.#prefix = `${deps.extension}-${randomUUID().slice(0, 8)}`;
  }

  /**
   * Wraps a tool so that each call requires consent to `actOf(args)`. If `actOf` throws, the call fails without a
   * permission request.
   */
  guarded(tool: Tool, actOf: (args: JsonObject) => GatedAction): Tool {
    return {
      ...tool,
      call: async (args, call) =>
        await this.carryOut(actOf(args), call, async card => {
          const answer = await tool.call(args, call);
          if (typeof answer === "object" && answer.isError === true) card.failed();
          return answer;
        }),
    };
  }

  /** Throws a `ToolFailure` if the action is not allowed. */
  async carryOut<T>(action: GatedAction, call: ToolCall, perform: (card: Card) => Promise<T>): Promise<T> {
    const toolCallId = `${this.#prefix}-${++this.#callCount}`,
      { client, version } = this.deps;
    const update = (changes: JsonObject): void =>
      client.notify({ sessionUpdate: UPDATE_KINDS.tool_call_update, toolCallId, ...changes });
    let end = "failed";
    client.notify({
      sessionUpdate: version() === 2 ? UPDATE_KINDS.tool_call_update : UPDATE_KINDS.tool_call,
      ...shown(toolCallId, action),
    });
    try {
      await this.#consent(toolCallId, action, call);
      update({ status: "in_progress" });
      call.progress(action.title);
      end = "completed";
      return await perform({
        show: content => update({ content }),
        failed: () => {
          end = "failed";
        },
      });
    } catch (error) {
      end = "failed";
      throw error;
    } finally {
      update({ status: end });
    }
  }

  async #consent(toolCallId: string, action: GatedAction, call: ToolCall): Promise<void> {
    const { extension, approve } = this.deps,
      key = action.standing && [extension, action.kind, action.standing.key].join("\n");
    if (approve === "all") return;
    if (key === undefined) return void (await this.#ask(toolCallId, action, call));
    for (let pending = this.#pending.get(key); pending !== undefined; pending = this.#pending.get(key))
      await until(pending, call.signal);
    if (this.#allowed.has(key)) return;
    const request = this.#ask(toolCallId, action, call),
      settled = request.then(
        () => undefined,
        () => undefined,
      );
    this.#pending.set(key, settled);
    try {
      if ((await request) === ALWAYS) this.#allowed.add(key);
    } finally {
      this.#pending.delete(key);
    }
  }

  /** Resolves with the option that allows the action. */
  async #ask(toolCallId: string, action: GatedAction, call: ToolCall): Promise<string> {
    call.progress(`Waiting for the user to allow: ${action.title}`);
    const toolCall = shown(toolCallId, action),
      { client, version } = this.deps,
      subject = version() === 2 ? { title: action.title, subject: { type: "tool_call", toolCall } } : { toolCall };
    const chosen = await client
      .request(CLIENT_METHODS.session_request_permission, { ...subject, options: optionsOf(action) }, call.signal)
      .then(selectedOption, (error: unknown) => {
        throw requestFailure(action, error);
      });
    if (chosen === ALLOW || (chosen === ALWAYS && action.standing)) return chosen;
    throw new ToolFailure(
      `The user did not allow this: ${action.title}.${chosen === undefined ? " The question was not answered." : " Do not try it in another way; ask what to do instead."}`,
    );
  }
}

function shown(toolCallId: string, { title, kind, content, path, rawInput }: GatedAction): JsonObject {
  return {
    toolCallId,
    title,
    kind,
    status: "pending",
    content,
    ...(path === undefined ? {} : { locations: [{ path }] }),
    ...(rawInput === undefined ? {} : { rawInput }),
  };
}

function optionsOf({ standing }: GatedAction): readonly JsonObject[] {
  return [
    { optionId: ALLOW, name: "Allow", kind: "allow_once" },
    ...(standing ? [{ optionId: ALWAYS, name: standing.name, kind: "allow_always" }] : []),
    { optionId: DENY, name: "Deny", kind: "reject_once" },
  ];
}

function requestFailure({ title }: GatedAction, error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  if (error.code === RpcCode.methodNotFound)
    return new ToolFailure(`This was not done: ${title}. The editor cannot ask its user for permission.`);
  return new ToolFailure(`The user did not allow this: ${title}. The question was not answered: ${error.message}`);
}
