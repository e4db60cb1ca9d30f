/** Proxy on stdio that adds the tools of mcp-server.ts to every session, over ACP, as a server named “tools”. */
import type { InterceptedRequest } from "../../proxies/proxy";
import { serveProxyOnStdio } from "../../proxies/stdio";
import { arrayOr, objectOr } from "../../rpc/json";
import { testMcpServer } from "../mcp/mcp-server";

serveProxyOnStdio({
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
});
