/** Journal in memory: the newest record and the lines of each conversation. */
import type { Conversation } from "../../../src/protocol/chat/chat";
import { UNPROTECTED, type ConversationWriter, type StoredSession, type WriteLease } from "../../journal/journal";
import type { SessionRecord } from "../../journal/session-record";
import {
  ConversationLines,
  FORMAT,
  NOTHING_STORED,
  storedIn,
  type StoredText,
} from "../../journal/stored-conversation";

export class MemoryJournal {
  readonly records = new Map<string, SessionRecord>();
  readonly lines = new Map<string, string>();

  /** The content of the disk at this time. */
  copy(): MemoryJournal {
    const copy = new MemoryJournal();
    for (const [id, record] of this.records) copy.records.set(id, record);
    for (const [id, lines] of this.lines) copy.lines.set(id, lines);
    return copy;
  }
  /** Stores a conversation like an earlier process. */
  store(id: string, conversation: Conversation): void {
    this.writer(id, NOTHING_STORED, UNPROTECTED)(conversation);
  }
  /** Conversations that another process writes. */
  readonly elsewhere = new Set<string>();
  async lease(conversation: string, takesOver: boolean): Promise<WriteLease | undefined> {
    if (takesOver) this.elsewhere.delete(conversation);
    return this.elsewhere.has(conversation)
      ? undefined
      : { isHeld: () => !this.elsewhere.has(conversation), release: async () => undefined };
  }
  read(conversation: string): StoredSession {
    return { record: this.records.get(conversation), text: storedIn(this.lines.get(conversation) ?? "") };
  }
  keep(conversation: string, record: SessionRecord): void {
    this.records.set(conversation, record);
  }
  writer(conversation: string, stored: StoredText, lease: Pick<WriteLease, "isHeld">): ConversationWriter {
    if (stored.format > FORMAT) return () => undefined;
    const changes = new ConversationLines(stored);
    return (version, turnAt) => {
      if (!lease.isHeld()) return;
      const { lines, written } = changes.of(version, turnAt);
      this.lines.set(conversation, (this.lines.get(conversation) ?? "") + lines);
      written();
    };
  }
}
