/**
 * Registers the models and their tools in VS Code while `symposium.enableExperimentalLM` is on. Without the API (older
 * versions, forks), logs a line; the chat works without models.
 */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import type { Log } from "../log";
import { showModal, showWarning } from "../notifications";
import { groupContext, PERMISSION_TOOLS, TOOL_GROUPS } from "../protocol/lm/permission-tools";
import { AgentTool, plainText, questionWith, SHOW_QUESTION, type ToolDeps } from "./agent-tools";
import { VENDOR, type Model } from "./models";
import type { PartClasses } from "./convert-parts";
import type { LmProvider, ProviderDeps } from "./provider";

export interface LmRegistration extends vscode.Disposable {
  /** Call it after a change of the settings or of the cached capabilities. */
  changed(isEnabled: boolean): void;
}

/** VS Code's part classes, including those that only later versions have or that the typings lack. */
export const partClasses: PartClasses = {
  LanguageModelTextPart: vscode.LanguageModelTextPart,
  LanguageModelToolCallPart: vscode.LanguageModelToolCallPart,
  ...classNamed("LanguageModelDataPart"),
  ...classNamed("LanguageModelThinkingPart"),
};
export const lmErrors: ProviderDeps["errors"] = vscode.LanguageModelError;

/** VS Code forwards parts every 30 ms through two processes, and does not report their arrival. */
const PARTS_TAKEN_MS = 250;
export function partsTaken(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, PARTS_TAKEN_MS));
}

/** Creates VS Code's values for the tools. */
export const toolParts: Omit<ToolDeps, "running"> = {
  markdown(text, link) {
    const notice = link
      ? l10n.t(
          "This content is shortened. " + "[{0}](command:{1}?{2})\n\n",
          link.title,
          link.command,
          encodeURIComponent(JSON.stringify([link.argument])),
        )
      : "";
    const markdown = new vscode.MarkdownString(notice + text);
    markdown.isTrusted = link ? { enabledCommands: [link.command] } : false;
    markdown.supportHtml = false;
    return markdown;
  },
  result: text => new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]),
  async confirm({ title, message, whole }, showAll) {
    const choice = await showModal(
      { question: title, detail: plainText(message) },
      ...(whole === undefined ? [ALLOW] : [ALLOW, SHOW_ALL]),
    );
    if (choice !== SHOW_ALL) return choice === ALLOW;
    await showAll();
    return (await showWarning(title, ALLOW, DENY)) === ALLOW;
  },
  showWhole: async questionId => {
    await vscode.commands.executeCommand(SHOW_QUESTION, questionId);
  },
};

const ALLOW = "Allow",
  DENY = "Deny",
  SHOW_ALL = l10n.t("Show All");

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
  const isSupported =
    typeof vscode.lm?.registerLanguageModelChatProvider === "function" && typeof vscode.lm.registerTool === "function";
  return {
    changed(isEnabled) {
      if (isEnabled && !isSupported)
        return log.info(
          "lm",
          "This version of VS Code has no language model API; the model picker does not show Symposium",
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
 * Enables the permission tools only for groups with an agent in the model picker. VS Code offers tools to all chats,
 * regardless of their model.
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

/** Read-only documents for questions. Plain text, because other document languages may add links. */
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
