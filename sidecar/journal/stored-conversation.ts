/**
 * The lines of a journal that store a conversation: its long texts once each, and differences between its versions
 * (issue 16 item 2). Pure.
 *
 * Invariants:
 * - Lines that were not written cost nothing: the next ones contain their content, and begin on a new line.
 * - A journal begins with the number of its format. A journal of a later format is read as far as it is known, and
 *   never written.
 * - Reading never fails. A line that is damaged or torn costs its own content, an entry that then lacks something is
 *   shown as a placeholder, and everything else is restored.
 */
import * as v from "valibot";
import type { AgentChoice } from "../../src/protocol/agents/agents";
import { attachments } from "../../src/protocol/chat/attachment-schema";
import {
  type Conversation,
  type Entry,
  type Origin,
  type Queue,
  type TerminalView,
  type Usage,
} from "../../src/protocol/chat/chat";
import { interrupted } from "../../src/protocol/chat/settled-entries";
import { entry } from "../../src/protocol/chat/entry-schema";
import { arrayOr, isObject, objectOr, parseJson } from "../../src/protocol/wire/json";
import { finite, parsed } from "../../src/protocol/wire/schema";
import { difference, patched, type Difference, type ListIndexes } from "./difference";
import { packed, unpacked } from "./packing";

/** The members that a later process restores. The others belong to the agent's current session. */
type Persistent = Pick<
  Conversation,
  "agent" | "cwd" | "title" | "chosenTitle" | "origin" | "entries" | "turn" | "usage" | "terminals" | "queue"
>;

/** Content of a journal, without the records of its sessions. */
export interface StoredText {
  /** The last version, not validated; undefined if none is stored. */
  readonly version: unknown;
  /** Hashes of the long texts. */
  readonly hashes: ReadonlySet<string>;
  /** The number of its format. */
  readonly format: number;
  /**
   * Time of the last start or end of a turn, before the first one of the import, in milliseconds since 1970. Absent if
   * there was none.
   */
  readonly activeAt?: number;
}

/** Incremented with each change that an earlier version of Symposium would read wrongly. */
export const FORMAT = 1;

export const NOTHING_STORED: StoredText = { version: undefined, hashes: new Set(), format: FORMAT };

/** Produces the lines for one conversation. `stored`: the content of its journal. */
export class ConversationLines {
  #version: unknown;
  readonly #hashes: Set<string>;
  #hasFormat: boolean;

  constructor({ version, hashes }: StoredText) {
    this.#hasFormat = version !== undefined;
    this.#version = isObject(version) ? persistent(version) : version;
    this.#hashes = new Set(hashes);
  }

  /**
   * Empty if nothing has changed. Call `written` after the lines were stored. `turnAt`: time of the last start or end
   * of a turn since the last lines, in milliseconds since 1970. The versions do not show a turn that began and ended
   * between them.
   */
  of(conversation: Conversation, turnAt?: number): { readonly lines: string; written(): void } {
    const version = persistent(conversation),
      change = difference(this.#version, version),
      texts = new Map<string, string>();
    const line =
      change &&
      JSON.stringify({
        type: "change",
        ...(turnAt === undefined ? {} : { at: turnAt }),
        change: packed(change, (hash, text) => {
          if (!this.#hashes.has(hash)) texts.set(hash, text);
        }),
      });
    if (line === undefined) return { lines: "", written: () => undefined };
    const format = this.#hasFormat ? [] : [JSON.stringify({ type: "journal", format: FORMAT })],
      long = [...texts].map(([hash, text]) => JSON.stringify({ type: "text", hash, text })),
      lines = [...format, ...long, line];
    return {
      // Begins with a line break, so that a torn line before it costs only itself.
      lines: "\n" + lines.map(each => `${each}\n`).join(""),
      written: () => {
        this.#hasFormat = true;
        this.#version = version;
        for (const hash of texts.keys()) this.#hashes.add(hash);
      },
    };
  }
}

const PERSISTENT = [
  "agent",
  "cwd",
  "title",
  "chosenTitle",
  "origin",
  "entries",
  "turn",
  "usage",
  "terminals",
  "queue",
] as const satisfies readonly (keyof Persistent)[];

/** Without the members that only the list of sessions stores. */
function persistent(version: Partial<Persistent>): Partial<Persistent> {
  return Object.fromEntries(PERSISTENT.flatMap(key => (version[key] === undefined ? [] : [[key, version[key]]])));
}

/** The line that stores members which only the list of sessions reads and writes. */
export function lineOfListed(members: Readonly<Record<string, unknown>>): string {
  const change: Difference = {
    ".": Object.fromEntries(Object.entries(members).map(([key, value]) => [key, { "=": value }])),
  };
  return `\n${JSON.stringify({ type: "change", change })}\n`;
}

/** The line that stores when a conversation took place that was not created here. */
export function lineOfTime(at: number): string {
  return `\n${JSON.stringify({ type: "active", at })}\n`;
}

/** A key of a reference, or a key that resembles one; see `packing.ts`. */
const MAY_REFER = /"\$+text"/;

export function storedIn(text: string): StoredText {
  const texts = new Map<string, string>(),
    indexes: ListIndexes = new WeakMap();
  let version: unknown,
    activeAt: number | undefined,
    format = FORMAT;
  for (const line of text.split("\n")) {
    const read = line === "" ? undefined : parseJson(line);
    if (!isObject(read)) continue;
    if (typeof read["format"] === "number") format = Math.max(format, read["format"]);
    if (read["type"] === "text" && typeof read["hash"] === "string" && typeof read["text"] === "string")
      texts.set(read["hash"], read["text"]);
    if (typeof read["at"] === "number") activeAt = read["at"];
    if (read["type"] !== "change") continue;
    // Most lines contain no reference, and a copy of the change would take longer than parsing it.
    const change = MAY_REFER.test(line) ? unpacked(read["change"], hash => texts.get(hash)) : read["change"];
    try {
      version = patched(version, change as Difference, indexes);
    } catch {
      // The line is JSON, but no difference: it is damaged.
    }
  }
  return { version, hashes: new Set(texts.keys()), format, ...(activeAt === undefined ? {} : { activeAt }) };
}

/**
 * The content that a later session shows. Nothing in it is running, and open questions are closed with `why`. Queued
 * prompts wait for the user.
 */
export interface Restored {
  /** Agent of the earlier session; absent if nothing is stored. */
  readonly agent?: AgentChoice;
  readonly title?: string;
  readonly chosenTitle?: string;
  readonly origin?: Origin;
  readonly entries: readonly Entry[];
  readonly usage?: Usage;
  readonly terminals: readonly TerminalView[];
  readonly queue?: Queue;
  /** A turn was running when the last process stopped. */
  readonly isInterrupted?: true;
}

const RUNNING: ReadonlySet<unknown> = new Set<Conversation["turn"]["state"]>(["starting", "running", "cancelling"]);

export function restored({ version }: StoredText, why: string): Restored {
  const {
      agent: storedAgent,
      title,
      chosenTitle,
      origin: storedOrigin,
      entries,
      turn,
      usage: used,
      terminals,
      queue,
    } = objectOr(version),
    agent = parsed(agentChoice, storedAgent),
    isInterrupted = RUNNING.has(objectOr(turn)["state"]),
    usageView = parsed(usage, used),
    source = parsed(origin, storedOrigin),
    prompts = arrayOr(objectOr(queue)["prompts"]).flatMap(value => parsed(queuedPrompt, value) ?? []);
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof chosenTitle === "string" ? { chosenTitle } : {}),
    ...(source === undefined ? {} : { origin: source }),
    ...(usageView === undefined ? {} : { usage: usageView }),
    entries: interrupted(
      {
        entries: arrayOr(entries).map(entryIn),
        turn: isInterrupted ? { state: "running", messageId: "" } : { state: "idle" },
      },
      why,
    ),
    terminals: arrayOr(terminals).flatMap(value => parsed(terminal, value) ?? []),
    ...(prompts.length === 0 ? {} : { queue: { prompts, held: true } }),
    ...(isInterrupted ? { isInterrupted } : {}),
  };
}

const agentChoice = v.object({ id: v.string(), name: v.string() });
const origin = v.object({ conversation: v.string(), title: v.string() });
const usage = v.object({
  used: finite,
  size: finite,
  cost: v.exactOptional(v.object({ amount: finite, currency: v.string() })),
});
const queuedPrompt = v.object({ messageId: v.string(), text: v.string(), attachments: v.exactOptional(attachments) });

const terminal = v.object({
  terminalId: v.string(),
  command: v.string(),
  cwd: v.string(),
  output: v.string(),
  isCut: v.boolean(),
  exit: v.exactOptional(v.object({ code: v.exactOptional(finite), signal: v.exactOptional(v.string()) })),
});

/** Maximum UTF-16 units of a text of an entry, so that the placeholder is valid; see `entry-schema.ts`. */
const MAX_TEXT = 4 * 1024 * 1024;

function entryIn(value: unknown, index: number): Entry {
  return (
    parsed(entry, value) ?? {
      kind: "unknown",
      id: `damaged-${index}`,
      what: "journal",
      json: JSON.stringify(value).slice(0, MAX_TEXT),
    }
  );
}
