/**
 * Reports questions and finished answers while the chat is hidden, by a badge on the view's icon and a notification. VS
 * Code reports a hidden view with a delay, so a message that arrived shortly before counts as unread.
 */
import * as l10n from "@vscode/l10n";
import type { SessionId } from "../protocol/chat/chat";
import type { SidecarToHost } from "../protocol/sidecar";
import type { ParamsOf } from "../protocol/wire/wire";

export interface Badge {
  readonly value: number;
  readonly tooltip: string;
  /** A turn has ended with an error. */
  readonly hasFailed: boolean;
}

export interface AttentionDeps {
  /** Sets the badge of the view's icon; `undefined` removes it. */
  show(badge: Badge | undefined): void;
  /** Shows a notification with a button that opens the chat. */
  notify(sentence: string): void;
  /** Milliseconds of a monotonic clock. */
  now(): number;
}

/** A message counts as unread if the chat is hidden within this time after its arrival. */
const UNREAD_MS = 2_000;

type AttentionRequest = ParamsOf<SidecarToHost, "chat/attention">;

export class AttentionBadge {
  /** Unread requests for attention. */
  readonly #unread = new Map<SessionId, AttentionRequest>();
  /** Requests that arrived while the chat was visible, with their arrival times. */
  readonly #shown = new Map<SessionId, { readonly request: AttentionRequest; readonly at: number }>();
  #isVisible = false;

  constructor(private readonly deps: AttentionDeps) {}

  onEvent(request: AttentionRequest): void {
    const before = this.#unread.get(request.sessionId)?.attention;
    if (request.attention === "nothing" || (this.#isVisible && isToBeRead(request)))
      this.#unread.delete(request.sessionId);
    else this.#unread.set(request.sessionId, request);
    if (request.attention === "nothing") this.#shown.delete(request.sessionId);
    else if (this.#isVisible && before !== request.attention)
      this.#shown.set(request.sessionId, { request, at: this.deps.now() });
    if (request.attention !== "nothing" && before !== request.attention && !this.#isVisible) this.#notify(request);
    this.#show();
  }

  /**
   * Showing the view marks answers as read. Open questions count again when the view is hidden. An answer that ends
   * shortly before hiding causes no notification.
   */
  visible(isVisible: boolean): void {
    this.#isVisible = isVisible;
    if (isVisible) this.#read();
    else
      for (const { request, at } of this.#shown.values()) if (this.deps.now() - at < UNREAD_MS) this.#missed(request);
    if (!isVisible) this.#shown.clear();
    this.#show();
  }

  /** Removes the session, and returns its unread request for attention. */
  take(sessionId: SessionId): AttentionRequest | undefined {
    const request = this.#unread.get(sessionId);
    this.#unread.delete(sessionId);
    this.#shown.delete(sessionId);
    this.#show();
    return request;
  }

  /** Call it when the sidecar has exited with its sessions. */
  clear(): void {
    this.#unread.clear();
    this.#shown.clear();
    this.#show();
  }

  #read(): void {
    for (const [sessionId, request] of this.#unread) if (isToBeRead(request)) this.#unread.delete(sessionId);
  }

  #missed(request: AttentionRequest): void {
    this.#unread.set(request.sessionId, request);
    if (request.attention === "answer") this.#notify(request);
  }

  #notify({ name, title, attention }: AttentionRequest): void {
    const notice = attention === "answer" ? questionNotice : attention === "failed" ? failedNotice : finishedNotice;
    this.deps.notify(notice(name, title));
  }

  #show(): void {
    const unread = [...this.#unread.values()].map(({ attention }) => attention),
      questions = unread.filter(attention => attention === "answer").length,
      hasFailed = unread.includes("failed"),
      answers = this.#unread.size - questions;
    const texts = [
      ...(questions > 0
        ? [
            questions === 1
              ? l10n.t("1 question waits for your answer")
              : l10n.t`${questions} questions wait for your answer`,
          ]
        : []),
      ...(answers > 0 ? [answers === 1 ? l10n.t("1 unread answer") : l10n.t`${answers} unread answers`] : []),
    ];
    this.deps.show(
      this.#isVisible || texts.length === 0
        ? undefined
        : { value: questions + answers, tooltip: texts.join(", "), hasFailed },
    );
  }
}

/** Showing the chat is enough. */
const isToBeRead = ({ attention }: AttentionRequest): boolean => attention === "reading" || attention === "failed";

function questionNotice(agent: string, title: string | undefined): string {
  return title === undefined
    ? l10n.t`${agent} asks you a question.`
    : l10n.t`${agent} asks you a question in “${title}”.`;
}

function finishedNotice(agent: string, title: string | undefined): string {
  return title === undefined ? l10n.t`${agent} has finished.` : l10n.t`${agent} has finished in “${title}”.`;
}

function failedNotice(agent: string, title: string | undefined): string {
  return title === undefined
    ? l10n.t`${agent} stopped with an error.`
    : l10n.t`${agent} stopped with an error in “${title}”.`;
}
