/**
 * One turn of the scripted agent. It runs the steps of a script in order (adjacent starred steps in parallel) and
 * determines the end of the turn. A cancellation interrupts waiting steps, and the turn ends as `cancelled`. An open
 * permission request is still awaited, because a client that cancels must respond to it.
 */
import { setTimeout as after } from "node:timers/promises";
import type { McpServer } from "../../mcp/read-mcp-servers";
import { objectOr, type JsonObject } from "../../rpc/json";
import { runShell } from "./children";
import { flooding, stderrFlood } from "./flood";
import { McpCalls, type Mcp } from "./mcp-calls";
import { fileCreated } from "./wait-for-file";
import type { SessionOptions } from "./options";
import { Questions } from "./questions";
import { numberedWords, type Step } from "./script";
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
  readonly #mcp: McpCalls;

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
    this.#mcp = new McpCalls({
      ...fixture,
      questions: this.#questions,
      update: update => this.#update(update),
      sendText: text => this.#sendText(text),
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
      this.#mcp.call(batch.filter((step): step is Mcp => step.step === "mcp")),
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
        return this.#sendText((await this.#mcp.tools(step.text)).join(", ") || "no tools");
      case "mcp":
        return this.#mcp.call([step]);
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

  /** Kills the process in the middle of a message. */
  async #kill(): Promise<void> {
    await this.#fixture.wire.raw(
      `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":${JSON.stringify(this.#fixture.sessionId)},"update":{"sessionUp`,
    );
    process.kill(process.pid, "SIGKILL");
  }
}

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
