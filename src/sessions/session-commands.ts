/**
 * The commands of the view “Sessions”. A command about one session uses the clicked item. A key binding passes
 * `FOCUS` and uses the focused item. The palette passes nothing, and the user picks a session first.
 */
import * as l10n from "@vscode/l10n";
import type { Clock } from "../clock";
import type { HostAction } from "../chat/chat-deps";
import { SidecarRefused } from "../errors";
import type { SessionCommandName } from "../names";
import type { AgentChoice } from "../protocol/agents/agents";
import type {
  ExportFormat,
  ForkedSession,
  OpenableSession,
  SessionRef,
  SessionSummary,
} from "../protocol/sessions/sessions";
import { readableLine, visibleLine } from "../protocol/text/visible-text";
import { isObject } from "../protocol/wire/json";
import { errorMessage } from "../protocol/wire/errors";
import type { SidecarClient } from "../sidecar/client";
import { MAX_HITS, searchItems, SessionSearch, type SearchItem, type SearchResults } from "./session-search";
import { descriptionOf, titleOf, withoutIcons } from "./session-texts";
import type { SessionsController } from "./sessions-controller";
import type { SessionNode, TreeNode } from "./session-tree";

export type SessionCommands = Readonly<Record<SessionCommandName, (target?: unknown) => Promise<void>>>;

/** Argument of the key bindings in `package.json`. */
export const FOCUS = "focus";

/** An item of a pick list. */
export interface SessionItem {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly session: SessionSummary;
}

/** A chosen file. `scheme`: that of its URI. */
export interface ChosenFile {
  readonly scheme: string;
  readonly path: string;
}

/** Dialogs of VS Code. They resolve with `undefined` or `false` if the user cancels. */
export interface SessionDialogs {
  pickSession(title: string, items: readonly SessionItem[]): Promise<SessionSummary | undefined>;
  /** `start` is called once, with a function that replaces the shown results. */
  search(start: (show: (results: SearchResults) => void) => SessionSearch): Promise<SearchItem | undefined>;
  /** `title`: the present title. */
  askTitle(title: string): Promise<string | undefined>;
  confirm(question: string, detail: string, yes: string): Promise<boolean>;
  /** `name`: proposed name of the file, without an extension. */
  saveFile(name: string): Promise<ChosenFile | undefined>;
  openFile(): Promise<ChosenFile | undefined>;
  inform(sentence: string): void;
  /** To the clipboard. */
  copy(text: string): Promise<void>;
}

export interface SessionCommandDeps {
  readonly clock: Clock;
  readonly view: Pick<SessionsController, "choose" | "refresh">;
  readonly dialogs: SessionDialogs;
  client(): Promise<SidecarClient>;
  /** The item of the view that has the keyboard focus. */
  focused(): Promise<TreeNode | undefined>;
  isTrusted(): boolean;
  /** Whether the folder belongs to this workspace. */
  isInWorkspace(folder: string): boolean;
  /** Whether a tab of this window shows the conversation. */
  isOpen(conversation: string): boolean;
  /** Closes this tab and its session, unless the chat is hidden. */
  closeTab(conversation: string): Promise<void>;
  /** Opens the session in a tab of the chat. `entryId`: the entry that a search has found. */
  open(session: OpenableSession, entryId?: string): Promise<void>;
  /** Opens a session that was created as a branch, with its transcript in the draft. */
  openBranch(branch: ForkedSession): Promise<void>;
  /** Shows a pick list of the configured agents except `exceptId`. `undefined`: the user cancelled. */
  pickAgent(exceptId: string): Promise<AgentChoice | undefined>;
  /** Address that opens this conversation in the editor (`links.ts`). */
  linkTo(conversation: string): string;
  /** Id of a new conversation. */
  newId(): string;
  /** Shows an error. */
  notify(message: string, actions: readonly HostAction[]): Promise<void>;
  /** Milliseconds since 1970. */
  now(): number;
}

type StoredRef = Extract<SessionRef, { kind: "stored" }>;

export function sessionCommands(deps: SessionCommandDeps): SessionCommands {
  const actions = new SessionActions(deps);
  const onSession = (command: CommandOnSession) => (target?: unknown) => actions.onSession(target, command);
  const run = (action: () => Promise<void> | void) => () => actions.reported(action);
  return {
    "symposium.openSession": onSession({
      title: l10n.t("Open Session"),
      accepts: () => true,
      run: session => actions.open(session),
    }),
    "symposium.renameSession": onSession({
      title: l10n.t("Rename Session"),
      accepts: () => true,
      changes: true,
      run: session => actions.rename(session),
    }),
    "symposium.archiveSession": onSession({
      title: l10n.t("Archive Session"),
      accepts: ({ isArchived }) => isArchived !== true,
      changes: true,
      run: session => actions.archive(session, true),
    }),
    "symposium.unarchiveSession": onSession({
      title: l10n.t("Unarchive Session"),
      accepts: ({ isArchived }) => isArchived === true,
      changes: true,
      run: session => actions.archive(session, false),
    }),
    "symposium.deleteSession": onSession({
      title: l10n.t("Delete Session"),
      accepts: () => true,
      changes: true,
      run: session => actions.delete(session),
    }),
    "symposium.forkSession": onSession({
      title: l10n.t("Fork Session"),
      accepts: isStored,
      changes: true,
      run: session => actions.fork(session, undefined),
    }),
    "symposium.continueWith": onSession({
      title: l10n.t("Continue Session with Another Agent"),
      accepts: isStored,
      changes: true,
      run: session => actions.continueWith(session),
    }),
    "symposium.exportSession": onSession({
      title: l10n.t("Export Session"),
      accepts: isStored,
      run: session => actions.export(session),
    }),
    "symposium.copySessionLink": onSession({
      title: l10n.t("Copy Session Link"),
      accepts: isStored,
      run: session => actions.copyLink(session),
    }),
    "symposium.importSession": run(() => actions.import()),
    "symposium.searchSessions": run(() => actions.search()),
    "symposium.refreshSessions": run(() => deps.view.refresh()),
    "symposium.showAllWorkspaces": run(() => deps.view.choose({ scope: "all" })),
    "symposium.showThisWorkspace": run(() => deps.view.choose({ scope: "workspace" })),
    "symposium.showArchived": run(() => deps.view.choose({ showsArchived: true })),
    "symposium.hideArchived": run(() => deps.view.choose({ showsArchived: false })),
  };
}

interface CommandOnSession {
  /** Title of the pick list. */
  readonly title: string;
  /** Whether the pick list contains the session. */
  accepts(session: SessionSummary): boolean;
  /** Refused in an untrusted workspace, before any dialog. */
  readonly changes?: true;
  run(session: SessionSummary): Promise<void>;
}

class SessionActions {
  constructor(private readonly deps: SessionCommandDeps) {}

  /** Shows a failure to the user. */
  async reported(action: () => Promise<void> | void): Promise<void> {
    try {
      await action();
    } catch (error) {
      // The sentence of a refusal contains everything that the user needs.
      const actions: readonly HostAction[] = error instanceof SidecarRefused ? [] : ["showLogs"];
      await this.deps.notify(errorMessage(error), actions);
    }
  }

  onSession(target: unknown, command: CommandOnSession): Promise<void> {
    return this.reported(async () => {
      if (command.changes && !this.deps.isTrusted()) return this.#requestTrust();
      const session = await this.#sessionOf(target, command);
      if (session) await command.run(session);
    });
  }

  async open(session: SessionSummary, entryId?: string): Promise<void> {
    if (await this.#mayWorkIn(session.cwd)) await this.deps.open(await this.#openable(session), entryId);
  }

  async rename(session: SessionSummary): Promise<void> {
    const title = await this.deps.dialogs.askTitle(readableLine(session.title));
    if (title !== undefined)
      await (await this.deps.client()).request("sessions/rename", { ref: session.ref, title: title.trim() });
  }

  async archive({ ref }: SessionSummary, isArchived: boolean): Promise<void> {
    await (await this.deps.client()).request("sessions/archive", { ref, isArchived });
  }

  async delete(session: SessionSummary): Promise<void> {
    const { ref } = session,
      agent = visibleLine(session.agent.name),
      open = ref.kind === "stored" && this.deps.isOpen(ref.conversation) ? ref.conversation : undefined;
    const isConfirmed = await this.deps.dialogs.confirm(
      l10n.t`Delete “${visibleLine(titleOf(session))}”?`,
      [
        ...(open === undefined ? [] : [l10n.t("Its tab is closed.")]),
        ref.kind === "stored"
          ? l10n.t`The session is deleted in Symposium, and in ${agent} if ${agent} supports it. You cannot undo this action.`
          : l10n.t`${agent} deletes this session. You cannot undo this action.`,
      ].join(" "),
      l10n.t("Delete"),
    );
    if (!isConfirmed) return;
    // A hidden chat cannot close a tab; the refusal of the sidecar then says what to do.
    if (open !== undefined) await this.deps.closeTab(open);
    await (await this.deps.client()).request("sessions/delete", { ref });
  }

  async fork(session: SessionSummary, agent: AgentChoice | undefined): Promise<void> {
    const { ref } = session;
    if (ref.kind === "agent") return this.deps.dialogs.inform(l10n.t("Open the session first, then fork it."));
    if (!(await this.#mayWorkIn(session.cwd))) return;
    const forked = await (await this.deps.client()).request("sessions/fork", {
      conversation: ref.conversation,
      newId: this.deps.newId(),
      ...(agent === undefined ? {} : { agent }),
    });
    await this.deps.openBranch(forked);
  }

  async continueWith(session: SessionSummary): Promise<void> {
    const agent = await this.deps.pickAgent(session.agent.id);
    if (agent !== undefined) await this.fork(session, agent);
  }

  async export(session: SessionSummary): Promise<void> {
    if (!isStored(session))
      return this.deps.dialogs.inform(l10n.t("Only sessions that Symposium stores can be exported."));
    const file = await this.deps.dialogs.saveFile(fileName(titleOf(session)));
    if (file === undefined) return;
    if (file.scheme !== "file") throw new Error(l10n.t("Sessions can only be exported to files on this computer."));
    const { conversation } = session.ref;
    await (await this.deps.client()).request("sessions/export", {
      conversation,
      format: formatOf(file.path),
      path: file.path,
    });
    this.deps.dialogs.inform(l10n.t`The session was exported to ${file.path}.`);
  }

  async copyLink(session: SessionSummary): Promise<void> {
    if (!isStored(session))
      return this.deps.dialogs.inform(
        l10n.t("Only sessions that Symposium stores have a link. Open the session first."),
      );
    await this.deps.dialogs.copy(this.deps.linkTo(session.ref.conversation));
    this.deps.dialogs.inform(l10n.t("The link opens the session on this computer. It was copied."));
  }

  async import(): Promise<void> {
    if (!this.deps.isTrusted()) return this.#requestTrust();
    const file = await this.deps.dialogs.openFile();
    if (file === undefined) return;
    if (file.scheme !== "file") throw new Error(l10n.t("Sessions can only be imported from files on this computer."));
    const { path } = file;
    const imported = await (await this.deps.client()).request("sessions/import", { path });
    if (await this.#mayWorkIn(imported.cwd)) await this.deps.open(imported);
  }

  async search(): Promise<void> {
    const client = await this.deps.client(),
      { sessions } = await client.request("sessions/list", {});
    const found = await this.deps.dialogs.search(
      show =>
        new SessionSearch({
          clock: this.deps.clock,
          show,
          search: async query => {
            const { hits, isComplete } = await client.request("sessions/search", { query, limit: MAX_HITS });
            return { items: searchItems(hits, sessions, this.deps.now()), isCut: !isComplete };
          },
        }),
    );
    if (found) await this.open(found.session, found.entryId);
  }

  #requestTrust(): Promise<void> {
    return this.deps.notify(l10n.t("Trust this workspace to change its sessions."), ["manageTrust"]);
  }

  /**
   * Asks for a folder outside the workspace, because its agent works there. The folder can come from a file or from an
   * agent.
   */
  async #mayWorkIn(folder: string): Promise<boolean> {
    return (
      this.deps.isInWorkspace(folder) ||
      this.deps.dialogs.confirm(
        l10n.t("Open this session outside the workspace?"),
        l10n.t`Its agent works in the folder ${visibleLine(folder)}, which does not belong to this workspace.`,
        l10n.t("Open"),
      )
    );
  }

  /** The sidecar must store a session of an agent before a tab can open it. */
  async #openable({ ref, agent, cwd }: SessionSummary): Promise<OpenableSession> {
    return ref.kind === "stored"
      ? { conversation: ref.conversation, agentId: agent.id, cwd }
      : (await this.deps.client()).request("sessions/open", { ref });
  }

  async #sessionOf(target: unknown, { title, accepts }: CommandOnSession): Promise<SessionSummary | undefined> {
    if (isNode(target)) return target.kind === "session" ? target.session : undefined;
    if (target === FOCUS) {
      const node = await this.deps.focused();
      return node?.kind === "session" ? node.session : undefined;
    }
    const { sessions } = await (await this.deps.client()).request("sessions/list", {}),
      items = sessions.filter(accepts).map(session => this.#itemOf(session));
    if (items.length > 0) return this.deps.dialogs.pickSession(title, items);
    this.deps.dialogs.inform(l10n.t("No session is available for this command."));
    return undefined;
  }

  #itemOf(session: SessionSummary): SessionItem {
    return {
      label: withoutIcons(titleOf(session)),
      description: withoutIcons(descriptionOf(session, this.deps.now())),
      detail: withoutIcons(readableLine(session.cwd)),
      session,
    };
  }
}

function isStored(session: SessionSummary): session is SessionSummary & { readonly ref: StoredRef } {
  return session.ref.kind === "stored";
}

/** An item of the tree. Only the view creates objects with these kinds. */
function isNode(target: unknown): target is SessionNode | { readonly kind: "group" } {
  return isObject(target) && (target["kind"] === "group" || (target["kind"] === "session" && "session" in target));
}

/** The dialog adds the extension of the chosen filter. */
function formatOf(path: string): ExportFormat {
  return /\.json$/i.test(path) ? "json" : "markdown";
}

/** Without characters that file systems reject. */
function fileName(title: string): string {
  const name = title
    .replaceAll(/[<>:"/\\|?*\p{C}]+/gu, " ")
    .replaceAll(/\s+/g, " ")
    .slice(0, MAX_NAME_LENGTH)
    .replace(/^[. ]+|[. ]+$/g, "");
  return name === "" ? l10n.t("Session") : name;
}
const MAX_NAME_LENGTH = 60;
