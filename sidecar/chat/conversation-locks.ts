/**
 * Ensures that one process writes a conversation's journal, because the lines of two would contradict each other. Two
 * windows can show the same conversation: they restore the tabs of the same workspace (issue 16 item 2).
 *
 * Invariants:
 * - A right ends with its process. A process that was taken over detects that before its next write.
 * - A storage that cannot be written never prevents a session, because its journal cannot be written either.
 */
import { rm } from "node:fs/promises";
import type { Locks } from "../agents/install/store/locks";
import type { UsageLocks } from "../agents/install/store/usage-locks";
import { UNPROTECTED, type WriteLease } from "../journal/journal";

/** Time limit for another process that opens a conversation at the same time. */
const LIMIT_MS = 20_000;
/** Duration of a write that began before the right was taken over. */
const WRITE_MS = 50;

export interface ConversationLocksDeps {
  /** Folder of the journals. */
  readonly folder: string;
  readonly locks: Locks;
  readonly uses: UsageLocks;
  readonly pause: (ms: number) => Promise<void>;
}

export class ConversationLocks {
  constructor(private readonly deps: ConversationLocksDeps) {}

  /** Resolves with undefined if another process writes this journal, unless `takesOver`. Never rejects. */
  async open(conversation: string, takesOver: boolean): Promise<WriteLease | undefined> {
    const { locks } = this.deps,
      busy = (): Error => new Error("ELOCKED");
    try {
      return await locks.holding("conversations", { limitMs: LIMIT_MS, busy }, () =>
        this.#take(conversation, takesOver),
      );
    } catch {
      return UNPROTECTED;
    }
  }

  async #take(conversation: string, takesOver: boolean): Promise<WriteLease | undefined> {
    const { folder, uses, pause } = this.deps,
      others = await uses.others(folder, conversation);
    if (others.length > 0 && !takesOver) return undefined;
    for (const file of others) await rm(file, { force: true });
    const lease = await uses.take(folder, conversation);
    if (others.length > 0) await pause(WRITE_MS);
    return lease;
  }
}
