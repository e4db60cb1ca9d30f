/**
 * Permission policy of research sessions. A session may read the folders of its sources and call its own tools. All
 * other requests are rejected without asking the user, who does not see this session.
 *
 * Invariants:
 * - Each path in a request is inside the folders, after links are resolved.
 * - A call without a path is rejected, because its target cannot be checked.
 * - An approval covers one call. The option is selected by its kind.
 * - A call's title has no influence.
 */
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { bridgedClaim, type QualifiedNames } from "../../permissions/bridged-calls";
import { questionedCall } from "../../permissions/announced-calls";
import { resolveInWorkspace } from "../../permissions/workspace-boundary";
import { arrayOr, isObject, numberOr, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";

export interface ReadScope {
  /** Absolute paths. The first is the session's folder. */
  readonly folders: readonly [string, ...string[]];
  /** Names of the session's own tools. */
  readonly own: QualifiedNames;
}

/** The result of `session/request_permission`. `announced`: earlier updates of the tool call. */
export async function permissionFor(
  params: unknown,
  announced: JsonObject | undefined,
  readable: ReadScope,
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

/** Whether all `reports` of a call describe only reading. */
async function isReading(reports: readonly JsonObject[], folders: ReadScope["folders"]): Promise<boolean> {
  const kinds = reports.map(({ kind }) => kind).filter(kind => kind !== undefined && kind !== null);
  if (kinds.length === 0 || !kinds.every(kind => READING.has(kind))) return false;
  // Other content, such as a diff or a terminal, indicates more than reading.
  if (reports.some(({ content }) => arrayOr(content).some(each => objectOr(each)["type"] !== "content"))) return false;
  const locationPaths = reports.flatMap(({ locations }) =>
      arrayOr(locations).map(location => objectOr(location)["path"]),
    ),
    inputs = reports.map(({ rawInput }) => textsIn(rawInput));
  if (locationPaths.some(each => typeof each !== "string") || inputs.some(input => input === undefined)) return false;
  const texts = inputs.flatMap(input => input ?? []),
    paths = [...locationPaths.map(String), ...texts.filter(({ key }) => PATHS.test(key)).map(({ text }) => text)];
  if (paths.length === 0 || texts.some(({ key }) => NOT_READING.test(key))) return false;
  return allInside([...paths, ...texts.map(({ text }) => text)], folders);
}

/** Names of input members that contain paths. */
const PATHS = /^(file|dir|folder|cwd|root|.*(path|paths|directory|filename|files?_?name|uri))$/i;
/** Names of input members that indicate more than reading, regardless of the call's kind. */
const NOT_READING = /^(command|cmd|script|code|url|urls|new_?(string|text)|content|old_?(string|text))$/i;

interface Text {
  readonly key: string;
  readonly text: string;
}
const MAX_TEXTS = 100;

/** All strings in an input, each with its member name. Undefined: too many to inspect. */
function textsIn(input: unknown): readonly Text[] | undefined {
  const texts: Text[] = [],
    open: (readonly [key: string, value: unknown])[] = [["", input]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [key, value] = next;
    if (typeof value === "string") texts.push({ key, text: value });
    else if (Array.isArray(value)) open.push(...value.map(each => [key, each] as const));
    else if (isObject(value)) open.push(...Object.entries(value));
    if (texts.length + open.length > MAX_TEXTS) return undefined;
  }
  return texts;
}

async function allInside(texts: readonly string[], folders: ReadScope["folders"]): Promise<boolean> {
  for (const text of new Set(texts)) if (!(await isInside(text, folders))) return false;
  return true;
}

/**
 * Any text, such as a pattern, is treated as a path in the session's folder. Text that a shell or a glob could expand
 * to another path is rejected.
 */
async function isInside(text: string, folders: ReadScope["folders"]): Promise<boolean> {
  const file = /^file:/i.test(text) ? fileIn(text) : text;
  if (file === undefined || /^[~$%]/.test(file) || /^[a-z][a-z0-9+.-]*:\/\//i.test(file) || MAY_LEAVE.test(file))
    return false;
  return (await resolveInWorkspace(path.resolve(folders[0], file), folders).catch(() => undefined))?.isInside === true;
}

/** `..` between path separators, and brace alternatives that start at the root. */
const MAY_LEAVE = /(^|[/\\{,])\.\.([/\\},]|$)|[{,]\s*[/\\~]/;

function fileIn(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

/** Maximum size of a file that is read, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The result of `fs/read_text_file`, read from disk. Rejects with an `RpcError`. */
export async function readInside(params: unknown, { folders }: Pick<ReadScope, "folders">): Promise<JsonObject> {
  const { path: given, line, limit } = objectOr(params),
    file = stringOr(given, "");
  if (!path.isAbsolute(file) || file.includes("\0"))
    throw new RpcError(RpcCode.invalidParams, "path: an absolute path is required");
  const place = await resolveInWorkspace(file, folders).catch(() => undefined);
  if (!place?.isInside)
    throw new RpcError(
      RpcCode.invalidRequest,
      `${file} is outside of the source that this session is about (${folders.join(", ")}).`,
    );
  const stats = await stat(place.real).catch(() => undefined);
  if (!stats) throw new RpcError(RpcCode.notFound, `${file} does not exist.`);
  if (!stats.isFile() || stats.size > MAX_BYTES)
    throw new RpcError(RpcCode.invalidRequest, `${file} is ${stats.isFile() ? "too large" : "not a file"}.`);
  return { content: linesOf(await readFile(place.real, "utf8"), numberOr(line, 1), numberOr(limit, Infinity)) };
}

/** Lines from `line` (1-based), with their original line ends. */
function linesOf(text: string, line: number, limit: number): string {
  const from = Math.max(0, Math.floor(line) - 1);
  return text
    .split(/(?<=\n)/)
    .slice(from, from + Math.max(0, limit))
    .join("");
}
