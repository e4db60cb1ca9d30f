/**
 * The journals of chat sessions on disk: `<storage>/sessions/<conversation>.jsonl`, append-only, readable by the user
 * only. A conversation keeps its id (a UUID of the page) across restarts of all processes. A line is the record of an
 * agent's session, a long text, or a change of the conversation.
 *
 * Invariants:
 * - A line is written before the call returns, so that it survives the death of every process (not a power cut).
 * - A journal that cannot be written or read never affects its session. The user is warned once until a write succeeds,
 *   and that write contains everything that is missing.
 * - A journal that is deleted while its conversation is open is written anew with the next change.
 */
import { constants } from "node:buffer";
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import type { Conversation } from "../../src/protocol/chat/chat";
import type { HistoryLimits } from "../../src/protocol/sidecar";
import { journalNotWritten } from "../errors";
import { lineOf, newestRecord, type SessionRecord } from "./session-record";
import {
  ConversationLines,
  FORMAT,
  lineOfListed,
  lineOfTime,
  NOTHING_STORED,
  storedIn,
  type StoredText,
} from "./stored-conversation";

export interface JournalOptions {
  /** `message` is for the user. */
  readonly warn: (message: string, detail: Readonly<Record<string, unknown>>) => void;
  readonly append?: (file: string, text: string) => void;
  /** Called after a journal was deleted. */
  readonly deleted?: (conversation: string) => void;
  /** See `lease`. Default: this process is the only one. */
  readonly lease?: (conversation: string, takesOver: boolean) => Promise<WriteLease | undefined>;
}

/** Content of the journal of one conversation. `record`: the newest one. */
export interface StoredSession {
  readonly record: SessionRecord | undefined;
  readonly text: StoredText;
}

/**
 * Stores the changes of one conversation since the last call. Stores nothing once another process has taken over.
 * `turnAt`: time of the last start or end of a turn since the last call, in milliseconds since 1970.
 */
export type ConversationWriter = (conversation: Conversation, turnAt?: number) => void;

/** The right of one process to write one journal. */
export interface WriteLease {
  /** Checked before each write. */
  isHeld(): boolean;
  release(): Promise<void>;
}

/** For a journal that no other process writes, or that cannot be written. */
export const UNPROTECTED: WriteLease = { isHeld: () => true, release: async () => undefined };

/** The journal of one conversation. `changedAt`: milliseconds since 1970. */
export interface JournalFile {
  readonly conversation: string;
  readonly file: string;
  readonly changedAt: number;
  readonly bytes: number;
}

const EXTENSION = ".jsonl",
  INDEX = ".index";
const DAY_MS = 24 * 3600 * 1000,
  MB = 1024 * 1024;
/** The id comes from the page and becomes a file name. */
const CONVERSATION = /^[\da-f-]{36}$/i;

export function journalFolder(storage: string): string {
  return path.join(storage, "sessions");
}

export class Journal {
  readonly #folder: string;
  #hasWarned = false;

  constructor(
    storage: string,
    private readonly options: JournalOptions,
  ) {
    this.#folder = journalFolder(storage);
  }

  /**
   * Resolves with the right to write the journal, or with undefined if another process writes it, unless `takesOver`.
   * Never rejects.
   */
  async lease(conversation: string, takesOver: boolean): Promise<WriteLease | undefined> {
    return this.options.lease && CONVERSATION.test(conversation)
      ? this.options.lease(conversation, takesOver)
      : UNPROTECTED;
  }

  /** A journal that is longer than the longest string (512 MB) is empty and has a later format: it is never written. */
  read(conversation: string): StoredSession {
    const text = CONVERSATION.test(conversation) ? this.#textOf(conversation) : "";
    if (text === undefined) return { record: undefined, text: { ...NOTHING_STORED, format: FORMAT + 1 } };
    return { record: newestRecord(text), text: storedIn(text) };
  }

  /** Stores the record of an agent's session. `at`: time of its last change at the agent, in ms since 1970. */
  keep(conversation: string, record: SessionRecord, at?: number): void {
    const time = at === undefined ? "" : lineOfTime(at);
    if (CONVERSATION.test(conversation)) this.#append(conversation, lineOf(record) + time);
  }

  /** `stored`: the content of the journal. Stores everything anew if the journal was deleted in the meantime. */
  writer(conversation: string, stored: StoredText, lease: Pick<WriteLease, "isHeld">): ConversationWriter {
    if (!CONVERSATION.test(conversation) || stored.format > FORMAT) return () => undefined;
    let changes = new ConversationLines(stored),
      isStored = stored.version !== undefined,
      unstoredTurn: number | undefined;
    return (version, turnAt) => {
      if (!lease.isHeld()) return;
      unstoredTurn = turnAt ?? unstoredTurn;
      if (isStored && !existsSync(this.#fileOf(conversation))) changes = new ConversationLines(NOTHING_STORED);
      const { lines, written } = changes.of(version, unstoredTurn);
      if (lines === "" || !this.#append(conversation, lines)) return;
      written();
      unstoredTurn = undefined;
      isStored = true;
    };
  }

  /** Stores members that only the list of sessions reads and writes. Rejects with a sentence if that fails. */
  storeListed(conversation: string, members: Readonly<Record<string, unknown>>): void {
    if (this.read(conversation).text.format > FORMAT) throw new Error("The journal has a later format.");
    const file = this.#fileOf(conversation),
      { atime, mtime } = statSync(file);
    (this.options.append ?? append)(file, lineOfListed(members));
    // The place of the session in the list does not change.
    utimesSync(file, atime, mtime);
  }

  /** All journals, in any order. */
  files(): readonly JournalFile[] {
    return namesIn(this.#folder).flatMap(name => {
      const conversation = name.slice(0, -EXTENSION.length),
        file = path.join(this.#folder, name),
        status = name.endsWith(EXTENSION) ? statSync(file, { throwIfNoEntry: false }) : undefined;
      return status ? [{ conversation, file, changedAt: status.mtimeMs, bytes: status.size }] : [];
    });
  }

  /** The file of a conversation's index; see `session-index.ts`. */
  indexFile(conversation: string): string {
    return `${this.#fileOf(conversation).slice(0, -EXTENSION.length)}${INDEX}`;
  }

  /** Stores a conversation that has no journal yet. Throws if it has one, or if the journal cannot be written. */
  import(conversation: string, version: Conversation): void {
    if (existsSync(this.#fileOf(conversation))) throw new Error("The conversation is already stored.");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    (this.options.append ?? append)(
      this.#fileOf(conversation),
      new ConversationLines(NOTHING_STORED).of(version).lines + lineOfTime(Date.now()),
    );
  }

  /** Deletes the journal of a conversation, and its index. */
  async delete(conversation: string): Promise<void> {
    await rm(this.indexFile(conversation), { force: true });
    await rm(this.#fileOf(conversation), { force: true });
    this.options.deleted?.(conversation);
  }

  has(conversation: string): boolean {
    return CONVERSATION.test(conversation) && existsSync(this.#fileOf(conversation));
  }

  /** Deletes journals beyond the limits, those that were changed least recently first. `now`: ms since 1970. */
  async cleanUp(now: number, { days, megabytes }: HistoryLimits): Promise<void> {
    const journals = [...this.files()].sort((a, b) => b.changedAt - a.changedAt);
    let size = 0;
    for (const { conversation, changedAt, bytes } of journals) {
      size += bytes + (statSync(this.indexFile(conversation), { throwIfNoEntry: false })?.size ?? 0);
      if (changedAt < now - days * DAY_MS || size > megabytes * MB) await this.delete(conversation);
    }
  }

  /** Deletes all journals and returns their number. */
  async deleteAll(): Promise<number> {
    const journals = this.files();
    for (const { conversation } of journals) await this.delete(conversation);
    return journals.length;
  }

  /** Empty if the file is missing or cannot be read. Undefined if it is too long. */
  #textOf(conversation: string): string | undefined {
    try {
      const file = this.#fileOf(conversation);
      return statSync(file).size > constants.MAX_STRING_LENGTH ? undefined : readFileSync(file, "utf8");
    } catch {
      return ""; // most conversations have no journal yet
    }
  }

  #append(conversation: string, lines: string): boolean {
    try {
      const file = this.#fileOf(conversation);
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      (this.options.append ?? append)(file, lines);
      this.#hasWarned = false;
      return true;
    } catch (error) {
      if (!this.#hasWarned) this.options.warn(journalNotWritten(this.#folder, error), { error: String(error) });
      this.#hasWarned = true;
      return false;
    }
  }

  #fileOf(conversation: string): string {
    if (!CONVERSATION.test(conversation)) throw new Error("A conversation has an invalid id.");
    return path.join(this.#folder, `${conversation.toLowerCase()}${EXTENSION}`);
  }
}

/** Empty if the folder does not exist. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Removes what an incomplete write has added, because its content is contained in the next write. */
function append(file: string, text: string): void {
  const open = openSync(file, "a", 0o600),
    { size } = fstatSync(open);
  try {
    appendFileSync(open, text);
  } catch (error) {
    ftruncateSync(open, size);
    throw error;
  } finally {
    closeSync(open);
  }
}
