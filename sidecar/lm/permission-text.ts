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
  const details = detailsOf(call), title = stringOr(call.title, "").trim(), { description } = call;
  const shown = details.length === 0 ? MOST_BLOCKS : MOST_BLOCKS - 1;
  const message = [
    ...(title === "" ? [] : [title.length > 120 || title.includes("\n") ? block(title) : inline(title)]),
    ...(typeof description === "string" && description.trim() !== "" ? [block(description)] : []),
    ...details.slice(0, shown), ...(details.length > shown ? [`… and ${details.length - shown} more parts.`] : []),
    ...(isForEver ? [`${inline(agent)} offers only to allow this for good: it will not ask again.`] : []),
  ].join("\n\n");
  return { title: `${agent.replaceAll(/[\s[\]()<>*_`\\!|#]+/gu, " ").trim().slice(0, 60) || "The agent"} wants to ${verbOf(kind)}`, message: message === "" ? "The agent does not say what." : message };
}

function detailsOf({ rawInput, content, locations }: JsonObject): string[] {
  const command = commandOf(rawInput), parts = arrayOr(content).map(partOf).filter(part => part !== "");
  const isShown = command !== "" || arrayOr(content).some(each => objectOr(each).type === "diff");
  const details = [command, ...parts, ...(isShown ? [] : [inputOf(rawInput)])].filter(part => part !== "");
  return details.length > 0 ? details : [placesOf(locations)].filter(part => part !== "");
}

/** The command as it is, and what else is given with it: where it runs, whether it is let out of its sandbox. */
function commandOf(rawInput: unknown): string {
  if (!isObject(rawInput)) return "";
  const { command, ...rest } = rawInput, words = arrayOr(command).filter(word => typeof word === "string");
  const line = typeof command === "string" ? command : words.map(word => /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)).join(" ");
  if (line === "") return "";
  return [block(line, "sh"), ...(Object.keys(rest).length === 0 ? [] : [inputOf(rest)])].join("\n\n");
}

function inputOf(value: unknown): string {
  if (value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0)) return "";
  if (typeof value === "string") return block(value);
  try { return block(JSON.stringify(value, undefined, 2), "json"); }
  catch { return "The agent's input is nested too deep to be shown."; }
}

/** One item of `content`: of version 1 a difference has two texts, of version 2 a list of changes and perhaps a patch. */
function partOf(item: unknown): string {
  const { type, path, oldText, newText, patch, changes, content } = objectOr(item);
  if (type === "content") return typeof objectOr(content).text === "string" ? block(String(objectOr(content).text)) : "";
  if (type !== "diff") return "";
  const text = objectOr(patch).text;
  if (typeof text === "string") return block(text, "diff");
  if (Array.isArray(changes)) return inputOf(changes);
  return `${inline(stringOr(path, "?"))}\n${block(difference(stringOr(oldText, ""), stringOr(newText, "")), "diff")}`;
}

/** Lines that went and came, with two around them. */
function difference(before: string, after: string): string {
  const old = before === "" ? [] : before.split("\n"), now = after === "" ? [] : after.split("\n"), most = Math.min(old.length, now.length);
  let head = 0, tail = 0;
  while (head < most && old[head] === now[head]) head++;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const from = Math.max(0, head - 2), kept = (line: string) => ` ${line}`, end = old.length - tail;
  return [
    `@@ line ${head + 1} @@`, ...old.slice(from, head).map(kept), ...old.slice(head, end).map(line => `-${line}`),
    ...now.slice(head, now.length - tail).map(line => `+${line}`), ...old.slice(end, end + 2).map(kept),
  ].join("\n");
}

function placesOf(locations: unknown): string {
  return arrayOr(locations).slice(0, 20).map(each => inline(stringOr(objectOr(each).path, "?"))).join("\n\n");
}

function block(text: string, language = ""): string { return fenced(shortened(text, MOST), language); }
