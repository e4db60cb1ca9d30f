/**
 * The head of a code block: its language, and buttons that appear while the pointer or the focus is in the block. The
 * code is read when a button is pressed, because a block can still grow.
 */
import * as l10n from "@vscode/l10n";
import { create } from "./dom";
import { icon } from "./icons";

export interface CodeHeadHandlers {
  /** The code of the block. */
  readonly code: () => string;
  readonly insert?: (code: string) => void;
  readonly apply?: (code: string) => void;
  /** Sets whether long lines wrap. */
  readonly wrap: (isWrapped: boolean) => void;
}

export function codeHead(
  language: string,
  isWrapped: boolean,
  { code, insert, apply, wrap }: CodeHeadHandlers,
): HTMLElement {
  const copy = action("copy", l10n.t("Copy"), () => void copied(copy, code()));
  const wrapping = action("wrap", l10n.t("Wrap Lines"), () => {
    const pressed = wrapping.getAttribute("aria-pressed") !== "true";
    wrapping.setAttribute("aria-pressed", String(pressed));
    wrap(pressed);
  });
  wrapping.setAttribute("aria-pressed", String(isWrapped));
  return create(
    "div",
    { className: "symposium-code-head" },
    create("span", { className: "symposium-code-language", text: language }),
    create(
      "div",
      {
        className: "symposium-code-actions",
        attributes: { role: "group", "aria-label": language === "" ? l10n.t("Code") : l10n.t`Code: ${language}` },
      },
      copy,
      ...(insert ? [action("insert", l10n.t("Insert at Cursor"), () => insert(code()))] : []),
      ...(apply ? [action("apply", l10n.t("Apply to File…"), () => apply(code()))] : []),
      wrapping,
    ),
  );
}

function action(name: Parameters<typeof icon>[0], label: string, pressed: () => void): HTMLButtonElement {
  const button = create(
    "button",
    { className: "symposium-code-action", attributes: { type: "button", "aria-label": label, title: label } },
    icon(name),
  );
  button.addEventListener("click", pressed);
  return button;
}

/** Confirms until the pointer or the focus leaves the button. */
async function copied(button: HTMLButtonElement, code: string): Promise<void> {
  await navigator.clipboard.writeText(code);
  const show = (name: Parameters<typeof icon>[0], label: string): void => {
    button.replaceChildren(
      icon(name),
      create("span", { className: "symposium-unseen", text: label, attributes: { role: "status" } }),
    );
    button.title = label;
  };
  show("done", l10n.t("Copied"));
  const reset = (): void => {
    button.replaceChildren(icon("copy"));
    button.title = l10n.t("Copy");
  };
  for (const left of ["pointerleave", "blur"]) button.addEventListener(left, reset, { once: true });
}
