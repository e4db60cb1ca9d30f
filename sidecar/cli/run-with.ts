/**
 * `symposium-acp-agent run-with`: runs a chain of proxies and an agent as one ACP agent on stdin and stdout. Without an
 * agent the chain is one proxy.
 *
 * Invariants:
 * - No component is resolved, installed or started before the client's first message.
 * - All started processes have ended before the promise resolves.
 * - After a kill -9 of this process, the next start ends the remaining processes, which the ledger in
 *   `~/.symposium/cache` lists.
 */
import path from "node:path";
import type { Installable } from "../../src/protocol/agents/agent-service";
import type { ProcessDeps } from "../process/child";
import type { AgentCommand } from "../agents/distributions/agent-command";
import { findProgram, isProgramFile } from "../process/find-program";
import type { Environment } from "../process/login-shell-environment";
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
import type { ComponentSpec, ProxySpec, ServerProxy, Unresolved } from "./component-argument";
import type { ComponentResolver } from "./runtime/component-resolver";
import type { Notify } from "./runtime/log";
import { ownDeps } from "./runtime/extension-deps";
import { openOwnLedger, ownProcesses } from "./runtime/command-ledger";
import { openEvidence } from "./runtime/tool-evidence";
import { openTrace } from "./runtime/trace-file";
import { clientOnStdio, firstSignal, flushed, progressOnStderr } from "./runtime/stdio";

/** Resolves with the exit code. Throws `CannotWrite` before any other work. */
export async function runWith(
  chain: RunWith,
  notify: Notify,
  version: string,
  options: RunOptions = {},
): Promise<number> {
  const code = await conducted(chain, notify, version, options);
  await flushed(realClock);
  return code;
}

export interface RunOptions {
  /** Default: stdin and stdout. */
  readonly client?: Channel;
  /** For tests: allows downloads of archives over HTTP from this computer. */
  readonly httpArchives?: boolean;
}

async function conducted(
  { proxies, agent, traceFolder, registry }: RunWith,
  notify: Notify,
  version: string,
  { client, ...options }: RunOptions,
): Promise<number> {
  await using scope = new Scope("symposium-acp-agent", error => notify("error", "A resource was not released", error));
  const trace = traceFolder === undefined ? undefined : scope.add(openTrace(traceFolder, notify));
  const processes = ownProcesses(openOwnLedger(scope, notify), notify);
  let loading: Promise<ComponentResolver> | undefined;
  const resolver = (): Promise<ComponentResolver> =>
    (loading ??= import("./runtime/component-resolver").then(({ ComponentResolver: Resolver }) =>
      scope.add(new Resolver({ ...options, version, processes, notify, registry, progress: progressOnStderr })),
    ));
  const begin = commandStarter(resolver, processes, notify, version);
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
    await Promise.all(proxies.map(spec => proxyOf(spec, begin, extensions, { onWarning, notify, starter, resolver })))
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
  readonly resolver: () => Promise<ComponentResolver>;
}

/** Returns undefined, after a warning in the log, if the proxy is skipped. */
async function proxyOf(
  { name, command }: ProxySpec,
  begin: Begin,
  extensions: ExtensionDeps,
  listeners: Listeners,
): Promise<ProxyComponent | undefined> {
  if (command.kind === "mcp") return serverOf(name, command, listeners);
  if (command.kind === "word") return namedProxy(name, command, begin, listeners);
  if (command.kind !== "own") return { kind: "external", name, start: begin("extension", name, command) };
  const component = await builtInComponent(command.id, name, command.settings, extensions, listeners.onWarning);
  if (!component) throw new Error(`no extension ${command.id}`);
  return component;
}

/** A plain word: its registry entry is a proxy or an MCP server. */
function namedProxy(
  name: string,
  command: Extract<Unresolved, { kind: "word" }>,
  begin: Begin,
  listeners: Listeners,
): ProxyComponent {
  return {
    kind: "deferred",
    name,
    of: "external",
    resolve: async signal => {
      const resolver = await listeners.resolver(),
        found = await resolver.serverNamed(command.word, signal);
      if (!found) return { kind: "external", name, start: begin("extension", name, command) };
      if ("url" in found) return addressComponent({ id: command.word, name }, name, found, listeners);
      return installedServer(command.word, name, { kind: "store", config: found }, listeners, signal);
    },
  };
}

/** An MCP server of the store. Each session starts it. */
async function installedServer(
  id: string,
  name: string,
  server: Extract<Unresolved, { kind: "store" }>,
  { onWarning, resolver, starter }: Listeners,
  signal: AbortSignal,
): Promise<ProxyComponent> {
  const { command } = await (await resolver()).resolve("extension", server, signal);
  return serverComponent({ id, name }, name, command, { onWarning, starter, find: async program => program });
}

/** Checks only that the program of a literal command exists. Each session starts the server. */
async function serverOf(
  name: string,
  { id, server }: ServerProxy["command"],
  listeners: Listeners,
): Promise<ProxyComponent | undefined> {
  const { onWarning, notify, starter } = listeners;
  try {
    if ("url" in server) return addressComponent({ id, name }, name, server, { onWarning });
    if (server.kind === "process")
      return await serverComponent({ id, name }, name, server, {
        onWarning,
        starter,
        find: async program => findFile(program),
      });
    return {
      kind: "deferred",
      name,
      of: "internal",
      resolve: signal => installedServer(id, name, server, listeners, signal),
    };
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
    : { kind: "agent", name: agent.name, start: begin("agent", agent.name, agent.command) };
}

/** Text from stderr is logged as text. */
function reason(cause: unknown): unknown {
  return cause instanceof Error ? String(cause) : cause;
}

type Begin = (kind: Installable, name: string, command: ComponentSpec["command"]) => Start;

function commandStarter(
  resolver: () => Promise<ComponentResolver>,
  processes: ProcessDeps,
  notify: Notify,
  version: string,
): Begin {
  return (kind, name, given) => async signal => {
    const { command, environment }: { readonly command: AgentCommand; readonly environment?: Environment } =
      given.kind === "store" || given.kind === "word"
        ? await (await resolver()).resolve(kind, given, signal)
        : { command: given };
    // Arguments and environment are not logged, because they often contain keys.
    notify("info", `Starting ${name}`, command.kind === "process" ? { command: command.command } : {});
    const deps = environment === undefined ? processes : { ...processes, environment: () => environment };
    const { channel, stop, lastWords } = await startCommand(name, command, process.cwd(), {
      version,
      startProcess: (spec: ProcessSpec) => startProcess(spec, deps),
    });
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
