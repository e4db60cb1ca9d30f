/** Lines and labels of diagram sources in Mermaid's syntax. Pure. */
import * as l10n from "@vscode/l10n";

/** The reason why a source cannot be drawn, for the user. */
export class DiagramError extends Error {}

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

export function notSupported({ number, text }: Line): DiagramError {
  return new DiagramError(l10n.t`Line ${number} cannot be drawn: ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`);
}

/** Lines with content, without front matter, directives and comments. */
export function linesOf(source: string): readonly Line[] {
  const all = source.split(/\r?\n/).map((text, i) => ({ number: i + 1, text: text.trim() })),
    start = all.findIndex(({ text }) => text !== ""),
    end = all[start]?.text === "---" ? all.findIndex(({ text }, i) => i > start && text === "---") : -1;
  return all.slice(end + 1).filter(({ text }) => text !== "" && !text.startsWith("%%"));
}

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', amp: "&", lt: "<", gt: ">", nbsp: " ", colon: ":" };

/** Text of a label: without quotes and formatting, with entities decoded. It is drawn as text only. */
export function labelOf(text: string): string {
  return text
    .trim()
    .replace(/^(["'])([^]*)\1$/, "$2")
    .replace(/^`([^]*)`$/, "$1")
    .replace(/<br\s*\/?>|\\n/gi, "\n")
    .replace(/<\/?(?:b|i|u|em|strong|small|code|sub|sup|span)>/gi, "")
    .replace(/[#&](?:#?(\d{1,6})|([a-z]+));/g, (whole, code: string | undefined, name: string | undefined) =>
      code === undefined ? (ENTITIES[name ?? ""] ?? whole) : characterOf(Number(code), whole),
    )
    .trim();
}

function characterOf(code: number, whole: string): string {
  return code >= 32 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

/** Statements without effect on the drawing: colors, classes and links of the author. */
export const IGNORED =
  /^(?:classDef|class(?=\s+[\w,-]+\s+[\w-]+;?$)|cssClass|style|linkStyle|click|callback|link|links|properties|accTitle|accDescr)\b/;
