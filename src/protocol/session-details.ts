/**
 * What stands between the user and the agent in a session, and what it does there: what the page shows as the session's
 * details.
 */

export interface SessionDetails {
  /** What the agent's program calls itself; members that it does not say are absent. */
  readonly program?: { readonly name?: string; readonly version?: string };
  /** From the editor to the agent, in the order in which messages pass them. */
  readonly extensions: readonly ExtensionDetails[];
  /**
   * One sentence, from the end of the first turn on: whose tools the agent's model lacks, why, and what helps. Absent:
   * nothing is missing.
   */
  readonly missingTools?: string;
  /** An entry in the agent's own configuration would give it the tools, and can be added (issue 14 item 5). */
  readonly canConfigure?: true;
}

export interface ExtensionDetails {
  readonly id: string;
  readonly name: string;
  /** Why it is not there, as a sentence; absent: it is. */
  readonly leftOut?: string;
  /** What it changed in the request that set the session up; absent: nothing. */
  readonly setup?: SetupChange;
  /** What it changed in prompts; absent: nothing. */
  readonly prompts?: AlteredPrompts;
  /** Absent as long as nothing passed it. */
  readonly time?: TimeHeld;
  /** Of the MCP servers that it added; absent: it added none that can be observed. */
  readonly tools?: readonly ToolDelivery[];
}

/** How the agent reaches an MCP server. */
export type ToolTransport = "http" | "stdio";

/**
 * How far the tools of one MCP server got in a session (issue 14 item 1). A server that the agent reaches without
 * Symposium has no record.
 */
export interface ToolDelivery {
  /** Its name in `mcpServers`, unique in the session. */
  readonly server: string;
  readonly transport: ToolTransport;
  /** The furthest step so far: offered to the agent, connected by it, its tools listed, one of them called. */
  readonly stage: "offered" | "connected" | "listed" | "called";
  /** Number of tools that the server has; absent: not known yet. */
  readonly offered?: number;
  /** MCP connections so far. */
  readonly connections: number;
  /** Number of tools in the newest list. */
  readonly listed: number;
  /** Tool calls so far. */
  readonly calls: number;
  /**
   * The server itself answered `initialize` or `tools/list` with an error, or did not list its tools to Symposium in
   * time.
   */
  readonly listFailed?: true;
}

/** The agent knows the server's tools. A server that was called counts: its tools are known from an earlier list. */
export function isListed({ stage }: ToolDelivery): boolean {
  return stage === "listed" || stage === "called";
}

/** The agent does not know the server's tools. A server without tools lacks none. */
export function isMissing(delivery: ToolDelivery): boolean {
  return !isListed(delivery) && delivery.offered !== 0;
}

/** MCP servers by their names, and what else was changed by its JSON key. A list without anything is absent. */
export interface SetupChange {
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
  readonly replaced?: readonly string[];
  readonly members?: readonly string[];
}

export interface AlteredPrompts {
  /** How many of the session's prompts. */
  readonly count: number;
  /** The last one that was altered. */
  readonly last: PromptChange;
}

/** Blocks of a prompt that were put in, taken out, and altered. */
export interface PromptChange {
  readonly added: number;
  readonly removed: number;
  readonly altered: number;
  /** What stands there that was not there before, of texts; cut to `ADDED_LIMIT` characters. */
  readonly text?: string;
}
export const ADDED_LIMIT = 2_000;

/**
 * How long it held what passed it, in milliseconds, as exact as a person needs it (`rounded`). `setup`, `prompt`: on
 * the way to the agent; of prompts the median of the last ones, and the last one. `setupAnswer`, `answer`: on the way
 * back.
 */
export interface TimeHeld {
  readonly setup?: number;
  readonly setupAnswer?: number;
  readonly prompt?: number;
  readonly lastPrompt?: number;
  readonly answer?: number;
}

/** Below 10 whole milliseconds, above that two digits: what cannot be told apart is no news. */
export function rounded(ms: number): number {
  return ms < 10 ? Math.round(ms) : Number(ms.toPrecision(2));
}
