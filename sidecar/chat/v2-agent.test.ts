/** Agents of the SDK, in both versions, with a client that offers v2. */
import { MemoryJournal } from "../testing/sessions/memory-journal";
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { PassThrough, Readable, Writable } from "node:stream";
import * as v1 from "@agentclientprotocol/sdk";
import * as v2 from "@agentclientprotocol/sdk/experimental/v2";
import { applyEvent, emptyConversation, type Conversation } from "../../src/protocol/chat/chat";
import type { SidecarToHost } from "../../src/protocol/sidecar";
import type { ParamsOf } from "../../src/protocol/wire/wire";
import { AgentConnection } from "../acp/connection";
import { commandOf } from "../agents/distributions/agent-command";
import { AgentPool } from "../agents/pool";
import { BypassPolicy } from "../permissions/bypass-policy";
import { ndjsonChannel } from "../rpc/ndjson-channel";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { ChatService } from "./chat-service";
import { BATCH_MS } from "./outbox";

const NEVER = { aborted: false, addEventListener: () => undefined };

type HostMessage = {
  [M in keyof SidecarToHost]: { readonly method: M; readonly params: ParamsOf<SidecarToHost, M> };
}[keyof SidecarToHost];
interface SdkAgent {
  connect(stream: v2.Stream): unknown;
}

/**
 * Waits until the condition is true. All work is in this process, so that a limited number of event-loop turns
 * suffices.
 */
async function eventually(what: string, isTrue: () => boolean, clock?: FakeClock): Promise<void> {
  for (let i = 0; i < 10_000 && !isTrue(); i++) {
    await new Promise(resolve => {
      setImmediate(resolve);
    });
    clock?.advance(BATCH_MS);
  }
  ok(isTrue(), what);
}

class Fixture implements AsyncDisposable {
  conversation: Conversation = emptyConversation({ id: "ada", name: "Ada" }, "/w");
  readonly clock = new FakeClock();
  readonly #pool: AgentPool;
  readonly service: ChatService;
  #sessionId = "";

  constructor(
    agent: SdkAgent,
    readonly protocol: 1 | 2,
  ) {
    this.#pool = new AgentPool(
      async key => {
        const toAgent = new PassThrough(),
          toClient = new PassThrough();
        agent.connect(v2.ndJsonStream(Writable.toWeb(toClient), Readable.toWeb(toAgent)));
        return AgentConnection.connect(ndjsonChannel(toClient, toAgent), {
          name: "Ada",
          version: "1",
          protocol: key.protocol,
          clock: this.clock,
          onWarning: what => {
            throw new Error(what);
          },
          lastWords: () => "",
          stop: async () => {
            toClient.end();
          },
        });
      },
      error => {
        throw error;
      },
    );
    this.service = new ChatService({
      journal: new MemoryJournal(),
      bootId: "b",
      clock: this.clock,
      pool: this.#pool,
      policy: new BypassPolicy([]),
      command: async agent => commandOf(agent),
      startCommand: () => {
        throw new Error("no command is started");
      },
      log: () => undefined,
      host: {
        isCongested: () => false,
        request: async () => {
          throw new Error("unexpected request to the host");
        },
        notify: (method, params) => this.#receive({ method, params } as HostMessage),
      },
    });
  }
  #receive({ method, params }: HostMessage): void {
    if (method === "chat/event") this.conversation = applyEvent(this.conversation, params.event);
  }
  async open(): Promise<string> {
    const { sessionId } = await this.service.handlers["chat/new"](
      {
        conversation: "one",
        agent: { id: "ada", name: "Ada", distribution: { local: { command: "ada" } } },
        cwd: "/w",
        protocol: this.protocol,
      },
      NEVER,
    );
    return (this.#sessionId = sessionId);
  }
  prompt(text: string): Promise<unknown> {
    return this.service.handlers["chat/prompt"](
      { sessionId: this.#sessionId, messageId: text, blocks: [{ type: "text", text }] },
      NEVER,
    );
  }
  /** Advances the clock until the conversation satisfies the condition. */
  untilShown(what: string, isShown: (conversation: Conversation) => boolean): Promise<void> {
    return eventually(what, () => isShown(this.conversation), this.clock);
  }
  idle(): Promise<void> {
    return this.untilShown("the turn has ended", ({ turn, entries }) => turn.state === "idle" && entries.length > 1);
  }
  get transcript(): readonly string[] {
    return this.conversation.entries.map(entry =>
      "text" in entry
        ? `${entry.kind} ${entry.text}`
        : entry.kind === "tool"
          ? `tool ${entry.title} ${entry.status}`
          : entry.kind === "permission"
            ? `permission ${entry.title} ${entry.answered?.kind ?? "open"}`
            : entry.kind,
    );
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    await this.#pool[Symbol.asyncDispose]();
  }
}

const textChunk = (text: string, messageId = "m1"): v2.SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  messageId,
  content: { type: "text", text },
});

/** Acknowledges a prompt immediately, then calls `work`. Accepts every option. */
function newAgent(
  work: (client: v2.AgentContext, sessionId: string) => Promise<void>,
  received: unknown[] = [],
): v2.AgentApp {
  const options = (fast: boolean): v2.SessionConfigOption[] => [
    { configId: "fast", name: "Fast", type: "boolean", currentValue: fast },
  ];
  return v2
    .agent({ name: "new" })
    .onRequest("initialize", ({ params }) => {
      received.push(params.capabilities);
      return { protocolVersion: 2, info: { name: "new", version: "1" }, capabilities: { session: {} } };
    })
    .onRequest("session/new", () => ({
      sessionId: "s1",
      configOptions: options(false),
      availableCommands: [
        { type: "command", name: "plan", description: "Make a plan", input: { type: "text", hint: "of what" } },
      ],
    }))
    .onRequest("session/set_config_option", ({ params }) => {
      received.push(params);
      return { configOptions: options(params.type === "boolean" && params.value === true) };
    })
    .onRequest("session/close", () => ({}))
    .onNotification("session/cancel", () => {
      received.push("cancel");
    })
    .onRequest("session/prompt", ({ params, client }) => {
      setImmediate(() => void work(client, params.sessionId));
      return { messageId: "u1" };
    });
}

suite("ACP v2 agent", () => {
  test("is initialized in its version and ends its turn with its state after all updates", async () => {
    const received: unknown[] = [];
    const agent = newAgent(async (client, sessionId) => {
      const notify = (update: v2.SessionUpdate): Promise<void> =>
        client.notify("session/update", { sessionId, update });
      await notify({ sessionUpdate: "state_update", state: "running" });
      await notify(textChunk("Let me "));
      await notify(textChunk("see."));
      await notify({
        sessionUpdate: "tool_call_update",
        toolCallId: "t",
        title: "Look",
        kind: "read",
        status: "in_progress",
      });
      const { outcome } = await client.request("session/request_permission", {
        sessionId,
        title: "May I look?",
        subject: { type: "command", command: "ls", cwd: "/w", toolCallId: "t" },
        options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
      });
      await notify({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed" });
      await notify(textChunk(outcome.outcome, "m2"));
      await notify({ sessionUpdate: "state_update", state: "idle", stopReason: "max_tokens" });
    }, received);
    await using fixture = new Fixture(agent, 2);
    const sessionId = await fixture.open();
    await fixture.prompt("go");
    await fixture.untilShown("a question", ({ entries }) => entries.some(entry => entry.kind === "permission"));
    const question = fixture.conversation.entries.find(entry => entry.kind === "permission");
    await fixture.service.handlers["chat/answerPermission"](
      { sessionId, permissionId: question?.id ?? "", choice: { kind: "option", optionId: "y" } },
      NEVER,
    );
    await fixture.idle();
    deepEqual(fixture.transcript, [
      "user go",
      "agent Let me see.",
      "tool ls completed",
      "permission May I look? selected",
      "agent selected",
      "notice The answer ends here because it reached the model's token limit.",
    ]);
    deepEqual(received, [{ elicitation: { form: {}, url: {} } }]);
    deepEqual(fixture.conversation.commands, [{ name: "plan", description: "Make a plan", hint: "of what" }]);
  });

  test("shows why a turn failed and accepts the next prompt", async () => {
    await using fixture = new Fixture(
      newAgent((client, sessionId) =>
        client.notify("session/update", {
          sessionId,
          update: {
            sessionUpdate: "state_update",
            state: "idle",
            stopReason: "error",
            error: { code: -1, message: "out of tokens" },
          },
        }),
      ),
      2,
    );
    await fixture.open();
    await fixture.prompt("go");
    await fixture.idle();
    match(fixture.transcript.at(-1) ?? "", /^notice .*out of tokens/);
    await fixture.prompt("again");
    await fixture.untilShown(
      "the second turn has ended",
      ({ turn, entries }) => turn.state === "idle" && entries.length > 3,
    );
  });

  test("receives options in v2's form, and cancellations", async () => {
    const received: unknown[] = [];
    await using fixture = new Fixture(
      newAgent(async (client, sessionId) => {
        await eventually("the stop is heard", () => received.includes("cancel"));
        await client.notify("session/update", {
          sessionId,
          update: { sessionUpdate: "state_update", state: "idle", stopReason: "cancelled" },
        });
      }, received),
      2,
    );
    const sessionId = await fixture.open();
    await fixture.untilShown("the switch", ({ controls }) => controls.length === 1);
    await fixture.service.handlers["chat/setControl"]({ sessionId, controlId: "fast", value: true }, NEVER);
    await eventually("the switch is set", () => received.length > 1);
    deepEqual(received[1], { sessionId: "s1", configId: "fast", type: "boolean", value: true });
    await fixture.prompt("go");
    await fixture.service.handlers["chat/cancel"]({ sessionId }, NEVER);
    await fixture.idle();
    equal(fixture.transcript.at(-1), "notice Stopped.");
  });
});

suite("ACP v1 agent", () => {
  const old = (): v1.AgentApp =>
    v1
      .agent({ name: "old" })
      .onRequest("initialize", ({ params }) => ({
        protocolVersion: 1,
        agentCapabilities: {},
        _meta: { sees: params.clientCapabilities },
      }))
      .onRequest("session/new", () => ({ sessionId: "s1" }))
      .onRequest("session/prompt", async ({ params, client }) => {
        await client.notify("session/update", {
          sessionId: params.sessionId,
          update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hi" } },
        });
        return { stopReason: "end_turn" };
      });

  for (const protocol of [1, 2] as const)
    test(`works unchanged when the client offers v${protocol}`, async () => {
      await using fixture = new Fixture(old(), protocol);
      await fixture.open();
      await fixture.prompt("go");
      await fixture.idle();
      deepEqual(fixture.transcript, ["user go", "agent hi"]);
    });

  test("with v2 support uses v2 only when the client offers it", async () => {
    for (const [protocol, text] of [
      [1, "hi"],
      [2, "new"],
    ] as const) {
      const both = v2
        .agentProtocolRouter()
        .withV1(old())
        .withV2(
          newAgent(async (client, sessionId) => {
            await client.notify("session/update", { sessionId, update: textChunk("new") });
            await client.notify("session/update", {
              sessionId,
              update: { sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" },
            });
          }),
        );
      await using fixture = new Fixture(both, protocol);
      await fixture.open();
      await fixture.prompt("go");
      await fixture.idle();
      deepEqual(fixture.transcript, ["user go", `agent ${text}`]);
    }
  });
});
