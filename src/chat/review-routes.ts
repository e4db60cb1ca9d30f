/** Routes the page's messages about the files that an agent has changed. */
import { NOT_TRUSTED, SidecarUnavailable } from "../errors";
import type { PageToHost } from "../protocol/page/host-to-page";
import type { ChatDeps } from "./chat-deps";

export type ReviewMessage = Extract<PageToHost, { type: "review" | "rewind" }>;
export type ForkRequest = Omit<Extract<PageToHost, { type: "forkSession" }>, "type">;

/**
 * The conversation of a tab has the tab's id. Rejects with a message for the user. `fork` is called only after the
 * files have been restored.
 */
export async function handleReview(
  message: ReviewMessage,
  { review, isTrusted }: Pick<ChatDeps, "review" | "isTrusted">,
  fork: (request: ForkRequest) => Promise<void>,
): Promise<void> {
  if (!isTrusted()) throw new SidecarUnavailable(NOT_TRUSTED);
  const { tabId, entryId } = message;
  if (message.type === "review") return review[message.action](tabId, entryId);
  const { newId } = message,
    isRestored = await review.rewind(tabId, message.entryId, newId !== undefined);
  if (isRestored && newId !== undefined) await fork({ tabId, newId, before: message.entryId });
}
