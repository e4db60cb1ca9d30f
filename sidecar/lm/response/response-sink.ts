/**
 * Receives the parts of a response. Exactly one of `done` and `failed` is called, once, and nothing is called after it.
 */
import type { ChatPart } from "../../../src/protocol/lm/lm";

export interface ResponseStream {
  part(part: ChatPart): void;
  done(): void;
  /** `message`: a sentence for the user. */
  failed(message: string): void;
}
