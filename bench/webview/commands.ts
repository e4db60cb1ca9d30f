/**
 * Commands from the bench to the host in the page's worker. A command is complete when the page has drawn and
 * acknowledged its events.
 */

export interface Stream {
  /** Index of the tab, from 0. */
  readonly tab: number;
  /** Id of the growing answer. A new id starts a new answer. */
  readonly entry: string;
  readonly text: string;
  /** Characters per chunk of the agent, and the interval of chunks. */
  readonly chunk: number;
  readonly everyMs: number;
}

export const FLOODS = ["text", "tool calls", "terminal output"] as const;
export type Flood = (typeof FLOODS)[number];

export type Command =
  /** `entries`: number of entries of each conversation, if they were restored. */
  | { readonly do: "open"; readonly tabs: number; readonly entries?: number }
  /** Starts or ends a turn in this tab. */
  | { readonly do: "turn"; readonly tab: number; readonly running: boolean }
  | ({ readonly do: "stream" } & Stream)
  /** Posts these updates at once, bypassing batching and flow control. */
  | { readonly do: "burst"; readonly tab: number; readonly entry: string; readonly texts: readonly string[] }
  /** An agent that streams as fast as possible until `still`. Complete when it has started. */
  | { readonly do: "flood"; readonly tab: number; readonly of: Flood }
  | { readonly do: "still" };

/** Page → worker, worker → page. `page`: messages of the page to VS Code. `host`: messages of VS Code to the page. */
export type ToWorker =
  | { readonly kind: "page"; readonly message: unknown }
  | { readonly kind: "command"; readonly id: number; readonly command: Command };
export type ToPage =
  | { readonly kind: "host"; readonly message: unknown }
  | { readonly kind: "done"; readonly id: number };
