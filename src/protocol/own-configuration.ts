/**
 * An agent's own configuration file as the way for the tools of agent extensions (issue 14 item 5), between extension
 * host and sidecar.
 */

/**
 * The form of MCP servers in a configuration file: `mcpServers` as JSON with `command`, `args` and `env`, which most
 * agents read, or that of one agent's documentation.
 */
export const CONFIGURATION_FORMATS = ["mcpServers", "claude", "gemini", "opencode", "codex"] as const;
export type ConfigurationFormat = (typeof CONFIGURATION_FORMATS)[number];

/** `file`: absolute, or below the home folder with `~/`. */
export interface OwnConfiguration {
  readonly file: string;
  readonly format: ConfigurationFormat;
}

/**
 * Symposium's entry in the file. `absent`: it can be added. `added`: as this version writes it. `outdated`: as another
 * version or installation wrote it. `edited`: it has an entry of this name that Symposium did not write. `refused`: the
 * file cannot be changed. `why` is a sentence.
 */
export type ConfigurationEntry =
  | { readonly kind: "absent" | "added" | "outdated" }
  | { readonly kind: "edited" | "refused"; readonly why: string };

/** `file`: absolute. */
export interface ConfigurationState {
  readonly file: string;
  readonly entry: ConfigurationEntry;
}

/**
 * For the question before the file is changed. `text`: the lines that are added. `backup`: absent when the file is new.
 */
export interface ConfigurationPlan {
  readonly file: string;
  readonly text: string;
  readonly backup?: string;
}
