/**
 * Entries of the model picker: the selected agent, and each configured agent by name. Pure: computed from settings and
 * cached capabilities, without starting a process.
 *
 * Invariant: an agent id always maps to the same model id, by which VS Code stores pinned, hidden and selected models.
 */
import * as l10n from "@vscode/l10n";
import { ELIZA, type AgentConfig } from "../protocol/agents/agents";

export const VENDOR = "symposium";
/** The agent that `symposium.currentAgentId` names. */
export const CURRENT = "symposium";

/**
 * Like `vscode.LanguageModelChatInformation`, with `isUserSelectable` and `maxContextWindowTokens`, which VS Code reads
 * although its typings lack them.
 */
export interface Model {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly version: string;
  readonly detail: string;
  readonly tooltip: string;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  /** Newer VS Code versions show it instead of the sum of the other two. */
  readonly maxContextWindowTokens?: number;
  readonly capabilities: { readonly imageInput: boolean; readonly toolCalling: boolean };
  readonly isUserSelectable: true;
}

/**
 * The maximum applies if an agent's context size is unknown. With a smaller limit, VS Code would summarise the
 * conversation, although the agent manages its context itself. Below the minimum, the tools alone would fill the
 * window, and VS Code would summarise before each turn.
 */
const MAX_INPUT_TOKENS = 1_000_000,
  MIN_INPUT_TOKENS = 64_000;
/** VS Code shows the sum of input and output as the size of the context. An agent reserves nothing for its output. */
const MAX_OUTPUT_TOKENS = 0;

/** `configured`: ids of the agents that have an entry in the model picker. */
export interface Offered {
  readonly agents: readonly AgentConfig[];
  readonly configured: readonly string[];
  readonly currentAgentId: string;
}

/** Capabilities by agent id, as last reported. */
export interface AgentCapabilities {
  takesImages(agentId: string): boolean;
  contextTokens(agentId: string): number | undefined;
}

export function modelsOf(
  { agents, configured, currentAgentId }: Offered,
  capabilities: AgentCapabilities,
): readonly Model[] {
  const current = agents.find(({ id }) => id === currentAgentId);
  return [
    ...(current
      ? [
          model(
            CURRENT,
            "Symposium",
            current.name,
            l10n.t`The agent selected in Symposium, currently ${current.name}.`,
            current.id,
            capabilities,
          ),
        ]
      : []),
    ...agents
      .filter(({ id }) => configured.includes(id))
      .map(({ id, name }) =>
        model(modelIdOf(id), name, "Symposium", l10n.t`The agent ${name}, through Symposium.`, id, capabilities),
      ),
  ];
}

/** The agent of a model; `undefined` if it is not configured. */
export function agentOf(modelId: string, { agents, currentAgentId }: Offered): AgentConfig | undefined {
  return agents.find(({ id }) => (modelId === CURRENT ? id === currentAgentId : modelIdOf(id) === modelId));
}

/** Eliza's model id is `symposium-eliza`. A user's agent with the id `eliza` gets a model id with Eliza's agent id. */
export function modelIdOf(agentId: string): string {
  return `symposium-${agentId === ELIZA.id ? "eliza" : agentId === "eliza" ? ELIZA.id : agentId}`;
}

function model(
  id: string,
  name: string,
  detail: string,
  about: string,
  agentId: string,
  capabilities: AgentCapabilities,
): Model {
  const tokens = capabilities.contextTokens(agentId),
    imageInput = capabilities.takesImages(agentId);
  return {
    id,
    name,
    family: VENDOR,
    version: "1.0.0",
    detail,
    tooltip: tokens === undefined ? about : l10n.t`${about} Context: ${tokens.toLocaleString("en")} tokens.`,
    maxInputTokens: tokens === undefined ? MAX_INPUT_TOKENS : Math.max(MIN_INPUT_TOKENS, tokens),
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    ...(tokens === undefined ? {} : { maxContextWindowTokens: tokens }),
    capabilities: { imageInput, toolCalling: true },
    isUserSelectable: true,
  };
}
