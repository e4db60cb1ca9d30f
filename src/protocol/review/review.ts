/**
 * The review of what agents changed (issue 21), between extension host and sidecar. A review belongs to one session: a
 * conversation of the chat, or a chat of the model picker. It outlives the session's process.
 */
import type { Call, Note } from "../wire/wire";

/** A recorded content with its mode, as in git: a file, an executable file, or a link, whose content is its target. */
export interface RecordedFile {
  readonly mode: "100644" | "100755" | "120000";
  /** Id of the content, valid with the root of the file. */
  readonly oid: string;
}

/** `root`: real path of a folder. `path`: of a file in it, with `/` between names. */
export interface ReviewPath {
  readonly root: string;
  readonly path: string;
}

/** Contents before and after a change. Absent: the file did not or does not exist. */
export interface ChangedFile extends ReviewPath {
  readonly before?: RecordedFile;
  readonly after?: RecordedFile;
  /** The file was renamed from this path of the same root, which is not listed itself. */
  readonly from?: string;
}

/** A file with unreviewed changes: `before` is the reviewed content, `after` the last one. */
export interface ReviewFile extends ChangedFile {
  /** Unreviewed lines; 0 for files without lines. */
  readonly added: number;
  readonly removed: number;
  /** Numbers of the turns that changed the file. */
  readonly turns: readonly number[];
  /** It may contain changes of others, for example of a session that ran at the same time. */
  readonly shared?: true;
}

export interface ReviewTurn {
  readonly turn: number;
  /** Id of the prompt's entry in the conversation; absent for the model picker. */
  readonly entryId?: string;
  /** One line of the prompt. */
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A prompt of a conversation. `session`: one line. */
export interface RewindPrompt {
  readonly id: string;
  readonly entryId: string;
  readonly title: string;
  readonly session: string;
}

/** A gap of a review. */
export type ReviewLimit =
  /** Files that are too large or too many, or have other names or types. `paths`: the first ones, absolute. */
  | { readonly kind: "leftOut"; readonly count: number; readonly paths: readonly string[] }
  /** Files whose contents before the change the repository has lost. `paths`: the first ones, absolute. */
  | { readonly kind: "gone"; readonly count: number; readonly paths: readonly string[] }
  /** Only changes are known that the agent announced. */
  | { readonly kind: "announcedOnly"; readonly why: "noGit" | "oldGit" | "failed" }
  /** A folder that is not recorded. `diskFull`: of Symposium's storage. */
  | {
      readonly kind: "skipped";
      readonly root: string;
      readonly why: "tooMany" | "timeout" | "missing" | "diskFull" | "failed";
    }
  /** Changes of the last turn could not be written to Symposium's storage. */
  | { readonly kind: "unstored" }
  /** The agent began before the folder was recorded. Earlier changes are known only where they were announced. */
  | { readonly kind: "late"; readonly turn: number };

/** An operation that can be undone. */
export interface ReviewOperation {
  readonly id: string;
  readonly kind: "accept" | "undo" | "rewind";
  readonly files: number;
}

export interface Review {
  /** Id of the conversation, or of the chat of the model picker. */
  readonly id: string;
  /** `picker`: a chat of the model picker, which cannot be opened. */
  readonly kind: "chat" | "picker";
  /** One line. */
  readonly title: string;
  readonly agentName: string;
  readonly isRunning: boolean;
  /** Those with unreviewed changes, the oldest first. */
  readonly turns: readonly ReviewTurn[];
  /** In the order of their first change. */
  readonly files: readonly ReviewFile[];
  /** Without files: those that may hide changes of the last turn. */
  readonly limits: readonly ReviewLimit[];
  /** The newest last. */
  readonly operations: readonly ReviewOperation[];
}

/** The part of a review that the chat shows. Only turns with unreviewed changes. */
export interface ReviewSummary {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  /** Changes of the last turn may be missing, and no file is listed. */
  readonly isIncomplete?: true;
  readonly turns: readonly {
    readonly entryId: string;
    readonly files: number;
    readonly added: number;
    readonly removed: number;
  }[];
}

/** From `start` to `end` (exclusive), counted from 0. */
export interface ReviewLines {
  readonly start: number;
  readonly end: number;
}

/** Corresponding lines of the reviewed and of the current content. One may be empty. */
export interface ReviewHunk {
  readonly reviewed: ReviewLines;
  readonly current: ReviewLines;
}

/** All unreviewed changes of a review, those of these files or of this turn, or these hunks of one file. */
export interface ReviewScope {
  readonly id: string;
  readonly files?: readonly ReviewPath[];
  readonly turn?: number;
  readonly hunks?: readonly ReviewHunk[];
}

/** A file that was not changed. */
export type RemainingChange = ReviewPath &
  /** Later changes overlap. The contents are for a merge editor; `wanted` is what the operation would restore. */
  (
    | {
        readonly kind: "conflict";
        readonly base?: RecordedFile;
        readonly current?: RecordedFile;
        readonly wanted?: RecordedFile;
      }
    /** `sentence`: the reason, for the user. */
    | { readonly kind: "failed"; readonly sentence: string }
  );

/** `operation`: its id, if it changed something, with the number of files. */
export interface ReviewOutcome {
  readonly operation?: string;
  readonly files: number;
  readonly remaining: readonly RemainingChange[];
}

/** Progress of an operation on many files: `done` of `total` steps. `id`: of the review. */
export interface ReviewProgress {
  readonly id: string;
  readonly done: number;
  readonly total: number;
}

/** A file that a rewind changes. */
export interface RewoundFile extends ChangedFile {
  /** The user has changed the file since then. These changes are kept. */
  readonly hasOwnChanges: boolean;
}

type Nothing = Readonly<Record<string, never>>;

/** Requests fail with `ErrorCode.refused` and a sentence. */
export interface ReviewHostToSidecar {
  /** Reviews with unreviewed files below these folders. Others follow by `review/changed`. */
  "review/list": Call<{ readonly folders: readonly string[] }, { readonly reviews: readonly Review[] }>;
  /** Records what has changed until now. Call it before the lines of a file are chosen. */
  "review/refresh": Call<{ readonly id: string }, { readonly review: Review }>;
  "review/keep": Call<ReviewScope, ReviewOutcome>;
  "review/undo": Call<ReviewScope, ReviewOutcome>;
  /** Undoes an operation. */
  "review/revert": Call<{ readonly id: string; readonly operation: string }, ReviewOutcome>;
  /** The changes of one turn, without those of others. */
  "review/turn": Call<{ readonly id: string; readonly turn: number }, { readonly files: readonly ChangedFile[] }>;
  /** The prompts of this window's conversations to which files can be restored, the newest first. */
  "review/prompts": Call<Record<string, never>, { readonly prompts: readonly RewindPrompt[] }>;
  /** The files that a rewind to before this prompt would change. */
  "review/previewRewind": Call<
    { readonly id: string; readonly entryId: string },
    { readonly files: readonly RewoundFile[] }
  >;
  "review/rewind": Call<{ readonly id: string; readonly entryId: string }, ReviewOutcome>;
  /** Base64. */
  "review/content": Call<{ readonly root: string; readonly oid: string }, { readonly data: string }>;
  /**
   * The user saves a file in the editor. `saving` precedes the write, and `saved` follows it. So the sidecar can tell
   * the user's changes from the agent's. A save of the agent's own text is not reported.
   */
  "review/save": Call<{ readonly path: string; readonly state: "saving" | "saved" }, Nothing>;
  /** The user has committed in the repository with this work tree. The content of the commit counts as kept. */
  "review/committed": Call<{ readonly folder: string }, Nothing>;
}

export interface ReviewSidecarToHost {
  /** Replaces the review with this id. One without files and operations has ended. */
  "review/changed": Note<Review>;
  "review/progress": Note<ReviewProgress>;
}
