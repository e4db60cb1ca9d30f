import type { AcpVersion } from "../acp/initialize";
import type { Lease } from "../agents/pool";
import type { IncomingRequest } from "../rpc/incoming";
import type { Consent } from "./agent-files";
import type { SessionEvent } from "./session-model";

/** A message from the agent's side. `of`: the opening to which it belongs. */

export type AgentMessage = { readonly of: number } & (
  | { readonly kind: "event"; readonly event: SessionEvent }
  | {
      readonly kind: "request";
      readonly request: IncomingRequest;
      readonly version: AcpVersion;
      readonly agentName: string;
      readonly subagent: string | undefined;
    }
  | {
      readonly kind: "consent";
      readonly consent: Consent;
      readonly request: IncomingRequest;
      readonly settle: (optionId: string | undefined) => void;
    }
  | { readonly kind: "opened"; readonly lease: Lease; readonly agentSession: string }
);
