/**
 * The conductor as the command line runs it: `conductor.program internal|external COUNT`, with transparent proxies and
 * the agent.
 */
import { startProcess, type ProcessSpec, type ProcessDeps } from "../../sidecar/process/stdio-process";
import type { ProxyComponent, Running } from "../../sidecar/conductor/component";
import { conduct } from "../../sidecar/conductor/conductor";
import { serveProxy } from "../../sidecar/proxies/serve-proxy";
import { realClock } from "../../sidecar/rpc/clock";
import { ndjsonChannel } from "../../sidecar/rpc/ndjson-channel";
import { programPath, type Program } from "./child";
import { answerMeter } from "./meter";

const onWarning = (what: string, detail: unknown): void => {
  process.stderr.write(`${what}: ${String(detail)}\n`);
};

/** Every child process ends with its stdin. */
const fixture: ProcessDeps = {
  clock: realClock,
  ledger: {
    nextRunId: () => "bench",
    started: (pid, runId, command) => ({ pid, group: pid, started: "", runId, command }),
    ended: () => undefined,
    kill: ({ pid }) => {
      process.kill(pid, "SIGKILL");
    },
    end: () => Promise.resolve(true),
  },
  report: { started: () => undefined, ended: () => undefined },
  log: () => undefined,
};

function start(program: Program): Running {
  const spec: ProcessSpec = {
    name: program,
    command: process.execPath,
    args: [programPath(program)],
    env: {},
    cwd: process.cwd(),
  };
  const child = startProcess(spec, fixture);
  return { channel: child.channel, stop: async () => child[Symbol.asyncDispose](), lastWords: () => child.stderr() };
}

const proxy = (kind: string, name: string): ProxyComponent =>
  kind === "external"
    ? { kind: "external", name, start: () => start("proxy") }
    : {
        kind: "internal",
        name,
        serve: (client, successor, ids) =>
          serveProxy({ name, create: () => ({}) }, client, successor, ids, { onWarning }),
      };

answerMeter();
const [kind = "internal", count = "0"] = process.argv.slice(2);
const conductor = conduct(ndjsonChannel(process.stdin, process.stdout), {
  proxies: Array.from({ length: Number(count) }, (_, i) => proxy(kind, `proxy ${i + 1}`)),
  last: { kind: "agent", name: "agent", start: () => start("agent") },
  clock: realClock,
  onWarning,
  notice: ({ message, cause }) => onWarning(message, cause),
});
await conductor.closed;
process.exit();
