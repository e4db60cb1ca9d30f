/**
 * A miniature extension host with its sidecar, in a worker of the bench's page. Its agents stream through the
 * production outbox and channel to the page, at a pace independent of the page's load.
 */
import { Log } from "../../src/log";
import { PageChannel } from "../../src/chat/page-channel";
import { applyEvent, emptyConversation, type ChatEvent, type Conversation } from "../../src/protocol/chat/chat";
import type { HostToPage, PageToHost, TabId } from "../../src/protocol/page/host-to-page";
import { restoredEntries } from "./restored-entries";
import { ConversationSearch } from "../../sidecar/chat/conversation-search";
import { Outbox } from "../../sidecar/chat/outbox";
import { realClock } from "../../sidecar/rpc/clock";
import type { Command, Flood, Stream, ToPage, ToWorker } from "./commands";

const AGENT = { id: "bench", name: "Bench" };
const FRAME_MS = 16;
/** Events per frame of a flood, more than the outbox buffers. */
const FLOOD_EVENTS = 1_000;

const report = (message: ToPage): void => {
  postMessage(message);
};

class Session {
  /** The agent has started. */
  conversation: Conversation = { ...emptyConversation(AGENT, "/bench"), accepts: { images: false } };
  /** Whether the page was sent a snapshot. */
  isSent = false;
  #seq = 0;
  readonly outbox: Outbox;
  readonly search = new ConversationSearch(realClock, event => this.outbox.answer(event));
  #flood: ReturnType<typeof setInterval> | undefined;
  #flooded = 0;

  /** `pushed` bypasses the channel. */
  constructor(
    readonly tabId: TabId,
    post: (message: HostToPage) => void,
    private readonly pushed: (message: HostToPage) => void,
  ) {
    this.outbox = new Outbox(
      "bench",
      () => this.conversation,
      {
        event: ({ seq, event }) => {
          this.#seq = seq;
          post({ type: "event", tabId, bootId: "bench", seq, event });
        },
        snapshot: (seq, conversation, requestNumber) => {
          this.#seq = seq;
          this.isSent = true;
          post({
            type: "snapshot",
            tabId,
            bootId: "bench",
            seq,
            ...(requestNumber === undefined ? {} : { requestNumber }),
            conversation,
          });
        },
        isCongested: () => false,
      },
      realClock,
      () => undefined,
    );
  }

  happened(event: ChatEvent): void {
    this.conversation = applyEvent(this.conversation, event);
    this.outbox.add(event);
  }

  lengthOf(id: string): number {
    const entry = this.conversation.entries.findLast(each => each.id === id);
    if (entry?.kind === "agent") return entry.text.length;
    this.happened({ type: "upsert", entry: { kind: "agent", id, text: "" } });
    return 0;
  }

  /** Resolves when the whole text was sent. */
  stream({ entry, text, chunk, everyMs }: Stream): Promise<void> {
    const began = performance.now(),
      start = this.lengthOf(entry);
    let at = 0;
    return new Promise(resolve => {
      const timer = setInterval(
        () => {
          // Catches up after a late timer.
          for (let due = Math.floor((performance.now() - began) / everyMs); at < text.length && at < due * chunk; ) {
            this.happened({ type: "append", id: entry, offset: start + at, text: text.slice(at, at + chunk) });
            at += chunk;
          }
          if (at < text.length) return;
          clearInterval(timer);
          // Waits for the last frame of the outbox.
          setTimeout(resolve, 2 * FRAME_MS);
        },
        Math.min(everyMs, FRAME_MS / 2),
      );
    });
  }

  burst(entry: string, texts: readonly string[]): void {
    let offset = this.lengthOf(entry);
    this.outbox.replay(undefined, 0);
    for (const text of texts) {
      const event: ChatEvent = { type: "append", id: entry, offset, text };
      this.conversation = applyEvent(this.conversation, event);
      this.pushed({ type: "event", tabId: this.tabId, bootId: "bench", seq: ++this.#seq, event });
      offset += text.length;
    }
  }

  flood(of: Flood): void {
    if (of === "text") this.lengthOf("flood");
    if (of === "terminal output") this.#beginTerminal();
    this.#flood = setInterval(() => {
      for (let i = 0; i < FLOOD_EVENTS; i++) this.#floodOne(of, ++this.#flooded);
    }, FRAME_MS);
  }

  still(): void {
    clearInterval(this.#flood);
  }

  #beginTerminal(): void {
    this.happened({
      type: "terminal",
      terminal: { terminalId: "t", command: "yes", cwd: "/bench", output: "", isCut: false },
    });
    this.happened({
      type: "upsert",
      entry: {
        kind: "tool",
        id: "flood",
        toolCallId: "flood",
        title: "yes",
        toolKind: "execute",
        status: "in_progress",
        content: [{ kind: "terminal", terminalId: "t" }],
        locations: [],
      },
    });
  }

  #floodOne(of: Flood, n: number): void {
    switch (of) {
      case "text":
        return this.happened({
          type: "append",
          id: "flood",
          offset: this.lengthOf("flood"),
          text: n % 20 === 0 ? `w${n}.\n\n` : `w${n} `,
        });
      case "tool calls":
        return this.happened({
          type: "upsert",
          entry: {
            kind: "tool",
            id: `flood-${n % 300}`,
            toolCallId: String(n % 300),
            title: `Call ${n}`,
            toolKind: "read",
            status: "completed",
            content: [{ kind: "text", text: `Result **${n}**` }],
            locations: [],
          },
        });
      case "terminal output": {
        const output = this.conversation.terminals?.[0]?.output ?? "";
        // Like the sidecar, keeps only the end of a long output.
        return output.length < 60_000
          ? this.happened({ type: "terminalOutput", terminalId: "t", offset: output.length, text: `line ${n}\n` })
          : this.happened({
              type: "terminal",
              terminal: { terminalId: "t", command: "yes", cwd: "/bench", output: output.slice(-30_000), isCut: true },
            });
      }
    }
  }
}

class Host {
  readonly #sessions: Session[] = [];
  /** Numbers of posted events and snapshots, and of those that the page has drawn. */
  #posted = 0;
  #drawn = 0;
  #waiting: (() => void)[] = [];
  readonly #wire = new PageChannel({
    send: message => {
      this.#send(message);
      return Promise.resolve(true);
    },
    onMessage: message => this.#handleMessage(message),
    log: new Log(),
  });

  receive(message: unknown): void {
    this.#wire.receive(message);
  }

  async obey(command: Command): Promise<void> {
    switch (command.do) {
      case "open":
        this.#open(command.tabs, command.entries ?? 0);
        while (command.entries !== undefined && this.#sessions.some(({ isSent }) => !isSent))
          await new Promise(resolve => setTimeout(resolve, 1));
        break;
      case "turn":
        this.#session(command.tab).happened({
          type: "turn",
          turn: command.running ? { state: "running", messageId: "m" } : { state: "idle" },
        });
        break;
      case "stream":
        await this.#session(command.tab).stream(command);
        break;
      case "burst":
        this.#session(command.tab).burst(command.entry, command.texts);
        break;
      case "flood":
        return this.#session(command.tab).flood(command.of);
      case "still":
        this.#sessions.forEach(session => session.still());
        break;
    }
    await new Promise(resolve => setTimeout(resolve, 2 * FRAME_MS));
    await this.#drained();
  }

  #open(tabs: number, entries: number): void {
    for (let i = 0; i < tabs; i++) {
      const session = new Session(
        `tab-${i}`,
        message => this.#wire.post(message),
        message => this.#send(message),
      );
      session.conversation = { ...session.conversation, entries: restoredEntries(entries) };
      this.#sessions.push(session);
    }
    this.#notify();
  }

  #notify(): void {
    this.#wire.post({
      type: "state",
      agents: [AGENT],
      currentAgentId: AGENT.id,
      tabs: this.#sessions.map(({ tabId }) => tabId),
      ...(this.#sessions[0] ? { selected: this.#sessions[0].tabId } : {}),
      sidecar: { state: "running" },
    });
  }

  #session(tab: number): Session {
    const session = this.#sessions[tab];
    if (!session) throw new Error(`Unknown tab ${tab}.`);
    return session;
  }

  #send(message: HostToPage): void {
    if (message.type === "event" || message.type === "snapshot") this.#posted++;
    report({ kind: "host", message });
  }

  #handleMessage(message: PageToHost): void {
    if (message.type === "webviewReady") {
      for (const { tabId, at, requestNumber } of message.tabs)
        this.#sessions.find(session => session.tabId === tabId)?.outbox.replay(at, requestNumber);
    }
    if (message.type === "find" || message.type === "showEntry") {
      const session = this.#sessions.find(({ tabId }) => tabId === message.tabId);
      if (message.type === "showEntry") session?.outbox.showEntry(message.entryId);
      else session?.search.start(message, session.conversation);
    }
    if (message.type !== "ack") return;
    this.#drawn = message.handled;
    if (this.#drawn >= this.#posted) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #drained(): Promise<void> {
    return this.#drawn >= this.#posted
      ? Promise.resolve()
      : new Promise(resolve => {
          this.#waiting.push(resolve);
        });
  }
}

const host = new Host();
addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "page") host.receive(data.message);
  else void host.obey(data.command).then(() => report({ kind: "done", id: data.id }));
});
