/** `symposium-acp-agent vscodelm`, which also reports its heap when the bench asks. Run it with `--expose-gc`. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { serveLmOnStdio } from "../../sidecar/cli/vscodelm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void; // the function that V8 exposes

process.on("message", () => {
  collect();
  process.send?.(process.memoryUsage().heapUsed);
});
process.channel?.unref();
process.exitCode = await serveLmOnStdio({ traceFolder: undefined, bridgeDuplicates: false }, () => undefined, "1");
