/** Where the parts of a response go. Either `done` or `failed` is called, once, and nothing after it. */
import type { ChatPart } from "../../../src/protocol/lm";

export interface ResponseStream {
  part(part: ChatPart): void;
  done(): void;
  /** `message`: a sentence for the user. */
  failed(message: string): void;
}
