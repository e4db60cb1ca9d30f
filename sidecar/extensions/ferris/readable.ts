/**
 * What a research session may do: read in the folders of the sources that it is about, and call the tools that were
 * made for it. Everything else is refused, without asking anybody: nobody sees that session.
 *
 * Invariants: each path in a question lies inside, links followed; a call that names none reads nothing that we know
 * of, and is refused; an approval is for once, found by its kind; what a call is titled means nothing.
 */
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { bridgedClaim, type QualifiedNames } from "../../permissions/bridged-calls";
import { questionedCall } from "../../permissions/announced-calls";
import { placeOf } from "../../permissions/boundary";
import { arrayOr, isObject, numberOr, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";

export interface Readable {
  /** Absolute; the first is the session's. */
  readonly folders: readonly [string, ...string[]];
  /** Of the tools that the session was given. */
  readonly own: QualifiedNames;
}

/** The result of `session/request_permission`. `announced`: what was said of the call before. */
export async function permissionFor(
  params: unknown,
  announced: JsonObject | undefined,
  readable: Readable,
): Promise<JsonObject> {
  const { options } = objectOr(params),
    call = questionedCall(params),
    reports = [objectOr(announced), call];
  const isAllowed =
    bridgedClaim(reports, readable.own).kind === "proved" || (await isReading(reports, readable.folders));
  const answer = optionOf(options, isAllowed ? "allow_once" : "reject_once") ?? optionOf(options, "reject_once");
  return { outcome: answer === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: answer } };
}

function optionOf(options: unknown, kind: string): string | undefined {
  return arrayOr(options)
    .filter(isObject)
    .filter(option => option.kind === kind)
    .map(({ optionId }) => optionId)
    .find(id => typeof id === "string");
}

const READING: ReadonlySet<unknown> = new Set(["read", "search"]);

/** `told`: all that was said of the call. It is what each of them says it is. */
async function isReading(told: readonly JsonObject[], folders: Readable["folders"]): Promise<boolean> {
  const kinds = told.map(({ kind }) => kind).filter(kind => kind !== undefined && kind !== null);
  if (kinds.length === 0 || !kinds.every(kind => READING.has(kind))) return false;
  // a diff, a terminal
  if (told.some(({ content }) => arrayOr(content).some(each => objectOr(each)["type"] !== "content"))) return false;
  const named = told.flatMap(({ locations }) => arrayOr(locations).map(location => objectOr(location)["path"])),
    inputs = told.map(({ rawInput }) => textsIn(rawInput));
  if (named.some(each => typeof each !== "string") || inputs.some(input => input === undefined)) return false;
  const texts = inputs.flatMap(input => input ?? []),
    paths = [...named.map(String), ...texts.filter(({ key }) => PATHS.test(key)).map(({ text }) => text)];
  if (paths.length === 0 || texts.some(({ key }) => ACTS.test(key))) return false;
  return allInside([...paths, ...texts.map(({ text }) => text)], folders);
}

/** Members of an input that hold paths, as tools call them. */
const PATHS = /^(file|dir|folder|cwd|root|.*(path|paths|directory|filename|files?_?name|uri))$/i;
/** Members of what is no reading, whatever it is called. */
const ACTS = /^(command|cmd|script|code|url|urls|new_?(string|text)|content|old_?(string|text))$/i;

interface Text {
  readonly key: string;
  readonly text: string;
}
const MOST_TEXTS = 100;

/** All texts of an input, with the member that holds them; undefined: too many to look at. */
function textsIn(input: unknown): readonly Text[] | undefined {
  const texts: Text[] = [],
    open: (readonly [key: string, value: unknown])[] = [["", input]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [key, value] = next;
    if (typeof value === "string") texts.push({ key, text: value });
    else if (Array.isArray(value)) open.push(...value.map(each => [key, each] as const));
    else if (isObject(value)) open.push(...Object.entries(value));
    if (texts.length + open.length > MOST_TEXTS) return undefined;
  }
  return texts;
}

async function allInside(texts: readonly string[], folders: Readable["folders"]): Promise<boolean> {
  for (const text of new Set(texts)) if (!(await isInside(text, folders))) return false;
  return true;
}

/**
 * A text that is no path at all, a pattern say, counts as one in the session's folder. What a shell or a glob would
 * make more of does not.
 */
async function isInside(text: string, folders: Readable["folders"]): Promise<boolean> {
  const file = /^file:/i.test(text) ? fileIn(text) : text;
  if (file === undefined || /^[~$%]/.test(file) || /^[a-z][a-z0-9+.-]*:\/\//i.test(file) || MAY_LEAVE.test(file))
    return false;
  return (await placeOf(path.resolve(folders[0], file), folders).catch(() => undefined))?.isInside === true;
}

/** Two dots between what separates names, and alternatives that begin at the root. */
const MAY_LEAVE = /(^|[/\\{,])\.\.([/\\},]|$)|[{,]\s*[/\\~]/;

function fileIn(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

/** Bytes of a file that is read whole. */
const MOST_BYTES = 4 * 1024 * 1024;

/** The answer to `fs/read_text_file`, from the disk. Rejects with an `RpcError`. */
export async function readInside(params: unknown, { folders }: Pick<Readable, "folders">): Promise<JsonObject> {
  const { path: given, line, limit } = objectOr(params),
    file = stringOr(given, "");
  if (!path.isAbsolute(file) || file.includes("\0"))
    throw new RpcError(RpcCode.invalidParams, "path: an absolute path is needed");
  const place = await placeOf(file, folders).catch(() => undefined);
  if (!place?.isInside)
    throw new RpcError(
      RpcCode.invalidRequest,
      `${file} is outside of the source that this session is about (${folders.join(", ")}).`,
    );
  const known = await stat(place.real).catch(() => undefined);
  if (!known) throw new RpcError(RpcCode.notFound, `${file} does not exist.`);
  if (!known.isFile() || known.size > MOST_BYTES)
    throw new RpcError(RpcCode.invalidRequest, `${file} is ${known.isFile() ? "too large" : "no file"}.`);
  return { content: linesOf(await readFile(place.real, "utf8"), numberOr(line, 1), numberOr(limit, Infinity)) };
}

/** Lines from `line` (the first is 1) on, with their ends as they are. */
function linesOf(text: string, line: number, limit: number): string {
  const from = Math.max(0, Math.floor(line) - 1);
  return text
    .split(/(?<=\n)/)
    .slice(from, from + Math.max(0, limit))
    .join("");
}
