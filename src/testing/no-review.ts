import type { ReviewActions } from "../review/review-actions";

/** For tests without changed files. */
export const noReview: ReviewActions = {
  open: async () => undefined,
  keep: async () => undefined,
  undo: async () => undefined,
  rewind: async () => false,
};
