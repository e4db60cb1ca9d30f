/** Parts shared by rows: buttons, marks, icons, disclosures. Pure. */
import type { Mark, Tone } from "../../src/protocol/settings/settings-view";
import { word, type UserAction } from "./settings-actions";
import { isPicture, maskOf } from "../components/picture";
import { piece, textPiece, type Piece } from "./element-tree";
import { brief, initial, line } from "./display-text";
import type { Draft } from "./setting-input";
import { texts } from "./settings-texts";

/** Page state that renderers need in addition to the view. */
export interface Around {
  readonly unfolded: readonly string[];
  readonly drafts: readonly Draft[];
  /** Restricted Mode: adding and row actions are disabled. */
  readonly isRestricted: boolean;
  /** The page shows only the rows that match a query. */
  readonly isSearching: boolean;
}

export interface ButtonParts {
  readonly key: string;
  readonly label: string;
  /** Subject of the action, for the accessible name. */
  readonly about?: string | undefined;
  readonly action: UserAction;
  readonly weight?: "main" | "plain" | "link";
  readonly isOff?: boolean;
}

export function button({ key, label, about, action, weight = "plain", isOff = false }: ButtonParts): Piece {
  const text = brief(label);
  return textPiece("button", `button ${weight}`, text, {
    key,
    action,
    attributes: {
      type: "button",
      "aria-label": about === undefined ? undefined : `${text}: ${line(about)}`,
      disabled: isOff ? "" : undefined,
      title: isOff ? texts.restricted : undefined,
    },
  });
}

export type Fold = readonly [toggle: Piece, content: Piece | undefined];

/** A disclosure: the button, and the content if it is expanded. */
export function fold(
  { unfolded }: Around,
  name: string,
  label: string,
  about: string,
  content: (id: string) => Piece,
): Fold {
  const isOpen = unfolded.includes(name),
    id = `fold-${word(name)}`;
  const toggle = piece(
    "button",
    "button fold",
    {
      key: `fold ${name}`,
      action: { kind: "fold", fold: name },
      attributes: {
        type: "button",
        "aria-expanded": String(isOpen),
        "aria-controls": isOpen ? id : undefined,
        "aria-label": `${label}: ${line(about)}`,
      },
    },
    { tag: "span", attributes: { class: "chevron", "aria-hidden": "true" } },
    textPiece("span", "", label),
  );
  return [toggle, isOpen ? content(id) : undefined];
}

export function marks(shown: readonly Mark[]): Piece | undefined {
  return shown.length === 0
    ? undefined
    : piece("ul", "marks", { attributes: { role: "list" } }, ...shown.map(({ tone, text }) => mark(tone, text)));
}
const mark = (tone: Tone, text: string): Piece =>
  textPiece("li", "mark", brief(text), { attributes: { "data-tone": tone } });

/** The untrusted icon, or the first letter of the name. */
export function picture(address: string | undefined, name: string): Piece {
  const mask = address === undefined ? undefined : maskOf(address);
  if (mask !== undefined)
    return piece("span", "picture ink", { key: "ink", attributes: { style: mask, "aria-hidden": "true" } });
  if (address !== undefined && isPicture(address))
    return piece("img", "picture", { key: "img", attributes: { src: address, alt: "", draggable: "false" } });
  return textPiece("span", "picture letter", initial(name), { key: "letter", attributes: { "aria-hidden": "true" } });
}

const PATHS = {
  grip: "M6 3.5h.01M10 3.5h.01M6 8h.01M10 8h.01M6 12.5h.01M10 12.5h.01",
  bin: "M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9M6.7 7v4M9.3 7v4",
  up: "M8 13v-10M3.5 7l4.5-4.5l4.5 4.5",
  down: "M8 3v10M3.5 9l4.5 4.5l4.5-4.5",
  good: "M3 8.5l3.5 3.5l6.5-7.5",
  warning: "M8 2l6.5 11.5h-13zM8 6.5v3.5M8 11.8v.01",
  error: "M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13M5.7 5.7l4.6 4.6M10.3 5.7l-4.6 4.6",
  neutral: "M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13M8 7.3v4M8 4.8v.01",
} as const;

/** Drawn in the colour of the surrounding text, so that it is readable in every theme. */
export function sign(name: keyof typeof PATHS): Piece {
  return {
    tag: "svg",
    attributes: {
      class: "sign",
      viewBox: "0 0 16 16",
      "aria-hidden": "true",
      fill: "none",
      stroke: "currentColor",
      "stroke-width": name === "grip" ? "2" : "1.2",
      "stroke-linejoin": "round",
      "stroke-linecap": "round",
    },
    children: [{ tag: "path", attributes: { d: PATHS[name] } }],
  };
}
