/**
 * Details of a session as shown in the page: the agent program, and the extensions between user and agent with their
 * effects.
 */

export interface SessionDetails {
  /** Name and version that the agent reports; members that it does not report are absent. */
  readonly program?: { readonly name?: string; readonly version?: string };
  /** From the editor to the agent, in the order in which messages pass them. */
  readonly extensions: readonly ExtensionDetails[];
  /**
   * One sentence: the extension whose tools the agent's model lacks, the reason and the remedy. Set from the end of the
   * first turn on; absent if no tools are missing.
   */
  readonly missingTools?: string;
  /** An entry in the agent's own configuration would provide the tools, and can be added (issue 14 item 5). */
  readonly canConfigure?: true;
}

export interface ExtensionDetails {
  readonly id: string;
  readonly name: string;
  /** Reason why the extension is not running, as a sentence; absent if it is running. */
  readonly leftOut?: string;
  /** Changes in the request that set the session up; absent if there are none. */
  readonly setup?: SetupChange;
  /** Changes in prompts; absent if there are none. */
  readonly prompts?: AlteredPrompts;
  /** Absent until a message has passed. */
  readonly time?: TimeHeld;
  /** Delivery of the tools of its MCP servers; absent if it added none that can be observed. */
  readonly tools?: readonly ToolDelivery[];
  /**
   * Names of its MCP servers that Symposium cannot observe, because the agent connects to them directly. Absent if
   * there are none.
   */
  readonly direct?: readonly string[];
}

/** How the agent reaches an MCP server. */
export type ToolTransport = "http" | "stdio";

/**
 * Delivery of one MCP server's tools to the agent in a session (issue 14 item 1). A server that the agent connects to
 * directly has no record.
 */
export interface ToolDelivery {
  /** Its name in `mcpServers`, unique in the session. */
  readonly server: string;
  readonly transport: ToolTransport;
  /** The furthest step so far: offered to the agent, connected, tools listed, tool called. */
  readonly stage: "offered" | "connected" | "listed" | "called";
  /** Number of tools that the server has; absent if unknown. */
  readonly offered?: number;
  /** MCP connections so far. */
  readonly connections: number;
  /** Number of tools in the latest `tools/list` response. */
  readonly listed: number;
  /** Tool calls so far. */
  readonly calls: number;
  /**
   * The server itself answered `initialize` or `tools/list` with an error, or did not answer Symposium's `tools/list`
   * within the time limit.
   */
  readonly listFailed?: true;
}

/**
 * Whether the agent has the server's tools. A called server counts, because the agent has its tools from an earlier
 * list.
 */
export function isListed({ stage }: ToolDelivery): boolean {
  return stage === "listed" || stage === "called";
}

/** Whether the agent lacks the server's tools. `false` for a server without tools. */
export function isMissing(delivery: ToolDelivery): boolean {
  return !isListed(delivery) && delivery.offered !== 0;
}

/** Text that an extension added. */
export interface AddedText {
  /** Cut to `ADDED_LIMIT` characters. */
  readonly text: string;
  /** Bytes of the whole text; absent if `text` is complete. */
  readonly cutFrom?: number;
}
export const ADDED_LIMIT = 20_000;

/**
 * MCP servers by name, and other changed members by JSON key. Empty lists are absent. `text`: added to the agent's
 * system prompt.
 */
export interface SetupChange extends Partial<AddedText> {
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
  readonly replaced?: readonly string[];
  readonly members?: readonly string[];
}

export interface AlteredPrompts {
  /** Number of altered prompts in the session. */
  readonly count: number;
  /** The last altered prompt. */
  readonly last: PromptChange;
}

/** Numbers of blocks of a prompt that were added, removed and altered. */
export interface PromptChange extends Partial<AddedText> {
  readonly added: number;
  readonly removed: number;
  readonly altered: number;
}

/**
 * Time that messages spent in an extension, in milliseconds, rounded by `rounded`. `setup`, `prompt`: towards the
 * agent. `prompt` is the median of recent prompts, `lastPrompt` the last one. `setupAnswer`, `answer`: back to the
 * client.
 */
export interface TimeHeld {
  readonly setup?: number;
  readonly setupAnswer?: number;
  readonly prompt?: number;
  readonly lastPrompt?: number;
  readonly answer?: number;
}

/** Whole milliseconds below 10, two digits above, so that insignificant changes cause no update. */
export function rounded(ms: number): number {
  return ms < 10 ? Math.round(ms) : Number(ms.toPrecision(2));
}
