/** A start of the agent that takes noticeable time, as shown above the prompt. Never stored. */
import type { InstallProgress, Installable } from "../agents/agent-service";

export type AgentStart =
  /** The program is starting, or its session is being opened. */
  | { readonly kind: "starting" }
  | {
      readonly kind: "installing";
      readonly of: Installable;
      readonly id: string;
      readonly name: string;
      /** Absent if the configuration names none. */
      readonly version?: string;
      readonly progress: InstallProgress;
    };
