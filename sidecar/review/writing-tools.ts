/** Finds the tool calls of a turn that can change files, and the files that they name. */
import path from "node:path";

/** A tool call of an agent in any state. `kind`: ACP's tool kind. */
export interface WatchedCall {
  readonly id: string;
  readonly kind: string;
  readonly isOver: boolean;
  /** As the agent names them. */
  readonly paths: readonly string[];
}

export interface WatchedChange {
  /** Absolute paths that the call names. */
  readonly paths: readonly string[];
  /** Whether the call has just ended. */
  readonly hasEnded: boolean;
}

/** ACP schema v1, `ToolKind`. A tool of another kind can write. */
const READING: ReadonlySet<string> = new Set(["read", "search", "fetch", "think", "switch_mode"]);

export class WritingTools {
  readonly #over = new Set<string>();

  /** `cwd`: working directory of the session. */
  constructor(private readonly cwd: string) {}

  /** Undefined if the call cannot write. */
  watch({ id, kind, isOver, paths }: WatchedCall): WatchedChange | undefined {
    if (READING.has(kind)) return undefined;
    const hasEnded = isOver && !this.#over.has(id);
    if (isOver) this.#over.add(id);
    return {
      paths: paths.filter(file => file !== "" && !file.includes("\0")).map(file => path.resolve(this.cwd, file)),
      hasEnded,
    };
  }

  /** Forgets the calls of the turn. */
  clear(): void {
    this.#over.clear();
  }
}
