/**
 * Commands that the scripted agent has its client run (ACP schema v1, `terminal/*`), each shown in a tool call of its
 * own. One step for all of it, or one for each request; those are about the last command that was started.
 */
import { parseCommand } from "../../process/command-line";
import { objectOr, type JsonObject } from "../../rpc/json";

export interface TerminalFixture {
  readonly cwd: string;
  /** Aborts at `session/cancel`. */
  readonly cancelled: AbortSignal;
  /** Numbers that are never used again in this process. */
  readonly next: () => number;
  request(method: string, params: JsonObject): Promise<unknown>;
  update(update: JsonObject): Promise<void>;
}

export class Terminals {
  /** The terminal's id, and that of the tool call which shows it. */
  #last = { terminalId: "", toolCallId: "" };

  constructor(private readonly fixture: TerminalFixture) {}

  /** Its id; empty before there was one. */
  get last(): string {
    return this.#last.terminalId;
  }

  async start(text: string): Promise<void> {
    const { command, args, env } = parseCommand(text);
    const { terminalId } = objectOr(
      await this.fixture.request("terminal/create", {
        command,
        args,
        env: Object.entries(env).map(([name, value]) => ({ name, value })),
        cwd: this.fixture.cwd,
      }),
    );
    this.#last = { terminalId: String(terminalId), toolCallId: `terminal-${this.fixture.next()}` };
    await this.fixture.update({
      sessionUpdate: "tool_call",
      toolCallId: this.#last.toolCallId,
      kind: "execute",
      title: text,
      status: "in_progress",
      content: [{ type: "terminal", terminalId }],
    });
  }

  /** Until it has ended, and its tool call with it; `exit CODE`. It is killed when the turn is cancelled. */
  async wait(): Promise<string> {
    const kill = (): void => void this.kill().catch(() => undefined);
    this.fixture.cancelled.addEventListener("abort", kill, { once: true });
    try {
      const { exitCode, signal } = objectOr(await this.#request("terminal/wait_for_exit"));
      await this.fixture.update({
        sessionUpdate: "tool_call_update",
        toolCallId: this.#last.toolCallId,
        status: exitCode === 0 ? "completed" : "failed",
      });
      return `exit ${String(exitCode ?? signal)}`;
    } finally {
      this.fixture.cancelled.removeEventListener("abort", kill);
    }
  }

  async output(): Promise<string> {
    return String(objectOr(await this.#request("terminal/output")).output);
  }
  async kill(): Promise<void> {
    await this.#request("terminal/kill");
  }
  async release(): Promise<void> {
    await this.#request("terminal/release");
  }

  /** From its start to its release; `exit CODE: OUTPUT`. */
  async run(text: string): Promise<string> {
    await this.start(text);
    try {
      return `${await this.wait()}: ${await this.output()}`;
    } finally {
      await this.release();
    }
  }

  #request(method: string): Promise<unknown> {
    return this.fixture.request(method, { terminalId: this.last });
  }
}
