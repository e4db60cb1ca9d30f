/** The agent extensions in a session's chain. */

import type { ExtensionDetails } from "../../src/protocol/chat/session-details";

/** `sentence` names the extension and the reason. */
export interface MissingExtension {
  readonly id: string;
  readonly sentence: string;
}

export interface SessionExtensions {
  /** The extensions of a session, in order from the client. */
  of(sessionId: string): readonly ExtensionDetails[];
  /**
   * One sentence, available after the session's first completed turn. Undefined if the agent listed the tools of every
   * server.
   */
  missingTools(sessionId: string): string | undefined;
  /**
   * One line for each MCP server of the session: its extension and the numbers of tools that were offered, listed and
   * called. Empty for a session without MCP servers.
   */
  toolLines(sessionId: string): readonly string[];
  /**
   * Whether an entry in the agent's own configuration, which the user has not approved yet, would provide the missing
   * tools.
   */
  canConfigure(sessionId: string): boolean;
  /** `changed` is called when any of these values changes. Disposing discards the data about the session. */
  listen(sessionId: string, changed: () => void): Disposable;
}
