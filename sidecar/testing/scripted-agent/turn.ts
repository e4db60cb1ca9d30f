/**
 * One turn of the scripted agent. It runs the steps of a script in order (adjacent starred steps in parallel) and
 * determines the end of the turn. A cancellation interrupts waiting steps, and the turn ends as `cancelled`. An open
 * permission request is still awaited, because a client that cancels must respond to it.
 */
import { setTimeout as after } from "node:timers/promises";
import { useMcp, type McpConnection } from "../../mcp/client";
import type { McpServer } from "../../mcp/read-mcp-servers";
import { realClock } from "../../rpc/clock";
import { objectOr, type JsonObject } from "../../rpc/json";
import { runShell } from "./children";
import { fileCreated } from "./wait-for-file";
import type { SessionOptions } from "./options";
import { Questions } from "./questions";
import { numberedWords, type FloodOf, type McpDialect, type Step } from "./script";
import { Terminals } from "./terminals";
import { isUpdate, textUpdate, updatesOf, type UpdateStep } from "./updates";
import { Refused, type Wire } from "./wire";

/** Response to the prompt, whether it is sent twice, and later updates. */
export interface Ending {
  readonly answer:
    | { readonly result: JsonObject }
    | { readonly error: { readonly code: number; readonly message: string } };
  readonly twice: boolean;
  readonly late: readonly { readonly ms: number; readonly text: string }[];
}

export interface TurnFixture {
  readonly wire: Wire;
  readonly sessionId: string;
  readonly cwd: string;
  readonly servers: readonly McpServer[];
  readonly options: SessionOptions;
  /** Content blocks as received. */
  readonly prompt: readonly unknown[];
  /** Earlier prompts of the session. */
  remembered(): readonly string[];
  /** Aborts at `session/cancel`. */
  readonly cancelled: AbortSignal;
  /** Returns numbers that are unique in this process. */
  readonly next: () => number;
}

type Mcp = Extract<Step, { step: "mcp" }>;

/** Rejects when the client has disconnected. */
export async function runTurn(steps: readonly Step[], fixture: TurnFixture): Promise<Ending> {
  return new Turn(fixture).run(steps);
}

class Turn {
  readonly #fixture: TurnFixture;
  #reason = "end_turn";
  #error: { readonly code: number; readonly message: string } | undefined;
  #twice = false;
  /** Whether `wait-cancel` has received the cancellation. Later steps still run. */
  #continuesAfterCancel = false;
  readonly #late: { readonly ms: number; readonly text: string }[] = [];

  readonly #questions: Questions;
  readonly #terminals: Terminals;

  constructor(fixture: TurnFixture) {
    this.#fixture = fixture;
    this.#questions = new Questions(fixture.wire, fixture.sessionId);
    const { cwd, cancelled, next } = fixture;
    this.#terminals = new Terminals({
      cwd,
      cancelled,
      next,
      request: (method, params) => this.#request(method, params),
      update: update => this.#update(update),
    });
  }

  async run(steps: readonly Step[]): Promise<Ending> {
    for (const batch of batches(steps)) {
      if (this.#isOver()) break;
      try {
        await this.#doAll(batch);
      } catch (error) {
        if (this.#fixture.cancelled.aborted) continue;
        if (!(error instanceof Error)) throw error;
        await this.#sendText(`failed: ${error instanceof Refused ? `${String(error.code)} ` : ""}${error.message}`);
      }
    }
    const stopReason = this.#fixture.cancelled.aborted ? "cancelled" : this.#reason;
    return {
      answer: this.#error ? { error: this.#error } : { result: { stopReason } },
      twice: this.#twice,
      late: this.#late,
    };
  }

  #isOver(): boolean {
    return this.#error !== undefined || (this.#fixture.cancelled.aborted && !this.#continuesAfterCancel);
  }

  async #doAll(batch: readonly Step[]): Promise<void> {
    const [first] = batch;
    if (batch.length === 1 && first && first.step !== "mcp") return this.#do(first);
    await Promise.all([
      this.#mcp(batch.filter((step): step is Mcp => step.step === "mcp")),
      ...batch.filter(({ step }) => step !== "mcp").map(step => this.#do(step)),
    ]);
  }

  async #do(step: Step): Promise<void> {
    if (!isUpdate(step)) return this.#doMore(step);
    for (const update of updatesOf(step, this.#terminals.last)) await this.#update(update);
  }

  /** Changes files itself, as most agents do. */
  async #disk(command: string): Promise<void> {
    const { cwd, next } = this.#fixture,
      toolCallId = `disk-${next()}`;
    await this.#update({
      sessionUpdate: "tool_call",
      toolCallId,
      kind: "edit",
      title: command,
      status: "in_progress",
    });
    runShell(command, cwd);
    await this.#update({ sessionUpdate: "tool_call_update", toolCallId, status: "completed" });
  }

  async #doMore(step: Exclude<Step, UpdateStep>): Promise<void> {
    const { wire, cancelled, options } = this.#fixture;
    switch (step.step) {
      case "stream":
        return this.#stream(step);
      case "flood":
        return this.#flood(step);
      case "big":
        return this.#sendText(numberedWords(step.megabytes * 1024 * 1024));
      case "mode":
        options.set("mode", step.text);
        return this.#update({ sessionUpdate: "current_mode_update", currentModeId: step.text });
      case "option":
        options.set(step.id, step.value);
        return this.#update({ sessionUpdate: "config_option_update", configOptions: options.configOptions });
      case "chosen":
        return this.#sendText(options.described);
      case "recall":
        return this.#sendText(`remembered: ${this.#fixture.remembered().join(" | ")}`);
      case "unknown-notification":
        return wire.notify("scripted/unknown", { sessionId: this.#fixture.sessionId });
      case "unknown-request":
        return this.#unknownRequest();
      case "ask":
        return this.#sendText(await this.#questions.ask(step.id, step.fields, this.#terminals.last));
      case "form":
        return this.#sendText(
          await this.#questions.elicit({
            mode: "form",
            message: "Please fill this in.",
            requestedSchema: { type: "object", properties: {} },
            ...Object.fromEntries(step.fields),
          }),
        );
      case "visit":
        return this.#sendText(
          await this.#questions.elicit({
            mode: "url",
            message: "Please visit this page.",
            url: step.url,
            elicitationId: "visit",
            ...Object.fromEntries(step.fields),
          }),
        );
      case "visited":
        return wire.notify("elicitation/complete", { elicitationId: step.id });
      case "withdraw":
        await after(step.ms, undefined, { signal: cancelled });
        return this.#questions.withdraw();
      case "read":
        return this.#sendText(String(objectOr(await this.#request("fs/read_text_file", { path: step.text })).content));
      case "write":
        await this.#request("fs/write_text_file", { path: step.path, content: step.text });
        return this.#sendText(`wrote ${step.path}`);
      case "disk":
        return this.#disk(step.text);
      case "terminal":
        return this.#sendText(await this.#terminals.run(step.text));
      case "terminal-start":
        return this.#terminals.start(step.text);
      case "terminal-wait":
        return this.#sendText(await this.#terminals.wait());
      case "terminal-output":
        return this.#sendText(await this.#terminals.output());
      case "terminal-kill":
        return this.#terminals.kill();
      case "terminal-release":
        return this.#terminals.release();
      case "tools":
        return this.#useServer(step.text, async server =>
          this.#sendText((await server.tools()).map(({ name }) => name).join(", ") || "no tools"),
        );
      case "mcp":
        return this.#mcp([step]);
      case "env":
        return this.#sendText(`${step.text}=${process.env[step.text] ?? "(not set)"}`);
      case "received":
        return this.#sendText(JSON.stringify(this.#fixture.prompt.slice(1).map(shortened)));
      case "pid":
        return this.#sendText(`pid ${process.pid}`);
      case "garbage":
        return wire.raw(`${step.text}\n`);
      case "stderr":
        return void process.stderr.write(`${step.text}\n`);
      case "stderr-flood":
        return stderrFlood(step.n);
      case "sleep":
        await after(step.n, undefined, { signal: cancelled });
        return;
      case "await":
        return fileCreated(step.text, cancelled);
      case "hang":
        return untilAborted(cancelled);
      case "hang-forever":
        return new Promise(() => undefined);
      case "wait-cancel":
        await untilAborted(cancelled);
        this.#continuesAfterCancel = true;
        return;
      case "crash":
        return process.exit(step.n);
      case "kill":
        return this.#kill();
      case "late":
        this.#late.push(step);
        return;
      case "answer-twice":
        this.#twice = true;
        return;
      case "error":
        this.#error = { code: step.code, message: step.message };
        return;
      case "stop":
        this.#reason = step.text;
        return;
    }
  }

  #update(update: JsonObject): Promise<void> {
    return this.#fixture.wire.notify("session/update", { sessionId: this.#fixture.sessionId, update });
  }

  #sendText(text: string): Promise<void> {
    return this.#update(textUpdate(text));
  }

  #request(method: string, params: JsonObject): Promise<unknown> {
    return this.#fixture.wire.request(method, { sessionId: this.#fixture.sessionId, ...params });
  }

  async #stream({ chunks, chars, ms }: Extract<Step, { step: "stream" }>): Promise<void> {
    const words = numberedWords(chunks * chars);
    for (let i = 0; i < chunks && !this.#fixture.cancelled.aborted; i++) {
      await this.#sendText(words.slice(i * chars, (i + 1) * chars));
      if (ms > 0) await after(ms, undefined, { signal: this.#fixture.cancelled });
      else if (i % 64 === 63)
        await new Promise(resolve => {
          setImmediate(resolve);
        }); // lets a cancellation arrive
    }
  }

  async #flood({ n, of }: Extract<Step, { step: "flood" }>): Promise<void> {
    for (let i = 1; i <= n && !this.#fixture.cancelled.aborted; i++) {
      await this.#update(flooding(of, i));
      if (i % 64 === 0)
        await new Promise(resolve => {
          setImmediate(resolve);
        });
    }
  }

  async #unknownRequest(): Promise<void> {
    try {
      await this.#sendText(`unknown request answered: ${JSON.stringify(await this.#request("_scripted/unknown", {}))}`);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      await this.#sendText(`unknown request refused: ${String(error.code)}`);
    }
  }

  /** Makes all calls to one server over one connection, in parallel. */
  async #mcp(calls: readonly Mcp[]): Promise<void> {
    const servers = [...new Set(calls.map(({ server }) => server))];
    await Promise.all(
      servers.map(server =>
        this.#useServer(server, async (connection, name) => {
          await Promise.all(
            calls.filter(call => call.server === server).map(call => this.#callTool(connection, name, call)),
          );
        }),
      ),
    );
  }

  async #callTool(connection: McpConnection, name: string, { server, tool, args, dialect }: Mcp): Promise<void> {
    const toolCallId = `mcp-${this.#fixture.next()}`,
      { announcement, question } = announced(dialect, { server: dialect === "plain" ? server : name, tool, args });
    if (question) await connection.tools(); // published agents list the tools before their first call
    await this.#update({ sessionUpdate: "tool_call", toolCallId, status: "in_progress", ...announcement });
    if (question) {
      const answer = await this.#questions.askAbout({ ...question, toolCall: { toolCallId, ...question.toolCall } });
      if (answer !== "chose allow_once") {
        await this.#update({ sessionUpdate: "tool_call_update", toolCallId, status: "failed" });
        return this.#sendText(answer);
      }
    }
    try {
      const { failed, content, structured } = await connection.call(tool, args);
      const shown = content.map(block => ({ type: "content", content: block }));
      await this.#update({
        sessionUpdate: "tool_call_update",
        toolCallId,
        status: failed ? "failed" : "completed",
        content: shown,
        ...(structured === undefined ? {} : { rawOutput: structured }),
      });
      await this.#sendText(
        `${tool}: ${content.map(({ type, text, data }) => String(text ?? (typeof data === "string" ? `${String(type)} ${data.slice(0, 11)}` : type))).join(" ")}`,
      );
    } catch (error) {
      await this.#update({ sessionUpdate: "tool_call_update", toolCallId, status: "failed" });
      throw error;
    }
  }

  async #useServer(name: string, use: (connection: McpConnection, name: string) => Promise<void>): Promise<void> {
    const { servers, cancelled, cwd } = this.#fixture;
    const server = servers.find(declared =>
      name.endsWith("*") ? declared.name.startsWith(name.slice(0, -1)) : declared.name === name,
    );
    if (!server) throw new Error(`no MCP server ${name}`);
    let closed = Promise.resolve();
    await useMcp(
      server,
      {
        cwd,
        clock: realClock,
        signal: cancelled,
        client: { name: "scripted-agent", version: "1.0.0" },
        closing: done => {
          closed = done;
        },
      },
      connection => use(connection, server.name),
    );
    await closed;
  }

  /** Kills the process in the middle of a message. */
  async #kill(): Promise<void> {
    await this.#fixture.wire.raw(
      `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":${JSON.stringify(this.#fixture.sessionId)},"update":{"sessionUp`,
    );
    process.kill(process.pid, "SIGKILL");
  }
}

interface Announced {
  readonly announcement: JsonObject;
  readonly question?: { readonly toolCall: JsonObject; readonly _meta?: JsonObject };
}

/** `codex`: as recorded from codex-acp 2.6.0. */
function announced(dialect: McpDialect, { server, tool, args }: Pick<Mcp, "server" | "tool" | "args">): Announced {
  switch (dialect) {
    case "plain":
      return { announcement: { kind: "other", title: `${server}: ${tool}`, rawInput: args } };
    case "codex":
      return {
        announcement: {
          kind: "execute",
          title: `mcp.${server}.${tool}`,
          rawInput: { server, tool, arguments: args },
          _meta: { is_mcp_tool_call: true },
        },
        question: { toolCall: { kind: "execute", status: "pending" }, _meta: { is_mcp_tool_approval: true } },
      };
    case "titled":
      return {
        announcement: { kind: "other", title: `${server}-${tool}`, rawInput: args },
        question: { toolCall: { kind: "other", title: `${server}-${tool}`, rawInput: args } },
      };
  }
}

/** Update number `i` of a flood, counted from 1. */
function flooding(of: FloodOf, i: number): JsonObject {
  const text = { type: "text", text: `flood ${i}\n` };
  switch (of) {
    case "tools":
      return {
        sessionUpdate: "tool_call",
        toolCallId: `flood-${i}`,
        title: `flood ${i}`,
        kind: "other",
        status: "in_progress",
      };
    case "updates":
      return {
        sessionUpdate: i === 1 ? "tool_call" : "tool_call_update",
        toolCallId: "flood-1",
        title: `flood ${i}`,
        kind: "other",
        status: "in_progress",
      };
    case "results":
      return {
        sessionUpdate: "tool_call_update",
        toolCallId: `flood-${i % FLOODED_CALLS}`,
        title: `flood ${i}`,
        kind: "read",
        status: "completed",
        content: [{ type: "content", content: { type: "text", text: text.text.repeat(100) } }],
      };
    case "thoughts":
      return { sessionUpdate: i % 2 === 0 ? "agent_thought_chunk" : "agent_message_chunk", content: text };
    case "plans":
      return {
        sessionUpdate: "plan",
        entries: Array.from({ length: 20 }, (_, n) => ({
          content: `flood ${i}, step ${n}`,
          priority: "medium",
          status: n < i % 20 ? "completed" : "pending",
        })),
      };
    case "unknown":
      return { sessionUpdate: "_scripted_flood", text: text.text };
  }
}
const FLOODED_CALLS = 500;

/** Groups adjacent starred steps. All other steps form a batch of one. */
function batches(steps: readonly Step[]): readonly (readonly Step[])[] {
  const isStarred = (step: Step | undefined): boolean => step !== undefined && "parallel" in step && step.parallel;
  const all: Step[][] = [];
  for (const step of steps) {
    const last = all.at(-1);
    if (last && isStarred(step) && isStarred(last[0])) last.push(step);
    else all.push([step]);
  }
  return all;
}

async function stderrFlood(lines: number): Promise<void> {
  for (let n = 1; n <= lines; n++) {
    if (!process.stderr.write(`complaint ${n}\n`))
      await new Promise(resolve => {
        process.stderr.once("drain", resolve);
      });
  }
}

/** The block as received, with the data of an image replaced by its length. */
function shortened(block: unknown): JsonObject {
  const { data, ...rest } = objectOr(block);
  return data === undefined ? rest : { ...rest, dataLength: String(data).length };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
