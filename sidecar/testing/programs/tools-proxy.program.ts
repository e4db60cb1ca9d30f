/** tools-proxy.ts as a proxy on stdio. */
import { serveProxyOnStdio } from "../../proxies/stdio";
import { TOOLS_PROXY } from "../mcp/tools-proxy";

serveProxyOnStdio(TOOLS_PROXY);
