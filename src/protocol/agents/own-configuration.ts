/**
 * Tools of agent extensions through an agent's own configuration file (issue 14 item 5), between extension host and
 * sidecar.
 */

/**
 * Format of MCP servers in a configuration file. `mcpServers`: JSON with `command`, `args` and `env`, which most agents
 * read. The others: each documented by one agent.
 */
export const CONFIGURATION_FORMATS = ["mcpServers", "claude", "gemini", "opencode", "codex"] as const;
export type ConfigurationFormat = (typeof CONFIGURATION_FORMATS)[number];

/** `file`: absolute, or relative to the home directory with `~/`. */
export interface OwnConfiguration {
  readonly file: string;
  readonly format: ConfigurationFormat;
}

/**
 * State of Symposium's entry in the file.
 *
 * - `absent`: it can be added.
 * - `added`: equal to the entry that this version writes.
 * - `outdated`: written by another version or installation.
 * - `edited`: an entry with this name exists that Symposium did not write.
 * - `refused`: the file cannot be changed.
 *
 * `why` is a sentence.
 */
export type ConfigurationEntry =
  | { readonly kind: "absent" | "added" | "outdated" }
  | { readonly kind: "edited" | "refused"; readonly why: string };

/** `file`: absolute. */
export interface ConfigurationState {
  readonly file: string;
  readonly entry: ConfigurationEntry;
}

/** For the confirmation before the file is changed. `text`: the added lines. `backup`: absent if the file is new. */
export interface ConfigurationPlan {
  readonly file: string;
  readonly text: string;
  readonly backup?: string;
}
