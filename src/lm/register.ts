/**
 * The models and their tools in VS Code, as long as `symposium.enableExperimentalLM` is on. The only file here that
 * calls VS Code. Where it has no such API (older versions, forks) a line in the log says so, and the chat works as it
 * does.
 */
import * as vscode from "vscode";
import type { Log } from "../log";
import { groupContext, PERMISSION_TOOLS, TOOL_GROUPS } from "../protocol/permission-tools";
import { AgentTool, plainText, questionWith, SHOW_QUESTION, type ToolDeps } from "./agent-tools";
import { VENDOR, type Model } from "./models";
import type { PartClasses } from "./convert-parts";
import type { LmProvider, ProviderDeps } from "./provider";

export interface LmRegistration extends vscode.Disposable {
  /** The settings, or what is known of agents, changed. */
  changed(isEnabled: boolean): void;
}

/** What later versions than our floor have, or have without saying so. */
export const partClasses: PartClasses = {
  LanguageModelTextPart: vscode.LanguageModelTextPart,
  LanguageModelToolCallPart: vscode.LanguageModelToolCallPart,
  ...classNamed("LanguageModelDataPart"),
  ...classNamed("LanguageModelThinkingPart"),
};
export const lmErrors: ProviderDeps["errors"] = vscode.LanguageModelError;

/** VS Code sends parts on every 30 ms, through two processes, and does not report when they have arrived. */
const PARTS_TAKEN_MS = 250;
export function partsTaken(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, PARTS_TAKEN_MS));
}

/** How VS Code makes what a tool gives it. */
export const toolParts: Omit<ToolDeps, "running"> = {
  markdown(text, link) {
    const first = link
      ? `This is shortened. [${link.title}](command:${link.command}?${encodeURIComponent(JSON.stringify([link.argument]))})\n\n`
      : "";
    const markdown = new vscode.MarkdownString(first + text);
    markdown.isTrusted = link ? { enabledCommands: [link.command] } : false;
    markdown.supportHtml = false;
    return markdown;
  },
  result: text => new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]),
  async confirm({ title, message, whole }, showAll) {
    const options = { modal: true, detail: plainText(message) };
    const pressed = await vscode.window.showWarningMessage(
      title,
      options,
      ...(whole === undefined ? [ALLOW] : [ALLOW, SHOW_ALL]),
    );
    if (pressed !== SHOW_ALL) return pressed === ALLOW;
    await showAll();
    return (await vscode.window.showWarningMessage(title, ALLOW, DENY)) === ALLOW;
  },
  showWhole: async questionId => {
    await vscode.commands.executeCommand(SHOW_QUESTION, questionId);
  },
};

const ALLOW = "Allow",
  DENY = "Deny",
  SHOW_ALL = "Show All";

function classNamed(name: "LanguageModelDataPart" | "LanguageModelThinkingPart"): Partial<PartClasses> {
  const found: unknown = Reflect.get(vscode, name);
  return typeof found === "function" ? { [name]: found } : {};
}

export function registerLm(
  provider: LmProvider,
  tools: ToolDeps,
  groupOf: (agentId: string) => string | undefined,
  log: Log,
): LmRegistration {
  const changes = new vscode.EventEmitter<void>();
  let registered: vscode.Disposable | undefined;
  const isThere =
    typeof vscode.lm?.registerLanguageModelChatProvider === "function" && typeof vscode.lm.registerTool === "function";
  return {
    changed(isEnabled) {
      if (isEnabled && !isThere)
        return log.info(
          "lm",
          "This version of VS Code has no models of extensions: the model picker goes without Symposium",
        );
      if (!isEnabled) {
        registered?.dispose();
        registered = undefined;
      } else if (registered) changes.fire();
      else
        registered = vscode.Disposable.from(
          vscode.lm.registerLanguageModelChatProvider(VENDOR, chatProvider(provider, changes.event)),
          ...PERMISSION_TOOLS.map(name => vscode.lm.registerTool(name, new AgentTool(name, tools))),
          wholeQuestions(tools),
        );
      if (isEnabled) offerTools(new Set(provider.agentIds().map(groupOf)));
    },
    dispose() {
      registered?.dispose();
      changes.dispose();
    },
  };
}

/**
 * VS Code offers a chat the permission tools of those agents only that are in the model picker: all chats are offered
 * them, of whatever model.
 */
function offerTools(groups: ReadonlySet<string | undefined>): void {
  for (const group of TOOL_GROUPS)
    void vscode.commands.executeCommand("setContext", groupContext(group), groups.has(group));
}

function chatProvider(provider: LmProvider, onDidChange: vscode.Event<void>): vscode.LanguageModelChatProvider<Model> {
  return {
    onDidChangeLanguageModelChatInformation: onDidChange,
    provideLanguageModelChatInformation: () => [...provider.models()],
    provideLanguageModelChatResponse: (model, messages, options, progress: vscode.Progress<unknown>, token) =>
      provider.respond(model, messages, options, part => progress.report(part), token),
    provideTokenCount: (_model, value) => Promise.resolve(provider.tokens(value)),
  };
}

/** Questions as read-only documents: plain text, because a language brings links of its own. */
function wholeQuestions({ running }: ToolDeps): vscode.Disposable {
  const scheme = "symposium-question";
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      provideTextDocumentContent: async ({ query }) => {
        const { message, whole } = await questionWith(query, running());
        return whole ?? message;
      },
    }),
    vscode.commands.registerCommand(SHOW_QUESTION, async (id: unknown) => {
      const questionId = String(id),
        { title } = await questionWith(questionId, running());
      await vscode.window.showTextDocument(
        vscode.Uri.from({ scheme, path: `/${title.replaceAll(/[\\/]/g, " ")}`, query: questionId }),
        { preview: true },
      );
    }),
  );
}
