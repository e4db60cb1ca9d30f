/** Journal in memory: the newest record of each conversation. */
import type { SessionRecord } from "../../journal/session-record";

export class MemoryJournal {
  readonly records = new Map<string, SessionRecord>();

  sessionOf(conversation: string): SessionRecord | undefined {
    return this.records.get(conversation);
  }
  keep(conversation: string, record: SessionRecord): void {
    this.records.set(conversation, record);
  }
}
