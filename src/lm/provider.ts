/**
 * Forwards VS Code's model requests to the sidecar as `lm/*` requests, and routes the response parts by request id.
 *
 * Invariants:
 * - A request settles with the sidecar's response, or when the sidecar exits.
 * - Parts of a request that is not open are dropped.
 * - Listing models or counting tokens starts no process.
 */
import type * as vscode from "vscode";
import type { AgentConfig } from "../protocol/agents/agents";
import {
  agentDefinition,
  type AgentDefinition,
  type ChatPart,
  type ChatRequestDelta,
  type LmHostToSidecar,
  type RequestId,
} from "../protocol/lm/lm";
import type { Calls, Notes, ParamsOf, ResultOf } from "../protocol/wire/wire";
import { cannotStart, failed, noSuchAgent, notTrusted, type LmErrors } from "./lm-errors";
import { agentOf, modelsOf, type AgentCapabilities, type Model, type Offered } from "./models";
import { responsePart, type PartClasses } from "./convert-parts";
import { SentRequests, type Sent } from "./request-deltas";
import { tokensOf } from "./token-count";

/** The subset of the sidecar's client that models use. */
export interface LmClient {
  request<M extends keyof Calls<LmHostToSidecar>>(
    method: M,
    params: ParamsOf<LmHostToSidecar, M>,
  ): Promise<ResultOf<LmHostToSidecar, M>>;
  notify<M extends keyof Notes<LmHostToSidecar>>(method: M, params: ParamsOf<LmHostToSidecar, M>): void;
}

export interface ProviderDeps {
  /** Starts the sidecar if necessary. */
  client(): Promise<LmClient>;
  settings(): Offered;
  readonly capabilities: AgentCapabilities;
  isTrusted(): boolean;
  /** The agent's group of permission tools; undefined: it has none. */
  permissionGroup(agentId: string): string | undefined;
  /** The working folder of agents, absolute. */
  cwd(): string;
  /** The folders of the workspace, absolute. */
  folders(): readonly string[];
  readonly classes: PartClasses;
  readonly errors: LmErrors;
  /** Resolves when VS Code has read the reported parts. When a request fails, VS Code discards unread parts. */
  partsTaken(): Promise<void>;
  /** Called when a part is dropped because this version of VS Code lacks its kind. */
  leftOut(kind: ChatPart["type"]): void;
}

type RequestOptions = vscode.ProvideLanguageModelChatResponseOptions & { readonly requestInitiator?: unknown };

/** Params of a request without messages and tools. */
type RequestBase = Omit<ChatRequestDelta, keyof Sent>;

export class LmProvider {
  readonly #open = new Map<RequestId, (part: ChatPart) => void>();
  #last = 0;
  /** References stored by this sidecar; another sidecar has none. */
  #sent: { readonly client: LmClient; readonly requests: SentRequests } | undefined;

  constructor(private readonly deps: ProviderDeps) {}

  models(): readonly Model[] {
    return modelsOf(this.#offered(), this.deps.capabilities);
  }

  /** Ids of the agents that have a model. */
  agentIds(): readonly string[] {
    const { agents, configured, currentAgentId } = this.#offered();
    return agents.map(({ id }) => id).filter(id => id === currentAgentId || configured.includes(id));
  }

  /** `report` receives VS Code's parts. Rejects with a message for the user. */
  async respond(
    model: { readonly id: string },
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: RequestOptions,
    report: (part: object) => void,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const { deps } = this,
      agent = agentOf(model.id, deps.settings());
    if (!deps.isTrusted()) throw notTrusted(deps.errors);
    if (!agent) throw noSuchAgent(deps.errors, model.id);
    const definition = agentDefinition(agent);
    if (!definition) throw cannotStart(deps.errors, agent.name);
    const requestId = ++this.#last,
      permissionGroup = deps.permissionGroup(agent.id);
    let hasParts = false;
    this.#open.set(requestId, part => {
      hasParts = true;
      this.#report(part, report);
    });
    try {
      await this.#ask(
        {
          ...this.#requestBase(requestId, model.id, agent, definition, options),
          ...(permissionGroup === undefined ? {} : { permissionGroup }),
        },
        messages,
        options.tools ?? [],
        token,
      );
    } catch (error) {
      if (hasParts) await deps.partsTaken();
      throw failed(error);
    } finally {
      this.#open.delete(requestId);
    }
  }

  tokens(value: string | vscode.LanguageModelChatRequestMessage): number {
    return tokensOf(value);
  }

  /** Handles a part from the sidecar. */
  part(requestId: RequestId, part: ChatPart): void {
    this.#open.get(requestId)?.(part);
  }

  async #ask(
    base: RequestBase,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    tools: NonNullable<RequestOptions["tools"]>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const client = await this.deps.client();
    if (token.isCancellationRequested) return;
    const sent = this.#sentTo(client),
      cancelled = token.onCancellationRequested(() => client.notify("lm/cancel", { requestId: base.requestId }));
    try {
      const { isUnknown } = await client.request("lm/requestDelta", { ...base, ...sent.delta(messages, tools) });
      if (isUnknown && !token.isCancellationRequested)
        await client.request("lm/requestDelta", { ...base, ...sent.whole(messages, tools) });
    } finally {
      cancelled.dispose();
    }
  }

  #sentTo(client: LmClient): SentRequests {
    if (this.#sent?.client !== client) this.#sent = { client, requests: new SentRequests(this.deps.classes) };
    return this.#sent.requests;
  }

  #requestBase(
    requestId: RequestId,
    modelId: string,
    agent: AgentConfig,
    definition: AgentDefinition,
    { toolMode, modelOptions, requestInitiator }: RequestOptions,
  ): RequestBase {
    const folders = this.deps.folders();
    return {
      requestId,
      modelId,
      agentId: agent.id,
      agent: definition,
      distribution: agent.distribution,
      cwd: this.deps.cwd(),
      ...(folders.length === 0 ? {} : { folders }),
      options: {
        toolMode: toolMode === REQUIRED ? "required" : "auto",
        ...(modelOptions === undefined ? {} : { modelOptions }),
        ...(typeof requestInitiator === "string" ? { requestInitiator } : {}),
      },
    };
  }

  #offered(): Offered {
    const { agents, configured, currentAgentId } = this.deps.settings();
    return { agents: agents.filter(agent => agentDefinition(agent) !== undefined), configured, currentAgentId };
  }

  #report(part: ChatPart, report: (part: object) => void): void {
    const converted = responsePart(part, this.deps.classes);
    if (converted) report(converted);
    else this.deps.leftOut(part.type);
  }
}

/** `vscode.LanguageModelChatToolMode.Required`. */
const REQUIRED = 2;
