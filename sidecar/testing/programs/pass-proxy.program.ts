/** Proxy on stdio that forwards everything. */
import { serveProxyOnStdio } from "../../proxies/stdio";

serveProxyOnStdio({ name: "Pass", create: () => ({}) });
