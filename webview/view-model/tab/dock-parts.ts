/**
 * The row between conversation and prompt, as parts that become shorter when the row is narrow. Pure.
 *
 * Invariant: a part exists only while it has something to show.
 */
import * as l10n from "@vscode/l10n";
import { planView, usageView, type BypassView } from "./dock-view";
import type { QueueView } from "./queue-view";
import type { ReviewView } from "./review-view";
import type { TabView } from "./tab-view";
import type { LinePart } from "../cards/card";
import { texts } from "../text/chat-texts";

/** In the order of the row. */
export type DockPartId = "status" | "bypass" | "usage" | "plan" | "queue" | "review" | "follow" | "details";

/** All strings are plain text. */
export interface DockPart {
  readonly id: DockPartId;
  readonly full: string;
  /** The words of `full`, if they have colors. */
  readonly parts?: readonly LinePart[];
  /** Empty: only the icon remains. */
  readonly short: string;
  /** Accessible name. */
  readonly name: string;
  readonly tooltip: string;
  readonly tone: "plain" | "warning";
  /** Used fraction of the ring that the part has as its icon. */
  readonly fraction?: number;
  /** State of a part that is switched on and off. Other parts open a panel. */
  readonly isPressed?: boolean;
}

export type DockForm = "full" | "short" | "icon";

/** Each step makes one part shorter, the least important first. */
const STEPS: readonly (readonly [id: DockPartId, form: DockForm])[] = [
  ["details", "icon"],
  ["follow", "icon"],
  ["status", "short"],
  ["queue", "short"],
  ["review", "short"],
  ["status", "icon"],
  ["bypass", "icon"],
  ["usage", "short"],
  ["plan", "short"],
  ["usage", "icon"],
  ["plan", "icon"],
];
/** After these steps, long texts may end with an ellipsis. */
export const ELLIPSIS_FROM = 2;
/** Number of steps from the widest row to the narrowest one. */
export const MAX_STEPS = STEPS.length;

/** `steps`: number of steps that were necessary. */
export function formOf(id: DockPartId, steps: number): DockForm {
  return STEPS.slice(0, steps).findLast(([part]) => part === id)?.[1] ?? "full";
}

type Shown = Pick<
  TabView,
  "status" | "bypassed" | "usage" | "plan" | "queue" | "review" | "following" | "details" | "firstScreen"
>;

export function dockParts({
  status,
  bypassed,
  usage,
  plan,
  queue,
  review,
  following,
  details,
  firstScreen,
}: Shown): readonly DockPart[] {
  return [
    ...(status === "" ? [] : [part("status", { full: status, short: texts.working, tooltip: status })]),
    ...(bypassed === undefined ? [] : [bypassPart(bypassed)]),
    ...(usage === undefined ? [] : [usagePart(usageView(usage))]),
    ...(plan === undefined ? [] : [planPart(planView(plan))]),
    ...(queue === undefined ? [] : [queuePart(queue)]),
    ...(review === undefined ? [] : [reviewPart(review)]),
    ...(following === undefined
      ? []
      : [part("follow", { full: texts.follow, tooltip: texts.followTooltip, isPressed: following })]),
    // The first screen shows the extensions.
    ...(details.details === undefined || firstScreen !== undefined
      ? []
      : [part("details", { full: texts.details, name: texts.detailsTooltip, tooltip: texts.detailsTooltip })]),
  ];
}

function part(id: DockPartId, shown: Pick<DockPart, "full"> & Partial<DockPart>): DockPart {
  return { id, short: "", name: shown.full, tooltip: shown.name ?? shown.full, tone: "plain", ...shown };
}

function bypassPart({ text, tooltip }: BypassView): DockPart {
  return part("bypass", { full: text, name: `${text}. ${tooltip}`, tooltip, tone: "warning" });
}

function usagePart({ short, shortest, full, part: fraction, tone }: ReturnType<typeof usageView>): DockPart {
  return part("usage", {
    full: short,
    short: shortest,
    name: `${short}. ${texts.usage}: ${full}`,
    tooltip: full,
    tone,
    ...(fraction === undefined ? {} : { fraction }),
  });
}

function planPart({ progress, current }: ReturnType<typeof planView>): DockPart {
  const full = current === "" ? progress : `${progress} ${current}`;
  return part("plan", {
    full,
    short: progress,
    name: `${texts.plan} ${full}`,
    tooltip: current === "" ? texts.plan : current,
  });
}

function queuePart({ held, prompts }: QueueView): DockPart {
  const count = prompts.length,
    full = held ? l10n.t`${count} held` : l10n.t`${count} queued`;
  return part("queue", {
    full,
    short: String(count),
    name: `${texts.queue}: ${full}`,
    ...(held ? { tooltip: texts.held, tone: "warning" } : {}),
  });
}

function reviewPart({ files, parts }: ReviewView): DockPart {
  const full = parts.map(({ text }) => text).join(" ");
  return part("review", {
    full,
    parts,
    short: files === 0 ? "!" : String(files),
    name: `${texts.review}: ${full}`,
    tooltip: texts.review,
    ...(files === 0 ? { tone: "warning" } : {}),
  });
}
