/** Session details in words: the agent program, its folder, and the effects of each extension. Pure. */
import * as l10n from "@vscode/l10n";
import { counted, enumerated } from "../../../src/protocol/text/phrases";
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

/** All fields are text. */
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
  const servers = (verb: string, names: readonly string[] = []): readonly string[] =>
    names.length === 0
      ? []
      : [
          l10n.t(
            "{0} the MCP server{1} " + "{2}.",
            verb,
            names.length === 1 ? "" : "s",
            enumerated(names.map(name => `“${visibleLine(name)}”`)),
          ),
        ];
  return [
    ...servers(l10n.t("Adds"), added),
    ...servers(l10n.t("Removes"), removed),
    ...servers(l10n.t("Replaces"), replaced),
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
        [added, "added"],
        [removed, "removed"],
        [altered, "changed"],
      ] as const
    ).filter(([blocks]) => blocks > 0);
  const changes = parts.map(([blocks, what], i) => `${i === 0 ? counted(blocks, "part") : blocks} ${what}`);
  return [
    l10n.t`Changed ${counted(count, "prompt")}${count === 1 ? ":" : ". The last change:"} ${enumerated(changes)}.`,
  ];
}

/** `isNamed`: includes the server's name. */
function toolSentence({ server, stage, offered, listed, calls, listFailed }: ToolDelivery, isNamed: boolean): string {
  const owner = isNamed ? ` of “${visibleLine(server)}”` : "",
    tools = l10n.t`Tools${owner}: ${offered === undefined ? "" : `${offered} `}offered`,
    called =
      calls === 0 ? l10n.t("not called") : l10n.t`called ${calls === 1 ? l10n.t("once") : l10n.t`${calls} times`}`;
  if (listFailed === true) return l10n.t`${tools}. The MCP server did not list them. See the log.`;
  switch (stage) {
    case "offered":
      return l10n.t`${tools}. The agent has not connected to them.`;
    case "connected":
      return l10n.t`${tools}, connected. The agent has not requested the list.`;
    case "listed":
    case "called":
      return l10n.t`${tools}, connected, ${listed} listed, ${called}.`;
  }
}

/** `isNamed`: includes the servers' names. */
function directSentences(direct: readonly string[], isNamed: boolean): readonly string[] {
  if (direct.length === 0) return [];
  const servers = enumerated(direct.map(name => `“${visibleLine(name)}”`));
  if (!isNamed)
    return [l10n.t("Tools: Symposium cannot observe the MCP server, because the agent connects to it directly.")];
  return [
    direct.length === 1
      ? l10n.t`Tools of ${servers}: Symposium cannot observe the MCP server, because the agent connects to it directly.`
      : l10n.t`Tools of ${servers}: Symposium cannot observe the MCP servers, because the agent connects to them directly.`,
  ];
}

function timeSentences({ setup, setupAnswer, prompt, lastPrompt, answer }: TimeHeld = {}): readonly string[] {
  const last = lastPrompt === undefined || lastPrompt === prompt ? "" : ` (last: ${ms(lastPrompt)})`;
  const back = (time: number | undefined): string => (time === undefined ? "" : `, ${ms(time)} back`);
  return [
    ...(setup === undefined ? [] : [l10n.t`Setup: ${ms(setup)} to the agent${back(setupAnswer)}.`]),
    ...(prompt === undefined ? [] : [l10n.t`Prompts: ${ms(prompt)} to the agent${last}${back(answer)}.`]),
  ];
}

const ms = (time: number): string =>
  time < 1 ? "under 1 ms" : time < 10_000 ? l10n.t`${time} ms` : `${Math.round(time / 1_000)} s`;
export interface ShownDetails {
  readonly details: SessionDetails | undefined;
  readonly agent: string;
  readonly cwd: string;
}
