/** The sidecar as the extension host starts it, which also reports its heap when the bench asks. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { serve } from "../../sidecar/cli/serve/serve";
import { BUILD } from "./build";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void; // the function that V8 exposes

process.on("message", () => {
  collect();
  process.send?.(process.memoryUsage().heapUsed);
});
process.channel?.unref();
await serve(BUILD);
process.exit(0);
