/** Tools that did not reach an agent's model, in words: whose, and why (issue 14 item 1). Pure. */
import type { ToolDelivery } from "../../src/protocol/session-details";
import { assertNever } from "../../src/protocol/wire";
import type { Retry } from "../mcp/delivery-evidence";
import { visibleText } from "../../src/protocol/visible-text";

/** For a person in a tab or a chat. */
export function adviceFor(retry: Retry): string {
  switch (retry) {
    case "otherTransport": return "Open a new tab or chat: it offers them over another connection.";
    case "sameTransport": return "Open a new tab or chat to try again, or select another agent.";
    case "inVain": return "They were offered over every connection that it supports. Select another agent to use them.";
    default: return assertNever(retry, "retry");
  }
}

/** `missing`: with the name under which the user knows each server. `all`: the number of servers of the session. */
export interface MissingTools {
  readonly agent: string;
  readonly missing: readonly { readonly name: string; readonly delivery: ToolDelivery }[];
  readonly all: number;
}

/** `undefined`: nothing is missing. */
export function missingToolsSentence({ agent, missing, all }: MissingTools): string | undefined {
  if (missing.length === 0) return undefined;
  const names = [...new Set(missing.map(({ name }) => visibleText(name)))], counts = missing.map(({ delivery: { offered } }) => offered);
  const count = counts.every(each => each !== undefined) ? ` (0 of ${counts.reduce((sum, each) => sum + each, 0)})` : "";
  return `${agent} did not request the tools of ${listed(names)}${count}: ${causeOf(missing.map(({ delivery }) => delivery), all)} Its model does not have these tools.`;
}

function causeOf(missing: readonly ToolDelivery[], all: number): string {
  if (missing.some(({ listFailed }) => listFailed)) return "the MCP server answered with an error, which is in the log.";
  if (missing.some(({ stage }) => stage === "connected")) return "it connected to the MCP server and did not list its tools in time.";
  if (missing.length === all) return "it did not connect to any MCP server of this session.";
  return `it did not connect to ${missing.length === 1 ? "this MCP server" : "these MCP servers"}, although it uses others.`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
