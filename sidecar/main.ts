/** The sidecar and the command `symposium-acp-agent`, which `start.ts` loads. Only dispatches commands. */
import "./translation";
import { readCommand } from "./cli/command";
import { type LogOptions, CannotWrite, openLog, type Notify } from "./cli/runtime/log";
import { flushed } from "./cli/runtime/stdio";
import { realClock } from "./rpc/clock";
import { redactError } from "../src/protocol/redaction/redact";

const VERSION = process.env.SYMPOSIUM_BUILD ?? "development";

async function main(): Promise<number> {
  const command = await readCommand(process.argv.slice(2));
  switch (command.kind) {
    case "serve":
      return (await import("./cli/serve/serve")).serve(VERSION).then(() => 0);
    case "reap":
      return (await import("./cli/reap")).reapFromInput(process.stdin).then(() => 0);
    case "bunzip2":
      return (await import("./agents/install/archives/bunzip"))
        .bunzipInput(process.stdin, process.stdout)
        .then(() => 0);
    case "session-file":
      return (await import("./sessions/session-files")).runTaskOfThread();
    case "run":
      return logged(command.log, async notify =>
        (await import(/* webpackChunkName: "run" */ "./cli/run")).run(command.traceFolder, notify, VERSION),
      );
    case "run-with":
      return logged(command.log, async notify =>
        (await import(/* webpackChunkName: "run-with" */ "./cli/run-with")).runWith(command.chain, notify, VERSION),
      );
    case "vscodelm":
      return logged(command.log, async notify =>
        (await import("./cli/vscodelm")).serveLmOnStdio(command.options, notify, VERSION),
      );
    case "eliza":
      return logged(command.log, async notify =>
        (await import("./cli/eliza")).serveElizaOnStdio(command.deterministic, notify, VERSION),
      );
    case "proxy":
      return logged(command.log, async notify =>
        (await import("./cli/proxy")).serveOwnProxy(command.proxy, notify, VERSION),
      );
    case "registry":
      return (await import("./cli/registry")).runRegistry(command.request, command.url, VERSION);
    case "doctor":
      return logged(command.log, async notify =>
        (await import("./cli/doctor")).runDoctor(command.patient, command.registry, notify, VERSION),
      );
    case "conform":
      return logged(command.log, async notify => (await import("./cli/conform")).runConform(command.request, notify));
    case "conform-agent":
      return (await import("./cli/conform-agent")).serveConformAgent(command.agent);
    case "setup":
      return (await import("./cli/setup")).runSetup(command.request);
    case "mcp":
      return command.attach ? (await import("./cli/mcp-attach")).runAttached() : (await import("./cli/mcp")).runShim();
    case "help":
      return printed(process.stdout, (await import("./cli/usage")).usage(command.of), 0);
    case "version":
      return printed(process.stdout, `${VERSION}\n`, 0);
    case "wrong":
      return printed(process.stderr, `${command.message}\n`, 2);
  }
}

async function logged(options: LogOptions, work: (notify: Notify) => Promise<number>): Promise<number> {
  try {
    using log = openLog(options, process.stderr);
    const code = await work(log.notify);
    await flushed(realClock, process.stderr);
    return code;
  } catch (error) {
    if (error instanceof CannotWrite) return printed(process.stderr, `${error.message}\n`, 2);
    throw error;
  }
}

/** Waits for the write: a pipe is asynchronous, and `process.exit` would truncate it. */
function printed(stream: NodeJS.WriteStream, text: string, code: number): Promise<number> {
  return new Promise(resolve => {
    stream.write(text, () => resolve(code));
  });
}

main().then(
  code => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${redactError(error)}\n`);
    process.exit(1);
  },
);
