/**
 * The tools through which VS Code's chat asks for an agent's permissions: VS Code shows the question and, when the user
 * agrees, runs `invoke`. That is the only place where a permission is given, for a question that is open in the sidecar
 * and was asked with this tool, once; the tool's result gives none, because a skipped tool returns one, too.
 *
 * `ASK_EACH_TIME` has no confirmation by VS Code, which a standing approval could answer: `invoke` asks in a dialog.
 */
import type * as vscode from "vscode";
import { isObject } from "../protocol/json";
import type { PermissionQuestion } from "../protocol/lm";
import { ASK_EACH_TIME } from "../protocol/permission-tools";
import type { LmClient } from "./provider";
import { VENDOR } from "./models";

/**
 * Opens a question that is too long for its card in an editor; with its id. No user's command: only those cards know
 * ids.
 */
export const SHOW_QUESTION = "symposium.showQuestion";

export interface ToolDeps {
  /** The sidecar that runs, if one does: one that is started for it would have asked nothing. */
  running(): LmClient | undefined;
  /** `text` is safe to show; nothing in it can run a command, unless it is that of `link`, which stands before it. */
  markdown(
    text: string,
    link?: { readonly title: string; readonly command: typeof SHOW_QUESTION; readonly argument: string },
  ): vscode.MarkdownString;
  result(text: string): vscode.LanguageModelToolResult;
  /** Asks in a dialog; `showAll` opens the whole question where the dialog has only a part of it. */
  confirm(question: PermissionQuestion, showAll: () => Promise<void>): Promise<boolean>;
  /** Opens the question in an editor. */
  showWhole(questionId: string): Promise<void>;
}

/** Of later versions than our floor. */
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
      whole === undefined ? undefined : { title: "Show all", command: SHOW_QUESTION, argument: id },
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
      throw new Error("Symposium's agents are answered in VS Code's chat, and by nobody else.");
    if (isObject(model) && model["vendor"] !== VENDOR) throw new Error("This tool is for Symposium's own models.");
    const questionId = questionOf(input);
    if (this.name === ASK_EACH_TIME && !(await this.#confirmed(questionId)))
      return this.deps.result("The user did not allow it.");
    const { isTaken } = await clientOf(this.deps.running()).request("lm/decide", {
      questionId,
      toolName: this.name,
      ...(typeof chatStreamToolCallId === "string" ? { callId: chatStreamToolCallId } : {}),
    });
    if (!isTaken) throw new Error(NOBODY);
    return this.deps.result("The user allowed it. The agent goes on.");
  }

  async #confirmed(questionId: string): Promise<boolean> {
    const { deps } = this;
    return await deps.confirm(await questionWith(questionId, deps.running()), () => deps.showWhole(questionId));
  }
}

const NOBODY = "No agent waits for this answer.";

/** What a person is asked by this question now; rejects with a sentence when it is not open (any more). */
export async function questionWith(questionId: string, running: LmClient | undefined): Promise<PermissionQuestion> {
  const { question } = await clientOf(running).request("lm/question", { questionId });
  if (!question) throw new Error(NOBODY);
  return question;
}

function clientOf(running: LmClient | undefined): LmClient {
  if (!running) throw new Error(NOBODY);
  return running;
}

function questionOf(input: unknown): string {
  const id = isObject(input) ? input["id"] : undefined;
  if (typeof id !== "string") throw new Error(NOBODY);
  return id;
}

/**
 * A question's Markdown for a dialog, which shows plain text: without the fences of its blocks, and without the ticks
 * around its lines of code.
 */
export function plainText(markdown: string): string {
  return markdown
    .split("\n")
    .filter(line => !/^`{3,}[a-z]*$/.test(line))
    .map(line => /^(`+)(.+)\1$/.exec(line)?.[2]?.trim() ?? line)
    .join("\n");
}
