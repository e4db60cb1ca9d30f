/**
 * File format of insights: a Markdown file that people can read and edit. Entries are appended, newest last. Pure.
 *
 *   ## 2026-11-22T09:51:03.000Z · parser, tests      time and tags
 *
 *   > The content, quoted
 *
 *   Context:
 *
 *   > The situation in which it applies
 *
 * Invariants: the parser restores each rendered entry exactly, for any text of the entry and before it. No text written
 * by a person is lost: undated headings and unquoted lines become content.
 */
export interface Insight {
  /** ISO 8601, UTC. Empty for an entry that a person wrote without a date. */
  readonly at: string;
  readonly tags: readonly string[];
  readonly content: string;
  readonly context: string;
}

const HEADING = /^## +(\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*Z)(?: · (.*))?$/;
const CONTEXT = "Context:";
const MAX_TAGS = 20,
  MAX_TAG_CHARACTERS = 40;

/** Normalizes line ends and removes surrounding empty lines. */
export function tidy(text: string): string {
  return text
    .replaceAll(/\r\n?/g, "\n")
    .replace(/^(?:[^\S\n]*\n)+/, "")
    .trimEnd();
}

/** Normalizes tags so that they fit on one line. */
export function tidyTags(tags: readonly string[]): readonly string[] {
  const tidied = tags.map(tag =>
    [...tag.replaceAll(/[\s,·\p{C}]+/gu, " ").trim()].slice(0, MAX_TAG_CHARACTERS).join("").trim(),
  );
  return [...new Set(tidied)].filter(tag => tag !== "").slice(0, MAX_TAGS);
}

/** Renders an entry for appending to any file. */
export function renderInsight({ at, tags, content, context }: Insight): string {
  const heading = `## ${at}${tags.length === 0 ? "" : ` · ${tags.join(", ")}`}`;
  return `\n${[heading, quoted(content), ...(context === "" ? [] : [CONTEXT, quoted(context)])].join("\n\n")}\n`;
}

/** In file order. Never throws. */
export function parseInsights(text: string): readonly Insight[] {
  const insights: Insight[] = [];
  let reading: Reading | undefined = newReading("");
  for (const line of text.replaceAll(/\r\n?/g, "\n").split("\n")) {
    if (line.startsWith("## ")) {
      insights.push(...read(reading));
      reading = newReading(line);
    } else if (line.trimEnd() === CONTEXT) reading.into = reading.context;
    else if (line.startsWith(">")) reading.into.push(line.replace(/^> ?/, ""));
    else if (reading.heading !== "" || !isPreface(line)) reading.into.push(line);
  }
  return [...insights, ...read(reading)];
}

interface Reading {
  readonly heading: string;
  readonly content: string[];
  readonly context: string[];
  into: string[];
}

function newReading(heading: string): Reading {
  const content: string[] = [];
  return { heading, content, context: [], into: content };
}

function read({ heading, content, context }: Reading): readonly Insight[] {
  const dated = HEADING.exec(heading);
  const entry = tidy([...(dated ? [] : [heading.slice(3).trim()]), ...content].join("\n"));
  if (entry === "") return [];
  return [
    {
      at: dated?.[1] ?? "",
      tags: tidyTags((dated?.[2] ?? "").split(",")),
      content: entry,
      context: tidy(context.join("\n")),
    },
  ];
}

/** Lines before the first entry: the file's title and Sparkle's comment. */
function isPreface(line: string): boolean {
  return /^# |^<!--.*-->\s*$/.test(line);
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map(line => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}
