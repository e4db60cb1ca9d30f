/**
 * The stored sessions: their list, and the search in them. Reads the index of each journal, and makes those anew whose
 * journal has changed.
 *
 * Invariants:
 * - The journals are the only truth. An index that is missing, damaged or old costs only time.
 * - A journal that cannot be read is not listed, and affects no other.
 * - The list reads only the new lines of an open session's journal, because such a journal changes often.
 */
import { closeSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import type { Journal, JournalFile } from "../journal/journal";
import { grownHead, headIn, indexFile, indexOf, type IndexHead } from "./session-index";
import { hitsIn, searchPattern } from "../journal/session-text";
import type { CancelSignal } from "../../src/protocol/wire/cancel-signal";
import type { SearchHit } from "../../src/protocol/sessions/sessions";

/** A stored session. `changedAt`: milliseconds since 1970. */
export interface IndexedSession extends IndexHead {
  readonly conversation: string;
  readonly changedAt: number;
}

/** A session that the list shows although it is not open. */
export type ListedSession = IndexedSession & Required<Pick<IndexedSession, "agent">>;

/** Whether the session has a prompt or an answer. */
export function isListed(session: IndexedSession): session is ListedSession {
  return !session.isEmpty && session.agent !== undefined;
}

/** Bytes that usually contain the first line of an index. */
const HEAD_BYTES = 8_192;
/** Work after which other requests are handled. */
const SLICE_MS = 20;
/** Hits of one session. */
const SESSION_HITS = 3;

export class SessionCatalog {
  /** The heads of the last list, with the sizes of their indexed journals. */
  readonly #heads = new Map<string, IndexHead>();
  /** Heads of open sessions, which are ahead of their indexes. */
  readonly #grown = new Map<string, IndexHead>();

  /** `pause` lets other work run. */
  constructor(
    private readonly journal: Pick<Journal, "files" | "indexFile">,
    private readonly pause: () => Promise<void>,
  ) {}

  /**
   * All sessions, also those without content, in any order. Those of `isOpen` have an earlier agent, title, cost and
   * content, because their journals change often.
   */
  async all(isOpen: (conversation: string) => boolean = () => false): Promise<readonly IndexedSession[]> {
    const files = this.journal.files(),
      sessions: IndexedSession[] = [],
      slice = this.#slices();
    for (const file of files) {
      await slice();
      const { conversation } = file,
        head = this.#headOf(file, isOpen(conversation));
      if (head !== undefined)
        sessions.push({ ...head, conversation, changedAt: head.activeAt ?? Math.round(file.changedAt) });
    }
    const present = new Set(files.map(({ conversation }) => conversation));
    for (const conversation of this.#heads.keys()) if (!present.has(conversation)) this.#heads.delete(conversation);
    for (const conversation of this.#grown.keys())
      if (!present.has(conversation) || !isOpen(conversation)) this.#grown.delete(conversation);
    return sessions;
  }

  /**
   * The places where the query occurs, in titles and texts, those of the last changed sessions first. Stops after
   * `limit` hits, and when `signal` aborts.
   */
  async search(
    query: string,
    limit: number,
    signal: CancelSignal,
  ): Promise<{ readonly hits: readonly SearchHit[]; readonly isComplete: boolean }> {
    const hits: SearchHit[] = [];
    if (query.trim() === "") return { hits, isComplete: true };
    const pattern = searchPattern(query),
      slice = this.#slices();
    const sessions = (await this.all()).filter(isListed).sort((a, b) => b.changedAt - a.changedAt);
    for (const { conversation, title } of sessions) {
      await slice();
      if (signal.aborted || hits.length >= limit) return { hits: hits.slice(0, limit), isComplete: false };
      hits.push(...inTitle(conversation, title, pattern), ...this.#inText(conversation, pattern));
    }
    return { hits: hits.slice(0, limit), isComplete: hits.length <= limit };
  }

  #inText(conversation: string, pattern: RegExp): readonly SearchHit[] {
    try {
      return hitsIn(readFileSync(this.journal.indexFile(conversation)), pattern, SESSION_HITS).map(hit => ({
        conversation,
        ...hit,
      }));
    } catch {
      return []; // deleted by another window, or the storage is not writable
    }
  }

  #headOf(journal: JournalFile, isOpen: boolean): IndexHead | undefined {
    const { conversation, file, bytes } = journal,
      known = this.#heads.get(conversation) ?? headIn(startOf(this.journal.indexFile(conversation)));
    if (isOpen && known && known.bytes < bytes) return this.#grownHead(journal, known);
    const head = known?.bytes === bytes ? known : this.#indexed(conversation, file);
    if (head === undefined) this.#heads.delete(conversation);
    else this.#heads.set(conversation, head);
    return head;
  }

  #grownHead({ conversation, file, bytes }: JournalFile, indexed: IndexHead): IndexHead {
    const last = this.#grown.get(conversation),
      from = last !== undefined && last.bytes >= indexed.bytes && last.bytes <= bytes ? last : indexed;
    const head = from.bytes === bytes ? from : grownHead(from, textBetween(file, from.bytes, bytes), bytes);
    this.#grown.set(conversation, head);
    return head;
  }

  #indexed(conversation: string, file: string): IndexHead | undefined {
    try {
      const content = readFileSync(file),
        index = indexOf(content.toString(), content.length);
      try {
        writeFileSync(this.journal.indexFile(conversation), indexFile(index), { mode: 0o600 });
      } catch {
        // The list does not need the file.
      }
      return index.head;
    } catch {
      return undefined;
    }
  }

  #slices(): () => Promise<void> {
    let start = performance.now();
    return async () => {
      if (performance.now() - start < SLICE_MS) return;
      await this.pause();
      start = performance.now();
    };
  }
}

function inTitle(conversation: string, title: string, pattern: RegExp): readonly SearchHit[] {
  pattern.lastIndex = 0;
  const bytes = Buffer.from(title).toString("latin1"),
    found = pattern.exec(bytes);
  if (found === null) return [];
  const lengthOf = (end: number): number => Buffer.from(bytes.slice(0, end), "latin1").toString().length;
  return [{ conversation, excerpt: title, start: lengthOf(found.index), end: lengthOf(found.index + found[0].length) }];
}

const startOf = (file: string): string => textBetween(file, 0, HEAD_BYTES);

/** Empty if the file does not exist. */
function textBetween(file: string, start: number, end: number): string {
  let open: number;
  try {
    open = openSync(file, "r");
  } catch {
    return "";
  }
  try {
    const bytes = Buffer.alloc(end - start);
    return bytes.toString("utf8", 0, readSync(open, bytes, 0, bytes.length, start));
  } finally {
    closeSync(open);
  }
}
