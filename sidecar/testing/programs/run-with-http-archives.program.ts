/** `run-with --agent JSON`, which also downloads archives over HTTP from this computer. Argument: the JSON. */
import { readAgent } from "../../cli/component-argument";
import { runWith } from "../../cli/run-with";
import { openLog } from "../../cli/runtime/log";

async function main(): Promise<number> {
  using log = openLog({ level: "warn", folder: undefined }, process.stderr);
  const chain = { proxies: [], agent: await readAgent(process.argv[2] ?? ""), traceFolder: undefined };
  return runWith(chain, log.notify, "test", { httpArchives: true });
}

void main().then(code => process.exit(code));
