import { MemoryJournal } from "../sessions/memory-journal";
import { deepEqual } from "node:assert/strict";
import { PassThrough } from "node:stream";
import { applyEvent, emptyConversation, type Conversation } from "../../../src/protocol/chat/chat";
import type { SidecarToHost } from "../../../src/protocol/sidecar";
import type { ParamsOf } from "../../../src/protocol/wire/wire";
import { AgentConnection } from "../../acp/connection";
import { commandOf } from "../../agents/distributions/agent-command";
import { AgentPool } from "../../agents/pool";
import { ChatService, type Host } from "../../chat/chat-service";
import { OPTION_IDS, serveClient } from "../../conform/client-scenario";
import { DEFAULT_LIMITS, type Subject } from "../../conform/driver";
import { judgeAll } from "../../conform/rule";
import { RULES } from "../../conform/rules/catalogue";
import { VERSIONS, type Version } from "../../conform/schema";
import { BypassPolicy } from "../../permissions/bypass-policy";
import type { Channel } from "../../rpc/channel";
import { ndjsonChannel } from "../../rpc/ndjson-channel";
import { NEVER } from "../sessions/chat-fixture";
import { hurriedClock } from "../accelerated-clock";

/** The chat's client, connected to the kit's agent. */
class OwnClient {
  readonly subject: Subject;
  readonly #channel: Channel;
  readonly #service: ChatService;
  readonly #pool: AgentPool;
  readonly #shown = new Map<string, Conversation>();
  #watchers: (() => void)[] = [];

  constructor(private readonly version: Version) {
    const toClient = new PassThrough(),
      fromClient = new PassThrough();
    const exited = new Promise<string>(resolve => fromClient.once("end", () => resolve("closed")));
    this.subject = { input: toClient, output: fromClient, exited, stop: () => Promise.resolve() };
    this.#channel = ndjsonChannel(toClient, fromClient);
    const connect = () =>
      AgentConnection.connect(this.#channel, {
        name: "Ada",
        version: "1",
        protocol: this.version,
        clock: hurriedClock(1),
        onWarning: () => undefined,
        lastWords: () => "",
        stop: async () => this.#channel[Symbol.asyncDispose](),
        missing: () => [],
      });
    this.#pool = new AgentPool(connect, error => {
      throw error;
    });
    const host: Host = {
      isCongested: () => false,
      request: async () => ({ text: "" }) as never,
      notify: (method, params) => {
        if (method === "chat/event") this.#take(params as ParamsOf<SidecarToHost, "chat/event">);
      },
    };
    this.#service = new ChatService({
      journal: new MemoryJournal(),
      bootId: "b",
      clock: hurriedClock(1),
      pool: this.#pool,
      policy: new BypassPolicy([]),
      host,
      extensions: () => [],
      startCommand: () => {
        throw new Error("No command is started.");
      },
      command: async agent => commandOf(agent),
      log: () => undefined,
    });
  }

  /**
   * Runs two turns. Responds to the first permission request, and cancels the second turn while its request is open.
   */
  async run(): Promise<void> {
    const { handlers } = this.#service,
      agent = { id: "ada", name: "Ada", distribution: { local: { command: "ada" } } };
    const { sessionId } = await handlers["chat/new"](
      { conversation: "one", agent, cwd: "/w", protocol: this.version },
      NEVER,
    );
    for (const messageId of ["first", "second"]) {
      await handlers["chat/prompt"]({ sessionId, messageId, blocks: [{ type: "text", text: messageId }] }, NEVER);
      await this.#until(() => this.#openQuestions(sessionId).length > 0);
      if (messageId === "second") await handlers["chat/cancel"]({ sessionId }, NEVER);
      else
        for (const permissionId of this.#openQuestions(sessionId)) {
          await handlers["chat/answerPermission"](
            { sessionId, permissionId, choice: { kind: "option", optionId: OPTION_IDS[1] } },
            NEVER,
          );
        }
      await this.#until(() => this.#shown.get(sessionId)?.turn.state === "idle");
    }
  }

  async close(): Promise<void> {
    await this.#service[Symbol.asyncDispose]();
    await this.#pool[Symbol.asyncDispose]();
    await this.#channel[Symbol.asyncDispose]();
  }

  #take({ sessionId, event }: ParamsOf<SidecarToHost, "chat/event">): void {
    const before = this.#shown.get(sessionId) ?? emptyConversation({ id: "ada", name: "Ada" }, "/w");
    this.#shown.set(sessionId, applyEvent(before, event));
    for (const watch of [...this.#watchers]) watch();
  }

  #openQuestions(sessionId: string): readonly string[] {
    const entries = this.#shown.get(sessionId)?.entries ?? [];
    return entries.flatMap(entry => (entry.kind === "permission" && entry.answered === undefined ? [entry.id] : []));
  }

  #until(condition: () => boolean): Promise<void> {
    return new Promise(resolve => {
      const watch = (): void => {
        if (!condition()) return;
        this.#watchers = this.#watchers.filter(item => item !== watch);
        resolve();
      };
      this.#watchers.push(watch);
      watch();
    });
  }
}

suite("chat client in the conformance kit", () => {
  for (const version of VERSIONS)
    test(`follows every rule of version ${version}`, async () => {
      const client = new OwnClient(version);
      const conversation = serveClient({
        client: client.subject,
        version,
        clock: hurriedClock(1),
        limits: DEFAULT_LIMITS,
        name: `own-v${version}`,
      });
      await client.run();
      await client.close();
      const results = judgeAll(RULES, "client", [await conversation]).filter(result => result.version === version);
      deepEqual(
        results.flatMap(({ rule, verdict }) =>
          verdict.kind === "fail" ? [`${rule.id}: ${verdict.why} ${verdict.excerpt}`] : [],
        ),
        [],
      );
      const open = results.filter(({ verdict }) => verdict.kind !== "pass").map(({ rule }) => rule.id);
      deepEqual(open, []);
    });
});
