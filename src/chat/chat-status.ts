/** Status of all tabs together, for the status bar. */
import * as l10n from "@vscode/l10n";
import type { ChatEvent, Turn } from "../protocol/chat/chat";
import type { TabId } from "../protocol/page/host-to-page";

/** Content of the status bar item. `needsAnswer`: a question waits for the user. */
export interface ShownStatus {
  readonly text: string;
  readonly tooltip: string;
  readonly needsAnswer: boolean;
}

interface TabActivity {
  readonly turn: Turn["state"];
  /** Ids of the open questions. */
  readonly questions: ReadonlySet<string>;
}
const IDLE: TabActivity = { turn: "idle", questions: new Set() };

export class ChatStatus {
  readonly #tabs = new Map<TabId, TabActivity>();
  #shown = "";

  /** `show` is called at first and after each change, `changed` after a change of one tab. */
  constructor(
    private readonly show: (status: ShownStatus) => void,
    private readonly changed: (tabId: TabId) => void = () => undefined,
  ) {
    this.#update();
  }

  activityOf(tabId: TabId): "idle" | "working" | "question" {
    const activity = this.#tabs.get(tabId);
    if (activity === undefined) return "idle";
    return activity.questions.size > 0 ? "question" : "working";
  }

  onEvent(tabId: TabId, event: ChatEvent): void {
    const before = this.#tabs.get(tabId) ?? IDLE,
      after = activityAfter(before, event);
    if (after === before) return;
    if (after === IDLE) this.#tabs.delete(tabId);
    else this.#tabs.set(tabId, after);
    this.#update();
    this.changed(tabId);
  }

  tabClosed(tabId: TabId): void {
    if (this.#tabs.delete(tabId)) this.#update();
  }

  /** Call it when the sidecar has exited with its sessions. */
  clear(): void {
    const tabs = [...this.#tabs.keys()];
    this.#tabs.clear();
    this.#update();
    tabs.forEach(this.changed);
  }

  #update(): void {
    const activities = [...this.#tabs.values()],
      questions = activities.reduce((count, activity) => count + activity.questions.size, 0);
    const status = statusOf(questions, activities.length),
      key = JSON.stringify(status);
    if (key === this.#shown) return;
    this.#shown = key;
    this.show(status);
  }
}

function activityAfter(before: TabActivity, event: ChatEvent): TabActivity {
  switch (event.type) {
    case "turn":
      // The end of a turn settles its questions.
      return event.turn.state === "idle" ? IDLE : { ...before, turn: event.turn.state };
    case "upsert": {
      const { entry } = event;
      if (entry.kind !== "permission" && entry.kind !== "elicitation") return before;
      const isOpen = entry.answered === undefined;
      if (isOpen === before.questions.has(entry.id)) return before;
      const questions = new Set(before.questions);
      if (isOpen) questions.add(entry.id);
      else questions.delete(entry.id);
      return questions.size === 0 && before.turn === "idle" ? IDLE : { ...before, questions };
    }
    default:
      return before;
  }
}

/** `active`: number of tabs with a running turn or an open question. */
function statusOf(questions: number, active: number): ShownStatus {
  if (questions > 0) {
    const text = questions === 1 ? l10n.t("1 question") : l10n.t`${questions} questions`;
    return {
      text: `$(bell-dot) ${text}`,
      tooltip:
        questions === 1
          ? l10n.t("An agent in Symposium needs your answer.")
          : l10n.t("Agents in Symposium need your answers."),
      needsAnswer: true,
    };
  }
  return active > 0
    ? {
        text: `$(loading~spin) ${l10n.t("Symposium")}`,
        tooltip: active === 1 ? l10n.t("An agent is working.") : l10n.t`${active} agents are working.`,
        needsAnswer: false,
      }
    : { text: "$(comment-discussion)", tooltip: l10n.t("Open Symposium"), needsAnswer: false };
}
