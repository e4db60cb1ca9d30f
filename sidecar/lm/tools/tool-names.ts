/**
 * Names under which agents see VS Code's tools. Model providers may reject names that VS Code allows. Providers accept
 * up to 64 letters, digits, `_` and `-`, including the agent's prefix (`mcp__SERVER__TOOL` is the longest known).
 *
 * Invariants: a tool keeps its given name for the lifetime of the object, and no two tools share a name.
 */

/**
 * `vsc_` and four characters. Each session has a different name, because some agents show every session the servers of
 * all sessions (reference/real-agents, point 8).
 */
const SERVER = /^vsc_[a-z0-9]{4}$/;
const MAX_QUALIFIED_LENGTH = 64;
/** Maximum length of a tool's name. */
export const MAX_NAME_LENGTH = MAX_QUALIFIED_LENGTH - "mcp__vsc_xxxx__".length;

/**
 * Builds the name from the first four characters of `random`, for example hexadecimal. Throws if they are not valid in
 * a name.
 */
export function serverName(random: string): string {
  const name = `vsc_${random.slice(0, 4).toLowerCase()}`;
  if (!SERVER.test(name)) throw new Error(`no part of a server's name: ${random}`);
  return name;
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
