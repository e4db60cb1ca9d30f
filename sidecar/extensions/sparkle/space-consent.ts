/**
 * Consent to send `.sparkle-space` of a folder to an agent. A cloned repository may contain the folder, and its author
 * could then write into the first prompt of each session. The user is therefore asked once per folder, in the chat,
 * before anything is sent.
 *
 * The answer is stored in `~/.sparkle/workspaces.md`, never in the folder itself. Nothing is stored if the client
 * cannot ask, the request gets no answer, or the permission applies once, even if a bypass grants it. Without an
 * answer, the session continues without these notes.
 *
 * Invariants: nothing is sent before the user consents to exactly this folder, after links are resolved. A session has
 * at most one pending request per folder.
 */
import { randomUUID } from "node:crypto";
import { realpath } from "node:fs/promises";
import { ASK_EACH_TIME_META } from "../../proxies/ask-each-time";
import { selectedOption, type SessionClient } from "../session-client";
import type { Section } from "./embodiment";
import type { PersistentFolder } from "./persistent-folder";
import { CLIENT_METHODS, UPDATE_KINDS } from "../../acp/methods";

const FILE = "workspaces.md",
  BEGIN =
    "# Workspaces\n\n<!-- Whether Sparkle may read out .sparkle-space of a folder. The last line for a folder counts. Delete a line to be asked again. -->\n\n";
const LINE = /^- (yes|no): (".*")$/;
const ALWAYS = "always",
  ONCE = "once",
  NEVER = "never",
  NOT_NOW = "not-now";

export type SpaceAnswer = "yes" | "no" | "unasked";

/** Whether these workspace sections may be sent. */
export type Agreed = (sections: readonly Section[], signal: AbortSignal) => Promise<boolean>;

export class SpaceConsent {
  #pending: Promise<boolean> | undefined;
  /** The answer for this session only. */
  #sessionAnswer: boolean | undefined;

  /** `home`: `~/.sparkle`. `folder`: the session's, absolute. */
  constructor(
    private readonly home: PersistentFolder,
    private readonly folder: string,
    private readonly client: SessionClient,
    private readonly version: () => 1 | 2,
  ) {}

  /** The stored answer. */
  async answered(): Promise<SpaceAnswer> {
    return answerIn((await this.home.read(FILE, "end")) ?? "", await this.#real());
  }

  /** The answer of this session or of an earlier one. Undefined: the user has not been asked. Never rejects. */
  async known(): Promise<boolean | undefined> {
    if (this.#sessionAnswer !== undefined) return this.#sessionAnswer;
    const answer = await this.answered();
    return answer === "unasked" ? undefined : answer === "yes";
  }

  /**
   * Returns the answer of `known`, else asks the user and shows the text. `signal` cancels the request. Never rejects.
   */
  async agreed(sections: readonly Section[], signal: AbortSignal): Promise<boolean> {
    const known = await this.known();
    if (known !== undefined) return known;
    this.#pending ??= this.#ask(sections, signal)
      .catch(() => false)
      .finally(() => {
        this.#pending = undefined;
      });
    return await this.#pending;
  }

  async #ask(sections: readonly Section[], signal: AbortSignal): Promise<boolean> {
    const real = await this.#real(),
      title = "Send .sparkle-space of this folder to the agent",
      version = this.version();
    const text = `${real} has a folder .sparkle-space with notes for agents. If you did not write them, they came with this folder. Sparkle sends them to the agent in each session here.`;
    const toolCallId = `sparkle-space-${randomUUID().slice(0, 8)}`,
      content = [text, shown(sections)].map(each => ({ type: "content", content: { type: "text", text: each } }));
    const toolCall = { toolCallId, title, kind: "other", status: "pending", content };
    const subject = version === 2 ? { title, subject: { type: "tool_call", toolCall } } : { toolCall };
    const end = (status: "completed" | "failed"): void =>
      this.client.notify({ sessionUpdate: UPDATE_KINDS.tool_call_update, toolCallId, title, status });
    const answer = await this.client
      .request(
        CLIENT_METHODS.session_request_permission,
        { ...subject, _meta: { [ASK_EACH_TIME_META]: true }, options: OPTIONS },
        signal,
      )
      .catch((error: unknown) => {
        end("failed");
        throw error;
      });
    const chosen = selectedOption(answer);
    end(chosen === ALWAYS || chosen === ONCE ? "completed" : "failed");
    if (chosen !== undefined) this.#sessionAnswer = chosen === ALWAYS || chosen === ONCE;
    if (chosen === ALWAYS) await this.#storeAnswer("yes", real, signal);
    if (chosen === NEVER) await this.#storeAnswer("no", real, signal);
    return this.#sessionAnswer ?? false;
  }

  async #storeAnswer(answer: "yes" | "no", real: string, signal: AbortSignal): Promise<void> {
    await this.home.writing(signal, writing => writing.append(FILE, `- ${answer}: ${JSON.stringify(real)}\n`, BEGIN));
  }

  #real(): Promise<string> {
    return realpath(this.folder).catch(() => this.folder);
  }
}

/** Maximum number of characters of the sections shown in the request. */
const MAX_SHOWN = 6_000;

/** In a code fence that the text cannot close. */
function shown(sections: readonly Section[]): string {
  const text = sections.map(({ file, pieces }) => `${file}\n\n${pieces.join("\n")}`).join("\n\n"),
    remaining = text.length - MAX_SHOWN;
  const fence = "`".repeat(Math.max(3, 1 + Math.max(0, ...(text.match(/`+/g) ?? []).map(run => run.length))));
  return `${fence}\n${text.slice(0, MAX_SHOWN)}${remaining > 0 ? `\n… ${remaining} more characters` : ""}\n${fence}`;
}

const OPTIONS = [
  { optionId: ALWAYS, name: "Always Send It for This Folder", kind: "allow_always" },
  { optionId: ONCE, name: "Send It in This Session", kind: "allow_once" },
  { optionId: NOT_NOW, name: "Not in This Session", kind: "reject_once" },
  { optionId: NEVER, name: "Never for This Folder", kind: "reject_always" },
];

/** The answer in the last line for `folder`. A user may have edited the text. */
export function answerIn(text: string, folder: string): SpaceAnswer {
  for (const line of text.split("\n").reverse()) {
    const [, answer, quoted = ""] = LINE.exec(line.trim()) ?? [];
    if (answer !== undefined && quoted === JSON.stringify(folder)) return answer === "yes" ? "yes" : "no";
  }
  return "unasked";
}
