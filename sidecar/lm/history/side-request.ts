/**
 * Side requests of VS Code's chat outside conversations: titles, summaries, progress messages, commit messages. They
 * never touch a conversation's session. Depending on the settings, a side request is answered from the request itself,
 * by an agent in a one-shot session without tools and permissions, or refused.
 */
import type { ContentBlock } from "../../acp/schema";
import type { ChatMessage, ChatRequest, RequestId, SideRequests } from "../../../src/protocol/lm/lm";
import { assertNever } from "../../../src/protocol/wire/wire";
import type { Kind } from "./classify-request";
import { digest, textOf, type Digest, type Reading } from "./parse-history";
import type { ResponseStream } from "../response/response-stream";
import { wordsIn } from "./extract-user-text";

export type SideKind = Exclude<Kind, { readonly kind: "turn" }>;

export const SIDE_LIMIT_MS = 20_000;

/** Answers without an agent; `undefined` if that is not possible in good quality. */
export function localAnswer(kind: SideKind, { messages }: ChatRequest, { lastText }: Reading): string | undefined {
  if (kind.kind === "summary") return summary(messages);
  switch (kind.what) {
    case "title":
      return title(lastText);
    case "progress":
      return JSON.stringify(PROGRESS);
    case "other":
      return undefined;
    default:
      return assertNever(kind.what, "side request");
  }
}

const TITLE_WORDS = 8,
  TITLE_CHARACTERS = 80;

/** Shortens the user's words, without the instruction before them. */
function title(request: string): string {
  const words = (wordsIn(request) ?? request.replace(/^[^\n]*:\s*\n/, "")).trim().split(/\s+/u);
  const first = words.slice(0, TITLE_WORDS).join(" ").slice(0, TITLE_CHARACTERS);
  return first === "" ? "Chat" : words.length > TITLE_WORDS ? `${first}…` : first;
}

const PROGRESS: readonly string[] = [
  "Getting ready",
  "Reading along",
  "Looking around",
  "Thinking it over",
  "Putting it together",
  "Checking the details",
  "Working on it",
  "Making progress",
  "Nearly there",
  "Finishing up",
];

/** Maximum characters of each turn, and of all turns. */
const TURN_CHARACTERS = 1_000,
  SUMMARY_CHARACTERS = 40_000;

/**
 * A shortened history; short turns stay whole, and the oldest are dropped. The agent itself remembers the conversation.
 */
function summary(messages: readonly ChatMessage[]): string {
  const texts = messages.slice(0, -1).flatMap(({ role, content }) => {
    const text = textOf(content),
      words = role === "user" ? wordsIn(text) : role === "assistant" ? text.trim() : undefined;
    return words === undefined || words === ""
      ? []
      : [
          `${role === "user" ? "User" : "Assistant"}: ${words.length <= TURN_CHARACTERS ? words : `${words.slice(0, TURN_CHARACTERS)}…`}`,
        ];
  });
  let remaining = SUMMARY_CHARACTERS;
  const from = texts.findLastIndex(line => (remaining -= line.length) < 0) + 1;
  const omitted = from === 0 ? [] : [`(${from} earlier messages are omitted.)`];
  return `<summary>\nThe conversation so far:\n\n${[...omitted, ...texts.slice(from)].join("\n\n")}\n</summary>`;
}

/** Instructions and words in one block: the agent gets no other instructions from Symposium. */
export function sidePrompt({ messages }: ChatRequest): readonly ContentBlock[] {
  const text = messages
    .map(({ content }) => textOf(content))
    .filter(each => each !== "")
    .join("\n\n");
  return [{ type: "text", text: `${text}\n\nAnswer at once, from what is written here alone; use no tools.` }];
}

/** Runs a session for one answer. */
export type RunOneShot = (requestId: RequestId, request: ChatRequest, stream: ResponseStream) => void;

const MAX_TITLES = 100;

export class SideRequestDesk {
  readonly #titles = new Map<Digest, string>();

  constructor(private readonly runOneShot: RunOneShot) {}

  answer(
    mode: SideRequests,
    kind: SideKind,
    requestId: RequestId,
    request: ChatRequest,
    reading: Reading,
    stream: ResponseStream,
  ): void {
    if (mode === "refuse")
      return stream.failed("Symposium answers only conversations (setting symposium.languageModel.sideRequests).");
    const local = mode === "local" ? localAnswer(kind, request, reading) : undefined;
    if (local !== undefined) return whole(stream, local);
    if (kind.kind !== "side" || kind.what !== "title") return this.runOneShot(requestId, request, stream);
    const key = digest(reading.lastText),
      known = this.#titles.get(key);
    if (known !== undefined) return whole(stream, known);
    let text = "";
    this.runOneShot(requestId, request, {
      part: part => {
        if (part.type === "text") text += part.value;
        stream.part(part);
      },
      done: () => {
        if (text.trim() !== "") this.#keep(key, text);
        stream.done();
      },
      failed: message => stream.failed(message),
    });
  }

  #keep(key: Digest, title: string): void {
    this.#titles.set(key, title);
    const [oldest] = this.#titles.keys();
    if (this.#titles.size > MAX_TITLES && oldest !== undefined) this.#titles.delete(oldest);
  }
}

function whole(stream: ResponseStream, text: string): void {
  stream.part({ type: "text", value: text });
  stream.done();
}
