/**
 * Exports a stored conversation as Markdown for people, or as JSON that can be imported again (issue 17 item 1). Pure.
 *
 * A file is a sequence of parts, so that its size is not limited by the longest string and little of it is in memory.
 *
 * Invariant: an imported file, exported again as JSON, has the same bytes.
 */
import * as l10n from "@vscode/l10n";
import * as v from "valibot";
import { nameOf } from "../../src/protocol/chat/attachments";
import { chatTitle } from "../../src/protocol/chat/chat-title";
import { emptyConversation, type Conversation, type Entry, type ToolCall } from "../../src/protocol/chat/chat";
import { fenced, inline } from "../../src/protocol/text/safe-text";
import { visibleLine } from "../../src/protocol/text/visible-text";
import { objectOr, parseJson } from "../../src/protocol/wire/json";
import { filled, parsed } from "../../src/protocol/wire/schema";
import { restored, type StoredText } from "../journal/stored-conversation";

const FORMAT = "symposium-session",
  VERSION = 1;

/** Members of an exported file besides its content; the content is validated like a journal. */
const exportedFile = v.object({
  format: v.literal(FORMAT),
  version: v.literal(VERSION),
  agent: v.object({ id: filled(1_000), name: filled(1_000) }),
  cwd: filled(4_096),
  entries: v.array(v.unknown()),
});

/** The folder of a version that is not validated. */
export function cwdIn(version: unknown): string | undefined {
  const { cwd } = objectOr(version);
  return typeof cwd === "string" ? cwd : undefined;
}

/** The settled conversation without its queue. Undefined if the journal contains none. */
export function exportedConversation(stored: StoredText, cwd: string): Conversation | undefined {
  const { agent, title, chosenTitle, entries, usage, terminals } = restored(
    stored,
    l10n.t("The session was exported."),
  );
  if (agent === undefined) return undefined;
  return {
    ...emptyConversation({ id: agent.id, name: agent.name }, cwd),
    ...(title === undefined ? {} : { title }),
    ...(chosenTitle === undefined ? {} : { chosenTitle }),
    entries,
    ...(usage === undefined ? {} : { usage }),
    ...(terminals.length === 0 ? {} : { terminals }),
  };
}

/** The parts of the file that `JSON.stringify` returns with an indentation of 1. */
export function* jsonParts(conversation: Conversation): Iterable<string> {
  const { agent, cwd, title, chosenTitle, entries, usage, terminals } = conversation,
    head = { format: FORMAT, version: VERSION, agent, cwd, title, chosenTitle, usage };
  yield JSON.stringify(head, undefined, 1).slice(0, -"\n}".length);
  yield* listParts("entries", entries);
  if (terminals !== undefined) yield* listParts("terminals", terminals);
  yield "\n}\n";
}

function* listParts(member: string, items: readonly object[]): Iterable<string> {
  yield `,\n "${member}": [`;
  for (const [i, item] of items.entries())
    yield `${i === 0 ? "" : ","}\n  ${JSON.stringify(item, undefined, 1).replaceAll("\n", "\n  ")}`;
  yield items.length === 0 ? "]" : "\n ]";
}

/** The conversation of a file with `jsonParts`; undefined for any other file. */
export function importedConversation(file: string): Conversation | undefined {
  const version = parseJson(file),
    read = parsed(exportedFile, version);
  if (read === undefined) return undefined;
  return exportedConversation({ version, hashes: new Set(), format: 1 }, read.cwd);
}

/** The parts of a file for any Markdown viewer. Images and audio are named, but not contained. */
export function* markdownParts(conversation: Conversation): Iterable<string> {
  const { agent, cwd, entries } = conversation,
    title = visibleLine(chatTitle(conversation) ?? agent.name);
  const terminals = new Map((conversation.terminals ?? []).map(terminal => [terminal.terminalId, terminal]));
  const outputOf = (terminalId: string): string => terminals.get(terminalId)?.output ?? "";
  yield `# ${title.replaceAll(/[\\`*_<>[\]]/g, "\\$&")}`;
  yield `\n\n- ${l10n.t("Agent")}: ${inline(agent.name)}\n- ${l10n.t("Folder")}: ${inline(cwd)}`;
  for (const entry of entries) for (const section of sectionsOf(entry, agent.name, outputOf)) yield `\n\n${section}`;
  yield "\n";
}

type OutputOf = (terminalId: string) => string;

function sectionsOf(entry: Entry, agent: string, outputOf: OutputOf): readonly string[] {
  switch (entry.kind) {
    case "user": {
      const names = (entry.attachments ?? []).map(each => inline(nameOf(each)));
      return [
        `## ${l10n.t("You")}`,
        entry.text,
        ...(names.length === 0 ? [] : [`${l10n.t("Attached")}: ${names.join(", ")}`]),
      ];
    }
    case "agent":
      return entry.text.trim() === "" ? [] : [`## ${visibleLine(agent)}`, entry.text.trim()];
    case "thought":
      return entry.text.trim() === "" ? [] : [quoted(`**${l10n.t("Thought")}**\n\n${entry.text.trim()}`)];
    case "tool":
      return toolSections(entry, outputOf);
    case "plan":
      return [
        `**${l10n.t("Plan")}**`,
        ...(entry.steps.length === 0
          ? []
          : [
              entry.steps
                .map(step => `- [${step.status === "completed" ? "x" : " "}] ${visibleLine(step.content)}`)
                .join("\n"),
            ]),
        ...(entry.text === undefined ? [] : [entry.text]),
      ];
    case "permission":
      return [quoted(`**${l10n.t("Permission")}**: ${inline(entry.title)} — ${answerOf(entry)}`)];
    case "elicitation":
      return [quoted(`**${l10n.t("Question")}**: ${visibleLine(entry.message)}`)];
    case "notice":
      return [quoted(visibleLine(entry.text))];
    case "compaction":
      return [quoted(`**${l10n.t("Summary")}**\n\n${entry.text}`)];
    case "message":
      return [quoted(`${visibleLine(entry.from)} → ${visibleLine(entry.to)}\n\n${entry.text}`)];
    case "subagent":
      return [
        `**${l10n.t("Subagent")}** ${inline(entry.name)}`,
        ...entry.entries.flatMap(each => sectionsOf(each, entry.name, outputOf)).map(quoted),
      ];
    case "media":
      return contentSections([entry.content], outputOf);
    case "unknown":
      return [];
  }
}

function answerOf({ answered }: Extract<Entry, { kind: "permission" }>): string {
  if (answered === undefined) return "";
  return visibleLine(answered.kind === "selected" ? answered.name : answered.why);
}

function toolSections({ title, status, content, input, output }: ToolCall, outputOf: OutputOf): readonly string[] {
  return [
    `**${l10n.t("Tool")}** ${inline(title)} (${status})`,
    ...(input === undefined || input === "" ? [] : [fenced(input)]),
    ...contentSections(content, outputOf),
    ...(output === undefined || output === "" || content.length > 0 ? [] : [fenced(output)]),
  ];
}

function contentSections(contents: ToolCall["content"], outputOf: OutputOf): readonly string[] {
  return contents.flatMap((content): readonly string[] => {
    switch (content.kind) {
      case "text":
        return [content.text];
      case "diff":
        return [inline(content.path), fenced(diffOf(content.oldText, content.newText), "diff")];
      case "terminal": {
        const output = outputOf(content.terminalId) || (content.output ?? "");
        return output === "" ? [] : [fenced(output)];
      }
      case "resource":
        return [inline(content.uri), ...(content.text === undefined ? [] : [fenced(content.text)])];
      case "image":
      case "audio":
        return [`(${content.mimeType})`];
      case "other":
        return [];
    }
  });
}

/** The old lines, then the new ones: agents send only the changed part of a file. */
function diffOf(oldText: string | undefined, newText: string): string {
  const marked = (sign: string, text: string | undefined): readonly string[] =>
    text === undefined || text === ""
      ? []
      : text
          .replace(/\n$/, "")
          .split("\n")
          .map(line => sign + line);
  return [...marked("-", oldText), ...marked("+", newText)].join("\n");
}

function quoted(markdown: string): string {
  return markdown
    .split("\n")
    .map(line => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}
