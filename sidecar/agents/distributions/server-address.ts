/** The address of an MCP server, and what is sent with each request to it, as somebody wrote them down. Pure. */
import type { Distribution, HttpDistribution } from "../../../src/protocol/distribution";

/** Of an MCP server: it is at an address, and nothing is started. What a person has on this computer counts more. */
export function addressIn({ local, executable, symposium, http }: Distribution): HttpDistribution | undefined {
  return local || executable || symposium ? undefined : http;
}

/** RFC 9110, 5.6.2: what the name of a header is made of. */
const HEADER = /^[\w!#$%&'*+.^`|~-]{1,200}$/;
/** What may be sent as the value of one: no line break, and nothing that HTTP has no byte for. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** They say what the message is, and belong to who sends it. */
const ITS_OWN: ReadonlySet<string> = new Set([
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
 * What is wrong, and what to do about it: a clause, without the address and the values, which may hold secrets.
 * `undefined`: nothing that can be seen.
 */
export function wrongAddress({ url, headers = {} }: HttpDistribution): string | undefined {
  const parsed = !/\s/.test(url.trim()) && URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    return "its address is none: write it whole, with https:// or http:// before it, as https://example.com/mcp";
  if (parsed.username !== "" || parsed.password !== "")
    return "its address has a name or a password in it: put them into “headers”";
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER.test(name))
      return "one of its “headers” has a name that no header can have: letters, digits and hyphens do";
    if (ITS_OWN.has(name.toLowerCase())) return `its “headers” have ${name}, which is not theirs to say: take it out`;
    if (!VALUE.test(value))
      return `the value of its header ${name} has a line break or a character in it that cannot be sent: write it anew`;
  }
  return undefined;
}
