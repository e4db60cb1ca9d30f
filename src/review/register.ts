/** Creates the review of agents' changes, and connects it with VS Code. */
import { realpath } from "node:fs/promises";
import * as vscode from "vscode";
import { realClock } from "../clock";
import type { Log } from "../log";
import { REVIEW_CONTEXTS, type ReviewCommandName } from "../names";
import type { SidecarToHost } from "../protocol/sidecar";
import type { Handlers, Part } from "../protocol/wire/wire";
import type { Configuration } from "../settings/store/configuration";
import type { SidecarPhase } from "../sidecar/restart-policy";
import type { SidecarSupervisor } from "../sidecar/supervisor";
import { ChangeTabs } from "./change-tabs";
import { ReviewLenses } from "./code-lenses";
import { CommentThreads, type CommentDeps } from "./comment-threads";
import { watchCommits } from "./commits";
import { ContentCache } from "./content-cache";
import { conversationActions, restoreTo, type ConversationActionDeps } from "./conversation-actions";
import { editorTabs } from "./editor-tabs";
import { OperationProgress } from "./operation-progress";
import type { ReviewActions } from "./review-actions";
import { reviewCommands } from "./review-commands";
import { ReviewContent } from "./review-content";
import { askBeside, OperationStatus, reviewDialogs, showProgress } from "./review-dialogs";
import { ReviewEditors } from "./review-editors";
import { ReviewIndex, type FolderPath } from "./review-files";
import { ReviewList } from "./review-list";
import { ReviewOperations } from "./review-operations";
import { ReviewSourceControl } from "./review-source-control";
import { RewindPreview } from "./rewind-preview";
import { reportSaves } from "./save-events";
import { SaveReports } from "./save-reports";
import { StartupReview } from "./startup-review";

export interface ReviewParts {
  readonly context: Pick<vscode.ExtensionContext, "storageUri">;
  readonly log: Log;
  readonly configuration: Configuration;
  readonly supervisor: SidecarSupervisor;
  readonly editor: {
    readonly folders: { folders(): readonly string[] };
    /** Whether the editor saves this file for an agent now. */
    isAgentSave(file: string): boolean;
  };
  readonly addToPrompt: CommentDeps["addToPrompt"];
}

type AllCommands = Readonly<Record<ReviewCommandName, (...targets: unknown[]) => Promise<void>>>;

export interface ReviewPart extends vscode.Disposable {
  readonly actions: ReviewActions;
  readonly commands: AllCommands;
  /** Writes a file as a change of the user. */
  asUser(file: string, write: () => Promise<void>): Promise<void>;
  phaseChanged(phase: SidecarPhase): void;
  /** Shows the review of an earlier window, if there is one. Call it when all parts are connected. */
  showRecorded(): Promise<void>;
  readonly list: ReviewList;
  readonly progress: OperationProgress;
}

/** Handlers of the sidecar's messages about reviews. */
export function reviewListeners(review: () => ReviewPart): Handlers<Part<SidecarToHost, "review">> {
  return {
    "review/changed": changed => review().list.changed(changed),
    "review/progress": progress => review().progress.received(progress),
  };
}

export function registerReview({
  context,
  log,
  configuration,
  supervisor,
  editor,
  addToPrompt,
}: ReviewParts): ReviewPart {
  const client = () => supervisor.client(),
    contents = new ContentCache(client),
    status = new OperationStatus(realClock),
    changeTabs = new ChangeTabs(editorTabs, shown => setContext(REVIEW_CONTEXTS.changes, shown !== undefined));
  const preview = new RewindPreview({
    tabs: editorTabs,
    ask: askBeside,
    showActive: isActive => setContext(REVIEW_CONTEXTS.rewindPreview, isActive),
  });
  const startup = new StartupReview({
    folder: context.storageUri?.fsPath,
    log,
    isTrusted: () => vscode.workspace.isTrusted,
    startSidecar: client,
  });
  let folders: readonly FolderPath[] = [],
    index = new ReviewIndex([]);
  const editors = new ReviewEditors(contents, file => index.pathOf(file)),
    sourceControl = new ReviewSourceControl(editors, index);
  const content = new ReviewContent({
    contents,
    reviewed: file => {
      const found = index.at(index.pathOf(file));
      return found && (found.file.before === undefined ? {} : { oid: found.file.before.oid });
    },
    uriOf: file => editors.uriOf(file),
  });
  const showCursor = (): void => {
    const cursor = editors.cursor();
    setContext(REVIEW_CONTEXTS.inFile, cursor !== undefined && index.at(cursor.file) !== undefined);
  };
  const show = (): void => {
    index = new ReviewIndex(list.reviews, folders);
    sourceControl.show(list.reviews, index);
    content.refresh();
    threads.show(list.reviews);
    lenses.refresh();
    showCursor();
  };
  const fileAt = (file: string) => index.at(file);
  const threads = new CommentThreads({
    fileOf: uri => {
      const path = editors.pathOf(uri),
        found = path === undefined ? undefined : fileAt(path);
      return path === undefined || found === undefined ? undefined : { path, found };
    },
    addToPrompt,
    showFailure: reviewDialogs.showFailure,
  });
  const lenses = new ReviewLenses({
    isEnabled: () => configuration.settings.reviewCodeLens,
    fileAt,
    texts: found => editors.texts(found),
  });
  const list: ReviewList = new ReviewList({
    running: () => supervisor.running,
    folders: () => editor.folders.folders(),
    show,
    remember: hasReview => void startup.remember(hasReview),
    log,
  });
  const foldersChanged = async (): Promise<void> => {
    folders = await Promise.all(
      editor.folders.folders().map(async shown => ({ shown, real: await realpath(shown).catch(() => shown) })),
    );
    show();
  };
  const progress = new OperationProgress(showProgress);
  const operations = new ReviewOperations({
    client,
    progress,
    review: id => list.get(id),
    save: files => editors.save(files),
    openConflict: conflict => editors.openConflict(conflict),
    showDone: (sentence, undo) => status.show(sentence, undo),
    inform: reviewDialogs.inform,
    showFailure: reviewDialogs.showFailure,
  });
  const deps: ConversationActionDeps & Parameters<typeof reviewCommands>[0] = {
    ...reviewDialogs,
    client,
    operations,
    editor: editors,
    changeTabs,
    reviews: () => list.reviews,
    refresh: async id => list.changed((await (await client()).request("review/refresh", { id })).review),
    fileAt,
    confirmShown: (...question) => preview.confirm(...question),
    isUnsaved: file => editors.isUnsaved(file),
    displayPath: file => vscode.workspace.asRelativePath(editors.uriOf(file)),
  };
  const reports = new SaveReports({
    clock: realClock,
    log,
    running: () => supervisor.running,
    isAgentSave: file => editor.isAgentSave(file),
  });
  const committed = (folder: string): void => {
    supervisor.running
      ?.request("review/committed", { folder })
      .catch((error: unknown) => log.debug("sidecar", "Could not report a commit", { folder, error }));
  };
  void foldersChanged();
  const owned = vscode.Disposable.from(
    content,
    status,
    changeTabs,
    preview,
    sourceControl,
    threads,
    lenses,
    watchCommits(committed),
    configuration.onChange(() => lenses.refresh()),
    reportSaves(reports),
    vscode.window.onDidChangeActiveTextEditor(showCursor),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) void list.windowFocused();
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      void foldersChanged();
      list.foldersChanged();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void startup.show()),
  );
  const actions = conversationActions(deps);
  return {
    ...{ list, progress, actions },
    commands: {
      ...reviewCommands(deps),
      "symposium.addReviewComment": reply => threads.add(reply),
      "symposium.confirmRestore": () => preview.restore(),
      "symposium.restoreTo": () => restoreTo(deps, actions),
    },
    showRecorded: () => startup.show(),
    asUser: (file, write) => reports.during(file, write),
    phaseChanged: ({ kind }) => {
      if (kind === "running") list.sidecarStarted();
    },
    dispose: () => {
      owned.dispose();
    },
  };
}

function setContext(key: string, value: boolean): void {
  void vscode.commands.executeCommand("setContext", key, value);
}
