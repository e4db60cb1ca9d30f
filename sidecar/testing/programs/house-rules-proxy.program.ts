/** house-rules.ts as a proxy on stdio. The arguments form the rule. */
import { serveProxyOnStdio } from "../../proxies/stdio";
import { houseRules } from "../chain/house-rules";

serveProxyOnStdio(houseRules(process.argv.slice(2).join(" ") || "Be brief."));
