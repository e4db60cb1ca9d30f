/**
 * Sizes of agents that are not installed, for the first screen: from memory, then from disk, then from their registry,
 * one at a time.
 *
 * Invariants:
 * - Never fails, because sizes are optional.
 * - A configuration is looked up once per window, and on this computer once a week.
 */
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import { readStored, writeStored } from "../registry/stored-document";

export interface InstallSizesDeps {
  /** In `~/.symposium/cache`, created on demand. */
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  readonly lookUp: (agent: AgentConfig, signal: AbortSignal) => Promise<number | undefined>;
  /** Logs a size that could not be looked up or stored. */
  readonly onWarning: (what: string, detail: unknown) => void;
}

const FRESH_MS = 7 * 24 * 3600 * 1000;

export class InstallSizes {
  readonly #sizes = new Map<string, Promise<number | undefined>>();
  /** Ends with the last lookup. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: InstallSizesDeps) {}

  /** Bytes by the ids of the agents whose size is known. */
  async of(agents: readonly AgentConfig[], signal: AbortSignal): Promise<Readonly<Record<string, number>>> {
    const sizes = await Promise.all(agents.map(async agent => [agent.id, await this.#size(agent, signal)] as const));
    return Object.fromEntries(sizes.filter((size): size is [string, number] => size[1] !== undefined));
  }

  #size(agent: AgentConfig, signal: AbortSignal): Promise<number | undefined> {
    const key = JSON.stringify([agent.distribution, agent.version]),
      known = this.#sizes.get(key);
    if (known) return known;
    const lookup = this.#last.then(() => this.#find(key, agent, signal));
    this.#last = lookup;
    this.#sizes.set(key, lookup);
    return lookup;
  }

  async #find(key: string, agent: AgentConfig, signal: AbortSignal): Promise<number | undefined> {
    const { folder, date, lookUp, onWarning } = this.deps,
      stored = await readStored(folder, key),
      age = date() - (stored?.fetchedAt ?? 0);
    if (stored && age >= 0 && age < FRESH_MS) return sizeIn(stored.text);
    try {
      const size = await lookUp(agent, signal);
      await writeStored(folder, { url: key, text: size === undefined ? "" : String(size), fetchedAt: date() });
      return size;
    } catch (error) {
      onWarning("The size of an agent is unknown", { agent: agent.id, error: String(error) });
      return stored && sizeIn(stored.text);
    }
  }
}

function sizeIn(text: string): number | undefined {
  return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}
