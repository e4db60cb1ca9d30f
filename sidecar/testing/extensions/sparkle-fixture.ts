/** Sparkle in a chain in memory, in front of an agent whose responses the test controls. */
import { equal } from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Files } from "../../agents/install/store/files";
import type { ExtensionDeps } from "../../extensions/extension";
import { sparkleProxy } from "../../extensions/sparkle/extension";
import type { RequestInterceptor } from "../../proxies/proxy";
import { arrayOr, objectOr, type JsonObject } from "../../rpc/json";
import { methodNotFound, type IncomingRequest } from "../../rpc/peer";
import { ExtensionRig } from "./extension-rig";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { bridge } from "../mcp/mcp-ends";
import { connected, Signal, Fixture } from "../mcp/mcp-fixture";
import { EXTENSION_METHODS } from "../../acp/methods";

const DATE = new Date("2026-11-22T09:51:03.000Z");
export const words = (text: string): JsonObject => ({ type: "text", text });

/** Names of all tools of Sparkle's server, in the order in which it lists them. */
export const TOOLS = [
  "session_checkpoint",
  "save_insight",
  "load_evolution",
  "setup_sparkle",
  "fetch_profile_data",
  "update_collaborator_profile",
  "update_sparkler_identity",
  "rename_sparkler",
  "create_sparkler",
  "list_sparklers",
] as const;

/** Blocks of a prompt. Parts that Sparkle added are replaced by their names, and other blocks are unchanged. */
export const partsOf = (prompt: readonly unknown[]): readonly unknown[] =>
  prompt.map(
    block => /^<sparkle part="([\w-]+)"/.exec(String(objectOr(block).text))?.[1] ?? objectOr(block).text ?? block,
  );

export interface SparkledOptions {
  readonly settings?: JsonObject;
  readonly files?: Files;
  readonly fixture?: Partial<ExtensionDeps>;
  readonly initialized?: JsonObject;
  readonly agent?: (request: IncomingRequest) => boolean;
  readonly client?: (request: IncomingRequest) => void;
  /** Handles `EXTENSION_METHODS.session_tools` in place of the MCP bridge. Default: responds immediately. */
  readonly delivery?: RequestInterceptor;
}

/** Simulates a user who allows everything once. */
function allowing(request: IncomingRequest): void {
  const once = arrayOr(objectOr(request.params).options)
    .map(objectOr)
    .find(({ kind }) => kind === "allow_once");
  if (once) request.respond({ outcome: { outcome: "selected", optionId: once.optionId } });
  else request.fail(methodNotFound(request.method));
}

export class Sparkled implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly computer: ExtensionRig;
  readonly cwd: string;
  readonly prompts: {
    readonly sessionId: unknown;
    readonly prompt: readonly unknown[];
    readonly request: IncomingRequest;
  }[] = [];
  readonly prompted = new Signal();
  readonly notifications: unknown[] = [];
  readonly received = new Signal();
  answer: ((request: IncomingRequest) => void) | undefined = request => request.respond({ stopReason: "end_turn" });
  readonly fixture: Fixture;

  constructor({
    settings = {},
    files,
    fixture,
    initialized,
    agent,
    client = allowing,
    delivery = () => ({ servers: [] }),
  }: SparkledOptions = {}) {
    const computer = new ExtensionRig({ clock: this.clock, date: () => DATE, ...fixture });
    this.computer = computer;
    this.cwd = path.join(computer.home, "work");
    mkdirSync(this.cwd);
    this.fixture = new Fixture({
      stages: [
        { name: "Sparkle", create: chain => sparkleProxy(chain, settings, computer.fixture, files) },
        {
          name: "delivery",
          create: () => ({
            fromClient: {
              requests: {
                [EXTENSION_METHODS.session_tools]: request => {
                  request.release();
                  return delivery(request);
                },
              },
            },
          }),
        },
        bridge(),
      ],
      client,
      onNotification: (method, params) => {
        this.notifications.push([method, params]);
        this.received.fire();
      },
      ...(initialized ? { initialized } : {}),
      agent: request => (request.method === "session/prompt" ? this.#prompted(request) : (agent?.(request) ?? false)),
    });
  }

  static async open(options: SparkledOptions = {}): Promise<Sparkled> {
    const sparkled = new Sparkled(options);
    await sparkled.fixture.initialize();
    return sparkled;
  }

  async session(method = "session/new", overrides: JsonObject = {}): Promise<string> {
    return String((await this.fixture.setup(method, { cwd: this.cwd, mcpServers: [], ...overrides })).sessionId);
  }
  prompt(sessionId: string, ...blocks: readonly unknown[]): Promise<unknown> {
    return this.fixture.client.request("session/prompt", { sessionId, prompt: blocks });
  }
  /** Lists the tools of the most recently set up session as the agent. */
  async list(): Promise<void> {
    await using mcp = await connected(this.fixture.lastServers()[0] ?? {});
    await mcp.listTools();
  }
  /** Content of the last prompt that the agent received. */
  get last(): readonly unknown[] {
    return this.prompts.at(-1)?.prompt ?? [];
  }
  get lastParts(): readonly unknown[] {
    return partsOf(this.last);
  }
  keep(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(this.computer.home, file)), { recursive: true });
    writeFileSync(path.join(this.computer.home, file), text);
  }
  async update(sessionId: string, update: JsonObject): Promise<unknown> {
    const next = this.received.times(this.received.count + 1);
    this.fixture.agent.notify("session/update", { sessionId, update });
    await next;
    return objectOr(arrayOr(this.notifications.at(-1))[1]).update;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture[Symbol.asyncDispose]();
    equal(this.clock.waiting, 0, "no timer is left");
    this.computer[Symbol.dispose]();
  }

  #prompted(request: IncomingRequest): true {
    const { sessionId, prompt } = objectOr(request.params);
    this.prompts.push({ sessionId, prompt: arrayOr(prompt), request });
    this.prompted.fire();
    this.answer?.(request);
    return true;
  }
}
