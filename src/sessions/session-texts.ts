/** Texts and icons of one session in the list and in pick lists. Pure. */
import * as l10n from "@vscode/l10n";
import type { SessionActivity, SessionRef, SessionSummary } from "../protocol/sessions/sessions";
import { readableLine } from "../protocol/text/visible-text";

/** Names of a codicon and of a theme color. */
export interface SessionIcon {
  readonly id: string;
  readonly color?: string;
}

const MINUTE_MS = 60_000,
  HOUR_MS = 60 * MINUTE_MS,
  DAY_MS = 24 * HOUR_MS,
  /** Older sessions show their date. */
  MAX_AGE_MS = 7 * DAY_MS;

/** Identifies a session among all sessions. */
export function sessionKey(ref: SessionRef): string {
  return ref.kind === "stored" ? `stored:${ref.conversation}` : `agent:${JSON.stringify([ref.agentId, ref.sessionId])}`;
}

export function titleOf({ title }: SessionSummary): string {
  const line = readableLine(title);
  return line === "" ? l10n.t("New Chat") : line;
}

export function agentNameOf({ agent }: SessionSummary): string {
  return readableLine(agent.name);
}

/** `now`: milliseconds since 1970. */
export function descriptionOf(session: SessionSummary, now: number): string {
  const { changedAt, cost, origin } = session;
  return [
    agentNameOf(session),
    ...(changedAt === 0 ? [] : [shortAge(changedAt, now)]),
    ...(cost === undefined ? [] : [formattedCost(cost)]),
    ...(origin === undefined ? [] : [l10n.t`from “${readableLine(origin)}”`]),
  ].join(" · ");
}

export function tooltipOf(session: SessionSummary): string {
  const { cwd, changedAt, isArchived } = session,
    activity = activityText(session);
  return [
    titleOf(session),
    l10n.t`Agent: ${agentNameOf(session)}`,
    l10n.t`Folder: ${readableLine(cwd)}`,
    ...(changedAt === 0 ? [] : [l10n.t`Last change: ${TIME.format(changedAt)}`]),
    ...(activity === undefined ? [] : [activity]),
    ...(isArchived ? [l10n.t("Archived")] : []),
    ...(session.ref.kind === "agent" ? [l10n.t("Stored by the agent only")] : []),
  ].join("\n");
}

/** Label for screen readers, which cannot see the icon. */
export function accessibleLabelOf(session: SessionSummary, now: number): string {
  const activity = activityText(session);
  return [titleOf(session), ...(activity === undefined ? [] : [activity]), descriptionOf(session, now)].join(", ");
}

export function iconOf({ ref, activity, isArchived }: SessionSummary): SessionIcon {
  if (activity !== undefined) return ACTIVITY_ICONS[activity];
  if (isArchived) return { id: "archive" };
  return { id: ref.kind === "agent" ? "terminal" : "comment-discussion" };
}

/** Value for the `when` clauses of menus. */
export function contextValueOf({ ref, isArchived }: SessionSummary): string {
  return `session.${ref.kind}${isArchived ? ".archived" : ""}`;
}

/** Pick lists would show `$(name)` as an icon. */
export function withoutIcons(text: string): string {
  return text.replaceAll("$(", "\\$(");
}

function activityText({ activity }: SessionSummary): string | undefined {
  return activity && ACTIVITY_TEXTS[activity];
}

const ACTIVITY_TEXTS: Readonly<Record<SessionActivity, string>> = {
  needsAnswer: l10n.t("Waiting for your answer"),
  running: l10n.t("Running"),
  unread: l10n.t("New answer"),
  failed: l10n.t("Failed"),
};
const ACTIVITY_ICONS: Readonly<Record<SessionActivity, SessionIcon>> = {
  needsAnswer: { id: "question", color: "list.warningForeground" },
  running: { id: "loading~spin", color: "textLink.foreground" },
  unread: { id: "circle-filled", color: "textLink.foreground" },
  failed: { id: "error", color: "list.errorForeground" },
};

/** A time in the future, after the clock was set back, counts as now. */
function shortAge(changedAt: number, now: number): string {
  const age = now - changedAt;
  if (age < MINUTE_MS) return l10n.t("now");
  if (age < HOUR_MS) return l10n.t`${Math.floor(age / MINUTE_MS)} min`;
  if (age < DAY_MS) return l10n.t`${Math.floor(age / HOUR_MS)} h`;
  if (age < MAX_AGE_MS) return l10n.t`${Math.floor(age / DAY_MS)} d`;
  return DATE.format(changedAt);
}
const DATE = new Intl.DateTimeFormat("en-US", { dateStyle: "medium" }),
  TIME = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short" });

/** The agent supplies the currency, which may be invalid. */
function formattedCost({ amount, currency }: NonNullable<SessionSummary["cost"]>): string {
  try {
    return new Intl.NumberFormat("en-US", { style: "currency", currency }).format(amount);
  } catch {
    return readableLine(`${amount.toFixed(2)} ${currency}`);
  }
}
