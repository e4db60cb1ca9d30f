/**
 * Language of the scripted agent: parses a prompt's text into steps. `../README.md` documents every step.
 *
 * Each line is one step. In a text of one line, `;` also separates steps (`\;` is a semicolon). A text with any invalid
 * step is not a script, and is echoed. In TEXT, `\n`, `\t` and `\\` are a newline, a tab and a backslash. Pure.
 */
import type { JsonObject } from "../../rpc/json";
import { fieldsOf, type Fields } from "./fields";

type TextStep =
  | "say"
  | "think"
  | "garbage"
  | "stderr"
  | "title"
  | "mode"
  | "read"
  | "await"
  | "disk"
  | "terminal"
  | "terminal-start"
  | "tools"
  | "env"
  | "stop";
type BareStep =
  | "chosen"
  | "recall"
  | "hang"
  | "hang-forever"
  | "wait-cancel"
  | "kill"
  | "unknown-update"
  | "unknown-request"
  | "unknown-notification"
  | "answer-twice"
  | "pid"
  | "received"
  | "terminal-wait"
  | "terminal-output"
  | "terminal-kill"
  | "terminal-release";
type NumberStep = "crash" | "sleep" | "stderr-flood";

export type Step =
  | { readonly [S in TextStep]: { readonly step: S; readonly text: string } }[TextStep]
  | { readonly [S in BareStep]: { readonly step: S } }[BareStep]
  | { readonly step: NumberStep; readonly n: number }
  | { readonly step: "stream"; readonly chunks: number; readonly chars: number; readonly ms: number }
  | { readonly step: "flood"; readonly n: number; readonly of: FloodOf }
  | { readonly step: "big"; readonly megabytes: number }
  | { readonly step: "plan"; readonly entries: readonly PlanEntry[] }
  | { readonly step: "tool"; readonly id: string; readonly kind: string; readonly title: string }
  | { readonly step: "toolupdate"; readonly id: string; readonly fields: Fields }
  | { readonly step: "ask"; readonly id: string; readonly fields: Fields; readonly parallel: boolean }
  | { readonly step: "write"; readonly path: string; readonly text: string }
  | {
      readonly step: "mcp";
      readonly server: string;
      readonly tool: string;
      readonly args: JsonObject;
      readonly dialect: McpDialect;
      readonly parallel: boolean;
    }
  | { readonly step: "show"; readonly fields: Fields }
  | { readonly step: "form"; readonly fields: Fields; readonly parallel: boolean }
  | { readonly step: "visit"; readonly url: string; readonly fields: Fields; readonly parallel: boolean }
  | { readonly step: "visited"; readonly id: string; readonly parallel: boolean }
  | { readonly step: "withdraw"; readonly ms: number; readonly parallel: boolean }
  | { readonly step: "option"; readonly id: string; readonly value: string | boolean }
  | { readonly step: "notice"; readonly severity: string; readonly title: string; readonly description: string }
  | { readonly step: "compact"; readonly id: string; readonly status: string; readonly text: string }
  | { readonly step: "compact-say"; readonly id: string; readonly text: string }
  | { readonly step: "late"; readonly ms: number; readonly text: string }
  | { readonly step: "commands"; readonly commands: readonly Command[] }
  | {
      readonly step: "usage";
      readonly used: number;
      readonly size: number;
      readonly cost?: { readonly amount: number; readonly currency: string };
    }
  | { readonly step: "error"; readonly code: number; readonly message: string };

/**
 * Updates of a flood:
 * - `tools`: N tool calls.
 * - `updates`: updates of one call.
 * - `results`: completed calls with content, cycling through 500 ids.
 * - `thoughts`: alternating text and thoughts.
 * - `plans`: plans.
 * - `unknown`: updates of an unknown kind.
 */
export const FLOODS = ["tools", "updates", "results", "thoughts", "plans", "unknown"] as const;
export type FloodOf = (typeof FLOODS)[number];

/**
 * Announcement of an MCP call. `plain`: announced without a permission request. `codex`: announced and requested as by
 * codex-acp. `titled`: announced and requested only by a title `SERVER-TOOL`.
 */
export type McpDialect = "plain" | "codex" | "titled";

interface Command {
  readonly name: string;
  readonly description: string;
  readonly input?: { readonly hint: string };
}
export interface PlanEntry {
  readonly content: string;
  readonly priority: "medium";
  readonly status: "pending" | "in_progress" | "completed";
}

export type Script =
  | { readonly kind: "script"; readonly steps: readonly Step[] }
  | { readonly kind: "text"; readonly why: string };

export function parseScript(text: string): Script {
  const lines = text
    .split("\n")
    .map(line => line.trim())
    .filter(line => line !== "");
  const parts = lines.length === 1 ? splitAtSemicolons(lines[0] ?? "") : lines;
  if (parts.length === 0) return { kind: "text", why: "it is empty" };
  const steps: Step[] = [];
  for (const part of parts) {
    const step = parseStep(part);
    if (!step) return { kind: "text", why: `“${part}” is no step` };
    steps.push(step);
  }
  return { kind: "script", steps };
}

/** The first `length` characters of `w1 w2 w3 …`. Lost, duplicated or reordered text is immediately visible. */
export function numberedWords(length: number): string {
  const words: string[] = [];
  for (let n = 1, count = 0; count < length; n++) {
    const word = `w${n} `;
    words.push(word);
    count += word.length;
  }
  return words.join("").slice(0, length);
}

function splitAtSemicolons(line: string): readonly string[] {
  return line
    .split(/(?<!\\);/)
    .map(part => part.replaceAll("\\;", ";").trim())
    .filter(part => part !== "");
}

function parseStep(part: string): Step | undefined {
  const [, name = "", rest = ""] = /^(\S+)\s*([^]*)$/.exec(part) ?? [];
  return Object.hasOwn(STEPS, name) ? STEPS[name]?.(rest) : undefined;
}

type Parse = (rest: string) => Step | undefined;

/** Step without arguments. */
const bare =
  (step: BareStep): Parse =>
  rest =>
    rest === "" ? { step } : undefined;
const text =
  (step: TextStep): Parse =>
  rest =>
    rest === "" ? undefined : { step, text: unescaped(rest) };
const number =
  (step: NumberStep): Parse =>
  rest =>
    /^\d+$/.test(rest) ? { step, n: Number(rest) } : undefined;
/** Step whose arguments match a pattern. */
const form =
  (pattern: RegExp, create: (...groups: string[]) => Step | undefined): Parse =>
  rest => {
    const groups = pattern.exec(rest);
    return groups ? create(...groups.slice(1).map(group => group ?? "")) : undefined;
  };

const STEPS: Readonly<Record<string, Parse>> = {
  say: text("say"),
  think: text("think"),
  garbage: text("garbage"),
  stderr: text("stderr"),
  title: text("title"),
  disk: text("disk"),
  terminal: text("terminal"),
  "terminal-start": text("terminal-start"),
  mode: form(/^(\S+)$/, id => ({ step: "mode", text: id })),
  read: form(/^(\S+)$/, path => ({ step: "read", text: path })),
  await: form(/^(\S+)$/, path => ({ step: "await", text: path })),
  tools: form(/^(\S+)$/, server => ({ step: "tools", text: server })),
  env: form(/^(\w+)$/, name => ({ step: "env", text: name })),
  stop: form(/^(\w+)$/, reason => ({ step: "stop", text: reason })),
  stream: form(/^(\d+) chunks? of (\d+) chars?(?: every (\d+) ?ms)?$/, (chunks, chars, ms) => ({
    step: "stream",
    chunks: Number(chunks),
    chars: Number(chars),
    ms: Number(ms),
  })),
  flood: form(/^(\d+) (\w+)$/, (n, word) => {
    const of = FLOODS.find(each => each === word);
    return of && { step: "flood", n: Number(n), of };
  }),
  big: form(/^(\d+) MB$/, megabytes => ({ step: "big", megabytes: Number(megabytes) })),
  plan: rest => (rest === "" ? undefined : { step: "plan", entries: rest.split("|").map(planEntry) }),
  tool: form(/^(\S+) (\w+) (.+)$/, (id = "", kind = "", title = "") => ({
    step: "tool",
    id,
    kind,
    title: unescaped(title),
  })),
  toolupdate: form(/^(\S+)\s*([^]*)$/, (id = "", rest = "") => {
    const [, status, more = ""] = /^(pending|in_progress|completed|failed)\b\s*([^]*)$/.exec(rest) ?? [
      undefined,
      undefined,
      rest,
    ];
    const fields = fieldsOf(more);
    return (
      fields && { step: "toolupdate", id, fields: status === undefined ? fields : [["status", status], ...fields] }
    );
  }),
  show: rest => {
    const fields = fieldsOf(rest);
    return fields &&
      fields.length > 0 &&
      fields.every(([name, value]) => value !== true || name === "image" || name === "audio")
      ? { step: "show", fields }
      : undefined;
  },
  ask: ask(false),
  "ask*": ask(true),
  form: formed(false),
  "form*": formed(true),
  visit: visit(false),
  "visit*": visit(true),
  visited: visited(false),
  "visited*": visited(true),
  withdraw: withdraw(false),
  "withdraw*": withdraw(true),
  option: form(/^(\S+) (\S+)$/, (id = "", value = "") => ({
    step: "option",
    id,
    value: value === "true" || value === "false" ? value === "true" : value,
  })),
  notice: form(
    /^(info|warning|error|odd) ([^|]+?)\s*(?:\|\s*([^]+))?$/,
    (severity = "", title = "", description = "") => ({
      step: "notice",
      severity,
      title: unescaped(title),
      description: unescaped(description),
    }),
  ),
  compact: form(/^(\S+) (in_progress|completed|failed|cancelled)\s*([^]*)$/, (id = "", status = "", rest = "") => ({
    step: "compact",
    id,
    status,
    text: unescaped(rest),
  })),
  "compact-say": form(/^(\S+) ([^]+)$/, (id = "", rest = "") => ({ step: "compact-say", id, text: unescaped(rest) })),
  write: form(/^(\S+) ([^]+)$/, (path = "", content = "") => ({ step: "write", path, text: unescaped(content) })),
  mcp: mcp("plain", false),
  "mcp*": mcp("plain", true),
  "codex-mcp": mcp("codex", false),
  "codex-mcp*": mcp("codex", true),
  "titled-mcp": mcp("titled", false),
  "titled-mcp*": mcp("titled", true),
  chosen: bare("chosen"),
  recall: bare("recall"),
  hang: bare("hang"),
  "hang-forever": bare("hang-forever"),
  "wait-cancel": bare("wait-cancel"),
  kill: bare("kill"),
  pid: bare("pid"),
  received: bare("received"),
  "unknown-update": bare("unknown-update"),
  "unknown-request": bare("unknown-request"),
  "unknown-notification": bare("unknown-notification"),
  "answer-twice": bare("answer-twice"),
  "terminal-wait": bare("terminal-wait"),
  "terminal-output": bare("terminal-output"),
  "terminal-kill": bare("terminal-kill"),
  "terminal-release": bare("terminal-release"),
  crash: number("crash"),
  sleep: number("sleep"),
  "stderr-flood": number("stderr-flood"),
  late: form(/^(\d+) ([^]+)$/, (ms, text = "") => ({ step: "late", ms: Number(ms), text: unescaped(text) })),
  commands: rest => (rest === "" ? undefined : { step: "commands", commands: rest.split(",").map(command) }),
  usage: form(/^(\d+) (\d+)(?: ([\d.]+) (\w+))?$/, (used, size, amount, currency) => ({
    step: "usage",
    used: Number(used),
    size: Number(size),
    ...(currency ? { cost: { amount: Number(amount), currency } } : {}),
  })),
  error: form(/^(-?\d+) ([^]+)$/, (code, message = "") => ({
    step: "error",
    code: Number(code),
    message: unescaped(message),
  })),
};

function ask(parallel: boolean): Parse {
  return form(/^(\S+)\s*([^]*)$/, (id = "", rest = "") => {
    const fields = fieldsOf(rest);
    return fields && { step: "ask", id, fields, parallel };
  });
}

function formed(parallel: boolean): Parse {
  return rest => {
    const fields = fieldsOf(rest);
    return fields?.every(([, value]) => value !== true) ? { step: "form", fields, parallel } : undefined;
  };
}

function visit(parallel: boolean): Parse {
  return form(/^(\S+)\s*([^]*)$/, (url = "", rest = "") => {
    const fields = fieldsOf(rest);
    return fields && { step: "visit", url, fields, parallel };
  });
}

function visited(parallel: boolean): Parse {
  return form(/^(\S+)$/, (id = "") => ({ step: "visited", id, parallel }));
}
function withdraw(parallel: boolean): Parse {
  return form(/^(\d+)$/, ms => ({ step: "withdraw", ms: Number(ms), parallel }));
}

function mcp(dialect: McpDialect, parallel: boolean): Parse {
  return form(/^(\S+) (\S+)(?: (\{[^]*\}))?$/, (server = "", tool = "", json) => {
    const [field] = fieldsOf(`args=${json || "{}"}`) ?? [];
    const args = field?.[1];
    return typeof args === "object" && args !== null && !Array.isArray(args)
      ? { step: "mcp", server, tool, args: { ...args }, dialect, parallel }
      : undefined;
  });
}

/** Forms: `[x] done`, `[>] begun`, `to do`. */
function planEntry(entry: string): PlanEntry {
  const [, mark, content = ""] = /^\s*(?:\[([x> ])\]\s*)?([^]*?)\s*$/.exec(entry) ?? [];
  return { content, priority: "medium", status: mark === "x" ? "completed" : mark === ">" ? "in_progress" : "pending" };
}

/** Form: `name:description`, optionally followed by ` <input hint>`. */
function command(described: string): Command {
  const [, name = "", description = "", hint] = /^\s*([^:]*):?([^]*?)(?:\s*<([^>]*)>)?\s*$/.exec(described) ?? [];
  return { name, description, ...(hint === undefined ? {} : { input: { hint } }) };
}

function unescaped(written: string): string {
  return written.replaceAll(/\\([nt\\])/g, (_, c) => (c === "n" ? "\n" : c === "t" ? "\t" : "\\"));
}
