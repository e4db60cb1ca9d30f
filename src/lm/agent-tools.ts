/**
 * Language-model tools that request an agent's permissions in VS Code's chat. VS Code shows the question and runs
 * `invoke` when the user agrees. Only `invoke` grants a permission: once, for an open question that was asked with this
 * tool. A tool result grants no permission, because a skipped tool also returns a result.
 *
 * VS Code does not confirm `ASK_EACH_TIME`, because a standing approval could answer it. `invoke` shows a dialog
 * instead.
 */
import * as l10n from "@vscode/l10n";
import type * as vscode from "vscode";
import { isObject } from "../protocol/wire/json";
import type { PermissionQuestion } from "../protocol/lm/lm";
import { ASK_EACH_TIME } from "../protocol/lm/permission-tools";
import type { LmClient } from "./provider";
import { VENDOR } from "./models";

/** Internal command: opens a question that is too long for its card in an editor. Argument: the question's id. */
export const SHOW_QUESTION = "symposium.showQuestion";

export interface ToolDeps {
  /** The running sidecar, if any. A sidecar started for this call would have no open question. */
  running(): LmClient | undefined;
  /** Creates Markdown in which `text` cannot run commands. `link` precedes the text and runs its command. */
  markdown(
    text: string,
    link?: { readonly title: string; readonly command: typeof SHOW_QUESTION; readonly argument: string },
  ): vscode.MarkdownString;
  result(text: string): vscode.LanguageModelToolResult;
  /** Shows a dialog. `showAll` opens the full question if the dialog shows only a part. */
  confirm(question: PermissionQuestion, showAll: () => Promise<void>): Promise<boolean>;
  /** Opens the question in an editor. */
  showWhole(questionId: string): Promise<void>;
}

/** Fields of VS Code versions above the minimum. */
type Invoked = vscode.LanguageModelToolInvocationOptions<unknown> & {
  readonly chatStreamToolCallId?: unknown;
  readonly model?: unknown;
};

export class AgentTool {
  constructor(
    private readonly name: string,
    private readonly deps: ToolDeps,
  ) {}

  async prepareInvocation({ input }: { readonly input: unknown }): Promise<vscode.PreparedToolInvocation> {
    const id = questionOf(input),
      { title, message, whole } = await questionWith(id, this.deps.running());
    if (this.name === ASK_EACH_TIME) return { invocationMessage: title };
    const markdown = this.deps.markdown(
      message,
      whole === undefined ? undefined : { title: l10n.t("Show All"), command: SHOW_QUESTION, argument: id },
    );
    return { invocationMessage: title, confirmationMessages: { title, message: markdown } };
  }

  async invoke({
    input,
    toolInvocationToken,
    chatStreamToolCallId,
    model,
  }: Invoked): Promise<vscode.LanguageModelToolResult> {
    if (toolInvocationToken === undefined)
      throw new Error("Only VS Code's chat can answer questions of Symposium's agents.");
    if (isObject(model) && model["vendor"] !== VENDOR) throw new Error("Only Symposium's models can use this tool.");
    const questionId = questionOf(input);
    if (this.name === ASK_EACH_TIME && !(await this.#confirmed(questionId)))
      return this.deps.result("The user did not allow it.");
    const { isTaken } = await clientOf(this.deps.running()).request("lm/decide", {
      questionId,
      toolName: this.name,
      ...(typeof chatStreamToolCallId === "string" ? { callId: chatStreamToolCallId } : {}),
    });
    if (!isTaken) throw new Error(NO_AGENT);
    return this.deps.result("The user allowed it. The agent continues.");
  }

  async #confirmed(questionId: string): Promise<boolean> {
    const { deps } = this;
    return await deps.confirm(await questionWith(questionId, deps.running()), () => deps.showWhole(questionId));
  }
}

const NO_AGENT = "No agent waits for this answer.";

/** Requests the open question. Rejects with a message if it is no longer open. */
export async function questionWith(questionId: string, running: LmClient | undefined): Promise<PermissionQuestion> {
  const { question } = await clientOf(running).request("lm/question", { questionId });
  if (!question) throw new Error(NO_AGENT);
  return question;
}

function clientOf(running: LmClient | undefined): LmClient {
  if (!running) throw new Error(NO_AGENT);
  return running;
}

function questionOf(input: unknown): string {
  const id = isObject(input) ? input["id"] : undefined;
  if (typeof id !== "string") throw new Error(NO_AGENT);
  return id;
}

/**
 * Converts a question's Markdown to plain text for a dialog: removes code fences and the backticks around lines of
 * code.
 */
export function plainText(markdown: string): string {
  return markdown
    .split("\n")
    .filter(line => !/^`{3,}[a-z]*$/.test(line))
    .map(line => /^(`+)(.+)\1$/.exec(line)?.[2]?.trim() ?? line)
    .join("\n");
}
