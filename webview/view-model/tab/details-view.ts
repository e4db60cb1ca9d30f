/** Session details as texts: the agent program, its folder, and the effects of each extension. Pure. */
import * as l10n from "@vscode/l10n";
import { enumerated } from "../../../src/protocol/text/phrases";
import {
  isMissing,
  type AlteredPrompts,
  type ExtensionDetails,
  type SessionDetails,
  type SetupChange,
  type TimeHeld,
  type ToolDelivery,
} from "../../../src/protocol/chat/session-details";
import { readableText, visibleLine } from "../../../src/protocol/text/visible-text";
import { texts } from "../text/chat-texts";
import { partCount } from "../text/plural-texts";

/** All strings are plain text. */
export interface DetailsView {
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  /** Ordered from the editor to the agent. */
  readonly extensions: readonly ExtensionView[];
}

export interface ExtensionView {
  readonly id: string;
  readonly name: string;
  readonly state: "runs" | "toolsMissing" | "leftOut";
  readonly sentences: readonly string[];
  /** Text that the extension added to the last prompt that it changed. */
  readonly added?: string;
}

export function detailsView(
  { program, extensions, missingTools }: SessionDetails,
  agent: string,
  cwd: string,
): DetailsView {
  const called = [program?.name, program?.version].filter(word => word !== undefined).join(" ");
  return {
    facts: [
      { name: texts.detailsAgent, value: visibleLine(called === "" ? agent : `${agent} (${called})`) },
      { name: texts.detailsFolder, value: visibleLine(cwd) },
    ],
    extensions: extensions.map(extension => extensionView(extension, missingTools !== undefined)),
  };
}

function extensionView(
  { id, name, leftOut, setup, prompts, time, tools = [], direct = [] }: ExtensionDetails,
  isDecided: boolean,
): ExtensionView {
  if (leftOut !== undefined)
    return { id, name: visibleLine(name), state: "leftOut", sentences: [visibleLine(leftOut)] };
  const changes = [...setupSentences(setup), ...promptSentences(prompts)],
    added = prompts?.last.text;
  return {
    id,
    name: visibleLine(name),
    state: isDecided && tools.some(isMissing) ? "toolsMissing" : "runs",
    sentences: [
      ...(changes.length === 0 ? [texts.detailsUnchanged] : changes),
      ...tools.map(tool => toolSentence(tool, tools.length + direct.length > 1)),
      ...directSentences(direct, tools.length + direct.length > 1),
      ...timeSentences(time),
    ],
    ...(added === undefined ? {} : { added: readableText(added) }),
  };
}

function setupSentences({ added, removed, replaced, members }: SetupChange = {}): readonly string[] {
  const servers = (
    names: readonly string[] = [],
    one: (name: string) => string,
    several: (names: string) => string,
  ): readonly string[] =>
    names.length === 0 ? [] : [(names.length === 1 ? one : several)(enumerated(names.map(quoted)))];
  return [
    ...servers(
      added,
      name => l10n.t`Adds the MCP server ${name}.`,
      names => l10n.t`Adds the MCP servers ${names}.`,
    ),
    ...servers(
      removed,
      name => l10n.t`Removes the MCP server ${name}.`,
      names => l10n.t`Removes the MCP servers ${names}.`,
    ),
    ...servers(
      replaced,
      name => l10n.t`Replaces the MCP server ${name}.`,
      names => l10n.t`Replaces the MCP servers ${names}.`,
    ),
    ...(members === undefined ? [] : [l10n.t`Changes ${enumerated(members.map(visibleLine))} in the session's setup.`]),
  ];
}

function promptSentences(prompts: AlteredPrompts | undefined): readonly string[] {
  if (!prompts) return [];
  const {
      count,
      last: { added, removed, altered },
    } = prompts,
    parts = (
      [
        [added, parts => l10n.t`${parts} added`],
        [removed, parts => l10n.t`${parts} removed`],
        [altered, parts => l10n.t`${parts} changed`],
      ] satisfies readonly (readonly [number, (parts: number | string) => string])[]
    ).filter(([blocks]) => blocks > 0);
  const changes = enumerated(parts.map(([blocks, text], i) => text(i === 0 ? partCount(blocks) : blocks)));
  return [
    count === 1
      ? l10n.t`Changed 1 prompt: ${changes}.`
      : l10n.t`Changed ${count} prompts. The last change: ${changes}.`,
  ];
}

const quoted = (name: string): string => `“${visibleLine(name)}”`;

/** `isNamed`: includes the server's name. */
function toolSentence({ server, stage, offered, listed, calls, listFailed }: ToolDelivery, isNamed: boolean): string {
  const tools = isNamed ? l10n.t`Tools of ${quoted(server)}` : l10n.t("Tools");
  return `${tools}: ${deliverySentence()}`;

  function deliverySentence(): string {
    const count = offered === undefined ? l10n.t("offered") : l10n.t`${offered} offered`;
    if (listFailed === true) return l10n.t`${count}. The MCP server did not list them. See the log.`;
    switch (stage) {
      case "offered":
        return l10n.t`${count}. The agent has not connected to them.`;
      case "connected":
        return l10n.t`${count}, connected. The agent has not requested the list.`;
      case "listed":
      case "called":
        return l10n.t`${count}, connected, ${listed} listed, ${callsText(calls)}.`;
    }
  }
}

function callsText(calls: number): string {
  if (calls === 0) return l10n.t("not called");
  return calls === 1 ? l10n.t("called once") : l10n.t`called ${calls} times`;
}

/** `isNamed`: includes the servers' names. */
function directSentences(direct: readonly string[], isNamed: boolean): readonly string[] {
  if (direct.length === 0) return [];
  const servers = enumerated(direct.map(quoted));
  if (!isNamed)
    return [l10n.t("Tools: Symposium cannot observe the MCP server, because the agent connects to it directly.")];
  return [
    direct.length === 1
      ? l10n.t`Tools of ${servers}: Symposium cannot observe the MCP server, because the agent connects to it directly.`
      : l10n.t`Tools of ${servers}: Symposium cannot observe the MCP servers, because the agent connects to them directly.`,
  ];
}

function timeSentences({ setup, setupAnswer, prompt, lastPrompt, answer }: TimeHeld = {}): readonly string[] {
  return [
    ...(setup === undefined ? [] : [l10n.t`Setup: ${directions(setup, undefined, setupAnswer)}.`]),
    ...(prompt === undefined ? [] : [l10n.t`Prompts: ${directions(prompt, lastPrompt, answer)}.`]),
  ];
}

/** The processing times of a request and its response. */
function directions(request: number, last: number | undefined, answer: number | undefined): string {
  const to =
    last === undefined || last === request
      ? l10n.t`${ms(request)} to the agent`
      : l10n.t`${ms(request)} to the agent (last: ${ms(last)})`;
  return answer === undefined ? to : l10n.t`${to}, ${ms(answer)} back`;
}

const ms = (time: number): string =>
  time < 1 ? l10n.t("under 1 ms") : time < 10_000 ? l10n.t`${time} ms` : `${Math.round(time / 1_000)} s`;
export interface ShownDetails {
  readonly details: SessionDetails | undefined;
  readonly agent: string;
  readonly cwd: string;
}
