/** Types of `branching.ts`. */
import type { Attachment } from "../../src/protocol/chat/attachments";
import type { TabId } from "../../src/protocol/page/host-to-page";

/**
 * edit, retry: a branch before the prompt, which is the draft or is sent again. fork, continueWith: a branch after the
 * prompt and its answer, with the same or another agent.
 */
export type BranchKind = "edit" | "retry" | "fork" | "continueWith";

/** The user's action on a prompt. `newId`: id of the new tab and conversation. */
export interface Branching {
  readonly kind: "branched";
  readonly tabId: TabId;
  readonly entryId: string;
  readonly branch: BranchKind;
  readonly newId: TabId;
}

/**
 * The user restores the files to before a prompt. `newId`: also the conversation, by a branch with this id before the
 * prompt.
 */
export interface Rewinding {
  readonly kind: "rewound";
  readonly tabId: TabId;
  readonly entryId: string;
  readonly newId?: TabId;
}

/** The first prompt of a branch, until its tab is open. */
export interface PendingBranch {
  readonly tabId: TabId;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** Sent as soon as the tab is open. */
  readonly sentAs?: string;
}
