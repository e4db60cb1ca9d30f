/**
 * Symposium's entry in Codex's `config.toml`: one table at the end of the file. The text is scanned, not parsed.
 * Strings, comments and brackets determine table headers and keys. A text that ends inside one of them is refused.
 * Pure.
 *
 * Invariant: removing an entry restores the text exactly, if its last line was terminated, even if other tables were
 * added after the entry.
 */
import type { JsonObject } from "../../rpc/json";
import { ConfigurationError, ENTRY } from "./symposium-entry";

const TABLE = "mcp_servers";
const COMMENT = "# Added by Symposium. Remove it in the settings of Symposium.";

/**
 * Returns the lines of the entry. Values are strings, lists of strings, and tables of strings, which TOML writes like
 * JSON except for `=`.
 */
export function tomlBlock(entry: JsonObject, eol: string): string {
  const format = (value: unknown): string =>
    Array.isArray(value)
      ? `[${value.map(format).join(", ")}]`
      : typeof value === "object" && value !== null
        ? `{ ${Object.entries(value)
            .map(([name, item]) => `${name} = ${format(item)}`)
            .join(", ")} }`
        : JSON.stringify(value);
  return [
    COMMENT,
    `[${TABLE}.${ENTRY}]`,
    ...Object.entries(entry).map(([name, value]) => `${name} = ${format(value)}`),
    "",
  ].join(eol);
}

/**
 * Returns "absent", or the entry's lines verbatim without the comment, which the caller compares. Throws
 * `ConfigurationError` if the text is not a configuration.
 */
export function tomlEntry(text: string): "absent" | { readonly lines: readonly string[] } {
  const lines = statements(text),
    at = lines.filter(({ header }) => header !== undefined && isEntry(header));
  const [first, second] = at;
  if (second) throw new ConfigurationError(`it has more than one table for ${TABLE}.${ENTRY}.`);
  if (
    lines.some(
      ({ table, key }) =>
        (key !== undefined && isEntry([...table, ...key]) && !isEntry(table)) ||
        (key !== undefined && table.length === 0 && key.length === 1 && key[0] === TABLE),
    )
  ) {
    throw new ConfigurationError(
      `it defines ${TABLE} in a form that Symposium does not change. Use a [${TABLE}.NAME] table for each server.`,
    );
  }
  if (!first) return "absent";
  const from = lines.indexOf(first),
    next = lines.findIndex(({ header }, i) => i > from && header !== undefined);
  return {
    lines: lines
      .slice(from, next === -1 ? undefined : next)
      .filter(({ header, key }) => header !== undefined || key !== undefined)
      .map(({ text: line }) => line.trim()),
  };
}

export function withTomlEntry(text: string, entry: JsonObject): string {
  const eol = eolOf(text);
  return `${text}${separator(text, eol)}${tomlBlock(entry, eol)}`;
}

/** `entry`: the entry in the text. Returns undefined if the text does not contain its lines contiguously. */
export function withoutTomlEntry(text: string, entry: JsonObject): string | undefined {
  const eol = eolOf(text),
    block = tomlBlock(entry, eol),
    at = text.indexOf(block);
  if (at === -1) return undefined;
  // A blank line separates the block from the text before it. If that text did not end with a line end, another line
  // end precedes the blank line.
  const before = text.slice(0, at),
    cut = before.endsWith(eol + eol) ? before.slice(0, -eol.length) : before;
  return cut + text.slice(at + block.length);
}

function eolOf(text: string): string {
  return /\r\n|\n/.exec(text)?.[0] ?? "\n";
}

function separator(text: string, eol: string): string {
  if (text === "" || text === "\uFEFF") return "";
  return text.endsWith("\n") ? eol : eol + eol;
}

function isEntry(path: readonly string[]): boolean {
  return path[0] === TABLE && path[1] === ENTRY;
}

interface Statement {
  readonly text: string;
  /** The path of a `[table]` that starts here. */
  readonly header?: readonly string[];
  /** The path of a key, relative to its table. */
  readonly key?: readonly string[];
  readonly table: readonly string[];
}

/** Splits the text into statements. A multi-line value is one statement. */
function statements(text: string): readonly Statement[] {
  const found: Statement[] = [],
    body = text.replace(/^\uFEFF/, "");
  let table: readonly string[] = [];
  for (let at = 0; at < body.length; ) {
    const end = endOfStatement(body, at),
      line = body.slice(at, end),
      trimmed = line.trim();
    const [, double, header] = /^(\[\[?)([^\]]*)\]/.exec(trimmed) ?? [];
    if (header !== undefined) {
      table = pathOf(header);
      found.push({ text: line, header: double === "[[" ? [...table, "[]"] : table, table });
    } else if (trimmed === "" || trimmed.startsWith("#")) found.push({ text: line, table });
    else {
      const [key] =
        /^(?:[\w-]+|"[^"\n]*"|'[^'\n]*')(?:\s*\.\s*(?:[\w-]+|"[^"\n]*"|'[^'\n]*'))*(?=\s*=)/.exec(trimmed) ?? [];
      if (key === undefined)
        throw new ConfigurationError(`line ${body.slice(0, at).split("\n").length} is not valid TOML.`);
      found.push({ text: line, key: pathOf(key), table });
    }
    at = end;
  }
  const headers = found.flatMap(({ header }) => (header && header.at(-1) !== "[]" ? [JSON.stringify(header)] : [])),
    twice = headers.find((item, i) => headers.indexOf(item) !== i);
  if (twice !== undefined)
    throw new ConfigurationError(`it has the table ${(JSON.parse(twice) as string[]).join(".")} twice.`);
  return found;
}

function pathOf(key: string): readonly string[] {
  return [...key.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g)].map(
    ([, basic, literal, bare]) => basic ?? literal ?? bare ?? "",
  );
}

/** Returns the offset after the statement's last line end. Throws if a string or a bracket is not closed. */
function endOfStatement(text: string, from: number): number {
  let depth = 0;
  const line = (): number => text.slice(0, from).split("\n").length;
  for (let at = from; at < text.length; ) {
    const c = text.charAt(at);
    if (c === "\n" && depth === 0) return at + 1;
    if (c === "#") {
      const end = text.indexOf("\n", at);
      at = end === -1 ? text.length : end;
    } else if (c === '"' || c === "'") at = endOfString(text, at, line);
    else {
      if (c === "[" || c === "{") depth++;
      if (c === "]" || c === "}") depth--;
      if (depth < 0) throw new ConfigurationError(`line ${line()} is not valid TOML.`);
      at++;
    }
  }
  if (depth > 0) throw new ConfigurationError(`line ${line()} has a bracket that is not closed.`);
  return text.length;
}

function endOfString(text: string, from: number, line: () => number): number {
  const quote = text.charAt(from),
    isLong = text.startsWith(quote.repeat(3), from),
    mark = isLong ? quote.repeat(3) : quote;
  for (let at = from + mark.length; at < text.length; at++) {
    if (quote === '"' && text.charAt(at) === "\\") at++;
    else if (!isLong && text.charAt(at) === "\n") break;
    else if (text.startsWith(mark, at)) {
      let end = at + mark.length;
      // """a"""" ends with a quotation mark
      for (let remaining = 0; isLong && remaining < 2 && text.charAt(end) === quote; remaining++) end++;
      return end;
    }
  }
  throw new ConfigurationError(`line ${line()} has a string that is not closed.`);
}
