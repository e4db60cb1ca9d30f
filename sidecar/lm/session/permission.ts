/**
 * Decides how an agent's permission request behind VS Code's chat is answered: one question per action, and no consent
 * that the user did not give. Pure.
 *
 * A proved call of one of VS Code's own tools is allowed at once (`permissions/bridged-calls.ts`), because VS Code
 * itself asks before it runs the tool. For an action of the agent, a tool of Symposium is called. VS Code asks the user
 * before it runs that tool, and the tool's `invoke` is the consent (decisions, row 4). A standing approval of such a
 * tool covers one agent and one kind (decisions, row 29).
 *
 * Invariants:
 * - Without asking the user, only a proved claim is allowed, once, and with an option that allows once, unless the
 *   policy is `allow`.
 * - A request that refers to VS Code's tools without proof, or to a tool of an unnamed MCP server, uses `ASK_EACH_TIME`
 *   alone, which no standing approval can answer. The same applies to an agent without a group of permission tools.
 * - An action that carries a command is asked as a command.
 */
import * as l10n from "@vscode/l10n";
import type { PermissionQuestion } from "../../../src/protocol/lm/lm";
import { ASK_EACH_TIME, permissionTool, type PermissionKind } from "../../../src/protocol/lm/permission-tools";
import { PERMISSION_CANCELLED, selected } from "../../agent-session/agent-answers";
import { questionedCall } from "../../permissions/announced-calls";
import type { BridgedClaim } from "../../permissions/bridged-calls";
import { carriesCommand, showsOwnAct } from "../../permissions/call-input";
import { ASK_EACH_TIME_META } from "../../proxies/ask-each-time";
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { cannotAsk, notAllowed, questionText } from "./permission-text";

export interface PermissionDeps {
  /** The agent's name, for sentences. */
  readonly agent: string;
  /** The agent's group of permission tools; undefined if it has none. */
  readonly group: string | undefined;
  /** Symposium's own permission tools that VS Code offers in this chat (`ToolOffer.permission`). */
  readonly offered: ReadonlySet<string>;
  /** Permission tools that require a call of another tool first (`ToolOffer.grouped`). */
  readonly grouped: ReadonlyMap<string, string>;
  /** Whether the request concerns one of the session's bridged tools (`AnnouncedTools.claim`). */
  readonly claim: BridgedClaim;
  /** Everything that the agent announced about the call (`AnnouncedTools.of`). */
  readonly announced: JsonObject | undefined;
  /** The user's setting for this agent. */
  readonly policy: "ask" | "allow";
  /** Another extension sent the request: it has no user in one of our chats. */
  readonly isForeign: boolean;
}

/** The answers are results of `session/request_permission`. */
export type PermissionVerdict =
  | { readonly kind: "allow"; readonly why: "bridged" | "bypass"; readonly answer: JsonObject }
  /** `sentence`: shown to the user in the chat. */
  | { readonly kind: "reject"; readonly answer: JsonObject; readonly sentence: string }
  /** VS Code offers the permission tool only after a call of `toolName`. Call that, then evaluate the request again. */
  | { readonly kind: "uncover"; readonly toolName: string; readonly reject: JsonObject }
  | {
      readonly kind: "ask";
      readonly toolName: string;
      readonly about: PermissionSubject;
      readonly question: PermissionQuestion;
      readonly allow: JsonObject;
      readonly reject: JsonObject;
    };

/** The action that the agent requests. `kind` as in ACP. */
export interface PermissionSubject {
  readonly kind: string;
  readonly title: string;
  readonly rawInput: unknown;
}

/** `params` of `session/request_permission`, of either version of ACP. */
export function questionOf(params: unknown, deps: PermissionDeps): PermissionVerdict {
  const request = objectOr(params),
    call = callIn(request, deps.announced),
    { allow, reject, isForEver } = answersIn(request.options);
  const kind = kindOf(call),
    { agent, claim, group, offered, grouped } = deps;
  const no = (why: string): PermissionVerdict => ({
    kind: "reject",
    answer: reject ?? PERMISSION_CANCELLED,
    sentence: notAllowed(agent, kind, why),
  });
  if (!allow) return no("it offered no option to allow it.");
  if (claim.kind === "proved" && !isForEver) return { kind: "allow", why: "bridged", answer: allow };
  if (deps.isForeign) return no(l10n.t("Symposium cannot ask you when another extension uses the agent."));
  if (deps.policy === "allow") return { kind: "allow", why: "bypass", answer: allow };
  const isEachTime =
    claim.kind !== "none" || group === undefined || objectOr(request._meta)[ASK_EACH_TIME_META] === true;
  const own = isEachTime ? ASK_EACH_TIME : permissionTool(group, TOOLS.get(kind) ?? "other"),
    wanted = [own, ASK_EACH_TIME];
  const hidden = offered.has(own)
    ? undefined
    : wanted.map(name => (offered.has(name) ? undefined : grouped.get(name))).find(name => name !== undefined);
  if (hidden !== undefined) return { kind: "uncover", toolName: hidden, reject: reject ?? PERMISSION_CANCELLED };
  const toolName = wanted.find(name => offered.has(name));
  if (toolName === undefined)
    return { kind: "reject", answer: reject ?? PERMISSION_CANCELLED, sentence: cannotAsk(agent, kind, call) };
  return {
    kind: "ask",
    toolName,
    allow,
    reject: reject ?? PERMISSION_CANCELLED,
    about: { kind, title: stringOr(call.title, ""), rawInput: call.rawInput },
    question: questionText(agent, kind, call, [
      ...(claim.kind === "none" ? [] : [claim.kind === "unnamed" ? UNNAMED : UNPROVED]),
      ...(isForEver ? [FOR_EVER] : []),
    ]),
  };
}

const UNPROVED = l10n.t(
  "It names a tool of VS Code, but Symposium cannot verify that this is all it will do. VS Code may ask about that tool again.",
);
const UNNAMED = l10n.t(
  "It calls a tool of an MCP server without naming the server, so Symposium cannot verify which tool it is.",
);
const FOR_EVER = l10n.t("The agent offers only a permanent permission: it will not ask again.");

/**
 * Parameters of the permission tool's call; `id` is the question's. The other fields are for display only: the consent
 * is bound to `id` alone.
 */
export function parametersOf(id: string, { kind, title, rawInput }: PermissionSubject): JsonObject {
  const isShort = rawInput !== undefined && size(rawInput) <= MAX_INPUT;
  return { id, kind, title: title.slice(0, MAX_TITLE), ...(isShort ? { raw_input: rawInput } : {}) };
}

const MAX_INPUT = 4_000,
  MAX_TITLE = 500;
/** Permission kinds by ACP tool kind. Any other tool kind maps to `other`. */
const TOOLS: ReadonlyMap<string, PermissionKind> = new Map([
  ["read", "read"],
  ["search", "read"],
  ["edit", "edit"],
  ["delete", "edit"],
  ["move", "edit"],
  ["execute", "execute"],
  ["fetch", "fetch"],
]);

/** Merges all reports of the call. The permission request is the newest. */
function callIn(params: JsonObject, announced: JsonObject | undefined): JsonObject {
  const { subject, title, description } = params,
    { type, command, cwd } = objectOr(subject);
  const notifications = Object.entries(questionedCall(params)).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  const own =
    type === "command" ? { kind: "execute", rawInput: { command, ...(cwd === undefined ? {} : { cwd }) } } : {};
  return {
    ...announced,
    ...Object.fromEntries(notifications),
    ...own,
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof description === "string" ? { description } : {}),
  };
}

/**
 * The kind that the agent reports, unless the call shows another: a standing approval of another kind must not cover a
 * command or a change.
 */
function kindOf(call: JsonObject): string {
  const text = stringOr(call.kind, "other"),
    shown = showsOwnAct(call);
  if (text === "execute" || shown === "execute" || carriesCommand(call.rawInput)) return "execute";
  return shown === "edit" && TOOLS.get(text) !== "edit" ? "edit" : text;
}

interface Answers {
  readonly allow: JsonObject | undefined;
  readonly reject: JsonObject | undefined;
  readonly isForEver: boolean;
}

/** Selects options by kind, never by position or text. Options that apply once are preferred. */
function answersIn(options: unknown): Answers {
  const known = arrayOr(options)
    .filter(isObject)
    .flatMap(({ optionId, kind }) => (typeof optionId === "string" ? [{ optionId, kind }] : []));
  const answer = (...kinds: readonly string[]): JsonObject | undefined => {
    const option = kinds.map(kind => known.find(each => each.kind === kind)).find(each => each !== undefined);
    return option && selected(option.optionId);
  };
  const once = answer("allow_once"),
    allow = once ?? answer("allow_always");
  return { allow, reject: answer("reject_once", "reject_always"), isForEver: once === undefined };
}

function size(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    return Infinity;
  }
}
