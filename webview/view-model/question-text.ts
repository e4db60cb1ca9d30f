/**
 * Text of an agent's question for screen readers: requester, request, parameters and proposed changes. Pure.
 *
 * Invariants:
 * - The question is complete or states how much is missing.
 * - Hidden characters become visible (`visibleLine`).
 */
import { parseJson } from "../../src/protocol/json";
import { counted } from "../../src/protocol/phrases";
import type { Permission, ToolContent } from "../../src/protocol/chat";
import type { Elicitation } from "../../src/protocol/elicitation";
import { visibleLine } from "../../src/protocol/visible-text";
import { spoken } from "./sentences";
import { lineDiff } from "./tool-content";

const WANTS: Readonly<Record<string, string>> = {
  read: "wants to read",
  edit: "wants to change a file",
  delete: "wants to delete",
  move: "wants to move a file",
  execute: "wants to run a command",
  search: "wants to search",
  fetch: "wants to fetch from the network",
  switch_mode: "wants to change its mode",
};

/** Predicate after the agent's name, by tool kind. */
export const wants = (toolKind: string): string =>
  (Object.hasOwn(WANTS, toolKind) ? WANTS[toolKind] : undefined) ?? "asks for your permission";

export function whoAsks(asked: Permission | Elicitation): string {
  const agent =
    asked.subagent === undefined
      ? visibleLine(asked.agent)
      : `${visibleLine(asked.subagent.name)}, a subagent of ${visibleLine(asked.agent)},`;
  if (asked.kind === "permission") return `${agent} ${wants(asked.toolKind)}`;
  return `${agent} ${asked.ask.mode === "form" ? "has a question" : "asks you to visit a page"}`;
}

export function whatIsAsked(asked: Permission | Elicitation): string {
  const parts =
    asked.kind === "permission"
      ? [
          visibleLine(asked.title),
          ...(asked.input === undefined ? [] : parameters(asked.input)),
          ...asked.content.map(about),
        ]
      : [
          spoken(asked.message),
          ...(asked.ask.mode === "url"
            ? [`The page is ${bounded(asked.ask.url)}`]
            : asked.ask.title === undefined
              ? []
              : [visibleLine(asked.ask.title)]),
        ];
  return parts
    .filter(part => part !== "")
    .map(part => (/[.!?:…]$/.test(part) ? part : `${part}.`))
    .join(" ");
}

/** Lists the members of an object one by one, because braces and quotes are useless in speech. */
function parameters(input: string): readonly string[] {
  const value = parseJson(input);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [bounded(input)];
  return Object.entries(value).map(
    ([name, member]) =>
      `${visibleLine(name)}: ${bounded(typeof member === "string" ? member : JSON.stringify(member))}`,
  );
}

const MOST = 2_000;

function bounded(text: string): string {
  const line = visibleLine(text.slice(0, MOST));
  return text.length > MOST ? `${line}… and ${text.length - MOST} more characters, shown on the card` : line;
}

function about(content: ToolContent): string {
  switch (content.kind) {
    case "text":
      return bounded(spoken(content.text.slice(0, 2 * MOST)));
    case "diff":
      return aboutDiff(content);
    case "terminal":
      return "";
    case "image":
      return "The card shows an image";
    case "audio":
      return "The card contains audio";
    case "resource":
      return visibleLine(content.name ?? content.uri);
    case "other":
      return `Unsupported content: ${visibleLine(content.what)}`;
  }
}

function aboutDiff({ path, oldText, newText }: Extract<ToolContent, { kind: "diff" }>): string {
  const lines = lineDiff(oldText, newText).split("\n");
  const count = (mark: string) => lines.filter(line => line.startsWith(mark)).length;
  const name = visibleLine(path);
  if (oldText === undefined) return `Creates ${name}, ${counted(count("+"), "line")}`;
  return `Changes ${name}: ${counted(count("+"), "line")} added, ${count("-")} removed`;
}
