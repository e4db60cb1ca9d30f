/**
 * What the tools do with the user's consent: change a file, run a command. Each act is a tool call of the session, so that the user sees it
 * with its diff or its terminal, and is asked about unless that was settled before.
 *
 *   shown ── asked ── allowed ──▶ carried out ──▶ completed | failed
 *              └ denied, withdrawn ──▶ failed
 *
 * Invariants: nothing is done before it is allowed; a standing approval is of this session, for exactly what its option said; while somebody is asked
 * for one, others that it would settle wait; whatever happens the tool call ends.
 */
import { randomUUID } from "node:crypto";
import { RpcCode, RpcError } from "../../rpc/message";
import type { JsonObject } from "../../rpc/json";
import { ToolFailure, type ToolCall } from "../tool";
import { chosenIn, until, type SessionClient } from "./session-client";

export interface Act {
  readonly title: string;
  /** As in ACP. */
  readonly kind: "edit" | "execute";
  readonly content: readonly JsonObject[];
  /** The file that it is about. */
  readonly path?: string;
  /** Where the content does not say it all. */
  readonly rawInput?: JsonObject;
  /** What “always” is for: `key` of what it settles, `name` of the option. Absent: it cannot be had. */
  readonly standing?: { readonly key: string; readonly name: string };
}

/** The tool call on the user's screen, while the act is carried out. */
export interface Card {
  show(content: readonly JsonObject[]): void;
  /** It did not come to a good end, though nothing is thrown. */
  failed(): void;
}

/** Of the setting `approve`. */
export type Approve = "ask" | "all";

const ALLOW = "allow", ALWAYS = "always", DENY = "deny";

export class Acts {
  readonly #allowed = new Set<string>();
  readonly #asking = new Map<string, Promise<unknown>>();
  /** Unique among those of the agent. */
  readonly #prefix = `workspace-${randomUUID().slice(0, 8)}`;
  #made = 0;

  constructor(private readonly client: SessionClient, private readonly approve: Approve, private readonly version: () => 1 | 2) {}

  /** Throws a `ToolFailure` when it was not allowed. */
  async carryOut<T>(act: Act, call: ToolCall, carry: (card: Card) => Promise<T>): Promise<T> {
    const toolCallId = `${this.#prefix}-${++this.#made}`;
    const update = (changes: JsonObject): void => this.client.tell({ sessionUpdate: "tool_call_update", toolCallId, ...changes });
    let end = "failed";
    this.client.tell({ sessionUpdate: this.version() === 2 ? "tool_call_update" : "tool_call", ...shown(toolCallId, act) });
    try {
      await this.#consent(toolCallId, act, call);
      update({ status: "in_progress" });
      call.progress(act.title);
      end = "completed";
      return await carry({ show: content => update({ content }), failed: () => { end = "failed"; } });
    } catch (error) {
      end = "failed";
      throw error;
    } finally {
      update({ status: end });
    }
  }

  async #consent(toolCallId: string, act: Act, call: ToolCall): Promise<void> {
    const key = act.standing?.key;
    if (this.approve === "all") return;
    if (key === undefined) return void await this.#ask(toolCallId, act, call);
    for (let other = this.#asking.get(key); other !== undefined; other = this.#asking.get(key)) await until(other, call.signal);
    if (this.#allowed.has(key)) return;
    const asked = this.#ask(toolCallId, act, call), settled = asked.then(() => undefined, () => undefined);
    this.#asking.set(key, settled);
    try { if (await asked === ALWAYS) this.#allowed.add(key); }
    finally { this.#asking.delete(key); }
  }

  /** Resolves with the option that allows it. */
  async #ask(toolCallId: string, act: Act, call: ToolCall): Promise<string> {
    call.progress(`Waiting for the user to allow: ${act.title}`);
    const toolCall = shown(toolCallId, act), about = this.version() === 2 ? { title: act.title, subject: { type: "tool_call", toolCall } } : { toolCall };
    const chosen = await this.client.request("session/request_permission", { ...about, options: optionsOf(act) }, call.signal).then(chosenIn, (error: unknown) => { throw unasked(act, error); });
    if (chosen === ALLOW || (chosen === ALWAYS && act.standing)) return chosen;
    throw new ToolFailure(`The user did not allow this: ${act.title}.${chosen === undefined ? " Nobody answered the question." : " Do not try it in another way; ask what to do instead."}`);
  }
}

function shown(toolCallId: string, { title, kind, content, path, rawInput }: Act): JsonObject {
  return { toolCallId, title, kind, status: "pending", content, ...(path === undefined ? {} : { locations: [{ path }] }), ...(rawInput === undefined ? {} : { rawInput }) };
}

function optionsOf({ standing }: Act): readonly JsonObject[] {
  return [
    { optionId: ALLOW, name: "Allow", kind: "allow_once" },
    ...(standing ? [{ optionId: ALWAYS, name: standing.name, kind: "allow_always" }] : []),
    { optionId: DENY, name: "Deny", kind: "reject_once" },
  ];
}

function unasked({ title }: Act, error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  if (error.code === RpcCode.methodNotFound) return new ToolFailure(`This was not done: ${title}. The editor cannot ask its user for permission.`);
  return new ToolFailure(`The user did not allow this: ${title}. The question was not answered: ${error.message}`);
}
