/**
 * An agent extension as configured by the user: a component between client and agent. `symposium.extensions` contains
 * these with `_enabled`.
 */
import * as l10n from "@vscode/l10n";
import type { Distribution } from "./distribution";

export interface ExtensionConfig {
  readonly id: string;
  readonly name: string;
  readonly distribution: Distribution;
  /**
   * "mcp": an MCP server that the agent of each session starts, or connects to at its URL. Absent: a proxy, through
   * which all messages pass.
   */
  readonly kind?: "mcp";
  readonly _source: "built-in" | "registry" | "custom";
  readonly version?: string;
  readonly description?: string;
  /** Part of a session's identity. External programs receive it in an environment variable. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Subcommand of `symposium` distributions: a built-in proxy of the sidecar; its argument is the proxy's id. */
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

/** Extensions enabled by default, from the editor to the agent (documents, "Builtin Extensions"). */
export const DEFAULT_EXTENSIONS: readonly ExtensionConfig[] = [
  builtIn("sparkle", "Sparkle", l10n.t("Remembers how you work, across sessions")),
  builtIn("ferris", "Ferris", l10n.t("Searches the sources of Rust crates and answers questions about them")),
  builtIn("cargo", "Cargo", l10n.t("Cargo commands with shortened output")),
];

/** All built-in extensions: the default ones and optional ones. */
export const BUILT_IN_EXTENSIONS: readonly ExtensionConfig[] = [
  ...DEFAULT_EXTENSIONS,
  builtIn("workspace", "Workspace", l10n.t("Files, search and a terminal for agents without these tools")),
  builtIn(
    "ide",
    "IDE operations",
    l10n.t("Diagnostics, definitions, references and more from your editor or a language server"),
  ),
];

export const isOnByDefault = ({ id }: ExtensionConfig): boolean => DEFAULT_EXTENSIONS.some(config => config.id === id);
