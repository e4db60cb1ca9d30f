/**
 * Shows a research to the user as a tool call of the requesting session. Symposium sends the updates on behalf of the
 * agent.
 *
 * Invariants: the tool call ends with the research. The number of updates is bounded for any number of steps.
 */
import type { AcpVersion } from "../../acp/initialize";
import type { Neighbour } from "../../proxies/proxy";
import type { JsonObject } from "../../rpc/json";
import { CLIENT_METHODS, UPDATE_KINDS } from "../../acp/methods";

export interface CardSubject {
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly title: string;
  readonly input: JsonObject;
  readonly folder: string;
}

/** Number of latest steps shown, and maximum number of updates per tool call. */
const SHOWN = 12,
  MAX_UPDATES = 200;
const MAX_LINE_LENGTH = 200;

export class ResearchCard {
  readonly #steps: string[] = [];
  #stepCount = 0;
  #updates = 0;
  #hasEnded = false;

  /** `version`: the client's protocol version. In version 2, the first update announces the tool call. */
  constructor(
    private readonly client: Neighbour,
    private readonly subject: CardSubject,
    version: AcpVersion,
  ) {
    const { title, input, folder } = subject;
    this.#notify(
      { title, kind: "search", status: "pending", rawInput: input, locations: [{ path: folder }] },
      version === 1 ? UPDATE_KINDS.tool_call : UPDATE_KINDS.tool_call_update,
    );
  }

  /** `line`: one line of text. */
  begin(line: string): void {
    this.#update({ status: "in_progress", content: this.#contentWith(line) });
  }
  waits(line: string): void {
    this.#update({ content: this.#contentWith(line) });
  }
  did(line: string): void {
    this.#stepCount++;
    this.#update({ content: this.#contentWith(line) });
  }

  /** Total number of steps. */
  get steps(): number {
    return this.#stepCount;
  }

  end(status: "completed" | "failed", line: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#notify({ status, content: this.#contentWith(line) });
  }

  #contentWith(line: string): readonly JsonObject[] {
    this.#steps.push(line.replaceAll(/\s+/g, " ").trim().slice(0, MAX_LINE_LENGTH));
    const shown = this.#steps.slice(-SHOWN),
      remaining = this.#steps.length - shown.length;
    if (this.#steps.length > 2 * SHOWN) this.#steps.splice(0, this.#steps.length - 2 * SHOWN);
    return [
      {
        type: "content",
        content: {
          type: "text",
          text: [...(remaining > 0 ? ["…"] : []), ...shown].map(each => `- ${escaped(each)}`).join("\n"),
        },
      },
    ];
  }

  #update(update: JsonObject): void {
    if (!this.#hasEnded && ++this.#updates <= MAX_UPDATES) this.#notify(update);
  }

  #notify(update: JsonObject, sessionUpdate: string = UPDATE_KINDS.tool_call_update): void {
    const { sessionId, toolCallId } = this.subject;
    this.client.notify(CLIENT_METHODS.session_update, { sessionId, update: { sessionUpdate, toolCallId, ...update } });
  }
}

/** Escapes Markdown in text from the agent. */
function escaped(line: string): string {
  return line.replaceAll(/[\\`*_[\]<>~#|]/g, "\\$&");
}
