/**
 * Messages from an agent's session to its owner. `of`: number of the opening to which a message belongs. `F`: the
 * owner's description of a failure. `E`: further events of the owner.
 */
import type { AcpVersion } from "../acp/initialize";
import type { PromptOutcome } from "../acp/connection";
import type { IncomingRequest } from "../rpc/incoming-request";
import type { OpenAgentSession } from "./agent-session-handle";

export type TurnOutcome<F> = Extract<PromptOutcome, { readonly kind: "stopped" }> | ({ readonly kind: "failed" } & F);

export type AgentEvent<F> =
  | ({ readonly kind: "openFailed" } & F)
  /** The agent's session is unusable. */
  | ({ readonly kind: "agentDown" } & F)
  | { readonly kind: "turnEnded"; readonly outcome: TurnOutcome<F> };

export type AgentMessage<F, E = never> = { readonly of: number } & (
  | { readonly kind: "event"; readonly event: AgentEvent<F> | E }
  /** A request of the agent, or of the subagent with this session id. */
  | {
      readonly kind: "request";
      readonly request: IncomingRequest;
      readonly version: AcpVersion;
      readonly agentName: string;
      readonly agentVersion: string;
      readonly subagent: string | undefined;
    }
  /** `isContinued`: the session contains the conversation of the session that it continues. */
  | { readonly kind: "opened"; readonly session: OpenAgentSession; readonly isContinued: boolean }
);
