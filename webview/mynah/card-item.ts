/**
 * Converts a card to mynah's `ChatItemContent`, without mynah's types. Pure.
 *
 * Invariant: mynah merges an update into the existing card. An update therefore sets removed parts to null and does not
 * change the fold state, which the user may have changed.
 */
import * as l10n from "@vscode/l10n";
import type { Card, CardButton, CardHeader, CardIcon, Part, Picture, Tone } from "../view-model/cards/card";
import type { Banner } from "../view-model/tab/tab-view";

export function itemContent(card: Card, how: "new" | "update") {
  if (card.line !== undefined) return lineContent(card, how);
  const content = {
    header: card.header ? headerItem(card.header) : null,
    body: card.body === "" ? null : card.body,
    customRenderer: card.pictures.length === 0 ? null : card.pictures.map(image),
  };
  return {
    fullWidth: true,
    padding: true,
    wrapCodes: true,
    ...(card.folded.length === 0
      ? { ...content, ...(how === "update" ? { summary: null } : {}) }
      : {
          header: null,
          body: null,
          customRenderer: null,
          summary: {
            ...(how === "new" ? { isCollapsed: !card.startsUnfolded } : {}),
            content,
            collapsedContent: card.folded.map(foldedItem),
          },
        }),
    buttons:
      card.buttons.length === 0
        ? null
        : card.buttons.map(button =>
            buttonItem(
              button,
              card.buttons.some(({ stays }) => stays === true),
            ),
          ),
  };
}

/** Details of a tool call. Its line and other parts are elements of Symposium (`card-lines.ts`). */
function lineContent(card: Card, how: "new" | "update") {
  return {
    fullWidth: true,
    padding: false,
    wrapCodes: true,
    header: null,
    body: card.body === "" ? null : card.body,
    // mynah draws no empty card.
    customRenderer: [{ type: "span" as const, classNames: ["symposium-anchor"] }, ...card.pictures.map(image)],
    ...(how === "update" ? { summary: null } : {}),
    buttons: null,
  };
}

function foldedItem(part: Part) {
  return typeof part === "string" ? { body: part, wrapCodes: true } : { body: null, customRenderer: [image(part)] };
}

/** The description of an element, which mynah does not parse as HTML. */
function image({ src, alt }: Picture) {
  return {
    type: "img",
    attributes: { src, alt, role: "button", tabindex: "0", title: l10n.t("Zoom In"), "aria-haspopup": "dialog" },
  } as const;
}

function headerItem({ icon, text, tone, status }: CardHeader) {
  return {
    icon: ICON[icon],
    body: text,
    padding: false,
    ...(tone === "plain" ? {} : { iconForegroundStatus: tone }),
    status: {
      position: "right",
      text: status?.text ?? "",
      ...(status === undefined || status.tone === "plain" ? {} : { status: status.tone }),
    },
  } as const;
}

export function bannerItem({ tone, text, buttons }: Banner) {
  return {
    messageId: "symposium-banner",
    fullWidth: true,
    header: headerItem({ icon: bannerIcon(tone), text, tone }),
    ...(buttons.length > 0 ? { buttons: buttons.map(button => buttonItem(button, button.stays === true)) } : {}),
  };
}

const bannerIcon = (tone: Tone): CardIcon => (tone === "error" || tone === "warning" ? tone : "info");

/** mynah disables all buttons of a card after a click, except those with an explicit `disabled: false`. */
function buttonItem({ id, label, weight, hint }: CardButton, stays: boolean) {
  return {
    id,
    text: label,
    keepCardAfterClick: true,
    status: WEIGHT[weight],
    ...(stays ? { disabled: false } : {}),
    ...(hint === undefined ? {} : { description: hint }),
  };
}

const WEIGHT = { main: "primary", plain: "clear", quiet: "dimmed-clear" } as const;

const ICON = {
  tool: "tools",
  read: "eye",
  edit: "pencil",
  delete: "trash",
  execute: "shell",
  search: "search",
  fetch: "globe",
  think: "light-bulb",
  question: "help",
  plan: "check-list",
  info: "info",
  warning: "warning",
  error: "error",
  file: "file",
  sound: "megaphone",
  compact: "resize-small",
  subagent: "user",
  message: "chat",
} as const satisfies Readonly<Record<CardIcon, string>>;
