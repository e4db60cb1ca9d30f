/** Simulates another extension that uses one of Symposium's models, with its history and tools. */
import assert from "node:assert/strict";
import * as vscode from "vscode";

/** The answer to one request. */
export interface Round {
  readonly text: string;
  readonly calls: readonly vscode.LanguageModelToolCallPart[];
}

/** A text, or parts. */
export type Result = string | readonly object[];

export class Consumer {
  readonly #history: vscode.LanguageModelChatMessage[] = [];

  constructor(
    private readonly model: vscode.LanguageModelChat,
    private readonly options: vscode.LanguageModelChatRequestOptions = {},
  ) {}

  /** Sends a prompt and reads the complete response. */
  async ask(prompt: string): Promise<Round> {
    this.#history.push(vscode.LanguageModelChatMessage.User(prompt));
    return this.#request();
  }

  /** Sends the results of the calls in the given order. `failed`: calls to be marked as failed. */
  async answer(
    results: readonly (readonly [call: vscode.LanguageModelToolCallPart, result: Result])[],
    failed: readonly vscode.LanguageModelToolCallPart[] = [],
  ): Promise<Round> {
    this.#history.push(
      vscode.LanguageModelChatMessage.User(
        results.map(([call, result]) => {
          const part = new vscode.LanguageModelToolResultPart(
            call.callId,
            typeof result === "string" ? [new vscode.LanguageModelTextPart(result)] : [...result],
          );
          // Not in the typings, but VS Code forwards it.
          return failed.includes(call) ? Object.assign(part, { isError: true }) : part;
        }),
      ),
    );
    return this.#request();
  }

  /**
   * Sends a prompt and cancels when the response contains this text. The partial response stays in the history, as in
   * VS Code's own chat.
   */
  async stopAt(prompt: string, text: string): Promise<void> {
    this.#history.push(vscode.LanguageModelChatMessage.User(prompt));
    const stop = new vscode.CancellationTokenSource();
    let answer = "";
    try {
      for await (const part of (await this.model.sendRequest(this.#history, this.options, stop.token)).stream) {
        if (part instanceof vscode.LanguageModelTextPart) answer += part.value;
        if (answer.includes(text)) stop.cancel();
      }
    } catch (error) {
      assert.ok(stop.token.isCancellationRequested, String(error));
    } finally {
      stop.dispose();
    }
    assert.ok(answer.includes(text), `not in the answer: ${text}`);
    this.#history.push(vscode.LanguageModelChatMessage.Assistant(answer));
  }

  async #request(): Promise<Round> {
    const round = await read(await this.model.sendRequest(this.#history, this.options));
    this.#history.push(
      vscode.LanguageModelChatMessage.Assistant([new vscode.LanguageModelTextPart(round.text), ...round.calls]),
    );
    return round;
  }
}

export async function read({ stream }: vscode.LanguageModelChatResponse): Promise<Round> {
  const calls: vscode.LanguageModelToolCallPart[] = [];
  let text = "";
  for await (const part of stream) {
    if (part instanceof vscode.LanguageModelTextPart) text += part.value;
    else if (part instanceof vscode.LanguageModelToolCallPart) calls.push(part);
  }
  return { text, calls };
}
