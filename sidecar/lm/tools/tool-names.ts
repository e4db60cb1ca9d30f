/**
 * Names under which agents see VS Code's tools. Model providers may reject names that VS Code allows. Providers accept
 * up to 64 letters, digits, `_` and `-`, including the agent's prefix (`mcp__SERVER__TOOL` is the longest known).
 *
 * Invariants: a tool keeps its given name for the lifetime of the object, and no two tools share a name.
 */

/**
 * The MCP server's name, on which users base rules in an agent's configuration. It is distinctive, because a permission
 * request that contains it is not covered by a standing approval, and short, because it shortens the tools' names. It
 * has no `_`, at which Gemini's rules split names.
 *
 * While several sessions of an agent's process are open, the further ones append a number, because some agents show
 * every session the servers of all sessions (reference/real-agents, point 8). No separator precedes the number: the
 * tool `x` of `S-2` and the tool `2-x` of `S` could have the same qualified name.
 */
export const SERVER = "vsctools";
const MAX_QUALIFIED_LENGTH = 64;
/** Maximum length of a tool's name, for up to 99 open sessions. */
export const MAX_NAME_LENGTH = MAX_QUALIFIED_LENGTH - `mcp__${SERVER}99__`.length;

/** Returns `preferred` if it is free, otherwise the first free name. */
export function freeServerName(isUsed: (name: string) => boolean, preferred = SERVER): string {
  if (!isUsed(preferred)) return preferred;
  for (let n = 1; ; n++) {
    const name = n === 1 ? SERVER : `${SERVER}${n}`;
    if (!isUsed(name)) return name;
  }
}

/** Whether a session's server can have this name. */
export function isServerName(name: string): boolean {
  return name.startsWith(SERVER) && /^\d*$/.test(name.slice(SERVER.length));
}

export class ToolNames {
  readonly #given = new Map<string, string>();
  readonly #originals = new Map<string, string>();

  /** The agent's name of the tool that VS Code calls `name`. The name never changes. */
  given(name: string): string {
    const existing = this.#given.get(name);
    if (existing !== undefined) return existing;
    const given = this.#unique(allowed(name));
    this.#given.set(name, given);
    this.#originals.set(given, name);
    return given;
  }

  /** VS Code's name of a tool, including tools that are no longer offered. */
  original(given: string): string | undefined {
    return this.#originals.get(given);
  }

  get all(): Iterable<string> {
    return this.#originals.keys();
  }

  #unique(name: string): string {
    for (let n = 2, unique = name; ; n++) {
      if (!this.#originals.has(unique)) return unique;
      const suffix = `_${n}`;
      unique = name.slice(0, MAX_NAME_LENGTH - suffix.length) + suffix;
    }
  }
}

/** Whether a name needs no change. */
export function isAllowed(name: string): boolean {
  return name !== "" && name === allowed(name);
}

function allowed(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/gu, "_").slice(0, MAX_NAME_LENGTH) || "tool";
}
