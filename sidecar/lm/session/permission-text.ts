/**
 * Renders an agent's action for the user's decision. The text is complete within the limits, without hidden or
 * misleading content. The user can open the full text in an editor. Pure.
 */
import * as l10n from "@vscode/l10n";
import type { PermissionQuestion } from "../../../src/protocol/lm/lm";
import { visibleLine } from "../../../src/protocol/text/visible-text";
import { carriesCommand } from "../../permissions/call-input";
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { fenced, inline, shortened } from "../../../src/protocol/text/safe-text";

/** Maximum characters of one block and of one line, number of blocks in one question, and number of places. */
interface Limits {
  readonly block: number;
  readonly line: number;
  readonly blocks: number;
  readonly places: number;
}
const CARD: Limits = { block: 4_000, line: 500, blocks: 10, places: 20 };
/** Limits in an editor, high enough to inspect the whole action before allowing it. */
const EDITOR: Limits = { block: 500_000, line: 10_000, blocks: 1_000, places: 10_000 },
  MAX_WHOLE = 2_000_000;

/** Whole sentences, because the order of words differs between languages. */
interface RequestTexts {
  title(agent: string): string;
  /** For a request that was rejected. */
  sentence(agent: string): string;
}
const REQUESTS: ReadonlyMap<string, RequestTexts> = new Map([
  [
    "read",
    {
      title: agent => l10n.t`${agent} requests permission to read`,
      sentence: agent => l10n.t`${agent} requested permission to read.`,
    },
  ],
  [
    "search",
    {
      title: agent => l10n.t`${agent} requests permission to search`,
      sentence: agent => l10n.t`${agent} requested permission to search.`,
    },
  ],
  [
    "edit",
    {
      title: agent => l10n.t`${agent} requests permission to change files`,
      sentence: agent => l10n.t`${agent} requested permission to change files.`,
    },
  ],
  [
    "delete",
    {
      title: agent => l10n.t`${agent} requests permission to delete files`,
      sentence: agent => l10n.t`${agent} requested permission to delete files.`,
    },
  ],
  [
    "move",
    {
      title: agent => l10n.t`${agent} requests permission to move files`,
      sentence: agent => l10n.t`${agent} requested permission to move files.`,
    },
  ],
  [
    "execute",
    {
      title: agent => l10n.t`${agent} requests permission to run a command`,
      sentence: agent => l10n.t`${agent} requested permission to run a command.`,
    },
  ],
  [
    "fetch",
    {
      title: agent => l10n.t`${agent} requests permission to fetch from the network`,
      sentence: agent => l10n.t`${agent} requested permission to fetch from the network.`,
    },
  ],
  [
    "switch_mode",
    {
      title: agent => l10n.t`${agent} requests permission to change its mode`,
      sentence: agent => l10n.t`${agent} requested permission to change its mode.`,
    },
  ],
]);
const OTHER_REQUEST: RequestTexts = {
  title: agent => l10n.t`${agent} requests your permission`,
  sentence: agent => l10n.t`${agent} requested your permission.`,
};

const textsOf = (kind: string): RequestTexts => REQUESTS.get(kind) ?? OTHER_REQUEST;

/** Sentence for the user about a rejected request. */
export function notAllowed(agent: string, kind: string, why: string): string {
  return l10n.t`${textsOf(kind).sentence(agent)} It was not allowed: ${why}`;
}

/**
 * `call`: all its reports, merged. `last`: sentences of Symposium at the end. The title is Symposium's text and
 * contains the agent's name from the settings.
 */
export function questionText(
  agent: string,
  kind: string,
  call: JsonObject,
  last: readonly string[],
): PermissionQuestion {
  const [message, whole] = [CARD, EDITOR].map(limits => new CallRenderer(limits).render(kind, call, last).join("\n\n"));
  return {
    title: textsOf(kind).title(titleName(agent)),
    message: message || l10n.t("The agent gives no details."),
    ...(whole === undefined || whole === message ? {} : { whole: shortened(whole, MAX_WHOLE) }),
  };
}

/** Removes Markdown characters from the name and shortens it, because the title is Markdown. */
function titleName(agent: string): string {
  return (
    visibleLine(agent)
      .replaceAll(/[\s[\]()<>*_`\\!|#]+/gu, " ")
      .trim()
      .slice(0, 60) || l10n.t("The agent")
  );
}

/** Sentence for the user in a chat mode without permission tools. */
export function cannotAsk(agent: string, kind: string, { title, rawInput, locations }: JsonObject): string {
  const [place] = arrayOr(locations),
    path = stringOr(objectOr(place).path, "");
  const subject = [commandIn(rawInput), stringOr(title, ""), path].find(each => each.trim() !== "");
  const request = textsOf(kind).sentence(agent),
    sentence = subject === undefined ? request : l10n.t`${request} Details: ${inline(subject, SUBJECT_LIMIT)}.`;
  return l10n.t(
    "{0} It was not allowed, because VS Code cannot ask you in this chat mode. " +
      "To decide yourself, select Agent mode with Symposium's tools enabled, and send the message again.",
    sentence,
  );
}

const SUBJECT_LIMIT = 200;

/** Renders a call within the given limits. */
class CallRenderer {
  constructor(private readonly limits: Limits) {}

  render(kind: string, call: JsonObject, last: readonly string[]): readonly string[] {
    const parts = [...this.#head(kind, call), ...this.#details(call)].filter(part => part !== ""),
      { blocks } = this.limits;
    return [
      ...parts.slice(0, blocks),
      ...(parts.length > blocks ? [l10n.t`… and ${parts.length - blocks} more parts.`] : []),
      ...last,
    ];
  }

  /** The call's title, unless it repeats the command. Some agents give the command only in the title. */
  #head(kind: string, { title, description, rawInput }: JsonObject): readonly string[] {
    const name = stringOr(title, "").trim(),
      command = commandIn(rawInput);
    const isCommand = kind === "execute" && command === "";
    const named = isCommand
      ? this.#block(name, "sh")
      : name.length > 120 || name.includes("\n")
        ? this.#block(name)
        : inline(name);
    return [name === "" || name === command.trim() ? "" : named, this.#block(stringOr(description, ""))];
  }

  #details({ rawInput, content, locations }: JsonObject): readonly string[] {
    const command = commandIn(rawInput),
      { description } = objectOr(rawInput),
      isDiff = arrayOr(content).some(each => objectOr(each).type === "diff");
    const parts = arrayOr(content)
      .filter(each => command === "" || description === undefined || textOf(each) !== description)
      .map(each => this.#part(each));
    const details = [
      ...(command === "" ? [] : [this.#block(command, "sh"), ...this.#otherInput(rawInput)]),
      ...parts,
      ...(command !== "" || (isDiff && !carriesCommand(rawInput)) ? [] : [this.#input(rawInput)]),
    ].filter(part => part !== "");
    return details.length > 0 ? details : [this.#places(arrayOr(locations))];
  }

  /** Other input of the command, for example its purpose, its folder, and whether it runs outside the sandbox. */
  #otherInput(rawInput: unknown): readonly string[] {
    const { command: _, description, ...rest } = objectOr(rawInput);
    return typeof description === "string"
      ? [this.#block(description), this.#input(rest)]
      : [this.#input({ ...rest, ...(description === undefined ? {} : { description }) })];
  }

  #input(value: unknown): string {
    if (value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0)) return "";
    if (typeof value === "string") return this.#block(value);
    return this.#block(json(value, 2), "json");
  }

  /**
   * One item of `content`. A diff has two texts in ACP version 1, and a list of changes with an optional patch in
   * version 2.
   */
  #part(item: unknown): string {
    const { type, path, oldText, newText, patch, changes } = objectOr(item);
    if (type === "content") return this.#block(textOf(item) ?? "");
    if (type !== "diff") return "";
    const text = objectOr(patch).text;
    if (typeof text === "string") return this.#block(text, "diff");
    if (Array.isArray(changes)) return this.#input(changes);
    return `${this.#line(stringOr(path, "?"))}\n${this.#block(difference(stringOr(oldText, ""), stringOr(newText, "")), "diff")}`;
  }

  #places(locations: readonly unknown[]): string {
    const { places } = this.limits,
      omitted = locations.length > places ? [l10n.t`… and ${locations.length - places} more places.`] : [];
    return [...locations.slice(0, places).map(each => this.#line(stringOr(objectOr(each).path, "?"))), ...omitted].join(
      "\n\n",
    );
  }

  #line(text: string): string {
    return inline(text, this.limits.line);
  }
  #block(text: string, language = ""): string {
    return text.trim() === "" ? "" : fenced(shortened(text, this.limits.block), language);
  }
}

/** The command as given if it is a string, otherwise its arguments joined. */
function commandIn(rawInput: unknown): string {
  const { command } = objectOr(rawInput);
  return typeof command === "string"
    ? command
    : arrayOr(command)
        .map(word => (typeof word === "string" && /^[\w@%+=:,./-]+$/.test(word) ? word : json(word)))
        .join(" ");
}

/** A parsed value may be nested too deep to be serialised. */
function json(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? "";
  } catch {
    return l10n.t("(nested too deep to be shown)");
  }
}

function textOf(item: unknown): string | undefined {
  return stringOr(objectOr(objectOr(item).content).text, undefined);
}

/** Removed and added lines, with up to two lines of context on each side. */
function difference(before: string, after: string): string {
  const old = before === "" ? [] : before.split("\n"),
    now = after === "" ? [] : after.split("\n"),
    shorter = Math.min(old.length, now.length);
  let head = 0,
    tail = 0;
  while (head < shorter && old[head] === now[head]) head++;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const from = Math.max(0, head - 2),
    unchanged = (line: string) => ` ${line}`,
    end = old.length - tail;
  return [
    ...old.slice(from, head).map(unchanged),
    ...old.slice(head, end).map(line => `-${line}`),
    ...now.slice(head, now.length - tail).map(line => `+${line}`),
    ...old.slice(end, end + 2).map(unchanged),
  ].join("\n");
}
