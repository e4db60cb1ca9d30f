/** Simulates another extension that uses one of Symposium's models. It keeps the history and runs the tools. */
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
  async ask(words: string): Promise<Round> {
    this.#history.push(vscode.LanguageModelChatMessage.User(words));
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
          // Not in the typings; VS Code passes it on.
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
  async stopAt(words: string, text: string): Promise<void> {
    this.#history.push(vscode.LanguageModelChatMessage.User(words));
    const stop = new vscode.CancellationTokenSource();
    let said = "";
    try {
      for await (const part of (await this.model.sendRequest(this.#history, this.options, stop.token)).stream) {
        if (part instanceof vscode.LanguageModelTextPart) said += part.value;
        if (said.includes(text)) stop.cancel();
      }
    } catch (error) {
      assert.ok(stop.token.isCancellationRequested, String(error));
    } finally {
      stop.dispose();
    }
    assert.ok(said.includes(text), `never said: ${text}`);
    this.#history.push(vscode.LanguageModelChatMessage.Assistant(said));
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
