/** Start options, messages and dependencies of a session actor. */
import type { ChatPart, PermissionQuestion, RequestId } from "../../../src/protocol/lm/lm";
import type { AgentCapabilities } from "../../acp/connection";
import type { ModelAgentDeps, ModelAgentStart } from "./model-agent-message";
import type { ModeReturn } from "./session-mode";
import { type ModelSessionPhase } from "./session-state-model";

export interface ModelSessionStart extends ModelAgentStart {
  /** Symposium's id of the session; unique. */
  readonly id: string;
}

/** A message of a session to its owner. */
export type SessionMessage =
  | { readonly kind: "part"; readonly requestId: RequestId; readonly part: ChatPart }
  /** The response is complete. `error`: a sentence for the user. `goesOn`: the turn continues. */
  | { readonly kind: "finished"; readonly requestId: RequestId; readonly error?: string; readonly goesOn?: true }
  /** `turn`: the request that began the turn. */
  | { readonly kind: "turnOver"; readonly turn: RequestId; readonly how: "answered" | "cut" }
  | {
      readonly kind: "asked";
      readonly questionId: string;
      readonly callId: string;
      readonly toolName: string;
      readonly question: PermissionQuestion;
    }
  | { readonly kind: "settled"; readonly questionId: string }
  /** The agent's session is open. `agentSession`: the agent's id of the session. */
  | { readonly kind: "opened"; readonly agentSession: string; readonly capabilities: AgentCapabilities }
  /** Size of the agent's context window in tokens. */
  | { readonly kind: "contextSize"; readonly tokens: number }
  /** The agent's session mode to return to when the user leaves Plan or Ask. */
  | { readonly kind: "modeReturn"; readonly modeReturn: ModeReturn | undefined }
  /** The session's phase has changed. */
  | { readonly kind: "phase"; readonly phase: ModelSessionPhase["kind"] };

export interface ModelSessionDeps extends ModelAgentDeps {
  readonly notify: (message: SessionMessage) => void;
}
