/**
 * Removes duplicate prompts. The page repeats each prompt that a snapshot lacks, even if its response is pending or its
 * failure is in flight to the page.
 *
 * Invariants:
 * - A pending prompt is not forwarded twice.
 * - A prompt that was reported as failed is not forwarded again, because its text is back in the input.
 * - A prompt that the page withdraws while it waits for a session is not forwarded.
 */
import type { PromptBlock } from "../protocol/sidecar";
import type { PageToHost } from "../protocol/page/host-to-page";

export type Prompt = Extract<PageToHost, { type: "prompt" }>;

/** Maximum number of stored failed prompts. */
const MAX_FAILED = 100;

export class PromptDedup {
  readonly #waiting = new Set<string>();
  /** Waiting prompts that the page has withdrawn. */
  readonly #withdrawn = new Set<string>();
  /** Reported error messages by message id. */
  readonly #failed = new Map<string, string>();

  async send(prompt: Prompt, forward: (prompt: Prompt) => Promise<void>): Promise<void> {
    const failed = this.#failed.get(prompt.messageId);
    if (failed !== undefined) throw new Error(failed);
    if (this.#waiting.has(prompt.messageId)) return;
    this.#waiting.add(prompt.messageId);
    try {
      await forward(prompt);
    } finally {
      this.#waiting.delete(prompt.messageId);
      this.#withdrawn.delete(prompt.messageId);
    }
  }

  withdraw(messageId: string): void {
    if (this.#waiting.has(messageId)) this.#withdrawn.add(messageId);
  }

  isWithdrawn(messageId: string): boolean {
    return this.#withdrawn.has(messageId);
  }

  failed(messageId: string, sentence: string): void {
    this.#failed.set(messageId, sentence);
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > MAX_FAILED && oldest !== undefined) this.#failed.delete(oldest);
  }
}

export function blocksOf({ text, attachments = [] }: Prompt): readonly PromptBlock[] {
  return [
    { type: "text", text },
    ...attachments.map((attachment): PromptBlock => ({ type: "attachment", attachment })),
  ];
}
