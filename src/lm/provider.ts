/**
 * VS Code's requests to our models, as `lm/*` to the sidecar, and its parts back. Everything that matters happens there; here a request
 * gets an id, and its parts find their way.
 *
 * Invariants: a request settles with the sidecar's answer, or with its end; parts of a request that is not open go nowhere;
 * asking for models or tokens starts nothing.
 */
import type * as vscode from "vscode";
import type { AgentConfig } from "../protocol/agents";
import { agentDefinition, type AgentDefinition, type ChatPart, type ChatRequest, type LmHostToSidecar, type RequestId } from "../protocol/lm";
import type { Calls, Notes, ParamsOf, ResultOf } from "../protocol/wire";
import { cannotStart, failed, noSuchAgent, notTrusted, type LmErrors } from "./lm-errors";
import { agentOf, modelsOf, type Model, type Offered } from "./models";
import { chatMessages, chatTools, responsePart, type PartClasses } from "./parts";
import { tokensOf } from "./token-count";

/** The sidecar's client, as far as models need it. */
export interface LmClient {
  request<M extends keyof Calls<LmHostToSidecar>>(method: M, params: ParamsOf<LmHostToSidecar, M>): Promise<ResultOf<LmHostToSidecar, M>>;
  notify<M extends keyof Notes<LmHostToSidecar>>(method: M, params: ParamsOf<LmHostToSidecar, M>): void;
}

export interface ProviderWorld {
  /** Starts the sidecar if need be. */
  client(): Promise<LmClient>;
  settings(): Offered;
  takesImages(agentId: string): boolean;
  isTrusted(): boolean;
  /** The folder that agents work in, absolute. */
  cwd(): string;
  readonly classes: PartClasses;
  readonly errors: LmErrors;
  /** A kind of part that this VS Code does not have was left out. */
  leftOut(kind: ChatPart["type"]): void;
}

type Given = vscode.ProvideLanguageModelChatResponseOptions & { readonly requestInitiator?: unknown };

export class LmProvider {
  readonly #open = new Map<RequestId, (part: ChatPart) => void>();
  #last = 0;

  constructor(private readonly world: ProviderWorld) {}

  models(): readonly Model[] {
    const { agents, configured, currentAgentId } = this.world.settings();
    return modelsOf({ agents: agents.filter(agent => agentDefinition(agent) !== undefined), configured, currentAgentId }, this.world.takesImages);
  }

  /** Rejects with a sentence. `report` gets VS Code's parts. */
  async respond(model: { readonly id: string }, messages: readonly vscode.LanguageModelChatRequestMessage[], options: Given, report: (part: object) => void, token: vscode.CancellationToken): Promise<void> {
    const { world } = this, agent = agentOf(model.id, world.settings());
    if (!world.isTrusted()) throw notTrusted(world.errors);
    if (!agent) throw noSuchAgent(world.errors, model.id);
    const definition = agentDefinition(agent);
    if (!definition) throw cannotStart(world.errors, agent.name);
    const requestId = ++this.#last;
    this.#open.set(requestId, part => this.#report(part, report));
    try { await this.#ask(this.#request(requestId, model.id, agent, definition, messages, options), token); }
    catch (error) { throw failed(error); }
    finally { this.#open.delete(requestId); }
  }

  tokens(value: string | vscode.LanguageModelChatRequestMessage): number { return tokensOf(value); }

  /** From the sidecar. */
  part(requestId: RequestId, part: ChatPart): void { this.#open.get(requestId)?.(part); }

  async #ask(request: ChatRequest & { readonly requestId: RequestId }, token: vscode.CancellationToken): Promise<void> {
    const client = await this.world.client();
    if (token.isCancellationRequested) return;
    const cancelled = token.onCancellationRequested(() => client.notify("lm/cancel", { requestId: request.requestId }));
    try { await client.request("lm/provideLanguageModelChatResponse", request); }
    finally { cancelled.dispose(); }
  }

  #request(requestId: RequestId, modelId: string, agent: AgentConfig, definition: AgentDefinition, messages: readonly vscode.LanguageModelChatRequestMessage[], { tools, toolMode, modelOptions, requestInitiator }: Given): ChatRequest & { readonly requestId: RequestId } {
    return {
      requestId, modelId, agentId: agent.id, agent: definition, distribution: agent.distribution, cwd: this.world.cwd(), messages: chatMessages(messages, this.world.classes),
      options: {
        tools: chatTools(tools ?? []), toolMode: toolMode === REQUIRED ? "required" : "auto", ...(modelOptions === undefined ? {} : { modelOptions }),
        ...(typeof requestInitiator === "string" ? { requestInitiator } : {}),
      },
    };
  }

  #report(part: ChatPart, report: (part: object) => void): void {
    const its = responsePart(part, this.world.classes);
    if (its) report(its);
    else this.world.leftOut(part.type);
  }
}

/** `vscode.LanguageModelChatToolMode.Required`. */
const REQUIRED = 2;
