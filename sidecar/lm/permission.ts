/**
 * What to do when an agent behind VS Code's chat asks for a permission: one question per act, and never an answer that nobody gave. Pure.
 *
 * An agent that wants to call a tool of VS Code's is let through, because VS Code asks by itself before it runs one; that it is such a call,
 * its id or the name of the tool say, never its title, which may be any text. For what the agent does with its own hands one of our tools is
 * "called": VS Code asks the user before it runs that, and its `invoke` is the consent (decisions, row 4).
 */
import type { PermissionQuestion } from "../../src/protocol/lm";
import { isBridgedCall, type BridgedNames } from "../mcp/bridged-calls";
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";
import { questionText, verbOf } from "./permission-text";

export interface PermissionWorld {
  /** The agent's name, for sentences. */
  readonly agent: string;
  /** Our own tools that VS Code offers in this chat (`ToolOffer.permission`). */
  readonly offered: ReadonlySet<string>;
  /** Those that another tool has to be called for first (`ToolOffer.grouped`). */
  readonly grouped: ReadonlyMap<string, string>;
  /** The names of the session's bridged tools (`ToolOffer.qualified`); undefined when none was ever bridged. */
  readonly bridged: BridgedNames | undefined;
  /** What the agent announced of the call (`AnnouncedCalls.of`). */
  readonly announced: JsonObject | undefined;
  /** What the user's settings say of this agent. */
  readonly policy: "ask" | "allow";
  /** Another extension asks, and not VS Code's chat: its user was asked nothing. */
  readonly isForeign: boolean;
}

/** The answers are the results of `session/request_permission`. */
export type PermissionVerdict =
  | { readonly kind: "allow"; readonly why: "bridged" | "bypass"; readonly answer: JsonObject }
  /** `sentence` is for the user, in the chat. */
  | { readonly kind: "reject"; readonly answer: JsonObject; readonly sentence: string }
  /** VS Code offers the tool to ask with after a call of this one: then again. */
  | { readonly kind: "uncover"; readonly toolName: string; readonly reject: JsonObject }
  | { readonly kind: "ask"; readonly toolName: string; readonly about: PermissionSubject; readonly question: PermissionQuestion; readonly allow: JsonObject; readonly reject: JsonObject };

/** What the agent wants to do; `kind` as in ACP. */
export interface PermissionSubject { readonly kind: string; readonly title: string; readonly rawInput: unknown }

/** `params` of `session/request_permission`, of either version of ACP. */
export function questionOf(params: unknown, world: PermissionWorld): PermissionVerdict {
  const asked = objectOr(params), call = callIn(asked, world.announced), { allow, reject, isForEver } = answersIn(asked.options);
  const kind = kindOf(call), verb = verbOf(kind);
  const no = (why: string): PermissionVerdict => ({ kind: "reject", answer: reject ?? CANCELLED, sentence: `${world.agent} asked to ${verb}; that was not allowed: ${why}` });
  if (!allow) return no("it offered no way to allow it.");
  if (world.bridged && isBridgedCall(toolCallIn(asked), world.bridged, world.announced)) return { kind: "allow", why: "bridged", answer: allow };
  if (world.isForeign) return no("nobody can be asked when another extension uses the agent.");
  if (world.policy === "allow") return { kind: "allow", why: "bypass", answer: allow };
  // The tool for all is the last: a standing approval of it is one of everything.
  const own = `symposium-agent-${TOOLS.get(kind) ?? "other"}`, group = world.offered.has(own) ? undefined : world.grouped.get(own);
  if (group !== undefined) return { kind: "uncover", toolName: group, reject: reject ?? CANCELLED };
  const toolName = [own, "symposium-agent-action"].find(name => world.offered.has(name));
  if (toolName === undefined) return no("VS Code can ask you only in agent mode, with Symposium's tools switched on.");
  return {
    kind: "ask", toolName, allow, reject: reject ?? CANCELLED,
    about: { kind, title: stringOr(call.title, ""), rawInput: call.rawInput },
    question: questionText(world.agent, kind, call, isForEver),
  };
}

/** The parameters of our tool's call; `id` is the question's. What stands there is for the eye: the consent is tied to `id` alone. */
export function parametersOf(id: string, { kind, title, rawInput }: PermissionSubject): JsonObject {
  const isShort = rawInput !== undefined && size(rawInput) <= MOST_INPUT;
  return { id, kind, title: title.slice(0, MOST_TITLE), ...(isShort ? { raw_input: rawInput } : {}) };
}

/** For a question that nobody answers (any more). */
export const CANCELLED: JsonObject = { outcome: { outcome: "cancelled" } };

const MOST_INPUT = 4_000, MOST_TITLE = 500;
/** ACP's kinds of tools, as the ends of our tools' names; all others are `other`. */
const TOOLS: ReadonlyMap<string, string> = new Map([["read", "read"], ["search", "read"], ["edit", "edit"], ["delete", "edit"], ["move", "edit"], ["execute", "execute"], ["fetch", "fetch"]]);

/** Version 1 has the call beside the options, version 2 as the subject of the question. */
function toolCallIn({ toolCall, subject }: JsonObject): JsonObject {
  return isObject(toolCall) ? toolCall : objectOr(objectOr(subject).toolCall);
}

/** All that is known of the call; the question says it newest. */
function callIn(params: JsonObject, announced: JsonObject | undefined): JsonObject {
  const { subject, title, description } = params, { type, command, cwd } = objectOr(subject);
  const told = Object.entries(toolCallIn(params)).filter(([, value]) => value !== undefined && value !== null);
  const own = type === "command" ? { kind: "execute", rawInput: { command, ...(cwd === undefined ? {} : { cwd }) } } : {};
  return { ...announced, ...Object.fromEntries(told), ...own, ...(typeof title === "string" ? { title } : {}), ...(typeof description === "string" ? { description } : {}) };
}

/** What it says it is, unless it shows more: a standing permission to read must not cover a command. */
function kindOf({ kind, content, rawInput }: JsonObject): string {
  const said = stringOr(kind, "other");
  if (said !== "read" && said !== "search") return said;
  const { command } = objectOr(rawInput);
  if (typeof command === "string" || Array.isArray(command)) return "execute";
  return arrayOr(content).some(each => objectOr(each).type === "diff") ? "edit" : said;
}

interface Answers { readonly allow: JsonObject | undefined; readonly reject: JsonObject | undefined; readonly isForEver: boolean }

/** By kind, never by position or text. Once where that is offered. */
function answersIn(options: unknown): Answers {
  const known = arrayOr(options).filter(isObject).filter(({ optionId }) => typeof optionId === "string");
  const answer = (...kinds: readonly string[]): JsonObject | undefined => {
    const option = kinds.map(kind => known.find(each => each.kind === kind)).find(each => each !== undefined);
    return option && { outcome: { outcome: "selected", optionId: option.optionId } };
  };
  const once = answer("allow_once"), allow = once ?? answer("allow_always");
  return { allow, reject: answer("reject_once", "reject_always"), isForEver: once === undefined };
}

function size(value: unknown): number {
  try { return JSON.stringify(value)?.length ?? 0; } catch { return Infinity; }
}
