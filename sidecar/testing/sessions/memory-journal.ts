/** Journal in memory: the newest record and the lines of each conversation. */
import type { Conversation } from "../../../src/protocol/chat/chat";
import type { ConversationWriter, StoredSession } from "../../journal/journal";
import type { SessionRecord } from "../../journal/session-record";
import { ConversationLines, NOTHING_STORED, storedIn, type StoredText } from "../../journal/stored-conversation";

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
    this.writer(id, NOTHING_STORED)(conversation);
  }
  read(conversation: string): StoredSession {
    return { record: this.records.get(conversation), text: storedIn(this.lines.get(conversation) ?? "") };
  }
  keep(conversation: string, record: SessionRecord): void {
    this.records.set(conversation, record);
  }
  writer(conversation: string, stored: StoredText): ConversationWriter {
    const changes = new ConversationLines(stored);
    return version => {
      const { lines, written } = changes.of(version);
      this.lines.set(conversation, (this.lines.get(conversation) ?? "") + lines);
      written();
    };
  }
}
