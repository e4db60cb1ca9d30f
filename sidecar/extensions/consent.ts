/**
 * The consent policy of all built-in tools that run or change something: Cargo's commands, Ferris' lookups with cargo,
 * Workspace's files and commands, Sparkle's files. Each such act is a tool call of the session, so that the user sees
 * it with its diff or its command, and is asked about unless that was settled before. Not among them: tools that only
 * read, Ferris' research session itself (it may read the crate's source only), and IDE operations, which are previews.
 *
 *   shown ── asked ── allowed ──▶ carried out ──▶ completed | failed
 *              └ denied, withdrawn ──▶ failed
 *
 * Invariants: nothing is done before it is allowed; a standing approval is for one extension, one kind of act and one
 * session, for exactly what its option says; while the user is asked for one, other acts that it would settle wait; a
 * question is withdrawn when its call ends; the tool call always ends.
 */
import { randomUUID } from "node:crypto";
import { RpcCode, RpcError } from "../rpc/message";
import type { JsonObject } from "../rpc/json";
import type { ExtensionSettings, ExtensionDeps } from "./extension";
import { chosenIn, until, type SessionClient } from "./session-client";
import { ToolFailure, type Tool, type ToolCall } from "./tool";

export interface GatedAction {
  readonly title: string;
  /** `execute` also for a change that a program makes, as in ACP. */
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

/** Value of the setting `approve`, which each extension with such acts has. */
export type Approve = "ask" | "all";

/** Any other value is logged, and asks. */
export function approveIn(
  { approve = "ask" }: ExtensionSettings,
  extension: string,
  { log }: Pick<ExtensionDeps, "log">,
): Approve {
  if (approve === "ask" || approve === "all") return approve;
  log("warn", `The setting “approve” of the extension ${extension} is neither “ask” nor “all”: it asks`, { approve });
  return "ask";
}

export interface ConsentDeps {
  /** Id of the extension. */
  readonly extension: string;
  readonly client: SessionClient;
  readonly approve: Approve;
  /** Version of ACP that the client speaks. */
  readonly version: () => 1 | 2;
}

const ALLOW = "allow",
  ALWAYS = "always",
  DENY = "deny";

/** The consent that one session gives to one extension. */
export class Consent {
  readonly #allowed = new Set<string>();
  readonly #asking = new Map<string, Promise<unknown>>();
  /** Unique among those of the agent. */
  readonly #prefix: string;
  #made = 0;

  constructor(private readonly deps: ConsentDeps) {
    this.#prefix = `${deps.extension}-${randomUUID().slice(0, 8)}`;
  }

  /**
   * The tool, whose calls are carried out only with consent to `actOf(args)`. Arguments that `actOf` refuses are not
   * asked about.
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

  /** Throws a `ToolFailure` when it was not allowed. */
  async carryOut<T>(act: GatedAction, call: ToolCall, carry: (card: Card) => Promise<T>): Promise<T> {
    const toolCallId = `${this.#prefix}-${++this.#made}`,
      { client, version } = this.deps;
    const update = (changes: JsonObject): void =>
      client.tell({ sessionUpdate: "tool_call_update", toolCallId, ...changes });
    let end = "failed";
    client.tell({ sessionUpdate: version() === 2 ? "tool_call_update" : "tool_call", ...shown(toolCallId, act) });
    try {
      await this.#consent(toolCallId, act, call);
      update({ status: "in_progress" });
      call.progress(act.title);
      end = "completed";
      return await carry({
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

  async #consent(toolCallId: string, act: GatedAction, call: ToolCall): Promise<void> {
    const { extension, approve } = this.deps,
      key = act.standing && [extension, act.kind, act.standing.key].join("\n");
    if (approve === "all") return;
    if (key === undefined) return void (await this.#ask(toolCallId, act, call));
    for (let other = this.#asking.get(key); other !== undefined; other = this.#asking.get(key))
      await until(other, call.signal);
    if (this.#allowed.has(key)) return;
    const asked = this.#ask(toolCallId, act, call),
      settled = asked.then(
        () => undefined,
        () => undefined,
      );
    this.#asking.set(key, settled);
    try {
      if ((await asked) === ALWAYS) this.#allowed.add(key);
    } finally {
      this.#asking.delete(key);
    }
  }

  /** Resolves with the option that allows it. */
  async #ask(toolCallId: string, act: GatedAction, call: ToolCall): Promise<string> {
    call.progress(`Waiting for the user to allow: ${act.title}`);
    const toolCall = shown(toolCallId, act),
      { client, version } = this.deps,
      about = version() === 2 ? { title: act.title, subject: { type: "tool_call", toolCall } } : { toolCall };
    const chosen = await client
      .request("session/request_permission", { ...about, options: optionsOf(act) }, call.signal)
      .then(chosenIn, (error: unknown) => {
        throw unasked(act, error);
      });
    if (chosen === ALLOW || (chosen === ALWAYS && act.standing)) return chosen;
    throw new ToolFailure(
      `The user did not allow this: ${act.title}.${chosen === undefined ? " Nobody answered the question." : " Do not try it in another way; ask what to do instead."}`,
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

function unasked({ title }: GatedAction, error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  if (error.code === RpcCode.methodNotFound)
    return new ToolFailure(`This was not done: ${title}. The editor cannot ask its user for permission.`);
  return new ToolFailure(`The user did not allow this: ${title}. The question was not answered: ${error.message}`);
}
