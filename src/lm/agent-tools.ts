/**
 * The tools by which VS Code's chat asks a person about what an agent wants to do: VS Code shows the question and, when the person agrees, runs
 * `invoke`. That is the only place where a permission is given, for a question that is open in the sidecar, once; what the tool returns
 * says nothing, because a skipped tool returns something, too.
 */
import type * as vscode from "vscode";
import { isObject } from "../protocol/json";
import type { PermissionQuestion } from "../protocol/lm";
import type { LmClient } from "./provider";
import { VENDOR } from "./models";

/** One a kind, so that a standing approval of reading is not one of commands. */
export const AGENT_TOOLS = ["symposium-agent-action", "symposium-agent-read", "symposium-agent-edit", "symposium-agent-execute", "symposium-agent-fetch", "symposium-agent-other"] as const;

/** Opens a question that is too long for its card in an editor; with its id. No user's command: only those cards know ids. */
export const SHOW_QUESTION = "symposium.showQuestion";

export interface ToolWorld {
  /** The sidecar that runs, if one does: one that is started for it would have asked nothing. */
  running(): LmClient | undefined;
  /** `text` is safe to show; nothing in it can run a command, unless it is that of `link`, which stands before it. */
  markdown(text: string, link?: { readonly title: string; readonly command: typeof SHOW_QUESTION; readonly argument: string }): vscode.MarkdownString;
  result(text: string): vscode.LanguageModelToolResult;
}

/** Of later versions than our floor. */
type Invoked = vscode.LanguageModelToolInvocationOptions<unknown> & { readonly chatStreamToolCallId?: unknown; readonly model?: unknown };

export class AgentTool {
  constructor(private readonly world: ToolWorld) {}

  async prepareInvocation({ input }: { readonly input: unknown }): Promise<vscode.PreparedToolInvocation> {
    const id = questionOf(input), { title, message, whole } = await questionWith(id, this.world.running());
    const markdown = this.world.markdown(message, whole === undefined ? undefined : { title: "Show all", command: SHOW_QUESTION, argument: id });
    return { invocationMessage: title, confirmationMessages: { title, message: markdown } };
  }

  async invoke({ input, toolInvocationToken, chatStreamToolCallId, model }: Invoked): Promise<vscode.LanguageModelToolResult> {
    if (toolInvocationToken === undefined) throw new Error("Symposium's agents are answered in VS Code's chat, and by nobody else.");
    if (isObject(model) && model["vendor"] !== VENDOR) throw new Error("This tool is for Symposium's own models.");
    const { isTaken } = await clientOf(this.world.running()).request("lm/decide", { questionId: questionOf(input), ...(typeof chatStreamToolCallId === "string" ? { callId: chatStreamToolCallId } : {}) });
    if (!isTaken) throw new Error(NOBODY);
    return this.world.result("The user allowed it. The agent goes on.");
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
