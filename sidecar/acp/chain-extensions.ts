/** `sentence` says which, and why. */

import type { ExtensionDetails } from "../../src/protocol/session-details";

export interface MissingExtension {
  readonly id: string;
  readonly sentence: string;
}
export interface SessionExtensions {
  /** From the client on. */
  of(sessionId: string): readonly ExtensionDetails[];
  /**
   * One sentence, from the end of the session's first completed turn on; absent: the agent listed the tools of each
   * server.
   */
  missingTools(sessionId: string): string | undefined;
  /**
   * The missing tools can be had by an entry in the agent's own configuration, which the user has not agreed to yet.
   */
  canConfigure(sessionId: string): boolean;
  /** `changed` is called when something of it is another. Disposed, what was seen in the session is forgotten. */
  hear(sessionId: string, changed: () => void): Disposable;
}
