/**
 * The public names that users, scripts and other programs see. `manifest.test.ts` compares `package.json` with this
 * table. Commands and settings are registered and read from it, so that every declared name has an implementation.
 *
 * `user`: never read from a workspace file, because the setting decides which programs run or what is shown (scope
 * `machine`).
 */
import * as l10n from "@vscode/l10n";

interface SettingRow {
  readonly default: unknown;
  readonly scope: "user" | "any";
}

export const SETTINGS = {
  "symposium.agents": { default: [], scope: "user" },
  "symposium.currentAgentId": { default: "", scope: "user" },
  "symposium.extensions": { default: null, scope: "user" },
  "symposium.bypassPermissions": { default: [], scope: "user" },
  "symposium.acpAgentPath": { default: "", scope: "user" },
  "symposium.registryUrl": { default: "", scope: "user" },
  "symposium.updates": { default: "notify", scope: "user" },
  "symposium.recommendations": { default: [], scope: "user" },
  "symposium.restoreSessions": { default: true, scope: "any" },
  "symposium.historyDays": { default: 90, scope: "user" },
  "symposium.historyMegabytes": { default: 1024, scope: "user" },
  "symposium.traceDir": { default: "", scope: "user" },
  "symposium.review.codeLens": { default: false, scope: "any" },
  "symposium.requireModifierToSend": { default: false, scope: "any" },
  "symposium.enableExperimentalLM": { default: false, scope: "user" },
  "symposium.languageModel.sideRequests": { default: "local", scope: "user" },
  "symposium.languageModel.bridgeDuplicates": { default: false, scope: "user" },
  "symposium.experimentalProtocolV2": { default: false, scope: "user" },
  "symposium.logLevel": { default: "info", scope: "user" },
  "symposium.agentLogLevel": { default: "", scope: "user" },
} as const satisfies Readonly<Record<string, SettingRow>>;
export type SettingName = keyof typeof SETTINGS;

/** The view container of the chat, by default in the secondary side bar. */
export const CHAT_CONTAINER = "symposium";
/** The view container of sessions and settings, by default in the activity bar. */
export const SESSIONS_CONTAINER = "symposium-sessions";
export const CHAT_VIEW = "symposium.chatView";
/** The view type of editors that show a chat. */
export const CHAT_EDITOR = "symposium.chat";
export const SESSIONS_VIEW = "symposium.sessionsView";
export const SETTINGS_VIEW = "symposium.settingsView";
export const VIEWS = [CHAT_VIEW, SESSIONS_VIEW, SETTINGS_VIEW] as const;
/** The view type of the settings page's editor. */
export const SETTINGS_PAGE = "symposium.settings";
export const WALKTHROUGH = "start";
/** Context keys that the extension sets for `when` clauses. */
export const CONTEXTS = {
  agentChosen: "symposium.agentChosen",
  answered: "symposium.answered",
  signedIn: "symposium.signedIn",
  contextAdded: "symposium.contextAdded",
  settingsUsed: "symposium.settingsUsed",
} as const;

/** Context key that is true while the chat's page has the keyboard focus. VS Code's `focusedView` ignores pages. */
export const CHAT_FOCUSED = "symposium.chatFocused";

/** Id of the source control with the changes of agents. */
export const SOURCE_CONTROL = "symposium.changes";
/** Id of the comments on files under review. */
export const REVIEW_COMMENTS = "symposium.review";
/** Context keys of the review. */
export const REVIEW_CONTEXTS = {
  /** URIs of the files under review. */
  files: "symposium.review.files",
  /** Whether the active editor shows such a file, or its reviewed content. */
  inFile: "symposium.review.inFile",
  /** Whether an operation can be undone. */
  canUndo: "symposium.review.canUndo",
  /** Whether the active editor shows the changes of a session or of one of its turns. */
  changes: "symposium.review.changes",
  /** Whether the active editor shows what a rewind would change. */
  rewindPreview: "symposium.review.rewindPreview",
} as const;

/** Context keys of the view “Sessions”. */
export const SESSION_CONTEXTS = {
  /** `SessionsContent`; unset before the first response. */
  content: "symposium.sessions.content",
  allWorkspaces: "symposium.sessions.allWorkspaces",
  archived: "symposium.sessions.archived",
} as const;

/** Commands of the view “Sessions” with their titles. */
export const SESSION_COMMANDS = {
  "symposium.openSession": l10n.t("Open Session"),
  "symposium.searchSessions": l10n.t("Search Sessions"),
  "symposium.renameSession": l10n.t("Rename Session"),
  "symposium.archiveSession": l10n.t("Archive Session"),
  "symposium.unarchiveSession": l10n.t("Unarchive Session"),
  "symposium.deleteSession": l10n.t("Delete Session"),
  "symposium.forkSession": l10n.t("Fork Session"),
  "symposium.continueWith": l10n.t("Continue Session with Another Agent"),
  "symposium.exportSession": l10n.t("Export Session"),
  "symposium.copySessionLink": l10n.t("Copy Session Link"),
  "symposium.importSession": l10n.t("Import Session"),
  "symposium.refreshSessions": l10n.t("Refresh Sessions"),
  "symposium.showAllWorkspaces": l10n.t("Show Sessions of All Workspaces"),
  "symposium.showThisWorkspace": l10n.t("Show Sessions of This Workspace"),
  "symposium.showArchived": l10n.t("Show Archived Sessions"),
  "symposium.hideArchived": l10n.t("Hide Archived Sessions"),
} as const;
export type SessionCommandName = keyof typeof SESSION_COMMANDS;

/** Commands of the review with their titles. */
export const REVIEW_COMMANDS = {
  "symposium.reviewChanges": l10n.t("Review Changes"),
  "symposium.reviewTurns": l10n.t("Review by Turn…"),
  "symposium.restoreTo": l10n.t("Restore Files to before a Prompt…"),
  "symposium.keepAll": l10n.t("Keep All"),
  "symposium.undoAll": l10n.t("Undo All"),
  "symposium.keepFile": l10n.t("Keep File"),
  "symposium.undoFile": l10n.t("Undo File"),
  "symposium.keepHunk": l10n.t("Keep Change"),
  "symposium.undoHunk": l10n.t("Undo Change"),
  "symposium.openChangedFile": l10n.t("Open File"),
  "symposium.openFileChanges": l10n.t("Open Changes"),
  "symposium.undoLastOperation": l10n.t("Undo Last Operation"),
  "symposium.showReviewLimits": l10n.t("Show Unrecorded Files"),
  "symposium.confirmRestore": l10n.t("Restore"),
  "symposium.addReviewComment": l10n.t("Add to Prompt"),
} as const;
export type ReviewCommandName = keyof typeof REVIEW_COMMANDS;

/** Commands with their titles. */
export const COMMANDS = {
  "symposium.openChat": l10n.t("Open Chat"),
  "symposium.newTab": l10n.t("New Tab"),
  "symposium.focusPrompt": l10n.t("Focus Prompt"),
  "symposium.nextQuestion": l10n.t("Go to Next Question"),
  "symposium.allowOnce": l10n.t("Allow Once"),
  "symposium.rejectOnce": l10n.t("Reject Once"),
  "symposium.stop": l10n.t("Stop Turn"),
  "symposium.moveToEditor": l10n.t("Move to Editor"),
  "symposium.moveToNewWindow": l10n.t("Move to New Window"),
  "symposium.moveToChatView": l10n.t("Move to Chat View"),
  "symposium.showSessions": l10n.t("Show Sessions"),
  "symposium.discussSelection": l10n.t("Discuss in Symposium"),
  "symposium.addToChat": l10n.t("Add to Symposium"),
  "symposium.applyCode": l10n.t("Apply Code"),
  "symposium.discardCode": l10n.t("Discard Code"),
  "symposium.selectAgent": l10n.t("Select Agent"),
  "symposium.restartAgent": l10n.t("Restart Agent"),
  "symposium.restartSidecar": l10n.t("Restart Sidecar"),
  "symposium.openSettings": l10n.t("Open Settings"),
  "symposium.showLogs": l10n.t("Show Logs"),
  "symposium.copyDiagnostics": l10n.t("Copy Diagnostics"),
  "symposium.deleteHistory": l10n.t("Delete History"),
  ...SESSION_COMMANDS,
  ...REVIEW_COMMANDS,
} as const;
export type CommandName = keyof typeof COMMANDS;

/** Registered outside production only; not in the manifest. */
export const TEST_COMMANDS = [
  "symposium.test.simulateNewTab",
  "symposium.test.getTabs",
  "symposium.test.sendPrompt",
  "symposium.test.startCapturingResponses",
  "symposium.test.getResponse",
  "symposium.test.stopCapturingResponses",
] as const;
export type TestCommandName = (typeof TEST_COMMANDS)[number];
