/**
 * Simulates another window: installs one archive into a store. Arguments: ROOT ARCHIVE VERSION. Prints one line of JSON
 * per progress report, and finally the command or the error. Then it keeps the version in use until its stdin ends.
 */
import { systemTools } from "../../process/stdio-process";
import { realFiles } from "../../agents/install/store/files";
import { Installer } from "../../agents/install/installer";
import { Store } from "../../agents/install/store/store";
import { processTable } from "../../process/process-list";
import { realClock } from "../../rpc/clock";

const [root = "", archive = "", version = ""] = process.argv.slice(2);
const table = processTable(systemTools);
const emit = (message: object): void => {
  process.stdout.write(`${JSON.stringify(message)}\n`);
};

async function main(): Promise<void> {
  const installer = new Installer({
    store: new Store(root, {
      clock: realClock,
      files: realFiles,
      table,
      self: { pid: process.pid, started: table.startOf(process.pid) },
    }),
    clock: realClock,
    files: realFiles,
    platform: process.platform,
    platforms: ["linux-x86_64"],
    tools: async () => ({ find: () => undefined }),
    run: () => Promise.reject(new Error("no tools")),
    httpArchives: true,
    report: (_, progress) => emit({ progress }),
    log: () => undefined,
  });
  const config = {
    id: "some-agent",
    name: "Some Agent",
    version,
    distribution: { binary: { "linux-x86_64": { archive, cmd: "bin/agent" } } },
  };
  try {
    emit({ command: await installer.command(config, new AbortController().signal) });
  } catch (error) {
    emit({ error: String(error) });
  }
  process.stdin.on("end", () => void installer[Symbol.asyncDispose]().then(() => process.exit(0))).resume();
}

void main();
