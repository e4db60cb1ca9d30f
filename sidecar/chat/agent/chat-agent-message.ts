import type * as agentSession from "../../agent-session/agent-message";
import type { IncomingRequest } from "../../rpc/incoming-request";
import type { Consent } from "./agent-files";
import type { SessionEvent, AgentFailure } from "../session-model";

/** A message from a chat session's agent, or a question of Symposium about a request of the agent. */
export type ChatAgentMessage =
  | agentSession.AgentMessage<AgentFailure, SessionEvent>
  | {
      readonly of: number;
      readonly kind: "consent";
      readonly consent: Consent;
      readonly request: IncomingRequest;
      readonly settle: (optionId: string | undefined) => void;
    };
