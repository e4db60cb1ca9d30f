/**
 * The reviews of all sessions (issue 21): handles the `review/*` requests of the host, and records the turns of the
 * sessions of this process.
 *
 * Invariants:
 * - In an untrusted workspace, nothing is recorded and no file is written.
 * - The first snapshot of the folders begins when the session opens, so that the one of its first prompt is fast.
 * - A review is changed by one process. That of a session in another window is only read.
 */
import * as l10n from "@vscode/l10n";
import { randomUUID } from "node:crypto";
import path from "node:path";
import type {
  RemainingChange,
  Review,
  ReviewOutcome,
  ReviewProgress,
  ReviewSummary,
} from "../../src/protocol/review/review";
import type { HistoryLimits, HostToSidecar } from "../../src/protocol/sidecar";
import { ErrorCode } from "../../src/protocol/wire/errors";
import type { Handlers, Part } from "../../src/protocol/wire/wire";
import type { Clock } from "../rpc/clock";
import { RpcError } from "../rpc/message";
import { isCoveredBy } from "./claims";
import { OpenReview } from "./open-review";
import { checkedScope } from "./review-scope";
import type { ReviewLogs } from "./review-logs";
import type { About, BegunTurn } from "./review-log";
import type { Outcome, RemainingFile } from "./review-decision";
import { placeOf } from "./running-turn";
import { realPath, type SnapshotStore } from "./snapshots/snapshot-store";
import type { TurnRecorder } from "./turn-recorder";
import { rewindPrompts, unreviewedFiles } from "./review-view";

export interface ReviewDeps {
  readonly clock: Clock;
  readonly snapshots: SnapshotStore;
  readonly logs: ReviewLogs;
  /** The right to write the conversation of a review. Undefined: another process has this right. */
  readonly lease: (conversation: string) => Promise<{ release(): Promise<void> } | undefined>;
  /** Whether the conversation is stored. */
  readonly isStored: (conversation: string) => boolean;
  readonly isRestricted: boolean;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  readonly notifyChanged: (review: Review) => void;
  readonly notifyProgress: (progress: ReviewProgress) => void;
  readonly log: (message: string, error: unknown) => void;
}

/** A session whose turns are recorded. `id`: of its conversation, or a UUID. */
export interface RecordedSession extends Omit<About, "title"> {
  readonly id: string;
  /** Called after each change. */
  readonly changed?: (summary: ReviewSummary | undefined) => void;
}

/** The recording of one session. Nothing rejects. */
export interface Recording extends AsyncDisposable {
  /** The unreviewed changes. */
  readonly summary: ReviewSummary | undefined;
  /** Resolves when the agent may begin. `sessionTitle`: one line. A chat of the model picker keeps its first one. */
  begin(prompt: Omit<BegunTurn, "turn" | "at">, sessionTitle: string): Promise<void>;
  readonly announced: TurnRecorder["announced"];
  readonly toolEnded: TurnRecorder["toolEnded"];
  readonly writing: TurnRecorder["writing"];
  readonly end: TurnRecorder["end"];
}

const DAY_MS = 24 * 3600 * 1000;

export class ReviewService implements AsyncDisposable {
  readonly #reviews = new Map<string, OpenReview>();

  constructor(private readonly deps: ReviewDeps) {}

  readonly handlers: Handlers<Part<HostToSidecar, "review">> = {
    "review/list": async ({ folders }) => ({ reviews: await this.#list(folders) }),
    "review/refresh": async ({ id }) => ({ review: await (await this.#refreshed(id)).view() }),
    "review/keep": async params => {
      const scope = checkedScope(params);
      return this.#operate(scope.id, review => review.keep(scope));
    },
    "review/undo": async params => {
      const scope = checkedScope(params);
      return this.#operate(scope.id, review => review.undo(scope));
    },
    "review/revert": ({ id, operation }) => this.#operate(id, review => review.revert(operation)),
    "review/turn": async ({ id, turn }) => ({ files: await this.#known(id).changesOf(turn) }),
    "review/prompts": async () => ({
      prompts: rewindPrompts([...this.#reviews.values()].map(({ id, session }) => ({ id, state: session.state }))),
    }),
    "review/previewRewind": async ({ id, entryId }) => ({
      files: await (await this.#refreshed(id)).previewRewind(entryId),
    }),
    "review/rewind": ({ id, entryId }) => this.#operate(id, review => review.rewind(entryId)),
    "review/content": async ({ root, oid }) => {
      const bytes = await this.deps.snapshots.read(root, oid).catch(() => undefined);
      if (bytes === undefined) throw refused(l10n.t("This content is no longer stored."));
      return { data: Buffer.from(bytes).toString("base64") };
    },
    "review/save": async ({ path: file, state }) => {
      await Promise.all([...this.#reviews.values()].map(review => review.saved(file, state)));
      return {};
    },
    "review/committed": async ({ folder }) => {
      // The agent's own commit in its turn is no decision of the user.
      for (const review of this.#reviews.values())
        if (review.session.state.open === undefined && review.isWithin(realPath(folder)))
          await this.#operate(review.id, each => each.committed(realPath(folder))).catch((error: unknown) =>
            this.deps.log("A commit could not be compared with a review", error),
          );
      return {};
    },
  };

  /** Records the turns of a session from now on. Undefined in an untrusted workspace. */
  record({ id, changed, ...about }: RecordedSession): Recording | undefined {
    if (this.deps.isRestricted) return undefined;
    const review = this.#opened(id),
      recorder = review.record(about.folders, changed);
    void recorder.recover();
    // Not in the recorder's order: neither a prompt nor the end of the session waits for it.
    void this.deps.snapshots.prepare(recorder.folders);
    return {
      get summary() {
        return review.summary;
      },
      begin: async (prompt, title) => {
        try {
          const first = about.kind === "picker" ? review.session.state.about?.title : undefined;
          review.session.describe({ ...about, title: first ?? title });
          await recorder.begin({ ...prompt, at: this.deps.date() });
        } catch (error) {
          recorder.fail("A turn could not be recorded", error);
        }
      },
      announced: files => recorder.announced(files),
      toolEnded: () => recorder.toolEnded(),
      writing: (file, write) => recorder.writing(file, write),
      end: () => recorder.end(),
      [Symbol.asyncDispose]: async () => {
        await recorder.end();
        review.release();
      },
    };
  }

  /** Removes the review of a conversation that was deleted. Never rejects. */
  async delete(id: string): Promise<void> {
    const review = this.#reviews.get(id);
    this.#reviews.delete(id);
    await Promise.allSettled([this.deps.logs.delete(id), this.deps.snapshots.release(id)]);
    if (review) this.deps.notifyChanged(review.end());
  }

  /** Removes reviews without a conversation, those of old chats of the model picker, and unneeded objects. */
  async cleanUp(now: number, { days }: HistoryLimits): Promise<void> {
    for (const { id, changedAt } of this.deps.logs.all()) {
      if (this.deps.isStored(id) || this.#reviews.has(id)) continue;
      const isOld = changedAt < now - days * DAY_MS,
        isPicker = this.#opened(id).session.state.about?.kind === "picker";
      this.#reviews.delete(id);
      if (isOld || !isPicker) await this.delete(id);
    }
    await this.deps.snapshots.prune();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([...this.#reviews.values()].map(review => review[Symbol.asyncDispose]()));
  }

  async #list(folders: readonly string[]): Promise<readonly Review[]> {
    const real = folders.map(realPath),
      reviews: Review[] = [];
    for (const { id } of [...this.deps.logs.all()].sort((a, b) => b.changedAt - a.changedAt)) {
      const known = this.#reviews.get(id),
        review = known ?? this.#opened(id);
      if (known?.isRecorded === false) {
        known.reload();
        known.changed();
      }
      if (
        !review.isIncomplete &&
        !review.session.files.some(({ root, path: file }) => isCoveredBy(path.join(root, file), real))
      ) {
        this.#forget(review);
        continue;
      }
      if (!review.isRecorded) await this.#settle(review);
      if (review.isIncomplete || unreviewedFiles(review.session.state).length > 0) reviews.push(await review.view());
      else this.#forget(review);
    }
    return reviews;
  }

  /** Another window may have changed a review that is not recorded in this one. */
  async #refreshed(id: string): Promise<OpenReview> {
    const review = this.#known(id);
    if (review.isRecorded) await review.refresh();
    else {
      review.reload();
      await this.#settle(review);
    }
    return review;
  }

  /** The user may have changed files since the last process, or in another review. */
  async #settle(review: OpenReview): Promise<void> {
    if (this.deps.isRestricted) return;
    const lease = review.isRecorded ? "recorded" : await this.deps.lease(review.id);
    if (lease === undefined) return;
    try {
      await review.session.settle();
    } catch (error) {
      this.deps.log("A review could not be compared with the files", error);
    } finally {
      if (lease !== "recorded") await lease.release();
    }
  }

  #forget(review: OpenReview): void {
    if (!review.isRecorded && !review.session.isBusy) this.#reviews.delete(review.id);
  }

  #known(id: string): OpenReview {
    const review = this.#reviews.get(id);
    if (review === undefined) throw refused(l10n.t("This review has ended."));
    return review;
  }

  #opened(id: string): OpenReview {
    const { snapshots, logs, clock, notifyChanged, notifyProgress, log } = this.deps;
    const known = this.#reviews.get(id);
    if (known) return known;
    const review = new OpenReview(id, {
      ...{ snapshots, clock, notifyChanged, notifyProgress, log },
      read: () => logs.read(id),
      append: lines => logs.append(id, lines),
      newId: () => randomUUID(),
      operating: (files, operate) =>
        this.#operating(
          id,
          files.map(file => placeOf(file.root, file)),
          operate,
        ),
      recorders: () => [...this.#reviews.values()].flatMap(each => each.recorder ?? []),
    });
    this.#reviews.set(id, review);
    return review;
  }

  /** In other reviews, an operation is a change of the user. Running turns record it as such themselves. */
  async #operating(id: string, places: readonly string[], operate: () => Promise<Outcome>): Promise<Outcome> {
    const outcome = await [...this.#reviews.values()].reduce<() => Promise<Outcome>>(
      (inner, { recorder }) => (recorder ? () => recorder.operating(places, inner) : inner),
      operate,
    )();
    const others = [...this.#reviews.values()].filter(
      review => review.id !== id && review.session.state.open === undefined && review.hasUnreviewed(places),
    );
    for (const review of others) {
      if (!review.isRecorded) review.reload();
      await this.#settle(review);
      review.changed();
    }
    return outcome;
  }

  async #operate(id: string, operation: (review: OpenReview) => Promise<Outcome>): Promise<ReviewOutcome> {
    if (this.deps.isRestricted) throw refused(l10n.t("Trust this workspace to change its files."));
    const review = this.#known(id),
      lease = review.isRecorded ? "recorded" : await this.deps.lease(id);
    if (lease === undefined) throw refused(l10n.t("This session is open in another window. Review its changes there."));
    try {
      if (lease !== "recorded") review.reload();
      // Otherwise the newest changes of a running turn would count as the user's.
      await review.recorder?.refresh();
      return outcomeOf(await operation(review), review);
    } catch (error) {
      if (error instanceof RpcError && error.cause !== undefined)
        this.deps.log("A review could not be stored", error.cause);
      throw error;
    } finally {
      review.changed();
      if (lease !== "recorded") await lease.release();
    }
  }
}

function outcomeOf({ id, changed, remaining }: Outcome, review: OpenReview): ReviewOutcome {
  const operation = review.session.state.operations.find(each => each.id === id);
  return {
    ...(id === undefined || operation === undefined ? {} : { operation: id }),
    files: changed,
    remaining: remaining.map(remainingOf),
  };
}

function remainingOf(file: RemainingFile): RemainingChange {
  const { root, path: name } = file;
  if ("sentence" in file) return { root, path: name, kind: "failed", sentence: file.sentence };
  const { base, current, wanted } = file.merge;
  return {
    root,
    path: name,
    kind: "conflict",
    ...(base === undefined ? {} : { base }),
    ...(current === undefined ? {} : { current }),
    ...(wanted === undefined ? {} : { wanted }),
  };
}

function refused(sentence: string): RpcError {
  return new RpcError(ErrorCode.refused, sentence);
}
