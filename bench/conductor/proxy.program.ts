/** A transparent proxy on stdio. */
import { serveProxyOnStdio } from "../../sidecar/proxies/stdio";
import { answerMeter } from "./meter";

answerMeter();
serveProxyOnStdio({ name: "Pass", create: () => ({}) });
