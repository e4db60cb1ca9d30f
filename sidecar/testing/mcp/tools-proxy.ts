/** Proxy that adds the tools of mcp-server.ts to every session, over ACP, as a server named “tools”. */
import type { InterceptedRequest, ProxyDefinition } from "../../proxies/proxy";
import { arrayOr, objectOr } from "../../rpc/json";
import { testMcpServer } from "./mcp-server";

export const TOOLS_PROXY: ProxyDefinition = {
  name: "Tools",
  create: chain => {
    const { declaration } = chain.offerMcp("tools", transport => testMcpServer(() => undefined).connect(transport));
    const setup = (request: InterceptedRequest): Promise<unknown> => {
      const params = objectOr(request.params);
      return request.pass({ ...params, mcpServers: [...arrayOr(params.mcpServers), declaration] });
    };
    return {
      fromClient: {
        requests: { "session/new": setup, "session/load": setup, "session/resume": setup, "session/fork": setup },
      },
    };
  },
};
