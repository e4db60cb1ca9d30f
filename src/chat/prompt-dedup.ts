/**
 * The prompts that a page has sent and may repeat: it repeats what a snapshot does not contain, also what still waits
 * for its answer, or failed before the page heard so.
 *
 * Invariants: a prompt that waits is not forwarded twice; one that was said to have failed is not forwarded again,
 * because its text is in the input.
 */
import type { PromptBlock } from "../protocol/sidecar";
import type { PageToHost } from "../protocol/webview";

export type Prompt = Extract<PageToHost, { type: "prompt" }>;

/** How many of the last prompts that failed are remembered. */
const FAILED_PROMPTS = 100;

export class Prompts {
  readonly #waiting = new Set<string>();
  /** With the sentence that was said. */
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
