/**
 * Converts a request to ACP content blocks: the user's text, then the attachments. The editor position and the quoted
 * turns that the agent does not remember are marked as not written by the user (issue 14 item 4). Omits the chat's
 * instructions, because they name tools that the agent does not have. Pure.
 */
import { pathToFileURL } from "node:url";
import type { ChatMessage, ChatRequest } from "../../../src/protocol/lm/lm";
import type { ContentBlock } from "../../acp/schema";
import { forTheAgent } from "../../mcp/content-audience";
import type { Verdict } from "../history/match-history";
import { partsOf, type Attached, type PromptParts } from "../history/parse-message";
import { quoted } from "../history/quote-block";
import type { Reading } from "../history/parse-history";
import type { Recipient } from "./session-state-model";
import { transcript } from "../history/transcript";

/** Maximum characters of all embedded attachments. Further attachments are linked if they have a path. */
const EMBEDDED_LIMIT = 400_000;

/**
 * The prompt for the current turn. `verdict` determines the turns in the agent's session if the agent `remembers` any.
 */
export function promptFor(
  request: ChatRequest,
  reading: Reading,
  verdict: Verdict,
  to: Recipient,
): readonly ContentBlock[] {
  const { userText: words, attached, images, tools, context } = partsOfTurn(reading);
  const texts = missingTurns(reading, to.remembers ? verdict : { kind: "new", isBeside: false, supersedes: [] });
  let remaining = EMBEDDED_LIMIT;
  const fits = (text: string): boolean => {
    if (text.length > remaining) return false;
    remaining -= text.length;
    return true;
  };
  return [
    ...text(words),
    ...attached.map(each => attachment(each, to.embedded, fits(each.text))),
    ...images.map(
      (image): ContentBlock =>
        to.images
          ? { type: "image", ...image }
          : forTheAgent({
              type: "text",
              text: `(An image, ${image.mimeType}, was attached here. You take no images.)`,
            }),
    ),
    ...[
      ...(to.hasTools ? aboutTools(request, tools) : []),
      ...context.map(({ name, text: content }) => quoted(CONTEXT[name] ?? `From the editor (${name})`, content)),
      ...to.context,
      ...texts,
    ].map(forTheAgent),
  ];
}

/** Whether the prompt mentions tools if the agent has their list. */
export function namesTools(request: ChatRequest, reading: Reading): boolean {
  return aboutTools(request, partsOfTurn(reading).tools).length > 0;
}

function aboutTools({ options }: ChatRequest, tools: readonly string[]): readonly ContentBlock[] {
  return [
    ...text(options?.toolMode === "required" ? "Use at least one of the tools that you are offered." : ""),
    ...text(tools.length === 0 ? "" : `Intended tools: ${tools.join(", ")}.`),
  ];
}

function partsOfTurn({ messages, rounds }: Reading): PromptParts {
  return partsOf(rounds.length === 0 ? messages : messages.slice(0, 1));
}

const CONTEXT: Readonly<Record<string, string>> = {
  editorContext: "The user's position in the editor",
  context: "From the editor",
};

/** The part of the conversation that the agent has not received. */
function missingTurns({ turns, summary, rounds, messages }: Reading, verdict: Verdict): readonly ContentBlock[] {
  const from = firstMissingTurn(verdict),
    missing = from === undefined ? [] : turns.slice(from).map(turn => turn.messages),
    isAll = from === 0;
  const before = transcript([...(isAll && summary !== undefined ? [[user(summary)]] : []), ...missing]);
  const earlier = rounds.length === 0 || verdict.kind === "resume" ? "" : transcript([messages]);
  return [
    ...(before === ""
      ? []
      : [
          quoted(
            isAll
              ? "Earlier messages of this chat, which you do not remember"
              : "Messages of this chat with another model in the meantime",
            before,
          ),
        ]),
    ...(earlier === ""
      ? []
      : [quoted("You started to work on this and do not remember it. Continue from this point", earlier)]),
  ];
}

/**
 * Index of the first turn that the agent's session lacks; `undefined` if the session contains all turns, also those in
 * a summary.
 */
function firstMissingTurn(verdict: Verdict): number | undefined {
  switch (verdict.kind) {
    case "resume":
    case "repeat":
    case "continue":
      return undefined;
    case "behind":
      return verdict.from;
    case "fork":
      return verdict.isWhole ? verdict.keep : 0;
    case "new":
      return 0;
  }
}

function attachment({ path, name, text: content }: Attached, isEmbeddable: boolean, fits: boolean): ContentBlock {
  if (path === undefined)
    return fits ? quoted(`Attached: ${name}`, content) : { type: "text", text: `(Attached: ${name}; it is too long.)` };
  const uri = pathToFileURL(path).href;
  return isEmbeddable && fits
    ? { type: "resource", resource: { uri, text: content } }
    : { type: "resource_link", uri, name: path.split(/[\\/]/).at(-1) ?? name };
}

function user(value: string): ChatMessage {
  return { role: "user", content: [{ type: "text", value }] };
}
function text(value: string): readonly ContentBlock[] {
  return value === "" ? [] : [{ type: "text", text: value }];
}
