/**
 * The tools by which VS Code's chat asks a person about what an agent wants to do: VS Code shows the question and, when the person agrees, runs
 * `invoke`. That is the only place where a permission is given, for a question that is open in the sidecar, once; what the tool returns
 * says nothing, because a skipped tool returns something, too.
 */
import type * as vscode from "vscode";
import { isObject } from "../protocol/json";
import type { LmClient } from "./provider";
import { VENDOR } from "./models";

/** One a kind, so that a standing approval of reading is not one of commands. */
export const AGENT_TOOLS = ["symposium-agent-action", "symposium-agent-read", "symposium-agent-edit", "symposium-agent-execute", "symposium-agent-fetch", "symposium-agent-other"] as const;

export interface ToolWorld {
  /** The sidecar that runs, if one does: one that is started for it would have asked nothing. */
  running(): LmClient | undefined;
  markdown(text: string): vscode.MarkdownString;
  result(text: string): vscode.LanguageModelToolResult;
}

/** Of later versions than our floor. */
type Invoked = vscode.LanguageModelToolInvocationOptions<unknown> & { readonly chatStreamToolCallId?: unknown; readonly model?: unknown };

export class AgentTool {
  constructor(private readonly world: ToolWorld) {}

  async prepareInvocation({ input }: { readonly input: unknown }): Promise<vscode.PreparedToolInvocation> {
    const { question } = await this.#client().request("lm/question", { questionId: questionOf(input) });
    if (!question) throw new Error(NOBODY);
    return { invocationMessage: question.title, confirmationMessages: { title: question.title, message: this.world.markdown(question.message) } };
  }

  async invoke({ input, toolInvocationToken, chatStreamToolCallId, model }: Invoked): Promise<vscode.LanguageModelToolResult> {
    if (toolInvocationToken === undefined) throw new Error("Symposium's agents are answered in VS Code's chat, and by nobody else.");
    if (isObject(model) && model["vendor"] !== VENDOR) throw new Error("This tool is for Symposium's own models.");
    const { isTaken } = await this.#client().request("lm/decide", { questionId: questionOf(input), ...(typeof chatStreamToolCallId === "string" ? { callId: chatStreamToolCallId } : {}) });
    if (!isTaken) throw new Error(NOBODY);
    return this.world.result("The user allowed it. The agent goes on.");
  }

  #client(): LmClient {
    const client = this.world.running();
    if (!client) throw new Error(NOBODY);
    return client;
  }
}

const NOBODY = "No agent waits for this answer.";

function questionOf(input: unknown): string {
  const id = isObject(input) ? input["id"] : undefined;
  if (typeof id !== "string") throw new Error(NOBODY);
  return id;
}
