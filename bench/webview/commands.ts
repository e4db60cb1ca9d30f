/** What the bench has the host in the page's worker do. Each is done when the page has drawn, and said so. */

export interface Stream {
  /** The tab: the first is 0. */
  readonly tab: number;
  /** Id of the answer that grows; it begins when it is new. */
  readonly entry: string;
  readonly text: string;
  /** Characters that the agent says at once, and how often. */
  readonly chunk: number;
  readonly everyMs: number;
}

export const FLOODS = ["text", "tool calls", "terminal output"] as const;
export type Flood = (typeof FLOODS)[number];

export type Command =
  | { readonly do: "open"; readonly tabs: number }
  /** A turn begins, or ends, in this tab. */
  | { readonly do: "turn"; readonly tab: number; readonly running: boolean }
  | ({ readonly do: "stream" } & Stream)
  /** So many updates posted at once, past all that puts updates together or holds them back. */
  | { readonly do: "burst"; readonly tab: number; readonly entry: string; readonly texts: readonly string[] }
  /** An agent that says as much as is taken, until `still`; done when it has begun. */
  | { readonly do: "flood"; readonly tab: number; readonly of: Flood }
  | { readonly do: "still" };

/** Page → worker, worker → page. `page` is what the page posts to VS Code, `host` what VS Code posts to it. */
export type ToWorker =
  | { readonly kind: "page"; readonly message: unknown }
  | { readonly kind: "command"; readonly id: number; readonly command: Command };
export type ToPage =
  | { readonly kind: "host"; readonly message: unknown }
  | { readonly kind: "done"; readonly id: number };
