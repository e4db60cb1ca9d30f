/** The line about the start of a tab's agent, which replaces all notices about it. Pure. */
import * as l10n from "@vscode/l10n";
import type { InstallProgress } from "../../../src/protocol/agents/agent-service";
import type { AgentStart } from "../../../src/protocol/chat/agent-start";
import { visibleLine } from "../../../src/protocol/text/visible-text";
import { assertNever } from "../../../src/protocol/wire/wire";
import { isLive, isQuestion, turnOf, type Page, type Tab } from "../../state/page-model";
import { isBlank } from "../../state/tab-agent";

/** All strings are plain text. */
export interface StartView {
  readonly text: string;
  /** Progress; may be empty. */
  readonly detail: string;
  /** Name for screen readers of the button that cancels the installation; `undefined`: there is no button. */
  readonly cancel: string | undefined;
}

/** `undefined`: the agent is not starting. */
export function startView(page: Page, tab: Tab): StartView | undefined {
  const { start, agent } = tab.conversation;
  if (start?.kind === "installing" && isLive(page, tab)) return installView(start);
  return isStarting(page, tab)
    ? { text: l10n.t`Starting ${visibleLine(agent.name)}…`, detail: "", cancel: undefined }
    : undefined;
}

/** The text that a screen reader announces when the start reaches another phase. */
export function startText(start: AgentStart, agent: string): string {
  return start.kind === "installing" ? installText(start) : l10n.t`Starting ${visibleLine(agent)}…`;
}

/**
 * An empty tab has no turn that waits for the start. A notice in it is the reason of a failure. A question, such as a
 * sign-in, waits for the user.
 */
function isStarting(page: Page, tab: Tab): boolean {
  const { start, accepts, entries } = tab.conversation;
  if (entries.some(entry => isQuestion(entry) && entry.answered === undefined)) return false;
  if (turnOf(tab) === "starting") return true;
  if (!isLive(page, tab)) return false;
  return (
    start !== undefined ||
    (isBlank(tab) && accepts === undefined && !entries.some(entry => entry.kind === "notice" && entry.isOver !== true))
  );
}

type Installing = Extract<AgentStart, { readonly kind: "installing" }>;

function installView(start: Installing): StartView {
  return {
    text: installText(start),
    detail: detailOf(start.progress),
    cancel: l10n.t`Cancel the Installation of ${visibleLine(start.name)}`,
  };
}

function installText({ of, name, version }: Installing): string {
  const shown = visibleLine(version === undefined ? name : `${name} ${version}`);
  return of === "agent" ? l10n.t`Installing ${shown}…` : l10n.t`Installing the agent extension ${shown}…`;
}

const MAX_LINE_LENGTH = 120,
  /** Shown as 0.1 MB. */
  MIN_BYTES = 50_000;

function detailOf({ phase, done, total, line = "" }: InstallProgress): string {
  switch (phase) {
    case "waiting":
      return l10n.t("waiting for another window");
    case "unpacking":
      return l10n.t("unpacking");
    case "downloading":
    case "installing": {
      const tool = visibleLine(line.trim().slice(0, MAX_LINE_LENGTH));
      if (done === undefined || done < MIN_BYTES) return tool;
      // A package can be larger than announced.
      return total === undefined || done > total
        ? l10n.t`${megabytes(done)} MB`
        : l10n.t`${megabytes(done)} MB of ${megabytes(total)} MB`;
    }
    default:
      return assertNever(phase, "phase");
  }
}

/** Whole megabytes from ten on. */
function megabytes(bytes: number): string {
  const value = bytes / 1_000_000;
  return value < 9.95 ? value.toFixed(1) : String(Math.round(value));
}
