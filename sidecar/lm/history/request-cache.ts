/**
 * Caches the histories and tool lists of earlier requests. A later request reuses the cached objects, which are not
 * parsed again. The extension host refers to cached entries by id and lists the ids that it has dropped (`resolve`).
 * Other programs send whole histories, which are compared (`intern`).
 *
 * Invariants:
 * - A request with an unknown reference resolves to `undefined` and changes nothing.
 * - The cache contains at most `MAX_HISTORIES` histories and `MAX_HISTORY_CHARACTERS` characters in total.
 */
import { applied, baseOf, NO_SIZES, sizeOf, sizesOf, type Delta, type Sizes } from "../../../src/protocol/lm/lm-delta";
import {
  type Run,
  MAX_HISTORIES,
  MAX_HISTORY_CHARACTERS,
  MAX_TOOL_LISTS,
  type ChatMessage,
  type ChatRequest,
  type ChatRequestDelta,
  type ChatTool,
  type ReferenceId,
} from "../../../src/protocol/lm/lm";
import { same } from "../../../src/protocol/lm/same-message";
import { MessageHistory } from "./message-history";

interface CachedHistory {
  readonly id: ReferenceId;
  readonly messages: readonly ChatMessage[];
  readonly history: MessageHistory;
  readonly sizes: Sizes;
}

export interface Resolved {
  readonly request: ChatRequest;
  readonly history: MessageHistory;
}

export class RequestCache {
  /** In order of use, the most recently used last. */
  readonly #histories = new Map<ReferenceId, CachedHistory>();
  readonly #tools = new Map<ReferenceId, readonly ChatTool[]>();
  /** Total characters of all histories. */
  #size = 0;
  /** The last id assigned by `intern`. Assigned ids are negative, and the host's ids are positive. */
  #lastId = 0;

  constructor(private readonly maxCharacters = MAX_HISTORY_CHARACTERS) {}

  resolve(delta: ChatRequestDelta): Resolved | undefined {
    const {
      history: { id, base, forget },
      messages: items,
      tools,
      options,
      ...rest
    } = delta;
    const before = base === undefined ? undefined : this.#histories.get(base);
    const list = tools.list ?? this.#tools.get(tools.id);
    if (!list || (base !== undefined && !before)) return undefined;
    const cached = cachedHistory(id, before, items);
    if (!cached) return undefined;
    for (const dropped of forget) this.#drop(dropped);
    if (!forget.includes(id)) this.#keep(cached);
    this.#keepTools(tools.id, list);
    const { messages, history } = cached;
    return { request: { ...rest, messages, options: { ...options, tools: list } }, history };
  }

  /** Returns an equal request that contains the cached objects of equal messages and tools. */
  intern(request: ChatRequest): Resolved {
    const base = baseOf([...this.#histories.values()].reverse(), request.messages);
    const items = base ? itemsOf(base.delta, request.messages) : request.messages;
    const cached = cachedHistory(--this.#lastId, base?.history, items);
    if (!cached) throw new Error("a delta has a run that its base does not have");
    if (base?.isContinued) this.#drop(base.history.id);
    this.#keep(cached);
    const { messages, history } = cached,
      { options } = request;
    if (!options?.tools) return { request: { ...request, messages }, history };
    const tools = this.#internTools(options.tools);
    return { request: { ...request, messages, options: { ...options, tools } }, history };
  }

  #keep(cached: CachedHistory): void {
    this.#histories.set(cached.id, cached);
    this.#size += cached.sizes.all;
    for (const oldest of this.#histories.keys()) {
      if (this.#histories.size <= MAX_HISTORIES && this.#size <= this.maxCharacters) break;
      this.#drop(oldest);
    }
  }

  #drop(id: ReferenceId): void {
    this.#size -= this.#histories.get(id)?.sizes.all ?? 0;
    this.#histories.delete(id);
  }

  #internTools(tools: readonly ChatTool[]): readonly ChatTool[] {
    const [id, list] = [...this.#tools].find(([, each]) => same(each, tools)) ?? [--this.#lastId, tools];
    this.#keepTools(id, list);
    return list;
  }

  #keepTools(id: ReferenceId, list: readonly ChatTool[]): void {
    this.#tools.delete(id);
    this.#tools.set(id, list);
    const [oldest] = this.#tools.keys();
    if (this.#tools.size > MAX_TOOL_LISTS && oldest !== undefined) this.#tools.delete(oldest);
  }
}

function cachedHistory(
  id: ReferenceId,
  before: CachedHistory | undefined,
  items: readonly (Run | ChatMessage)[],
): CachedHistory | undefined {
  const messages = applied(before?.messages ?? [], items, isRun);
  if (!messages) return undefined;
  const sizes = sizesOf(
    before?.sizes ?? NO_SIZES,
    items.map(item => (isRun(item) ? item : sizeOf(item))),
  );
  return { id, messages, history: new MessageHistory(messages, before && { history: before.history, items }), sizes };
}

function itemsOf({ items }: Delta, messages: readonly ChatMessage[]): readonly (Run | ChatMessage)[] {
  return items.flatMap((item): readonly (Run | ChatMessage)[] =>
    typeof item === "number" ? messages.slice(item, item + 1) : [item],
  );
}

function isRun(item: Run | ChatMessage): item is Run {
  return "from" in item;
}
