/**
 * The names under which agents see VS Code's tools. What VS Code allows, model providers may refuse: they take letters,
 * digits, `_` and `-`, 64 of them, with the prefix that the agent puts before them (`mcp__SERVER__TOOL`, the longest
 * that is known).
 *
 * Invariants: a tool has one given name as long as the object lives, and no two tools have the same.
 */

/**
 * `vsc_` and four characters: its own for each session, because some agents show all sessions the servers of all
 * (reference/real-agents, point 8).
 */
const SERVER = /^vsc_[a-z0-9]{4}$/;
const LONGEST_NAME = 64;
/** What is left for the tool. */
export const LONGEST_GIVEN = LONGEST_NAME - "mcp__vsc_xxxx__".length;

/** Four characters of `random` (hexadecimal, say) make the name; throws when they cannot be part of one. */
export function serverName(random: string): string {
  const name = `vsc_${random.slice(0, 4).toLowerCase()}`;
  if (!SERVER.test(name)) throw new Error(`no part of a server's name: ${random}`);
  return name;
}

export class ToolNames {
  readonly #given = new Map<string, string>();
  readonly #originals = new Map<string, string>();

  /** Of the tool that VS Code calls `name`; the same each time. */
  given(name: string): string {
    const known = this.#given.get(name);
    if (known !== undefined) return known;
    const given = this.#free(allowed(name));
    this.#given.set(name, given);
    this.#originals.set(given, name);
    return given;
  }

  /** VS Code's name of it; also of a tool that is not offered any more. */
  original(given: string): string | undefined {
    return this.#originals.get(given);
  }

  get all(): Iterable<string> {
    return this.#originals.keys();
  }

  #free(name: string): string {
    for (let n = 2, free = name; ; n++) {
      if (!this.#originals.has(free)) return free;
      const ending = `_${n}`;
      free = name.slice(0, LONGEST_GIVEN - ending.length) + ending;
    }
  }
}

/** Whether a name survives as it is. */
export function isAllowed(name: string): boolean {
  return name !== "" && name === allowed(name);
}

function allowed(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/gu, "_").slice(0, LONGEST_GIVEN) || "tool";
}
