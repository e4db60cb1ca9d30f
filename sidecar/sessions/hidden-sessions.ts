/**
 * Sessions of agents that are no chats: those of VS Code's own chat, and those that extensions open for themselves. The
 * list does not contain them (issue 17 item 1). They are stored in an append-only file for all windows.
 */
import { appendFileSync, mkdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { parseJson } from "../../src/protocol/wire/json";

/** Sessions that are read; older ones are ignored. */
const LIMIT = 20_000;
/** As in `session-page.ts`. */
const MAX_ID_LENGTH = 4_096;

export class HiddenSessions {
  #keys: ReadonlySet<string> = new Set();
  #bytes = 0;

  /** `file` need not exist. */
  constructor(private readonly file: string) {}

  /** Never throws: a session that cannot be stored is listed later. */
  add(agentId: string, sessionId: string): void {
    if (sessionId.length > MAX_ID_LENGTH) return; // no list contains it
    try {
      mkdirSync(path.dirname(this.file), { recursive: true, mode: 0o700 });
      appendFileSync(this.file, `\n${JSON.stringify([agentId, sessionId])}`, { mode: 0o600 });
    } catch {
      // The storage is not writable, which is reported with the first journal.
    }
  }

  has(agentId: string, sessionId: string): boolean {
    return this.#keys.has(keyOf(agentId, sessionId));
  }

  /** Reads what all windows have added. Never throws. */
  refresh(): void {
    try {
      const bytes = statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
      if (bytes !== this.#bytes) this.#keys = keysIn(readFileSync(this.file, "utf8"));
      this.#bytes = bytes;
    } catch {
      // Deleted or unreadable: the sessions that are known stay hidden.
    }
  }
}

function keysIn(text: string): ReadonlySet<string> {
  return new Set(
    text
      .split("\n")
      .slice(-LIMIT)
      .flatMap(line => {
        const pair = parseJson(line);
        return Array.isArray(pair) && pair.length === 2 ? [keyOf(String(pair[0]), String(pair[1]))] : [];
      }),
  );
}

const keyOf = (agentId: string, sessionId: string): string => JSON.stringify([agentId, sessionId]);
