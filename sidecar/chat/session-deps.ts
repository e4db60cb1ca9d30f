/** Dependencies and start options of a session. */
import type { Installable } from "../../src/protocol/agents/agent-service";
import type { AgentConfig } from "../../src/protocol/agents/agents";
import type { Conversation, SessionId } from "../../src/protocol/chat/chat";
import type { ControlValue, ControlValues } from "../../src/protocol/chat/controls";
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import type { LogLevel } from "../../src/protocol/wire/log";
import type { Attention } from "../../src/protocol/sidecar";
import type { AcpVersion } from "../acp/initialize";
import type { AuthMethod } from "../acp/sign-in-methods";
import type { AgentPool } from "../agents/pool";
import type { ConversationWriter, WriteLease } from "../journal/journal";
import type { Restored } from "../journal/stored-conversation";
import type { BypassPolicy } from "../permissions/bypass-policy";
import type { Recording } from "../review/review-service";
import type { Clock } from "../rpc/clock";
import type { EditorFiles } from "./agent/agent-files";
import type { StartCommand } from "./agent/agent-terminals";
import type { EventSink } from "./outbox";
import type { ReadText } from "./place-finder";
import type { Interruption, ReadOnly } from "./session-model";

export interface SessionDeps {
  readonly bootId: string;
  readonly clock: Clock;
  readonly pool: AgentPool;
  readonly policy: BypassPolicy;
  readonly sink: EventSink;
  readonly setBypass: (agentId: string) => void;
  /** Persists the value for the agent's next sessions. */
  readonly keepControl: (agentId: string, controlId: string, value: ControlValue) => void;
  /** Persists the agent's session id, with which a later process continues the conversation. */
  readonly keepSession: (agentSession: string) => void;
  /** Stores the changes of the conversation since the last call. Never throws. */
  readonly store: ConversationWriter;
  /** The right to write the conversation; undefined if the session is read-only. */
  readonly lease: WriteLease | undefined;
  /** Reason why the agent is not started. */
  readonly readOnly: ReadOnly | undefined;
  /** Reports the conversation's new attention state. */
  readonly attention: (attention: Attention, conversation: Conversation) => void;
  /** Reports a change that the list of sessions shows. */
  readonly listChanged: () => void;
  /** Records what the turns change. Absent: nothing is recorded. */
  readonly recording?: Recording | undefined;
  /** Cancels the installation of an agent or extension, for all sessions. Absent: nothing is ever installed. */
  readonly cancelInstall?: ((of: Installable, id: string) => void) | undefined;
  readonly editor: EditorFiles;
  /**
   * Reads the texts of files in these folders through the editor, for the line numbers of excerpts. Absent: they have
   * none.
   */
  readonly filesIn?: ((folders: readonly string[], editor: EditorFiles) => ReadText) | undefined;
  /** Starts a command of an agent. Never throws. */
  readonly startCommand: StartCommand;
  readonly signIn: {
    /**
     * Runs the agent's program, with the method's arguments and environment, in a terminal of the editor. Resolves with
     * its exit code, or `undefined` if the terminal was closed before the program ended.
     */
    readonly runInTerminal: (
      agent: AgentConfig,
      cwd: string,
      method: Extract<AuthMethod, { readonly kind: "terminal" }>,
    ) => Promise<number | undefined>;
    /** Stores the variables as secrets and passes them to each later start of the agent. */
    readonly keepEnvironment: (agentId: string, env: Readonly<Record<string, string>>) => Promise<void>;
  };
  /** Opens an http or https page in the user's browser. */
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
  /** Stable id of the conversation. */
  readonly conversation: string;
  readonly agent: AgentConfig;
  readonly cwd: string;
  /** All folders of the workspace. Default: only `cwd`. */
  readonly folders?: readonly string[];
  /** Content of the earlier session; absent for a new conversation, like `interruption`. */
  readonly earlier?: Restored;
  readonly interruption?: Interruption;
  /** The first prompt of this branch has the transcript attached. */
  readonly bringsTranscript?: true;
  /** Title of a session whose content only the agent knows. */
  readonly title?: string;
  /** The user's earlier choices for this agent. */
  readonly controls?: ControlValues;
  /** The highest version of ACP offered to the agent; 1 if absent. */
  readonly protocol?: AcpVersion;
  /** Extensions at the session's creation, for all starts of its agent; none if absent. */
  readonly extensions?: readonly ExtensionConfig[];
  /** The agent's id of the earlier session to continue, or to fork. */
  readonly agentSession?: string;
  readonly isFork?: true;
  /** One sentence for each extension of the earlier session that is no longer available. */
  readonly missingExtensions?: readonly string[];
}
