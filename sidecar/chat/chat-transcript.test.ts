/** The messages that the host receives while a user chats with Eliza. The golden file documents the protocol. */
import { MemoryJournal } from "../testing/sessions/memory-journal";
import { deepEqual } from "node:assert/strict";
import { ELIZA } from "../../src/protocol/agents/agents";
import { AgentConnection } from "../acp/connection";
import { serveEliza } from "../eliza/agent";
import { commandOf } from "../agents/distributions/agent-command";
import { AgentPool } from "../agents/pool";
import { BypassPolicy } from "../permissions/bypass-policy";
import { memoryChannels } from "../rpc/memory-channel";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { MemoryAgent } from "../testing/memory-agent";
import { Transcript } from "../testing/transcript";
import { ChatService } from "./chat-service";
import { BATCH_MS } from "./outbox";

const NEVER = { aborted: false, addEventListener: () => undefined };

const text = (words: string): object => ({ type: "text", text: words });
/** Completes all work, which is in this process and uses no timer, and ends the frame. */
async function frame(clock: FakeClock): Promise<void> {
  for (let i = 0; i < 100; i++) await new Promise(resolve => setImmediate(resolve));
  clock.advance(BATCH_MS);
}

suite("chat transcript", () => {
  test("matches the golden file for a turn with a subagent that works, asks and ends (ACP v2)", async () => {
    const clock = new FakeClock(),
      transcript = new Transcript();
    const agent = new MemoryAgent([], {
      protocolVersion: 2,
      info: { name: "ada", version: "1" },
      capabilities: { session: {} },
    });
    await using pool = new AgentPool(
      async () =>
        AgentConnection.connect(agent.channel, {
          name: "Ada",
          version: "1",
          protocol: 2,
          clock,
          onWarning: () => undefined,
          lastWords: () => "",
          stop: async () => undefined,
        }),
      error => {
        throw error;
      },
    );
    let permissionId = "";
    await using service = new ChatService({
      journal: new MemoryJournal(),
      bootId: "boot",
      clock,
      pool,
      policy: new BypassPolicy([]),
      command: async config => commandOf(config),
      startCommand: () => {
        throw new Error("no command is started");
      },
      log: () => undefined,
      host: {
        isCongested: () => false,
        request: async () => {
          throw new Error("nobody asks the host");
        },
        notify: (method, params) => {
          transcript.record("←", { method, params });
          permissionId = /"kind":"permission","id":"([^"]+)"/.exec(JSON.stringify(params))?.[1] ?? permissionId;
        },
      },
    });
    const recorded = <P>(method: string, params: P): P => {
      transcript.record("→", { method, params });
      return params;
    };
    const ada = { id: "ada", name: "Ada", distribution: { local: { command: "ada" } } };
    const { sessionId } = await service.handlers["chat/new"](
      recorded("chat/new", { conversation: "one", agent: ada, cwd: "/project", shown: [], protocol: 2 as const }),
      NEVER,
    );
    await frame(clock);
    await service.handlers["chat/prompt"](
      recorded("chat/prompt", { sessionId, messageId: "first", blocks: [{ type: "text" as const, text: "Explore." }] }),
      NEVER,
    );
    (await agent.next("session/prompt")).respond({});
    await frame(clock);
    const send = async (of: string, update: object): Promise<void> => {
      agent.update(of, update);
      await frame(clock);
    };
    await send("s1", {
      sessionUpdate: "subagent_update",
      sessionId: "c1",
      title: "Explore",
      description: "Looks around",
      state: { state: "running" },
    });
    await send("s1", {
      sessionUpdate: "session_message",
      messageId: "m1",
      senderSessionId: "s1",
      recipientSessionId: "c1",
    });
    for (const words of ["Look ", "around."])
      await send("s1", { sessionUpdate: "session_message_chunk", messageId: "m1", content: text(words) });
    await send("c1", { sessionUpdate: "agent_message_chunk", messageId: "m2", content: text("I look around.") });
    const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
    const answer = agent.peer.request("session/request_permission", {
      sessionId: "c1",
      title: "List the files?",
      subject: { type: "command", command: "ls", cwd: "/project", toolCallId: "t" },
      options,
    });
    await frame(clock);
    await service.handlers["chat/answerPermission"](
      recorded("chat/answerPermission", {
        sessionId,
        permissionId,
        choice: { kind: "option" as const, optionId: "yes" },
      }),
      NEVER,
    );
    await frame(clock);
    deepEqual(await answer, { outcome: { outcome: "selected", optionId: "yes" } });
    await send("c1", { sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed" });
    await send("s1", {
      sessionUpdate: "subagent_update",
      sessionId: "c1",
      state: { state: "idle", stopReason: "end_turn" },
    });
    await send("s1", { sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" });
    transcript.match("sidecar/testing/transcripts/chat-subagent.golden");
  });

  test("matches the golden file for two turns with Eliza and a reconnecting view", async () => {
    const clock = new FakeClock(),
      transcript = new Transcript();
    await using pool = new AgentPool(
      async () => {
        const [channel, theirs] = memoryChannels();
        const eliza = serveEliza(theirs, { deterministic: true });
        return AgentConnection.connect(channel, {
          name: "Eliza",
          version: "1",
          protocol: 1,
          clock,
          onWarning: () => undefined,
          lastWords: () => "",
          stop: async () => eliza[Symbol.asyncDispose](),
        });
      },
      error => {
        throw error;
      },
    );
    await using service = new ChatService({
      journal: new MemoryJournal(),
      bootId: "boot",
      clock,
      pool,
      policy: new BypassPolicy([]),
      command: async agent => commandOf(agent),
      startCommand: () => {
        throw new Error("no command is started");
      },
      log: () => undefined,
      host: {
        isCongested: () => false,
        request: async () => {
          throw new Error("nobody asks the host");
        },
        notify: (method, params) => transcript.record("←", { method, params }),
      },
    });
    const recorded = <P>(method: string, params: P): P => {
      transcript.record("→", { method, params });
      return params;
    };
    const { sessionId } = await service.handlers["chat/new"](
      recorded("chat/new", { conversation: "one", agent: ELIZA, cwd: "/project", shown: [] }),
      NEVER,
    );
    for (const [messageId, text] of [
      ["first", "Hello, how are you?"],
      ["second", "I am doing well, thanks!"],
    ] as const) {
      await service.handlers["chat/prompt"](
        recorded("chat/prompt", { sessionId, messageId, blocks: [{ type: "text", text }] }),
        NEVER,
      );
      await frame(clock);
      service.handlers["chat/replay"](
        recorded("chat/replay", {
          sessionId,
          requestNumber: 7,
          ...(messageId === "first" ? { at: { bootId: "boot", seq: 2 } } : {}),
        }),
      );
      await new Promise(resolve => setImmediate(resolve));
    }
    transcript.match("sidecar/testing/transcripts/chat-eliza.golden");
  });
});
