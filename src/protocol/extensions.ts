/**
 * An agent extension, as the user configured it: it stands between client and agent. `symposium.extensions` holds these
 * with `_enabled`.
 */
import type { Distribution } from "./distribution";

export interface ExtensionConfig {
  readonly id: string;
  readonly name: string;
  readonly distribution: Distribution;
  /**
   * It is an MCP server, which the agent of each session starts, or reaches at its address; absent: a proxy, through
   * which everything goes.
   */
  readonly kind?: "mcp";
  readonly _source: "built-in" | "registry" | "custom";
  readonly version?: string;
  readonly description?: string;
  /**
   * Kept, and part of what makes two sessions differ. Nothing says yet how a program of others is told them: built-in
   * ones read them.
   */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Of `symposium` distributions: a proxy of the sidecar's own, by the id that is its argument. */
export const PROXY_SUBCOMMAND = "proxy";

function builtIn(id: string, name: string, description: string): ExtensionConfig {
  return {
    id,
    name,
    description,
    _source: "built-in",
    distribution: { symposium: { subcommand: PROXY_SUBCOMMAND, args: [id] } },
  };
}

/** Those that are on by default, from the editor to the agent (documents, "Builtin Extensions"). */
export const DEFAULT_EXTENSIONS: readonly ExtensionConfig[] = [
  builtIn("sparkle", "Sparkle", "Remembers how you work together, from session to session"),
  builtIn("ferris", "Ferris", "Sources of the Rust crates that you use, and answers from them"),
  builtIn("cargo", "Cargo", "Cargo's commands, with output that is short"),
];

/** All that are part of Symposium: those, and what a user adds. */
export const BUILT_IN_EXTENSIONS: readonly ExtensionConfig[] = [
  ...DEFAULT_EXTENSIONS,
  builtIn("workspace", "Workspace", "Files, search and a terminal, for agents that lack them"),
  builtIn(
    "ide",
    "IDE operations",
    "Diagnostics, definitions, references and more of your editor, or of a language server",
  ),
];

export const isOnByDefault = ({ id }: ExtensionConfig): boolean => DEFAULT_EXTENSIONS.some(one => one.id === id);
