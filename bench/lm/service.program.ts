/**
 * `symposium-acp-agent vscodelm`, which also says how much it keeps, when the bench asks. To be run with `--expose-gc`.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { serveLmOnStdio } from "../../sidecar/cli/vscodelm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void; // what V8 then has

process.on("message", () => {
  collect();
  process.send?.(process.memoryUsage().heapUsed);
});
process.channel?.unref();
process.exitCode = await serveLmOnStdio(undefined, () => undefined, "1");
