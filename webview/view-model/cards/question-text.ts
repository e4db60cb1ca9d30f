/**
 * Text of an agent's question for screen readers: requester, request, parameters and proposed changes. Pure.
 *
 * Invariants:
 * - The text is complete or states the number of omitted characters.
 * - Hidden characters become visible (`visibleLine`).
 */
import * as l10n from "@vscode/l10n";
import { parseJson } from "../../../src/protocol/wire/json";
import { lineCount } from "../text/plural-texts";
import type { Permission, ToolContent } from "../../../src/protocol/chat/chat";
import type { Diff } from "../../../src/protocol/chat/diff-places";
import type { Elicitation } from "../../../src/protocol/chat/elicitation";
import { visibleLine } from "../../../src/protocol/text/visible-text";
import { spoken } from "../text/sentences";
import { countsOf } from "./diff-lines";

/** Whole sentences, because the order of words differs between languages. */
const REQUESTS: Readonly<Record<string, (agent: string) => string>> = {
  read: agent => l10n.t`${agent} requests permission to read`,
  edit: agent => l10n.t`${agent} requests permission to change a file`,
  delete: agent => l10n.t`${agent} requests permission to delete`,
  move: agent => l10n.t`${agent} requests permission to move a file`,
  execute: agent => l10n.t`${agent} requests permission to run a command`,
  search: agent => l10n.t`${agent} requests permission to search`,
  fetch: agent => l10n.t`${agent} requests permission to fetch from the network`,
  switch_mode: agent => l10n.t`${agent} requests permission to change its mode`,
};

const QUESTIONS: Readonly<Record<string, string>> = {
  read: l10n.t("Read?"),
  edit: l10n.t("Change a file?"),
  delete: l10n.t("Delete?"),
  move: l10n.t("Move a file?"),
  execute: l10n.t("Run a command?"),
  search: l10n.t("Search?"),
  fetch: l10n.t("Fetch from the network?"),
  switch_mode: l10n.t("Change the mode?"),
};

/** Heading of the card of a permission request. */
export function permissionQuestion(toolKind: string): string {
  return (Object.hasOwn(QUESTIONS, toolKind) ? QUESTIONS[toolKind] : undefined) ?? l10n.t("Allow this?");
}

/** `agent`: the name as rendered by the caller. */
export function requestText(agent: string, toolKind: string): string {
  const request = Object.hasOwn(REQUESTS, toolKind) ? REQUESTS[toolKind] : undefined;
  return request?.(agent) ?? l10n.t`${agent} requests your permission`;
}

/** Both names are rendered by the caller. */
export function subagentText(subagent: string, agent: string): string {
  return l10n.t`${subagent} (subagent of ${agent})`;
}

export function requesterText(question: Permission | Elicitation): string {
  const agent =
    question.subagent === undefined
      ? visibleLine(question.agent)
      : subagentText(visibleLine(question.subagent.name), visibleLine(question.agent));
  return question.kind === "permission" ? requestText(agent, question.toolKind) : elicitationText(agent, question.ask);
}

/** Heading of the card of a form or a page. `agent`: the name as rendered by the caller. */
export function elicitationText(agent: string, ask: Elicitation["ask"]): string {
  if (ask.mode === "url") return l10n.t`${agent} asks you to visit a page`;
  return ask.purpose === "signIn" ? l10n.t`Sign in to ${agent}` : l10n.t`${agent} has a question`;
}

export function questionText(question: Permission | Elicitation): string {
  const parts =
    question.kind === "permission"
      ? [
          visibleLine(question.title),
          ...(question.input === undefined ? [] : parameters(question.input)),
          ...question.content.map(contentText),
        ]
      : [
          spoken(question.message),
          ...(question.ask.mode === "url"
            ? [l10n.t`The page is ${truncated(question.ask.url)}`]
            : question.ask.title === undefined
              ? []
              : [visibleLine(question.ask.title)]),
        ];
  return parts
    .filter(part => part !== "")
    .map(part => (/[.!?:…]$/.test(part) ? part : `${part}.`))
    .join(" ");
}

/** Lists the members of an object one by one, because braces and quotes are useless in speech. */
function parameters(input: string): readonly string[] {
  const value = parseJson(input);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [truncated(input)];
  return Object.entries(value).map(
    ([name, member]) =>
      `${visibleLine(name)}: ${truncated(typeof member === "string" ? member : JSON.stringify(member))}`,
  );
}

const MAX_LENGTH = 2_000;

function truncated(text: string): string {
  const line = visibleLine(text.slice(0, MAX_LENGTH));
  return text.length > MAX_LENGTH
    ? l10n.t`${line}… and ${text.length - MAX_LENGTH} more characters, shown on the card`
    : line;
}

function contentText(content: ToolContent): string {
  switch (content.kind) {
    case "text":
      return truncated(spoken(content.text.slice(0, 2 * MAX_LENGTH)));
    case "diff":
      return diffText(content);
    case "terminal":
      return "";
    case "image":
      return l10n.t("The card shows an image");
    case "audio":
      return l10n.t("The card contains audio");
    case "resource":
      return visibleLine(content.name ?? content.uri);
    case "other":
      return l10n.t`Unsupported content: ${visibleLine(content.what)}`;
  }
}

function diffText(diff: Diff): string {
  const { added, removed } = countsOf(diff),
    name = visibleLine(diff.path);
  if (diff.oldText === undefined) return l10n.t`Creates ${name}, ${lineCount(added)}`;
  return l10n.t`Changes ${name}: ${lineCount(added)} added, ${removed} removed`;
}
