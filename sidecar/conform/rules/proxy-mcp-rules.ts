/**
 * Rules for proxies about MCP servers: the servers that a proxy adds to sessions, and those of other components. The
 * kit calls servers as an agent that supports MCP over ACP (`mcp/message` without connections).
 */
import { isDeepStrictEqual } from "node:util";
import { AGENT_METHODS, CLIENT_METHODS } from "../../acp/methods";
import { MCP_METHODS } from "../../mcp/methods";
import { arrayOr, isObject, objectOr, stringOr } from "../../rpc/json";
import { calls, errorCode, isSuccess, paramsOf, resultOf, type Exchange, type Located } from "../conversation";
import { addedServerIds, CLIENT_SERVER, CLIENT_SERVERS, CLIENT_TOOLS } from "../proxy-traffic";
import type { Conversation } from "../recording";
import { fail, judgeEach, notApplicable, notSeen, PASS, type Rule, type Verdict } from "../rule";
import { schemaProblem, type Version } from "../schema";
import { missingOrError, proxyRule, wrappedExchange, wrappedExchanges } from "./proxy-messages";
import { UNKNOWN_METHOD } from "./wire-rules";

const DECLARATION: Readonly<Record<Version, string>> = {
  1: "protocol/v1/draft/session-setup#mcp-servers",
  2: "protocol/v2/draft/session-setup#mcp-servers",
};
const OVER_ACP: Readonly<Record<Version, string>> = { 1: "rfds/mcp-over-acp", 2: "rfds/mcp-over-acp" };
const MCP_TOOLS = "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#listing-tools";

const NOTHING_ADDED = notApplicable("The proxy adds no MCP server over ACP.");

/** Forwarded request that sets up a session, with its `mcpServers`. */
interface Setup {
  readonly located: Located;
  readonly servers: readonly unknown[];
}

function setup(conversation: Conversation, method: string): Setup | undefined {
  const exchange = wrappedExchange(conversation, "fromProgram", method);
  if (!exchange) return undefined;
  return {
    located: exchange.request,
    servers: arrayOr(objectOr(paramsOf(exchange.request).params).mcpServers),
  };
}

function isOfClient(conversation: Conversation, server: unknown): boolean {
  return CLIENT_SERVERS[conversation.version].some(own => isDeepStrictEqual(own, server));
}

/** Calls of the kit to servers that the proxy has added. */
function serverCalls(conversation: Conversation, inner: string): readonly Exchange[] {
  return wrappedExchanges(conversation, "toProgram", CLIENT_METHODS.mcp_message).flatMap(({ exchange, params }) => {
    const { serverId, method } = objectOr(params);
    return serverId !== CLIENT_SERVER && method === inner ? [exchange] : [];
  });
}

function judgeCalls(conversation: Conversation, inner: string, judge: (exchange: Exchange) => Verdict): Verdict {
  return judgeEach(serverCalls(conversation, inner), judge, NOTHING_ADDED);
}

export const PROXY_MCP_RULES: readonly Rule[] = [
  proxyRule({
    id: "mcp-servers-kept",
    title: "Keeps the MCP servers of the client",
    section: DECLARATION,
    severity: "should",
    remedy: "Append your servers to mcpServers of the request. Do not replace or rebuild its entries.",
    judge: conversation => {
      const opened = setup(conversation, AGENT_METHODS.session_new);
      if (!opened) return notSeen("session/new did not reach the successor.");
      const missing = CLIENT_SERVERS[conversation.version].find(
        own => !opened.servers.some(server => isDeepStrictEqual(own, server)),
      );
      return missing
        ? fail(`The server “${stringOr(missing.name, "")}” was removed or changed.`, opened.located)
        : PASS;
    },
  }),
  proxyRule({
    id: "mcp-declaration",
    title: "Declares its MCP servers in a valid form, with unique ids",
    section: DECLARATION,
    severity: "must",
    remedy: 'Declare {"type": "acp", "name": …, "serverId": …} with a new serverId for each server, such as a UUID.',
    judge: conversation => {
      const opened = setup(conversation, AGENT_METHODS.session_new);
      if (!opened) return notSeen("session/new did not reach the successor.");
      const added = opened.servers.filter(server => !isOfClient(conversation, server)),
        ids = addedServerIds(added);
      const twice = ids.find((id, i) => ids.indexOf(id) !== i);
      if (twice !== undefined) return fail(`Two servers have the id ${twice}.`, opened.located);
      return judgeEach(
        added,
        server => {
          const problem = schemaProblem(conversation.version, "McpServer", server);
          return problem === undefined ? PASS : fail(problem, JSON.stringify(server));
        },
        notApplicable("The proxy adds no MCP server."),
      );
    },
  }),
  proxyRule({
    id: "mcp-resume",
    title: "Adds its MCP servers also to a resumed session",
    section: DECLARATION,
    severity: "should",
    remedy: "Add your servers in session/new, session/load, session/resume and session/fork.",
    judge: conversation => {
      const opened = setup(conversation, AGENT_METHODS.session_new),
        resumed = setup(conversation, AGENT_METHODS.session_resume);
      if (!opened || !resumed) return notSeen("session/resume did not reach the successor.");
      const added = ({ servers }: Setup): number => servers.filter(server => !isOfClient(conversation, server)).length;
      if (added(opened) === 0) return notApplicable("The proxy adds no MCP server.");
      return added(resumed) === added(opened)
        ? PASS
        : fail(
            `Servers of the proxy: ${added(opened)} in session/new, ${added(resumed)} in session/resume.`,
            resumed.located,
          );
    },
  }),
  proxyRule({
    id: "mcp-message",
    title: "Answers mcp/message for its servers with one result or one error",
    section: OVER_ACP,
    severity: "must",
    remedy: 'Return {"result": …}, or {"error": {"code", "message"}} for an error of the MCP server.',
    judge: conversation =>
      judgeCalls(conversation, MCP_METHODS.tools_list, exchange => {
        if (!isSuccess(exchange)) return missingOrError(conversation, exchange);
        const answer = resultOf(exchange);
        if ("result" in answer && "error" in answer)
          return fail("The answer has a result and an error.", exchange.response);
        const problem = schemaProblem(conversation.version, "MessageMcpResponse", answer);
        return problem === undefined ? PASS : fail(problem, exchange.response);
      }),
  }),
  proxyRule({
    id: "mcp-tools",
    title: "Lists tools with unique names and an object as their input",
    section: { 1: MCP_TOOLS, 2: MCP_TOOLS },
    severity: "must",
    remedy:
      'Give each tool a “name”, and an “inputSchema” with "type": "object". One invalid tool can hide all others.',
    judge: conversation =>
      judgeCalls(conversation, MCP_METHODS.tools_list, exchange => {
        const { tools } = objectOr(resultOf(exchange).result);
        if (!Array.isArray(tools)) return notSeen("The server did not list its tools.");
        const listed = tools.map(objectOr),
          names = listed.map(({ name }) => stringOr(name, ""));
        const wrong = listed.find(({ inputSchema }) => !isObject(inputSchema) || inputSchema.type !== "object");
        if (names.includes("")) return fail("A tool has no name.", exchange.response);
        if (wrong)
          return fail(`The inputSchema of “${stringOr(wrong.name, "")}” is not an object.`, JSON.stringify(wrong));
        const twice = names.find((name, i) => names.indexOf(name) !== i);
        return twice === undefined ? PASS : fail(`Two tools have the name “${twice}”.`, exchange.response);
      }),
  }),
  proxyRule({
    id: "mcp-unknown-method",
    title: "Returns an MCP error for an MCP method that it does not know",
    section: OVER_ACP,
    severity: "must",
    remedy:
      'Return the result {"error": {"code": -32601, "message": …}}. Errors of mcp/message itself mean that the server is gone.',
    judge: conversation =>
      judgeCalls(conversation, UNKNOWN_METHOD, exchange => {
        if (!isSuccess(exchange)) return missingOrError(conversation, exchange);
        const { code } = objectOr(resultOf(exchange).error);
        return code === -32_601 ? PASS : fail("The answer has no error -32601.", exchange.response);
      }),
  }),
  proxyRule({
    id: "mcp-foreign",
    title: "Forwards messages for MCP servers of other components",
    section: OVER_ACP,
    severity: "must",
    remedy: "Answer mcp/message only for your own serverIds. Forward all others to the client.",
    judge: conversation => {
      const found = wrappedExchanges(conversation, "toProgram", CLIENT_METHODS.mcp_message).find(
        ({ params }) => objectOr(params).serverId === CLIENT_SERVER,
      );
      if (!found) return notSeen("No server of the client was called.");
      const arrived = calls(conversation, "fromProgram", CLIENT_METHODS.mcp_message).some(
        call => paramsOf(call).serverId === CLIENT_SERVER,
      );
      const { exchange } = found;
      if (!arrived)
        return fail(`It did not reach the client${codeOf(exchange)}.`, exchange.response ?? exchange.request);
      return isDeepStrictEqual(resultOf(exchange), { result: CLIENT_TOOLS })
        ? PASS
        : fail("The answer was changed.", exchange.response ?? exchange.request);
    },
  }),
];

function codeOf(exchange: Exchange): string {
  const code = errorCode(exchange);
  return code === undefined ? "" : `, and the proxy returned the error ${code}`;
}
