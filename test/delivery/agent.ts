/** An in-memory agent controlled by the test. Its turns stay open until the test ends them. */
import { MemoryAgent } from "../../sidecar/testing/memory-agent";
import type { IncomingRequest } from "../../sidecar/rpc/peer";

/** One session of the agent, created at its first prompt. */
export interface Voice {
  readonly tabId: string;
  /** Its marks, in the order of sending. */
  readonly texts: string[];
  isOpen: boolean;
  report(text: string): void;
  tool(update: Readonly<Record<string, unknown>>): void;
  /** Whether a turn was open. */
  endTurn(): boolean;
}

export class TestAgent {
  readonly #memory = new MemoryAgent(["session/close"]);
  readonly #turns = new Map<string, IncomingRequest>();
  readonly #voices = new Map<string, Voice>();
  #isAlive = true;

  /** `prompted` receives the text of each prompt and returns its tab. */
  constructor(
    private readonly prompted: (text: string) => string,
    private readonly onPrompted: (voice: Voice) => void,
  ) {
    void this.#receive();
    void this.#close();
  }

  get channel() {
    return this.#memory.channel;
  }
  get isAlive(): boolean {
    return this.#isAlive;
  }
  get openSessions(): number {
    return !this.#isAlive
      ? 0
      : this.#memory.received.filter(method => method === "session/new").length -
          this.#memory.received.filter(method => method === "session/close").length;
  }

  /** Ends the agent's process. */
  async die(): Promise<void> {
    this.#isAlive = false;
    for (const voice of this.#voices.values()) voice.isOpen = false;
    this.#turns.clear();
    await this.#memory.die();
  }

  async #receive(): Promise<never> {
    for (;;) {
      const request = await this.#memory.next("session/prompt");
      const { sessionId, prompt } = request.params as {
        readonly sessionId: string;
        readonly prompt: readonly { readonly text: string }[];
      };
      const tabId = this.prompted(prompt.map(({ text }) => text).join("\n"));
      this.#turns.set(sessionId, request);
      const voice = this.#voices.get(sessionId) ?? this.#voice(sessionId, tabId);
      this.#voices.set(sessionId, voice);
      this.onPrompted(voice);
    }
  }

  async #close(): Promise<never> {
    for (;;) {
      const request = await this.#memory.next("session/close");
      const voice = this.#voices.get((request.params as { readonly sessionId: string }).sessionId);
      if (voice) voice.isOpen = false;
      request.respond({});
    }
  }

  #voice(sessionId: string, tabId: string): Voice {
    return {
      tabId,
      texts: [],
      isOpen: true,
      report: text => this.#memory.report(sessionId, text),
      tool: update => this.#memory.update(sessionId, update),
      endTurn: () => {
        this.#turns.get(sessionId)?.respond({ stopReason: "end_turn" });
        return this.#turns.delete(sessionId);
      },
    };
  }
}
