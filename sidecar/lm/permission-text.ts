/** What a person reads before an act of an agent is allowed: all of it that fits, and nothing that hides or pretends. Pure. */
import type { PermissionQuestion } from "../../src/protocol/lm";
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";
import { fenced, inline, shortened } from "./safe-text";

/** Characters of one block, and blocks of one question. */
const MOST = 4_000, MOST_BLOCKS = 10;

const VERBS: ReadonlyMap<string, string> = new Map([
  ["read", "read"], ["search", "search"], ["edit", "change files"], ["delete", "delete files"], ["move", "move files"], ["execute", "run a command"],
  ["fetch", "fetch from the network"], ["switch_mode", "change its mode"],
]);

/** After “wants to”. */
export function verbOf(kind: string): string { return VERBS.get(kind) ?? "do something"; }

/** `call`: all that is known of it. The title is ours: only the agent's name, from the settings, is not. */
export function questionText(agent: string, kind: string, call: JsonObject, isForEver: boolean): PermissionQuestion {
  const parts = [...headOf(kind, call), ...detailsOf(call)].filter(part => part !== "");
  const message = [
    ...parts.slice(0, MOST_BLOCKS), ...(parts.length > MOST_BLOCKS ? [`… and ${parts.length - MOST_BLOCKS} more parts.`] : []),
    ...(isForEver ? [`${inline(agent)} offers only to allow this for good: it will not ask again.`] : []),
  ].join("\n\n");
  return { title: `${agent.replaceAll(/[\s[\]()<>*_`\\!|#]+/gu, " ").trim().slice(0, 60) || "The agent"} wants to ${verbOf(kind)}`, message: message === "" ? "The agent does not say what." : message };
}

/** What it is called, unless that is the command itself, which some agents say nowhere else. */
function headOf(kind: string, { title, description, rawInput }: JsonObject): readonly string[] {
  const name = stringOr(title, "").trim(), command = commandIn(rawInput);
  const isCommand = kind === "execute" && command === "";
  const named = isCommand ? block(name, "sh") : name.length > 120 || name.includes("\n") ? block(name) : inline(name);
  return [name === "" || name === command.trim() ? "" : named, block(stringOr(description, ""))];
}

function detailsOf({ rawInput, content, locations }: JsonObject): readonly string[] {
  const command = commandIn(rawInput), { description } = objectOr(rawInput), isDiff = arrayOr(content).some(each => objectOr(each).type === "diff");
  const parts = arrayOr(content).filter(each => command === "" || description === undefined || textOf(each) !== description).map(partOf);
  const details = [...(command === "" ? [] : [block(command, "sh"), ...besides(rawInput)]), ...parts, ...(command !== "" || isDiff ? [] : [inputOf(rawInput)])].filter(part => part !== "");
  return details.length > 0 ? details : [placesOf(locations)];
}

/** As it is, if it is one string, else its words. */
function commandIn(rawInput: unknown): string {
  const { command } = objectOr(rawInput);
  return typeof command === "string" ? command : arrayOr(command).map(word => typeof word === "string" && /^[\w@%+=:,./-]+$/.test(word) ? word : json(word)).join(" ");
}

/** What is given with the command: what it is for, where it runs, whether it is let out of its sandbox. */
function besides(rawInput: unknown): readonly string[] {
  const { command: _, description, ...rest } = objectOr(rawInput);
  return typeof description === "string" ? [block(description), inputOf(rest)] : [inputOf({ ...rest, ...(description === undefined ? {} : { description }) })];
}

function inputOf(value: unknown): string {
  if (value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0)) return "";
  if (typeof value === "string") return block(value);
  return block(json(value, 2), "json");
}

/** What was parsed may be nested too deep to be written again. */
function json(value: unknown, indent?: number): string {
  try { return JSON.stringify(value, undefined, indent) ?? ""; } catch { return "(nested too deep to be shown)"; }
}

/** One item of `content`: of version 1 a difference has two texts, of version 2 a list of changes and perhaps a patch. */
function partOf(item: unknown): string {
  const { type, path, oldText, newText, patch, changes } = objectOr(item);
  if (type === "content") return block(textOf(item) ?? "");
  if (type !== "diff") return "";
  const text = objectOr(patch).text;
  if (typeof text === "string") return block(text, "diff");
  if (Array.isArray(changes)) return inputOf(changes);
  return `${inline(stringOr(path, "?"))}\n${block(difference(stringOr(oldText, ""), stringOr(newText, "")), "diff")}`;
}

function textOf(item: unknown): string | undefined { return stringOr(objectOr(objectOr(item).content).text, undefined); }

/** Lines that went and came, with two around them. */
function difference(before: string, after: string): string {
  const old = before === "" ? [] : before.split("\n"), now = after === "" ? [] : after.split("\n"), most = Math.min(old.length, now.length);
  let head = 0, tail = 0;
  while (head < most && old[head] === now[head]) head++;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const from = Math.max(0, head - 2), kept = (line: string) => ` ${line}`, end = old.length - tail;
  return [
    ...old.slice(from, head).map(kept), ...old.slice(head, end).map(line => `-${line}`),
    ...now.slice(head, now.length - tail).map(line => `+${line}`), ...old.slice(end, end + 2).map(kept),
  ].join("\n");
}

function placesOf(locations: unknown): string {
  return arrayOr(locations).slice(0, 20).map(each => inline(stringOr(objectOr(each).path, "?"))).join("\n\n");
}

function block(text: string, language = ""): string { return text.trim() === "" ? "" : fenced(shortened(text, MOST), language); }
