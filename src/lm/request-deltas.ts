/**
 * Stores the newest histories and tool lists that were sent to one sidecar, so that the next request contains only new
 * messages. If the sidecar has dropped a reference, `whole` sends everything again.
 *
 * Invariants:
 * - A reference always refers to an equal message.
 * - At most `MAX_HISTORIES` histories are kept, with at most `MAX_HISTORY_CHARACTERS` in total.
 * - VS Code's messages are stored without copying, because VS Code creates new ones for each call.
 */
import { baseOf, NO_SIZES, sizeOf, sizesOf, type Base, type Sizes } from "../protocol/lm/lm-delta";
import {
  type Run,
  MAX_HISTORIES,
  MAX_HISTORY_CHARACTERS,
  MAX_TOOL_LISTS,
  type ChatMessage,
  type ChatRequestDelta,
  type ReferenceId,
} from "../protocol/lm/lm";
import { same } from "../protocol/lm/same-message";
import { chatMessages, chatTools, type VscodeMessage, type VscodeTool, type PartClasses } from "./convert-parts";

interface History {
  readonly id: ReferenceId;
  readonly messages: readonly VscodeMessage[];
  readonly sizes: Sizes;
}
interface Tools {
  readonly id: ReferenceId;
  readonly tools: readonly VscodeTool[];
}

export type Sent = Pick<ChatRequestDelta, "history" | "messages" | "tools">;

export class SentRequests {
  /** Most recently sent first. */
  #histories: readonly History[] = [];
  #tools: readonly Tools[] = [];
  #last = 0;

  constructor(
    private readonly classes: PartClasses,
    private readonly maxCharacters = MAX_HISTORY_CHARACTERS,
  ) {}

  /** The result must be sent before the next call. */
  delta(messages: readonly VscodeMessage[], tools: readonly VscodeTool[]): Sent {
    const base = baseOf(this.#histories, messages),
      existing = this.#tools.find(each => same(each.tools, tools));
    return this.#sent(messages, base, { id: existing?.id ?? ++this.#last, tools }, existing !== undefined);
  }

  /** Without references. */
  whole(messages: readonly VscodeMessage[], tools: readonly VscodeTool[]): Sent {
    return this.#sent(messages, undefined, { id: ++this.#last, tools }, false);
  }

  #sent(messages: readonly VscodeMessage[], base: Base<History> | undefined, tools: Tools, isKnown: boolean): Sent {
    const id = ++this.#last,
      items = this.#items(messages, base);
    const sizes = sizesOf(
      base?.history.sizes ?? NO_SIZES,
      items.map(item => ("from" in item ? item : sizeOf(item))),
    );
    this.#tools = [tools, ...this.#tools.filter(each => each.id !== tools.id)].slice(0, MAX_TOOL_LISTS);
    return {
      history: { id, ...(base ? { base: base.history.id } : {}), forget: this.#keep({ id, messages, sizes }, base) },
      messages: items,
      tools: { id: tools.id, ...(isKnown ? {} : { list: chatTools(tools.tools) }) },
    };
  }

  #items(messages: readonly VscodeMessage[], base: Base<History> | undefined): readonly (Run | ChatMessage)[] {
    if (!base) return chatMessages(messages, this.classes);
    return base.delta.items.flatMap((item): readonly (Run | ChatMessage)[] =>
      typeof item === "number" ? chatMessages(messages.slice(item, item + 1), this.classes) : [item],
    );
  }

  /** Returns the ids of dropped histories. */
  #keep(history: History, base: Base<History> | undefined): readonly ReferenceId[] {
    const before = this.#histories,
      continued = base?.isContinued ? base.history : undefined;
    // A repeated request replaces its first entry, which the sidecar lacks.
    const others = before.filter(each => each.messages !== history.messages && each !== continued);
    let remaining = this.maxCharacters;
    this.#histories = [history, ...others].slice(0, MAX_HISTORIES).filter(({ sizes }) => {
      if (sizes.all > remaining) return false;
      remaining -= sizes.all;
      return true;
    });
    return [...before, history].filter(each => !this.#histories.includes(each)).map(({ id }) => id);
  }
}
