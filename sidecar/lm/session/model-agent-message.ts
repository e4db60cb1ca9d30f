/** Start options, dependencies and messages of an agent session behind VS Code's chat. */
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import type { ExtensionConfig } from "../../../src/protocol/agents/extensions";
import type { ChatTool, PermissionQuestion } from "../../../src/protocol/lm/lm";
import type { LogLevel } from "../../../src/protocol/wire/log";
import type { AcpVersion } from "../../acp/initialize";
import type { AgentMessage } from "../../agent-session/agent-message";
import type { SessionBegin } from "../../agent-session/open-agent-session";
import type { AgentPool } from "../../agents/pool";
import type { Clock } from "../../rpc/clock";
import type { ReviewService } from "../../review/review-service";
import type { IncomingRequest } from "../../rpc/peer";
import type { ModeReturn } from "./session-mode";
import type { Answer, ModelFailure } from "./session-state-model";
import type { OfferedCall, ToolOffers } from "../tools/tool-offer";

export interface ModelAgentStart {
  readonly agent: AgentConfig;
  readonly cwd: string;
  /** Folders whose changes are recorded. Default: `cwd` alone. */
  readonly folders?: readonly string[];
  /** Extensions of the agent; none if absent. */
  readonly extensions?: readonly ExtensionConfig[];
  /** The highest version of ACP offered to the agent; 1 if absent. */
  readonly protocol?: AcpVersion;
  /** `modeReturn`: the session mode to return to when the user leaves Plan or Ask. */
  readonly begin: SessionBegin & { readonly modeReturn?: ModeReturn | undefined };
  readonly tools: readonly ChatTool[];
  /** Also offer VS Code's tools that agents have themselves. */
  readonly duplicates: boolean;
  /**
   * The agent's group of permission tools (`protocol/lm/permission-tools.ts`). If absent, the user is asked each time.
   */
  readonly permissionGroup?: string;
  /** Another extension sends the requests, so the user is never asked. */
  readonly isForeign: boolean;
  /** The session is for a single answer outside a conversation. Only the agent's message text is used. */
  readonly isOneShot?: boolean;
}

export interface ModelAgentDeps {
  readonly clock: Clock;
  readonly pool: AgentPool;
  readonly offers: ToolOffers;
  /** The current permission setting for this agent. */
  readonly policy: () => "ask" | "allow";
  /** Records what turns change. Default: nothing is recorded. */
  readonly record?: ReviewService["record"] | undefined;
  readonly log: (level: LogLevel, message: string, detail?: Readonly<Record<string, unknown>>) => void;
}

/** An open request of the agent. */
export type AgentQuestion =
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

export type ModelAgentEvent =
  /** `update`: of `session/update`, in the format of ACP v1. */
  | { readonly kind: "updated"; readonly update: unknown }
  /** A tool call of a subagent's session, in the format of ACP v1. Used only as evidence for permission requests. */
  | { readonly kind: "subagentCall"; readonly update: unknown; readonly subagent: string }
  /** Shown to the user in the chat. */
  | { readonly kind: "notice"; readonly sentence: string }
  /** The session mode to return to when the user leaves Plan or Ask. */
  | { readonly kind: "modeReturn"; readonly modeReturn: ModeReturn | undefined };

/** A message from the agent's side of a session of the model picker. */
export type ModelAgentMessage =
  | AgentMessage<ModelFailure, ModelAgentEvent>
  | ({ readonly of: number } & (
      | { readonly kind: "call"; readonly call: OfferedCall }
      /** The group's tool was called, which makes the permission tool of this request available. */
      | { readonly kind: "uncovered"; readonly request: IncomingRequest; readonly subagent: string | undefined }
    ));

/**
 * The outcome of a permission request: a question, or `undefined` if it was answered at once. `sentence`: the reason of
 * an immediate rejection, for the user.
 */
export type Permission = { readonly question: AgentQuestion } | { readonly sentence: string } | undefined;
