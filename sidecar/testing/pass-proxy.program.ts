/** A proxy on stdio that looks at nothing. */
import { serveProxyOnStdio } from "../proxies/stdio";

serveProxyOnStdio({ name: "Pass", make: () => ({}) });
