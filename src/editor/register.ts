/** Creates the editor's services for the chat and for agents, and registers its code action in VS Code. */
import * as vscode from "vscode";
import { realClock } from "../clock";
import type { Log } from "../log";
import type { SidecarToHost } from "../protocol/sidecar";
import type { Handlers } from "../protocol/wire/wire";
import type { ActiveFile } from "../protocol/page/first-screen";
import { activeFile, onActiveFileChange } from "./active-file";
import { AnswerCode } from "./code/answer-code";
import { AnswerNames } from "./code/answer-names";
import { EditorComposer } from "./composer";
import { Proposals } from "./files/diff-views";
import { NamedFiles } from "./files/named-files";
import { TextFiles } from "./files/text-files";
import { isFileWithin, isNewWithin } from "./files/workspace-files";
import type { WorkspaceFolders } from "./files/working-folders";
import { openPage, workspaceFolders } from "./files/workspace";
import { IdeOperations } from "./ide/operations";
import { ActiveTheme } from "./theme/active-theme";
import { runInTerminal } from "./terminal-program";

type EditorMethods =
  | "editor/readTextFile"
  | "editor/writeTextFile"
  | "editor/runInTerminal"
  | "editor/ideOperation"
  | "editor/showWarning"
  | "editor/openPage";

export interface EditorDeps {
  readonly log: Log;
  /** The command that adds a selection to the chat. */
  readonly discuss: { readonly command: string; readonly title: string };
  /** Shows a warning of the sidecar. */
  warn(message: string): void;
  /** Writes a file as a change of the user, for the review. */
  asUser(file: string, write: () => Promise<void>): Promise<void>;
}

export interface EditorPart extends vscode.Disposable {
  readonly composer: EditorComposer;
  readonly proposals: Proposals;
  readonly code: AnswerCode;
  readonly theme: ActiveTheme;
  readonly names: AnswerNames;
  readonly folders: WorkspaceFolders;
  /** Whether the editor saves this file for an agent now. */
  isAgentSave(file: string): boolean;
  /** Undefined without an editor of a file in the workspace. */
  activeFile(): ActiveFile | undefined;
  onActiveFileChange(changed: () => void): vscode.Disposable;
  /** Handlers of the sidecar's requests to the editor. */
  readonly listeners: Pick<Handlers<SidecarToHost>, EditorMethods>;
  /** The working folder of agents without a tab, absolute. */
  cwd(): string;
}

export function registerEditor({ log, discuss, warn, asUser }: EditorDeps): EditorPart {
  const folders = workspaceFolders(log),
    files = new TextFiles(),
    ide = new IdeOperations(realClock, file => files.read(file)),
    proposals = new Proposals(files, folders.folders),
    composer = new EditorComposer(realClock, log),
    inWorkspace = {
      isFile: (file: string) => isFileWithin(file, folders.folders()),
      isNew: (file: string) => isNewWithin(file, folders.folders()),
      listed: () => composer.listedFiles(),
    },
    names = new NamedFiles({ ...inWorkspace, folders: () => folders.folders() }),
    code = new AnswerCode({
      ...inWorkspace,
      names,
      create: (file, text) => asUser(file, async () => void (await files.write(file, text))),
    });
  const theme = new ActiveTheme(log);
  const owned = vscode.Disposable.from(
    ide,
    proposals,
    composer,
    code,
    theme,
    registerDiscussAction(discuss.command, discuss.title),
  );
  return {
    composer,
    proposals,
    code,
    theme,
    names: new AnswerNames(names, name => composer.symbols(name)),
    folders,
    isAgentSave: file => files.isSaving(file),
    activeFile,
    onActiveFileChange,
    cwd: () => folders.folders()[0] ?? folders.home,
    listeners: {
      "editor/readTextFile": async ({ path }) => ({ text: await files.read(path) }),
      "editor/writeTextFile": async ({ path, text }) => {
        const unsaved = await files.write(path, text);
        return unsaved === undefined ? {} : { unsaved: Buffer.from(unsaved).toString("base64") };
      },
      "editor/runInTerminal": program => runInTerminal(program),
      "editor/ideOperation": (request, signal) => ide.operate(request, signal),
      "editor/showWarning": ({ message }) => warn(message),
      "editor/openPage": ({ url }) => void openPage(url, folders),
    },
    dispose: () => {
      owned.dispose();
    },
  };
}

/** The code action “Discuss in Symposium”, offered for a selection. */
function registerDiscussAction(command: string, title: string): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(
    { pattern: "**" },
    {
      // VS Code also requests code actions for ranges that are not a selection, such as a diagnostic under the pointer.
      // For those the command would add the wrong text.
      provideCodeActions: (_document, range) => {
        if (!(range instanceof vscode.Selection) || range.isEmpty) return [];
        const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
        action.command = { command, title };
        return [action];
      },
    },
    { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
  );
}
