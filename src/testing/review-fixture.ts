/** Reviews for tests. */
import type { RecordedFile, Review, ReviewFile } from "../protocol/review/review";

export const ROOT = "/w";

export const recorded = (oid: string): RecordedFile => ({ mode: "100644", oid });

export const modified = (path: string, turns: readonly number[] = [1]): ReviewFile => ({
  root: ROOT,
  path,
  before: recorded(`${path} before`),
  after: recorded(`${path} after`),
  added: 2,
  removed: 1,
  turns,
});

/** A review of a conversation with two turns. */
export function reviewOf(id: string, files: readonly ReviewFile[], more: Partial<Review> = {}): Review {
  return {
    id,
    kind: "chat",
    title: "Split the text",
    agentName: "Claude",
    isRunning: false,
    turns: [
      { turn: 1, entryId: `${id}-e1`, title: "Split it", at: 1_000 },
      { turn: 2, entryId: `${id}-e2`, title: "Test it", at: 2_000 },
    ],
    files,
    limits: [],
    operations: [],
    ...more,
  };
}
