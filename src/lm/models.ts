/**
 * The models that the picker shows: the selected agent, whichever that is, and each agent by its own name. Pure, from
 * settings and from what agents said of themselves before: VS Code asks whenever it likes, and nothing is started for
 * an answer.
 *
 * Invariant: an agent's id gives the same model id for ever; VS Code keeps what the user pinned, hid and chose by it.
 */
import { ELIZA, type AgentConfig } from "../protocol/agents";

export const VENDOR = "symposium";
/** The agent that `symposium.currentAgentId` names. */
export const CURRENT = "symposium";

/**
 * As `vscode.LanguageModelChatInformation`, with `isUserSelectable` and `maxContextWindowTokens`, which VS Code reads
 * without having them in its typings.
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
  /** Where VS Code reads it, it shows this and not the sum of the two. */
  readonly maxContextWindowTokens?: number;
  readonly capabilities: { readonly imageInput: boolean; readonly toolCalling: boolean };
  readonly isUserSelectable: true;
}

/**
 * For an agent whose context size is not known. An agent manages its context itself: with a small number VS Code would
 * summarise the conversation that the agent still has. Below the minimum the tools alone would fill the window, and VS
 * Code would summarise before each turn.
 */
const MAX_INPUT_TOKENS = 1_000_000,
  MIN_INPUT_TOKENS = 64_000;
/**
 * VS Code shows the sum of input and output as the size of the context, and an agent reserves nothing for its output.
 */
const MAX_OUTPUT_TOKENS = 0;

/** `configured`: ids of the agents that have a model of their own. */
export interface Offered {
  readonly agents: readonly AgentConfig[];
  readonly configured: readonly string[];
  readonly currentAgentId: string;
}

/** Facts by the agent's id, as it last reported them. */
export interface AgentKnowledge {
  takesImages(agentId: string): boolean;
  contextTokens(agentId: string): number | undefined;
}

export function modelsOf({ agents, configured, currentAgentId }: Offered, known: AgentKnowledge): readonly Model[] {
  const current = agents.find(({ id }) => id === currentAgentId);
  return [
    ...(current
      ? [
          model(
            CURRENT,
            "Symposium",
            current.name,
            `The agent that is selected in Symposium, now ${current.name}.`,
            current.id,
            known,
          ),
        ]
      : []),
    ...agents
      .filter(({ id }) => configured.includes(id))
      .map(({ id, name }) =>
        model(modelIdOf(id), name, "Symposium", `The agent ${name}, through Symposium.`, id, known),
      ),
  ];
}

/** The agent of a model; `undefined` when it is not configured (any more). */
export function agentOf(modelId: string, { agents, currentAgentId }: Offered): AgentConfig | undefined {
  return agents.find(({ id }) => (modelId === CURRENT ? id === currentAgentId : modelIdOf(id) === modelId));
}

/** Eliza's is `symposium-eliza`; who has an agent with the id `eliza` finds it under Eliza's own. */
export function modelIdOf(agentId: string): string {
  return `symposium-${agentId === ELIZA.id ? "eliza" : agentId === "eliza" ? ELIZA.id : agentId}`;
}

function model(id: string, name: string, detail: string, about: string, agentId: string, known: AgentKnowledge): Model {
  const tokens = known.contextTokens(agentId),
    imageInput = known.takesImages(agentId);
  return {
    id,
    name,
    family: VENDOR,
    version: "1.0.0",
    detail,
    tooltip: tokens === undefined ? about : `${about} Context: ${tokens.toLocaleString("en")} tokens.`,
    maxInputTokens: tokens === undefined ? MAX_INPUT_TOKENS : Math.max(MIN_INPUT_TOKENS, tokens),
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    ...(tokens === undefined ? {} : { maxContextWindowTokens: tokens }),
    capabilities: { imageInput, toolCalling: true },
    isUserSelectable: true,
  };
}
