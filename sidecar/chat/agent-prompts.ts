/**
 * A prompt on its way to the agent: what is attached to it is read first.
 *
 * Invariants: one is on its way at a time; one that was stopped before it was sent is never sent; each that is sent, or
 * cannot be, ends its turn once.
 */
import type { AgentConnection } from "../acp/connection";
import type { SessionTimeouts } from "./session-timeouts";
import { wantsSignIn } from "./sign-in";
import { promptContent, type PromptContent } from "./prompt-content";
import type { Prompt, SessionEvent, Trouble } from "./session-model";

export class AgentPrompts {
  /** What is being made ready. */
  #reading: Prompt | undefined;

  constructor(
    /** The text of a file as the user sees it. */
    private readonly read: (path: string) => Promise<string>,
    private readonly patience: SessionTimeouts,
    private readonly trouble: (error: unknown) => Trouble,
    private readonly sending: () => void,
  ) {}

  /** `isCurrent`: whether the agent's session is still the one that `prompt` is for. */
  send(
    connection: AgentConnection,
    agentSession: string,
    prompt: Prompt,
    tell: (event: SessionEvent) => void,
    isCurrent: () => boolean,
  ): void {
    const go = ({ blocks, left }: PromptContent): void => {
      if (left.length > 0) tell({ kind: "leftOut", names: left });
      if (blocks.length === 0)
        return tell({
          kind: "turnEnded",
          outcome: { kind: "failed", text: "Nothing of this prompt could be sent.", actions: [] },
        });
      this.sending();
      this.patience.toHear(tell);
      connection.prompt(agentSession, blocks, outcome => {
        this.patience[Symbol.dispose]();
        if (outcome.kind === "stopped") return tell({ kind: "turnEnded", outcome });
        const trouble = this.trouble(outcome.error);
        // Its session is of no use any more: the next prompt opens another, and signs in before.
        tell(
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
        if (isWanted()) tell({ kind: "turnEnded", outcome: { kind: "failed", ...this.trouble(error) } });
      },
    );
  }

  /** Whether there was one that had not been sent, and now will not be. */
  stop(): boolean {
    const was = this.#reading !== undefined;
    this.#reading = undefined;
    return was;
  }
}
