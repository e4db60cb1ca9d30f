/** Implements every command of the table in `names.ts`. Test commands use the same handlers as the page's messages. */
import * as l10n from "@vscode/l10n";
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { HostAction } from "./chat/chat-deps";
import type { ChatNotice, ChatSurfaces } from "./chat/chat-surfaces";
import type { ResponseCapture } from "./chat/response-capture";
import type { AnswerCode } from "./editor/code/answer-code";
import { additions, NothingToAdd, type ContextSources, type Gathered } from "./editor/mentions/context-sources";
import { CHAT_VIEW, COMMANDS, SESSIONS_VIEW, type CommandName, type TestCommandName } from "./names";
import { showError, showInformation, showModal, showWarning } from "./notifications";
import type { AgentChoice } from "./protocol/agents/agents";
import type { BypassUntil } from "./protocol/sidecar";
import { bypassQuestion } from "./settings/store/bypass-question";
import type { Configuration } from "./settings/store/configuration";
import { selectAgent, type AgentSources } from "./settings/store/select-agent";
import type { SessionSummary } from "./protocol/sessions/sessions";
import { errorMessage } from "./protocol/wire/errors";
import type { CommentDeps } from "./review/comment-threads";
import type { ReviewPart } from "./review/register";
import type { SessionCommands } from "./sessions/session-commands";

export interface CommandDeps {
  readonly chat: ChatSurfaces;
  readonly configuration: Configuration;
  readonly context: ContextSources;
  readonly sources: AgentSources;
  readonly sessions: SessionCommands;
  readonly review: ReviewPart["commands"];
  readonly code: Pick<AnswerCode, "apply" | "discard">;
  openSettings(): void;
  showLogs(): void;
  copyDiagnostics(): Promise<void>;
}

export function registerCommands({
  chat,
  configuration,
  context,
  sources,
  sessions,
  review,
  code,
  openSettings,
  showLogs,
  copyDiagnostics,
}: CommandDeps): vscode.Disposable {
  const openChat = async (): Promise<void> => {
    await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
  };
  const add = async (gather: () => Promise<Gathered>): Promise<void> => {
    const { attachments, omitted } = await gathered(gather);
    if (attachments.length > 0) await chat.attach(attachments);
    if (omitted === undefined) return;
    if (attachments.length > 0) await chat.report(omitted);
    else void showInformation(omitted);
  };
  return register({
    "symposium.openChat": openChat,
    "symposium.newTab": () => chat.openTab(),
    "symposium.focusPrompt": () => chat.focusPrompt(),
    "symposium.nextQuestion": () => chat.nextQuestion(),
    "symposium.allowOnce": () => chat.run("allowOnce"),
    "symposium.rejectOnce": () => chat.run("rejectOnce"),
    "symposium.stop": () => chat.run("stop"),
    "symposium.moveToEditor": () => chat.moveToEditor(),
    "symposium.moveToNewWindow": () => chat.moveToNewWindow(),
    "symposium.moveToChatView": () => chat.moveToView(),
    "symposium.showSessions": () => vscode.commands.executeCommand(`${SESSIONS_VIEW}.focus`),
    "symposium.discussSelection": () => add(() => context.gather({ kind: "selection" })),
    "symposium.addToChat": (first: unknown, second: unknown) => add(() => additions(context, first, second)),
    "symposium.selectAgent": async () => {
      const selected = await selectAgent(configuration, sources, sentence => void chat.report(sentence, "error"));
      if (selected !== undefined) await chat.agentSelected(selected);
    },
    "symposium.applyCode": (side: unknown) => used(() => code.apply(uriOf(side))),
    "symposium.discardCode": (side: unknown) => used(() => code.discard(uriOf(side))),
    "symposium.restartAgent": async () => {
      if (!(await chat.restartAgent())) await showInformation(l10n.t("No open chat has an agent to restart."));
    },
    "symposium.restartSidecar": () => chat.main.restartSidecar(),
    "symposium.openSettings": openSettings,
    "symposium.showLogs": showLogs,
    "symposium.copyDiagnostics": copyDiagnostics,
    "symposium.deleteHistory": () => confirmDeletion(() => chat.main.deleteHistory()),
    ...sessions,
    ...review,
  } satisfies Record<CommandName, (...args: never[]) => unknown>);
}

export function registerTestCommands(chat: ChatSurfaces, capture: ResponseCapture): vscode.Disposable {
  return register({
    "symposium.test.simulateNewTab": (tabId: string) => chat.main.handle({ type: "newTab", tabId }),
    "symposium.test.getTabs": () => chat.tabs,
    "symposium.test.sendPrompt": (tabId: string, text: string) =>
      chat.controllerOf(tabId).handle({ type: "prompt", tabId, messageId: randomUUID(), text }),
    "symposium.test.startCapturingResponses": (tabId: string) => capture.start(tabId),
    "symposium.test.getResponse": (tabId: string) => capture.response(tabId),
    "symposium.test.stopCapturingResponses": (tabId: string) => capture.stop(tabId),
  } satisfies Record<TestCommandName, (...args: never[]) => unknown>);
}

/** Adds a comment to the prompt of its session, which is opened first. */
export function reviewPrompt(
  chat: ChatSurfaces,
  sessions: Pick<SessionCommands, "symposium.openSession">,
  listed: () => Promise<readonly SessionSummary[]>,
): CommentDeps["addToPrompt"] {
  return async ({ id, kind }, attachment, line) => {
    if (kind === "picker") {
      await vscode.commands.executeCommand("workbench.action.chat.open", { query: line, isPartialQuery: true });
      return;
    }
    if (chat.tabs.includes(id)) await chat.show(id);
    else {
      const session = (await listed()).find(({ ref }) => ref.kind === "stored" && ref.conversation === id);
      if (session === undefined) throw new Error(l10n.t("The session of this review is not stored any more."));
      await sessions["symposium.openSession"]({ kind: "session", session });
    }
    await chat.attachTo(id, attachment, line);
  };
}

function register(commands: Readonly<Record<string, (...args: never[]) => unknown>>): vscode.Disposable {
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run)),
  );
}

const uriOf = (argument: unknown): vscode.Uri | undefined => (argument instanceof vscode.Uri ? argument : undefined);

/** Shows the message of a failure. */
async function used(use: () => Promise<void>): Promise<void> {
  try {
    await use();
  } catch (error) {
    await showError(errorMessage(error));
  }
}

async function gathered(gather: () => Promise<Gathered>): Promise<Gathered> {
  try {
    return await gather();
  } catch (error) {
    if (error instanceof NothingToAdd) return { attachments: [], omitted: error.message };
    throw error;
  }
}

/** The command that each action button runs. */
const COMMAND_OF = {
  showLogs: "symposium.showLogs",
  restartAgent: "symposium.restartAgent",
  restartSidecar: "symposium.restartSidecar",
  selectAgent: "symposium.selectAgent",
  manageTrust: "workbench.trust.manage",
  openSettings: "symposium.openSettings",
} as const satisfies Readonly<Record<HostAction, CommandName | "workbench.trust.manage">>;

export async function perform(action: HostAction): Promise<void> {
  await vscode.commands.executeCommand(COMMAND_OF[action]);
}

const SHOW = { info: showInformation, warning: showWarning, error: showError } as const;

/** Shows a notification with the actions as buttons. */
export async function notify({ tone, message, actions }: ChatNotice): Promise<void> {
  const titles = actions.map(action => titleOf(COMMAND_OF[action]));
  const chosen = await SHOW[tone](message, ...titles);
  const action = actions[titles.indexOf(chosen ?? "")];
  if (action !== undefined) await perform(action);
}

async function confirmDeletion(deleteHistory: () => Promise<number>): Promise<void> {
  const remove = l10n.t("Delete"),
    chosen = await showModal(
      {
        question: l10n.t("Delete all stored conversations?"),
        detail: l10n.t(
          "This applies to all workspaces on this computer and cannot be undone. Open tabs stay, and are stored again with their next change.",
        ),
      },
      remove,
    );
  if (chosen !== remove) return;
  try {
    const count = await deleteHistory();
    await showInformation(
      count === 1 ? l10n.t("1 conversation was deleted.") : l10n.t`${count} conversations were deleted.`,
    );
  } catch (error) {
    await notify({ tone: "error", message: errorMessage(error), actions: ["showLogs"] });
  }
}

export async function pickAgent(agents: readonly AgentChoice[]): Promise<AgentChoice | undefined> {
  const items = agents.map(({ id, name }) => ({ label: name, description: id, agent: { id, name } })),
    title = l10n.t("Continue with Another Agent");
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.agent;
}

export async function confirmBypass(agent: string): Promise<BypassUntil | undefined> {
  const { question, detail, choices } = bypassQuestion(agent),
    chosen = await showModal({ question, detail }, ...choices.map(({ label }) => label));
  return choices.find(({ label }) => label === chosen)?.until;
}

/** Shows a message with a button that opens the chat. */
export async function invite(sentence: string, open: () => Promise<void>): Promise<void> {
  const button = l10n.t("Open Chat");
  if ((await showInformation(sentence, button)) === button) await open();
}

function titleOf(command: CommandName | "workbench.trust.manage"): string {
  return command === "workbench.trust.manage" ? l10n.t("Manage Workspace Trust") : COMMANDS[command];
}
