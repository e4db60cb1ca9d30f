/** What an agent's session behind VS Code's chat begins with, and what comes of it. */
import type { AgentConfig } from "../../../src/protocol/agents";
import type { ExtensionConfig } from "../../../src/protocol/extensions";
import type { ChatTool, PermissionQuestion } from "../../../src/protocol/lm";
import type { LogLevel } from "../../../src/protocol/log";
import type { AgentPool, Lease } from "../../agents/pool";
import type { Clock } from "../../rpc/clock";
import type { JsonObject } from "../../rpc/json";
import type { IncomingRequest } from "../../rpc/peer";
import type { ModeReturn } from "./session-mode";
import type { Answer, TurnOutcome } from "./session-state-model";
import type { OfferedCall, ToolOffers } from "../tools/tool-offer";

export interface AgentSessionStart {
  readonly agent: AgentConfig;
  readonly cwd: string;
  /** Those before the agent, for all of its starts; absent: none. */
  readonly extensions?: readonly ExtensionConfig[];
  /**
   * Nothing; a session of its own from an earlier process; or a copy of one. Where the agent cannot do that it begins
   * anew.
   */
  readonly begin:
    | { readonly kind: "new" }
    | { readonly kind: "again" | "fork"; readonly agentSession: string; readonly modeReturn?: ModeReturn | undefined };
  readonly tools: readonly ChatTool[];
  /** Also tools of VS Code's that agents have themselves. */
  readonly duplicates: boolean;
  /**
   * The agent's group of permission tools (`protocol/permission-tools.ts`); absent: it has none, and the user is asked
   * each time.
   */
  readonly permissionGroup?: string;
  /** Another extension asks: its user is asked nothing. */
  readonly isForeign: boolean;
  /** For a single answer that is no part of a conversation: the agent's words alone are heard. */
  readonly isAside?: boolean;
}

export interface AgentSessionDeps {
  readonly clock: Clock;
  readonly pool: AgentPool;
  readonly offers: ToolOffers;
  /** What the settings say of permissions for this agent now. */
  readonly policy: () => "ask" | "allow";
  readonly log: (level: LogLevel, message: string, detail?: Readonly<Record<string, unknown>>) => void;
}

/** What the agent waits for. */
export type Asked =
  | {
      readonly kind: "tool";
      readonly toolName: string;
      readonly parameters: unknown;
      readonly answer: (answer: Answer) => void;
    }
  | {
      readonly kind: "permission";
      readonly toolName: string;
      readonly parameters: unknown;
      readonly questionId: string;
      readonly question: PermissionQuestion;
      readonly answer: (answer: Answer) => void;
    };

/** What came from the agent. `of` is the opening that it belongs to; messages are sentences for the user. */
export type AgentEvent = { readonly of: number } & (
  | { readonly kind: "opened"; readonly lease: Lease; readonly agentSession: string; readonly remembers: boolean }
  | { readonly kind: "openFailed" | "agentDown"; readonly message: string }
  | { readonly kind: "turnEnded"; readonly outcome: TurnOutcome; readonly usage?: JsonObject }
  | { readonly kind: "update"; readonly update: unknown }
  /** For the user, in the chat. */
  | { readonly kind: "notice"; readonly sentence: string }
  /** The session mode to return to when the user leaves Plan or Ask. */
  | { readonly kind: "modeReturn"; readonly modeReturn: ModeReturn | undefined }
  | { readonly kind: "call"; readonly call: OfferedCall }
  /** `isUncovered`: the tool to ask with was called for. */
  | { readonly kind: "permission"; readonly request: IncomingRequest; readonly isUncovered?: true }
  /** The call, or the request, that it does not wait for any more. */
  | { readonly kind: "withdrew"; readonly what: OfferedCall | IncomingRequest }
);

/**
 * What a permission comes to: a question; or it was answered at once, and `sentence` tells the user why it was refused.
 */
export type Permission = { readonly asked: Asked } | { readonly sentence: string } | undefined;
