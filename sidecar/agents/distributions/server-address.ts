/** Validates the address and the headers of an MCP server from settings or documents. Pure. */
import type { Distribution, HttpDistribution } from "../../../src/protocol/agents/distribution";

/** Returns the address of an MCP server that needs no process. Distributions on this computer take precedence. */
export function addressIn({ local, executable, symposium, http }: Distribution): HttpDistribution | undefined {
  return local || executable || symposium ? undefined : http;
}

/** A header name (RFC 9110, 5.6.2). */
const HEADER = /^[\w!#$%&'*+.^`|~-]{1,200}$/;
/** A header value: no line break, and only characters that HTTP can encode. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Headers that HTTP clients and the MCP transport set themselves. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "connection",
  "content-length",
  "content-type",
  "host",
  "mcp-protocol-version",
  "mcp-session-id",
  "transfer-encoding",
]);

/**
 * Returns a clause with the error and its fix, without the address and the values, which may contain secrets. Returns
 * `undefined` if no error is found.
 */
export function wrongAddress({ url, headers = {} }: HttpDistribution): string | undefined {
  const parsed = !/\s/.test(url.trim()) && URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    return "its URL is invalid: enter a complete URL that starts with https:// or http://, such as https://example.com/mcp";
  if (parsed.username !== "" || parsed.password !== "")
    return "its URL contains a user name or a password: use “headers” for them";
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER.test(name)) return "one of its “headers” has an invalid name: use letters, digits and hyphens";
    if (RESERVED_HEADERS.has(name.toLowerCase()))
      return `its “headers” contain ${name}, which must not be set: remove it`;
    if (!VALUE.test(value))
      return `the value of its header ${name} contains a line break or an invalid character: correct it`;
  }
  return undefined;
}
