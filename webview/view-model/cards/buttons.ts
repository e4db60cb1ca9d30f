/** Buttons of cards and their meanings. Pure. */
import * as l10n from "@vscode/l10n";
import type { AgentChoice } from "../../../src/protocol/agents/agents";
import type { ActionId, ToolContent } from "../../../src/protocol/chat/chat";
import type { ElicitationChoice } from "../../../src/protocol/chat/elicitation";
import type { PermissionChoice } from "../../../src/protocol/sidecar";
import type { BranchKind } from "../../state/branch-model";
import type { CardButton, Change } from "./card";
import { literal } from "../text/markdown-safe";

const ACTION: Readonly<Record<ActionId, string>> = {
  showLogs: l10n.t("Show Logs"),
  restartAgent: l10n.t("Restart Agent"),
  restartSidecar: l10n.t("Restart Sidecar"),
  selectAgent: l10n.t("Change Agent"),
  manageTrust: l10n.t("Manage Workspace Trust"),
  sendAgain: l10n.t("Send Again"),
  sendTranscript: l10n.t("Send Transcript as Context"),
  takeOver: l10n.t("Take Over"),
  openOrigin: l10n.t("Open Original Session"),
  openSettings: l10n.t("Open Settings"),
  addToConfiguration: l10n.t("Add to Agent's Configuration…"),
};

export function actionButton(action: ActionId, index: number): CardButton {
  const asksFirst = action === "addToConfiguration";
  return {
    id: `action:${action}`,
    label: ACTION[action] ?? literal(action),
    weight: action === "openOrigin" ? "quiet" : index === 0 ? "main" : "plain",
    ...(asksFirst ? { stays: true } : {}),
  };
}

/** Button of a tab that still uses its old settings. */
export const NEW_TAB: CardButton = { id: "tab:new", label: l10n.t("New Tab"), weight: "quiet", stays: true };

/** Button of a tab that keeps its agent. */
export function newTabWith({ id, name }: AgentChoice): CardButton {
  return { id: `tabWith:${id}`, label: l10n.t`New Tab with ${literal(name)}`, weight: "main", stays: true };
}

/** Opens a confirmation; the button alone grants nothing. */
export const ALLOW_EVERYTHING: CardButton = { id: "bypass", label: l10n.t("Allow Everything…"), weight: "quiet" };

/** Buttons of an elicitation with a URL. */
export const OPEN_PAGE: CardButton = { id: "page:open", label: l10n.t("Open in Browser"), weight: "main" };
export const DECLINE_PAGE: CardButton = { id: "page:decline", label: l10n.t("Decline"), weight: "plain" };

/** The answer that corresponds to one of these two buttons. A URL elicitation returns no values. */
export function pageChoice(buttonId: string): ElicitationChoice | undefined {
  switch (buttonId) {
    case OPEN_PAGE.id:
      return { kind: "accept", values: {} };
    case DECLINE_PAGE.id:
      return { kind: "decline" };
    default:
      return undefined;
  }
}

/** The diffs in the content. */
export function changesOf(content: readonly ToolContent[]): readonly Change[] {
  return content.flatMap(each =>
    each.kind === "diff"
      ? [{ path: each.path, newText: each.newText, ...(each.oldText === undefined ? {} : { oldText: each.oldText }) }]
      : [],
  );
}

/** Id of the button that opens the n-th change of a card. */
export const changeButton = (index: number): string => `change:${index}`;

/** The change of the card that the button opens. */
export function changeOf(changes: readonly Change[], buttonId: string): Change | undefined {
  const [, at] = /^change:(\d+)$/.exec(buttonId) ?? [];
  return at === undefined ? undefined : changes[Number(at)];
}

const BRANCH: Readonly<Record<BranchKind, Pick<CardButton, "label" | "icon">>> = {
  edit: { label: l10n.t("Edit and Resend"), icon: "edit" },
  fork: { label: l10n.t("Fork from Here"), icon: "fork" },
  retry: { label: l10n.t("Retry"), icon: "retry" },
  continueWith: { label: l10n.t("Continue with Another Agent…") },
};

/** Actions of a prompt that open a branch in a new tab. */
const BRANCH_BUTTONS: readonly CardButton[] = Object.entries(BRANCH).map(([kind, face]) => ({
  id: `branch:${kind}`,
  ...face,
  weight: "quiet",
  stays: true,
}));

/** Actions of a prompt that restore the files to before it. The host asks first. */
const REWIND: Readonly<Record<Rewound, string>> = {
  files: l10n.t("Restore Files…"),
  both: l10n.t("Restore Files and Conversation…"),
};
type Rewound = "files" | "both";

/** All actions of a prompt. *Edit and Resend* restores only the conversation. */
export const PROMPT_BUTTONS: readonly CardButton[] = [
  ...BRANCH_BUTTONS,
  ...Object.entries(REWIND).map(
    ([what, label]): CardButton => ({
      id: `rewind:${what}`,
      label,
      weight: "quiet",
      stays: true,
    }),
  ),
];

export type ButtonMeaning =
  | { readonly kind: "permission"; readonly choice: PermissionChoice }
  | { readonly kind: "action"; readonly action: ActionId }
  | { readonly kind: "newTab"; readonly agentId?: string }
  | { readonly kind: "branch"; readonly branch: BranchKind }
  | { readonly kind: "rewind"; readonly what: Rewound }
  | { readonly kind: "bypass" };

/** Meaning of a card's button; `undefined` for an unknown button. */
export function meaningOf(buttonId: string): ButtonMeaning | undefined {
  if (buttonId === ALLOW_EVERYTHING.id) return { kind: "bypass" };
  if (buttonId === NEW_TAB.id) return { kind: "newTab" };
  const [, what, rest] = /^(option|action|tabWith|branch|rewind):(.*)$/s.exec(buttonId) ?? [];
  if (what === "option" && rest !== undefined)
    return { kind: "permission", choice: { kind: "option", optionId: rest } };
  if (what === "tabWith" && rest !== undefined) return { kind: "newTab", agentId: rest };
  if (what === "branch") return rest !== undefined && isBranch(rest) ? { kind: "branch", branch: rest } : undefined;
  if (what === "rewind") return rest !== undefined && isRewound(rest) ? { kind: "rewind", what: rest } : undefined;
  return what === "action" && rest !== undefined && isAction(rest) ? { kind: "action", action: rest } : undefined;
}

function isBranch(text: string): text is BranchKind {
  return Object.hasOwn(BRANCH, text);
}

function isRewound(text: string): text is Rewound {
  return Object.hasOwn(REWIND, text);
}

function isAction(text: string): text is ActionId {
  return Object.hasOwn(ACTION, text);
}
