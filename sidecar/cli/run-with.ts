/**
 * `symposium-acp-agent run-with`: runs a chain of proxies and an agent as one ACP agent on stdin and stdout. Without an
 * agent the chain is one proxy.
 *
 * Invariants:
 * - No component is started before the client's first message.
 * - All started processes have ended before the promise resolves.
 * - After a kill -9 of this process, the next start ends the remaining processes, which the ledger in
 *   `~/.symposium/cache` lists.
 */
import path from "node:path";
import type { ProcessDeps } from "../process/child";
import type { AgentCommand } from "../agents/distributions/agent-command";
import { findProgram, isProgramFile } from "../process/find-program";
import { serverStarter, startCommand } from "../agents/launch";
import { addressComponent, serverComponent } from "../agents/extensions/mcp-extension";
import { startProcess, type ProcessSpec } from "../process/stdio-process";
import { ChainObserver } from "../agents/extensions/chain-observer";
import { bothTraces } from "../agents/extensions/extension-details";
import { missingOf, missingToolsSentence } from "../agents/extensions/missing-tools";
import type { Notice, ProxyComponent, Start, LastComponent } from "../conductor/component";
import { conduct } from "../conductor/conductor";
import { AgentError } from "../errors";
import { builtInComponent } from "../extensions/built-in";
import type { ExtensionDeps } from "../extensions/extension";
import { DeliveryTracker } from "../mcp/delivery/delivery-tracker";
import { toolLines, type SessionTools } from "../mcp/delivery/session-tools";
import type { ServerStarter } from "../proxies/added-server";
import type { Channel, Closed } from "../rpc/channel";
import { realClock } from "../rpc/clock";
import { Scope } from "../rpc/scope";
import type { RunWith } from "./command";
import type { ComponentSpec, ProxySpec, ServerProxy } from "./component-argument";
import type { Notify } from "./runtime/log";
import { ownDeps } from "./runtime/extension-deps";
import { openOwnLedger, ownProcesses } from "./runtime/command-ledger";
import { openEvidence } from "./runtime/tool-evidence";
import { openTrace } from "./runtime/trace-file";
import { clientOnStdio, firstSignal, flushed } from "./runtime/stdio";

/** Resolves with the exit code. Throws `CannotWrite` before any other work. `client`: stdin and stdout if undefined. */
export async function runWith(chain: RunWith, notify: Notify, version: string, client?: Channel): Promise<number> {
  const code = await conducted(chain, notify, version, client);
  await flushed(realClock);
  return code;
}

async function conducted(
  { proxies, agent, traceFolder }: RunWith,
  notify: Notify,
  version: string,
  client: Channel | undefined,
): Promise<number> {
  await using scope = new Scope("symposium-acp-agent", error => notify("error", "A resource was not released", error));
  const trace = traceFolder === undefined ? undefined : scope.add(openTrace(traceFolder, notify));
  const processes = ownProcesses(openOwnLedger(scope, notify), notify),
    begin = commandStarter(processes, notify, version);
  const extensions = scope.add(
      ownDeps({ version, processes, log: (level, message, detail) => notify(level, message, detail) }),
    ),
    onWarning = (what: string, detail: unknown): void => notify("warn", what, detail);
  const starter = serverStarter(process.cwd(), {
    version,
    clock: realClock,
    startProcess: spec => startProcess(spec, processes),
  });
  const notifications: string[] = [],
    evidence = scope.add(openEvidence(notify));
  const components = (
    await Promise.all(proxies.map(spec => proxyOf(spec, begin, extensions, { onWarning, notify, starter })))
  ).filter(proxy => proxy !== undefined);
  const observer = ChainObserver.over(components, () => realClock.now()),
    deliveries = new DeliveryTracker(
      sessionId => reportTools(agent?.name ?? "The agent", deliveries.tools(sessionId), notify),
      (sessionId, server) => components[observer.adderOf(sessionId, server)]?.name,
    );
  // a chain without an agent has no tools
  const observed = agent === undefined || components.length === 0 ? trace : bothTraces(trace, observer);
  const conductor = scope.add(
    conduct(client ?? clientOnStdio(notify), {
      proxies: components,
      last: lastOf(agent, begin),
      clock: realClock,
      notice: ({ kind, message, cause }: Notice) => {
        notifications.push(message);
        notify(kind === "failed" ? "error" : "warn", message, reason(cause));
      },
      onWarning,
      bridge: { deliveries, evidence },
      ...(observed === undefined ? {} : { trace: observed }),
    }),
  );
  notify("info", "Ready", {
    pid: process.pid,
    version,
    node: process.version,
    proxies: proxies.map(({ name }) => name),
    agent: agent?.name,
  });
  const ended = await Promise.race([conductor.closed, firstSignal()]);
  if (typeof ended === "number") {
    notify("info", "Ended by a signal");
    return ended;
  }
  if (ended.component === undefined) {
    notify("info", `The client disconnected: ${ended.message}`, reason(ended.cause));
    return 0;
  }
  if (!notifications.includes(ended.message)) notify("error", ended.message, reason(ended.cause));
  return 1;
}

/**
 * Logs all counts at the end of a session's first completed turn. Warns if the agent did not list the tools of an
 * extension.
 */
function reportTools(agent: string, tools: SessionTools | undefined, notify: Notify): void {
  if (!tools) return;
  notify("info", "Tools of the session", { tools: toolLines(tools) });
  const sentence = missingToolsSentence({ agent, ...missingOf(tools), place: "client" });
  if (sentence !== undefined) notify("warn", sentence);
}

interface Listeners {
  readonly onWarning: (what: string, detail: unknown) => void;
  readonly notify: Notify;
  readonly starter: ServerStarter;
}

/** Returns undefined, after a warning in the log, if the proxy is skipped. */
async function proxyOf(
  { name, command }: ProxySpec,
  begin: Begin,
  extensions: ExtensionDeps,
  listeners: Listeners,
): Promise<ProxyComponent | undefined> {
  if (command.kind === "mcp") return serverOf(name, command, listeners);
  if (command.kind !== "own") return { kind: "external", name, start: begin(name, command) };
  const component = await builtInComponent(command.id, name, command.settings, extensions, listeners.onWarning);
  if (!component) throw new Error(`no extension ${command.id}`);
  return component;
}

/** Checks only that the program exists. Each session starts the server. */
async function serverOf(
  name: string,
  { id, server }: ServerProxy["command"],
  { onWarning, notify, starter }: Listeners,
): Promise<ProxyComponent | undefined> {
  try {
    return await ("url" in server
      ? addressComponent({ id, name }, name, server, { onWarning })
      : serverComponent({ id, name }, name, server, { onWarning, starter, find: async program => findFile(program) }));
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    notify("warn", `The MCP server ${error.what} It is skipped.`);
    return undefined;
  }
}

/** Finds a program as for proxies: relative to the working directory, or on this process's PATH. */
function findFile(program: string): string | undefined {
  const isPath = program.includes("/") || program.includes(path.sep);
  return findProgram(isPath ? path.resolve(program) : program, {
    platform: process.platform,
    env: process.env,
    isProgram: isProgramFile,
  });
}

function lastOf(agent: ComponentSpec | undefined, begin: Begin): LastComponent {
  return agent === undefined
    ? { kind: "successor" }
    : { kind: "agent", name: agent.name, start: begin(agent.name, agent.command) };
}

/** Text from stderr is logged as text. */
function reason(cause: unknown): unknown {
  return cause instanceof Error ? String(cause) : cause;
}

type Begin = (name: string, command: AgentCommand) => Start;

function commandStarter(processes: ProcessDeps, notify: Notify, version: string): Begin {
  const deps = { version, startProcess: (spec: ProcessSpec) => startProcess(spec, processes) };
  return (name, command) => async () => {
    // Arguments and environment are not logged, because they often contain keys.
    notify("info", `Starting ${name}`, command.kind === "process" ? { command: command.command } : {});
    const { channel, stop, lastWords } = await startCommand(name, command, process.cwd(), deps);
    return { channel: withoutAdvice(channel), stop, lastWords };
  };
}

/** Removes advice about VS Code from the reason. */
function withoutAdvice(channel: Channel): Channel {
  const plain = (reason: Closed): Closed =>
    reason instanceof AgentError ? { message: reason.what, cause: reason.cause } : reason;
  return {
    start: receiver =>
      channel.start({ receive: frame => receiver.receive(frame), closed: reason => receiver.closed(plain(reason)) }),
    send: frame => channel.send(frame),
    drained: () => channel.drained(),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}
