/** Content of the dock's panels and the words of its row: plan, context usage and bypassed permissions. Pure. */
import * as l10n from "@vscode/l10n";
import type { Conversation, Entry, PlanStep, Usage } from "../../../src/protocol/chat/chat";
import type { BypassedBy } from "../../../src/protocol/page/host-to-page";
import { readableLine, visibleText } from "../../../src/protocol/text/visible-text";
import { stepMark } from "../cards/render";
import { texts } from "../text/chat-texts";
import { grouped, money, short } from "../text/format-numbers";

export interface PlanView {
  /** Example: `2/5`. */
  readonly progress: string;
  /** The current step, otherwise the next one; empty when all steps are done. */
  readonly current: string;
  readonly steps: readonly {
    readonly mark: string;
    readonly text: string;
    readonly state: "done" | "current" | "open";
    readonly spokenText: string;
  }[];
}

/** The newest plan, while it has open steps or belongs to the running turn. */
export function pinnedPlan(
  entries: Conversation["entries"],
  running: boolean,
): Extract<Entry, { readonly kind: "plan" }> | undefined {
  const at = entries.findLastIndex(({ kind }) => kind === "plan");
  const plan = entries[at];
  if (plan?.kind !== "plan" || plan.steps.length === 0) return undefined;
  const ofThisTurn = running && at > entries.findLastIndex(({ kind }) => kind === "user");
  return ofThisTurn || plan.steps.some(step => stateOf(step) !== "done") ? plan : undefined;
}

export function planView(steps: readonly PlanStep[]): PlanView {
  const current = steps.find(step => stateOf(step) === "current") ?? steps.find(step => stateOf(step) === "open");
  const done = steps.filter(step => stateOf(step) === "done").length;
  return {
    progress: `${done}/${steps.length}`,
    current: current === undefined ? "" : readableLine(current.content),
    steps: steps.map(step => ({
      mark: stepMark(step.status),
      text: readableLine(step.content),
      state: stateOf(step),
      spokenText: SPOKEN[stateOf(step)],
    })),
  };
}

const SPOKEN = { done: l10n.t("done"), current: l10n.t("in progress"), open: l10n.t("to do") } as const;

function stateOf({ status }: PlanStep): "done" | "current" | "open" {
  return status === "completed" || status === "cancelled" ? "done" : status === "in_progress" ? "current" : "open";
}

export interface BypassView {
  readonly text: string;
  /** The actions that run without asking, the program that runs them, and the way to end the bypass. */
  readonly tooltip: string;
  /** The bypass of the session is on and can be ended in the dock. */
  readonly endsHere: boolean;
  /** A bypass in the settings is on and can be ended only there. */
  readonly isSet: boolean;
}

export function bypassView(by: readonly (BypassedBy | "session")[], agent: string): BypassView | undefined {
  if (by.length === 0) return undefined;
  const endsHere = by.includes("session"),
    isSet = by.some(each => each !== "session");
  const why = new Set(
    by.map(each =>
      each === "agent" || each === "session" ? l10n.t`${visibleText(agent)} acts without asking you.` : UNASKED[each],
    ),
  );
  return {
    text: isSet ? texts.bypassed : texts.bypassedHere,
    endsHere,
    isSet,
    tooltip: [...why, ...(endsHere ? [texts.bypassedUntil] : []), ...(isSet ? [texts.bypassedWhere] : [])].join(" "),
  };
}

const UNASKED: Readonly<Record<Exclude<BypassedBy, "agent">, string>> = {
  workspace: l10n.t("The extension Workspace changes files and runs commands without asking you."),
  cargo: l10n.t("The extension Cargo runs code and changes dependencies without asking you."),
  ferris: l10n.t("The extension Ferris looks up crates with cargo without asking you."),
  sparkle: l10n.t("The extension Sparkle writes its files without asking you."),
};

export interface UsageView {
  /** Example: `12k/200k · $0.34`. */
  readonly short: string;
  /** Example: `6 %`. */
  readonly shortest: string;
  readonly full: string;
  /** Used fraction of the context, 0 to 1; `undefined` if its size is unknown. */
  readonly part: number | undefined;
  readonly tone: "plain" | "warning";
}

export const WARN_FROM = 0.8;

export function usageView({ used, size, cost }: Usage): UsageView {
  const part = size > 0 ? Math.min(1, Math.max(0, used / size)) : undefined;
  const price = cost === undefined ? undefined : visibleText(money(cost.amount, cost.currency));
  const nearlyFull = part !== undefined && part > WARN_FROM;
  return {
    short: [
      part === undefined ? l10n.t`${short(used)} tokens` : `${short(used)}/${short(size)}`,
      ...(price === undefined ? [] : [price]),
    ].join(" · "),
    shortest: part === undefined ? short(used) : `${percent(part)} %`,
    full: [
      part === undefined
        ? l10n.t`The agent's context holds ${grouped(used)} tokens.`
        : l10n.t`The agent's context holds ${grouped(used)} of ${grouped(size)} tokens, ${percent(part)} %.`,
      ...(nearlyFull ? [l10n.t("The context is nearly full.")] : []),
      ...(price === undefined ? [] : [l10n.t`This session has cost ${price} so far.`]),
    ].join(" "),
    part,
    tone: nearlyFull ? "warning" : "plain",
  };
}

/** Below 100 unless the context is full. */
const percent = (part: number): number => (part < 1 ? Math.min(99, Math.round(part * 100)) : 100);
