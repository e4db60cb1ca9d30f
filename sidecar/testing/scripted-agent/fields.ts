/**
 * Fields of the steps `toolupdate`, `show`, `ask`…: `name`, `name=word` or `name=JSON`, in any order and repeatable for
 * more content. Also their form in a tool call (ACP schema v1, `ToolCallUpdate`). Pure.
 */
import { isObject, type JsonObject } from "../../rpc/json";

export type Fields = readonly (readonly [name: string, value: unknown])[];

/** Returns undefined for other text. A name without a value has the value `true`. */
export function fieldsOf(text: string): Fields | undefined {
  const fields: [string, unknown][] = [];
  for (let at = 0; text.slice(at).trim() !== ""; ) {
    const [whole, name = "", equals] = /^\s*([A-Za-z][A-Za-z-]*)(=)?/.exec(text.slice(at)) ?? [];
    if (whole === undefined) return undefined;
    at += whole.length;
    if (!equals) {
      if (/\S/.test(text.charAt(at))) return undefined;
      fields.push([name, true]);
      continue;
    }
    const end = '{["'.includes(text.charAt(at) || " ")
      ? jsonEnd(text, at)
      : at + (/^\S*/.exec(text.slice(at))?.[0].length ?? 0);
    const value = text.slice(at, end);
    if (!'{["'.includes(value.charAt(0) || " ")) fields.push([name, value]);
    else
      try {
        fields.push([name, JSON.parse(value)]);
      } catch {
        return undefined;
      }
    at = end;
  }
  return fields;
}

/** Offset after the JSON value that starts at `start`. */
function jsonEnd(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const c = text.charAt(at);
    if (quoted) {
      if (c === "\\") at++;
      else if (c === '"') quoted = false;
    } else if (c === '"') quoted = true;
    else if ("{[".includes(c)) depth++;
    else if ("}]".includes(c)) depth--;
    if (depth === 0 && !quoted) return at + 1;
  }
  return text.length;
}

/**
 * Members of a tool call. The content keeps the order of the fields. `lastTerminal`: the meaning of `terminal=last`.
 */
export function toolCallOf(fields: Fields, lastTerminal: string): JsonObject {
  const call: Record<string, unknown> = {};
  const content: JsonObject[] = [];
  for (const [name, value] of fields) {
    switch (name) {
      case "status":
      case "kind":
      case "title":
      case "rawInput":
      case "rawOutput":
        call[name] = value;
        break;
      case "input":
        call.rawInput = value;
        break;
      case "locations":
        call.locations = String(value).split(",").map(location);
        break;
      default:
        content.push(contentOf(name, value, lastTerminal));
    }
  }
  return content.length === 0 ? call : { ...call, content };
}

/** The smallest possible PNG: one transparent pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** Content of a tool call. A content block is its member `content`. */
export function contentOf(name: string, value: unknown, lastTerminal: string): JsonObject {
  const block = (content: JsonObject): JsonObject => ({ type: "content", content });
  switch (name) {
    case "text":
      return block({ type: "text", text: String(value) });
    case "image":
      return block({ type: "image", mimeType: "image/png", data: value === true ? PIXEL : String(value) });
    case "audio":
      return block({ type: "audio", mimeType: "audio/wav", data: value === true ? "UklGRg==" : String(value) });
    case "resource":
      return block({
        type: "resource",
        resource: isObject(value)
          ? value
          : { uri: String(value), mimeType: "text/plain", text: `text of ${String(value)}` },
      });
    case "link":
      return block({
        type: "resource_link",
        ...(isObject(value) ? value : { uri: String(value), name: String(value).split("/").at(-1) }),
      });
    case "diff":
      return { type: "diff", ...(isObject(value) ? value : { path: String(value), newText: "new\n" }) };
    case "terminal":
      return { type: "terminal", terminalId: value === "last" || value === true ? lastTerminal : String(value) };
    default:
      return { type: name, value }; // an unknown kind
  }
}

/** `path` or `path:line`. */
function location(text: string): JsonObject {
  const [, path, line] = /^(.*?)(?::(\d+))?$/.exec(text) ?? [];
  return { path, ...(line === undefined ? {} : { line: Number(line) }) };
}

const NAMES: Readonly<Record<string, string>> = {
  allow_once: "Allow once",
  allow_always: "Allow always",
  reject_once: "Reject once",
  reject_always: "Reject always",
};

/**
 * `allow_once,allow_once,reject_once`: a repeated kind gets the id `allow_once-2`. A list of options is used unchanged.
 */
export function permissionOptions(options: unknown): readonly JsonObject[] {
  if (Array.isArray(options)) return options.filter(isObject);
  const seen = new Map<string, number>();
  return String(options)
    .split(",")
    .filter(kind => kind !== "")
    .map(kind => {
      const n = (seen.get(kind) ?? 0) + 1;
      seen.set(kind, n);
      const name = NAMES[kind] ?? kind;
      return n === 1 ? { optionId: kind, name, kind } : { optionId: `${kind}-${n}`, name: `${name} (${n})`, kind };
    });
}
