/** What the host hears, message by message, while a person talks with Eliza: read the golden file to know the wire. */
import { ELIZA } from "../../src/protocol/agents";
import { AgentConnection } from "../agents/connection";
import { serveEliza } from "../agents/eliza/agent";
import { commandOf } from "../agents/distribution";
import { AgentPool } from "../agents/pool";
import { memoryJournal } from "../journal/journal";
import { BypassPolicy } from "../permissions/policy";
import { memoryChannels } from "../rpc/memory";
import { FakeClock } from "../testing/fake-clock";
import { Transcript } from "../testing/transcript";
import { ChatService } from "./chat-service";
import { BATCH_MS } from "./outbox";

const NEVER = { aborted: false, addEventListener: () => undefined };

suite("chat transcript", () => {
  test("two turns with Eliza, the view asks again in between", async () => {
    const clock = new FakeClock(), transcript = new Transcript();
    await using pool = new AgentPool(async () => {
      const [channel, theirs] = memoryChannels();
      const eliza = serveEliza(theirs, { deterministic: true });
      return AgentConnection.connect(channel, { name: "Eliza", version: "1", protocol: 1, clock, odd: () => undefined, lastWords: () => "", stop: async () => eliza[Symbol.asyncDispose]() });
    }, error => { throw error; });
    await using service = new ChatService({
      bootId: "boot", clock, pool, policy: new BypassPolicy([]), journal: memoryJournal, command: async agent => commandOf(agent), startCommand: () => { throw new Error("no command is started"); }, log: () => undefined,
      host: { isCongested: () => false, request: async () => { throw new Error("nobody asks the host"); }, notify: (method, params) => transcript.record("←", { method, params }) },
    });
    const said = <P>(method: string, params: P): P => {
      transcript.record("→", { method, params });
      return params;
    };
    const { sessionId } = await service.handlers["chat/new"](said("chat/new", { agent: ELIZA, cwd: "/work", shown: [] }), NEVER);
    for (const [messageId, text] of [["first", "Hello, how are you?"], ["second", "I am doing well, thanks!"]] as const) {
      await service.handlers["chat/prompt"](said("chat/prompt", { sessionId, messageId, blocks: [{ type: "text", text }] }), NEVER);
      // Everything is in this process and waits for nothing: what it does is done, then the frame ends.
      for (let i = 0; i < 100; i++) await new Promise(resolve => setImmediate(resolve));
      clock.advance(BATCH_MS);
      service.handlers["chat/replay"](said("chat/replay", { sessionId, asked: 7, ...(messageId === "first" ? { at: { bootId: "boot", seq: 2 } } : {}) }));
      await new Promise(resolve => setImmediate(resolve));
    }
    transcript.match("sidecar/testing/transcripts/chat-eliza.golden");
  });
});
