import type { AgentConfig } from "../../src/protocol/agents";
import type { Conversation, SessionId, Entry } from "../../src/protocol/chat";
import type { ControlValue, ControlValues } from "../../src/protocol/controls";
import type { ExtensionConfig } from "../../src/protocol/extensions";
import type { LogLevel } from "../../src/protocol/log";
import type { Attention } from "../../src/protocol/sidecar";
import type { AcpVersion } from "../acp/initialize";
import type { AuthMethod } from "../acp/sign-in-methods";
import type { AgentPool } from "../agents/pool";
import type { Journal } from "../journal/journal";
import type { BypassPolicy } from "../permissions/policy";
import type { Clock } from "../rpc/clock";
import type { EditorFiles } from "./agent-files";
import type { StartCommand } from "./agent-terminals";
import type { EventSink } from "./outbox";

/** What a session needs of the world around it. */

export interface SessionDeps {
  readonly bootId: string;
  readonly clock: Clock;
  readonly pool: AgentPool;
  readonly policy: BypassPolicy;
  readonly journal: Journal;
  readonly outlet: EventSink;
  readonly setBypass: (agentId: string) => void;
  /** For the agent's next sessions. */
  readonly keepControl: (agentId: string, controlId: string, value: ControlValue) => void;
  /** What the conversation wants now. */
  readonly attention: (wants: Attention, conversation: Conversation) => void;
  readonly editor: EditorFiles;
  /** Starts a command of an agent. Never throws. */
  readonly startCommand: StartCommand;
  readonly signIn: {
    /**
     * The agent's program with what the method adds, in a terminal of the editor's: its exit code, or `undefined` when
     * it was closed before its end.
     */
    readonly runInTerminal: (
      agent: AgentConfig,
      cwd: string,
      method: Extract<AuthMethod, { readonly kind: "terminal" }>,
    ) => Promise<number | undefined>;
    /** Kept secret, and given to each later start of the agent. */
    readonly keepEnvironment: (agentId: string, env: Readonly<Record<string, string>>) => Promise<void>;
  };
  /** In the user's browser: http or https. */
  readonly openPage: (url: string) => void;
  readonly log: (
    level: LogLevel,
    category: "agent" | "approval",
    message: string,
    detail?: Readonly<Record<string, unknown>>,
  ) => void;
}
export interface SessionStart {
  readonly sessionId: SessionId;
  readonly agent: AgentConfig;
  readonly cwd: string;
  /** All folders of the workspace; absent: `cwd` alone. */
  readonly folders?: readonly string[];
  readonly shown: readonly Entry[];
  readonly why?: string;
  /** What its tab was called. */
  readonly title?: string;
  /** What the user chose for this agent before. */
  readonly controls?: ControlValues;
  /** The highest version of ACP that the agent is offered; absent: 1. */
  readonly protocol?: AcpVersion;
  /** Of now, for all of its agent's starts; absent: none. */
  readonly extensions?: readonly ExtensionConfig[];
}
