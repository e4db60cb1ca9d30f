/**
 * Commands that the scripted agent runs in its client (ACP schema v1, `terminal/*`), each displayed in a separate tool
 * call. One step runs the whole sequence. Other steps send single requests for the most recently started command.
 */
import { parseCommand } from "../../process/command-line";
import { objectOr, type JsonObject } from "../../rpc/json";

export interface TerminalFixture {
  readonly cwd: string;
  /** Aborts at `session/cancel`. */
  readonly cancelled: AbortSignal;
  /** Returns numbers that are unique in this process. */
  readonly next: () => number;
  request(method: string, params: JsonObject): Promise<unknown>;
  update(update: JsonObject): Promise<void>;
}

export class Terminals {
  /** Id of the terminal, and of the tool call that displays it. */
  #last = { terminalId: "", toolCallId: "" };

  constructor(private readonly fixture: TerminalFixture) {}

  /** Id of the latest terminal. Empty if there is none. */
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

  /**
   * Waits until the command has exited, then completes its tool call. Resolves with `exit CODE`. Cancelling the turn
   * kills the command.
   */
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

  /** Runs a command from start to release. Resolves with `exit CODE: OUTPUT`. */
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
