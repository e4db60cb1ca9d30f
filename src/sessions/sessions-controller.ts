/**
 * Content of the view “Sessions”: loads the list while the view is visible, and computes the tree.
 *
 * Invariants:
 * - A hidden view starts no sidecar and requests nothing. It counts no questions, because the chat's badge does.
 * - Agents are only asked while the user looks at the list, in a trusted workspace.
 */
import type { Clock } from "../clock";
import type { Log } from "../log";
import type { SessionSummary } from "../protocol/sessions/sessions";
import { isObject } from "../protocol/wire/json";
import type { KeyValueStore } from "../settings/store/persisted-controls";
import type { Settings } from "../settings/store/settings";
import type { SidecarClient } from "../sidecar/client";
import type { SidecarPhase } from "../sidecar/restart-policy";
import { ReadAnswers } from "./read-answers";
import { RefreshLoop } from "./refresh-loop";
import { SessionList, type ListContent } from "./session-list";
import { sessionTree, type TreeNode, type TreeOptions, type WorkspacePaths } from "./session-tree";

/** `elsewhere`: all sessions belong to other workspaces or are archived. */
export type SessionsContent = "empty" | "elsewhere" | "listed" | "failed";

export interface SessionsViewModel {
  readonly nodes: readonly TreeNode[];
  /** Absent before the first response. */
  readonly content?: SessionsContent;
  /** A sentence above the list. */
  readonly problem?: string;
  /** Number of sessions that wait for an answer. */
  readonly waiting: number;
  readonly options: TreeOptions;
}

export interface SessionsDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly sidecar: { readonly phase: SidecarPhase; client(): Promise<SidecarClient> };
  readonly memory: KeyValueStore;
  settings(): Pick<Settings, "agents">;
  workspace(): WorkspacePaths;
  /** Folder in which agents start that are only asked for their sessions. */
  cwd(): string;
  isTrusted(): boolean;
  /** Whether the window has the focus. */
  isFocused(): boolean;
  isVisible(): boolean;
  /** The conversations that the user sees in the chat. */
  shownConversations(): readonly string[];
  show(model: SessionsViewModel): void;
}

const KEY = "symposium.sessions.options";
/** Ages in the list are correct to the minute. */
export const REDRAW_MS = 60_000;

export class SessionsController {
  readonly #list: SessionList;
  readonly #refreshing: RefreshLoop;
  readonly #read = new ReadAnswers();
  #options: TreeOptions;
  #redraw: { dispose(): void } | undefined;

  constructor(private readonly deps: SessionsDeps) {
    this.#options = readOptions(deps.memory.get(KEY));
    this.#list = new SessionList({ client: () => deps.sidecar.client(), show: () => this.#show(), log: deps.log });
    this.#refreshing = new RefreshLoop(deps.clock, () => this.#askAgents());
    this.#show();
  }

  /** Call it when the view is shown or hidden. */
  visibilityChanged(): void {
    this.#load();
    this.attentionChanged();
    this.#show();
    this.#scheduleRedraw();
  }

  /** Call it when the focus of the window or the trust in the workspace changes. */
  attentionChanged(): void {
    const { isVisible, isFocused, isTrusted, sidecar } = this.deps;
    this.#refreshing.activate(isVisible() && isFocused() && isTrusted() && sidecar.phase.kind === "running");
  }

  phaseChanged(phase: SidecarPhase): void {
    if (phase.kind === "running") this.#load();
    this.attentionChanged();
  }

  /** Call it when the sidecar has reported a change of the list. */
  listChanged(): void {
    this.#load();
  }

  workspaceChanged(): void {
    this.#show();
  }

  /** Call it when the chat is shown, or shows another conversation. */
  shownConversationsChanged(): void {
    this.#show();
  }

  /** Loads the list and asks the agents for their sessions, on request of the user. */
  refresh(): void {
    this.#list.load();
    if (this.deps.isTrusted()) this.#refreshing.request();
  }

  async choose(change: Partial<TreeOptions>): Promise<void> {
    this.#options = { ...this.#options, ...change };
    this.#show();
    await this.deps.memory.update(KEY, this.#options);
  }

  dispose(): void {
    this.#refreshing.dispose();
    this.#redraw?.dispose();
  }

  #load(): void {
    if (this.deps.isVisible()) this.#list.load();
  }

  #scheduleRedraw(): void {
    this.#redraw?.dispose();
    this.#redraw = this.deps.isVisible()
      ? this.deps.clock.after(REDRAW_MS, () => {
          this.#show();
          this.#scheduleRedraw();
        })
      : undefined;
  }

  #show(): void {
    const { content } = this.#list,
      sessions = this.#read.of(content?.sessions ?? [], this.deps.shownConversations()),
      nodes = sessionTree(sessions, this.deps.workspace(), this.#options);
    this.deps.show({
      nodes,
      ...(content === undefined ? {} : { content: contentKind(content, nodes) }),
      ...(content?.problem === undefined ? {} : { problem: content.problem }),
      waiting: this.deps.isVisible() ? sessions.filter(needsAnswer).length : 0,
      options: this.#options,
    });
  }

  /** Never rejects. The sidecar reports changes with `sessions/changed`. */
  async #askAgents(): Promise<void> {
    const { sidecar, settings, cwd, log } = this.deps;
    try {
      await (await sidecar.client()).request("sessions/refresh", { agents: settings().agents, cwd: cwd() });
    } catch (error) {
      log.debug("sidecar", "Could not refresh the sessions", { error });
    }
  }
}

function contentKind({ sessions, problem }: ListContent, nodes: readonly TreeNode[]): SessionsContent {
  if (nodes.length > 0) return "listed";
  if (problem !== undefined) return "failed";
  return sessions.length > 0 ? "elsewhere" : "empty";
}

function needsAnswer({ activity }: SessionSummary): boolean {
  return activity === "needsAnswer";
}

/** Malformed data, such as that of another version, counts as absent. */
function readOptions(stored: unknown): TreeOptions {
  const options = isObject(stored) ? stored : {};
  return {
    scope: options["scope"] === "all" ? "all" : "workspace",
    showsArchived: options["showsArchived"] === true,
  };
}
