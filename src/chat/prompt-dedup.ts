/**
 * Removes duplicates of prompts. The page repeats a prompt that a snapshot does not contain. That includes a prompt
 * whose answer is pending, or whose failure had not reached the page.
 *
 * Invariants:
 * - A pending prompt is not forwarded twice.
 * - A prompt that was reported as failed is not forwarded again, because its text is back in the input.
 */
import type { PromptBlock } from "../protocol/sidecar";
import type { PageToHost } from "../protocol/page/host-to-page";

export type Prompt = Extract<PageToHost, { type: "prompt" }>;

/** Maximum number of remembered failed prompts. */
const FAILED_PROMPTS = 100;

export class PromptDedup {
  readonly #waiting = new Set<string>();
  /** Message ids with the error message that was reported. */
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
    }
  }

  failed(messageId: string, sentence: string): void {
    this.#failed.set(messageId, sentence);
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > FAILED_PROMPTS && oldest !== undefined) this.#failed.delete(oldest);
  }
}

export function blocksOf({ text, attachments = [] }: Prompt): readonly PromptBlock[] {
  return [
    { type: "text", text },
    ...attachments.map((attachment): PromptBlock => ({ type: "attachment", attachment })),
  ];
}
