/**
 * Sends prompts to the agent, after their attachments have been read.
 *
 * Invariants:
 * - At most one prompt is being prepared at a time.
 * - A prompt that is cancelled before it was sent is never sent.
 * - Every prompt that is sent, or cannot be sent, ends its turn once.
 */
import type { AgentConnection } from "../acp/connection";
import type { SessionTimeouts } from "./session-timeouts";
import { wantsSignIn } from "./sign-in";
import { promptContent, type PromptContent } from "./prompt-content";
import type { Prompt, SessionEvent, Trouble } from "./session-model";

export class AgentPrompts {
  /** The prompt whose attachments are being read. */
  #reading: Prompt | undefined;

  constructor(
    /** Reads a file as the user sees it. */
    private readonly read: (path: string) => Promise<string>,
    private readonly patience: SessionTimeouts,
    private readonly trouble: (error: unknown) => Trouble,
    private readonly sending: () => void,
  ) {}

  /** `isCurrent`: whether the agent's session is still the one for which `prompt` is intended. */
  send(
    connection: AgentConnection,
    agentSession: string,
    prompt: Prompt,
    notify: (event: SessionEvent) => void,
    isCurrent: () => boolean,
  ): void {
    const go = ({ blocks, left }: PromptContent): void => {
      if (left.length > 0) notify({ kind: "leftOut", names: left });
      if (blocks.length === 0)
        return notify({
          kind: "turnEnded",
          outcome: { kind: "failed", text: "Nothing of this prompt could be sent.", actions: [] },
        });
      this.sending();
      this.patience.toHear(notify);
      connection.prompt(agentSession, blocks, outcome => {
        this.patience[Symbol.dispose]();
        if (outcome.kind === "stopped") return notify({ kind: "turnEnded", outcome });
        const trouble = this.trouble(outcome.error);
        // The agent's session is unusable: the next prompt opens another and signs in first.
        notify(
          wantsSignIn(outcome.error)
            ? { kind: "agentDown", ...trouble }
            : { kind: "turnEnded", outcome: { kind: "failed", ...trouble } },
        );
      });
    };
    if (!prompt.attachments) return go({ blocks: [{ type: "text", text: prompt.text }], left: [] });
    this.#reading = prompt;
    const isWanted = (): boolean => {
      if (this.#reading !== prompt || !isCurrent()) return false;
      this.#reading = undefined;
      return true;
    };
    promptContent(prompt.text, prompt.attachments, connection.accepts, this.read).then(
      content => {
        if (isWanted()) go(content);
      },
      (error: unknown) => {
        if (isWanted()) notify({ kind: "turnEnded", outcome: { kind: "failed", ...this.trouble(error) } });
      },
    );
  }

  /** Cancels a prompt that was not sent yet. Returns whether there was one. */
  stop(): boolean {
    const was = this.#reading !== undefined;
    this.#reading = undefined;
    return was;
  }
}
