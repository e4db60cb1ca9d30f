/** Comments in VS Code's editors on files under review. A comment moves into the prompt of the session. */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { REVIEW_COMMENTS } from "../names";
import type { Attachment } from "../protocol/chat/attachments";
import type { Review } from "../protocol/review/review";
import { isObject } from "../protocol/wire/json";
import { errorMessage } from "../protocol/wire/errors";
import { attachmentOf, promptLineOf, type ReviewComment } from "./comments";
import type { FoundFile } from "./review-files";
import { REVIEW_SCHEME } from "./review-uri";

export interface CommentDeps {
  /** The file of a URI in the editor: its path, and its review. */
  fileOf(uri: vscode.Uri): { readonly path: string; readonly found: FoundFile } | undefined;
  /** Adds the comment to the prompt of the session. */
  addToPrompt(review: Review, attachment: Attachment, line: string): Promise<void>;
  showFailure(sentence: string): void;
}

export class CommentThreads implements vscode.Disposable {
  #controller: vscode.CommentController | undefined;

  constructor(private readonly deps: CommentDeps) {}

  /** Call it when the reviews change. Without files, editors offer no comments. */
  show(reviews: readonly Review[]): void {
    if (reviews.some(({ files }) => files.length > 0)) this.#controller ??= this.#create();
    else this.dispose();
  }

  #create(): vscode.CommentController {
    const controller = vscode.comments.createCommentController(REVIEW_COMMENTS, l10n.t("Symposium"));
    controller.options = { prompt: l10n.t("Comment for the agent"), placeHolder: l10n.t("Comment for the agent") };
    controller.commentingRangeProvider = {
      provideCommentingRanges: document =>
        this.deps.fileOf(document.uri) === undefined ? [] : [new vscode.Range(0, 0, document.lineCount - 1, 0)],
    };
    return controller;
  }

  /** `reply`: argument of VS Code's command, with the thread and the typed text. */
  async add(reply: unknown): Promise<void> {
    if (!isReply(reply)) return;
    const { thread, text } = reply,
      file = this.deps.fileOf(thread.uri);
    if (file === undefined || text.trim() === "") return;
    try {
      const document = await vscode.workspace.openTextDocument(thread.uri),
        start = thread.range?.start.line ?? 0,
        end = (thread.range?.end.line ?? start) + 1;
      const comment: ReviewComment = {
        file: file.path,
        side: thread.uri.scheme === REVIEW_SCHEME ? "reviewed" : "current",
        lines: { start, end },
        code: document.getText(new vscode.Range(start, 0, end, 0)),
        text,
      };
      const displayPath = vscode.workspace.asRelativePath(file.path);
      await this.deps.addToPrompt(file.found.review, attachmentOf(comment), promptLineOf(comment, displayPath));
      thread.dispose();
    } catch (error) {
      this.deps.showFailure(errorMessage(error));
    }
  }

  dispose(): void {
    this.#controller?.dispose();
    this.#controller = undefined;
  }
}

function isReply(value: unknown): value is vscode.CommentReply {
  return isObject(value) && isObject(value["thread"]) && typeof value["text"] === "string";
}
