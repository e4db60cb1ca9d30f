/**
 * Connects to an agent by its configuration, through the extensions of its session. An installation or
 * `distributions/agent-command.ts` resolves the command first.
 */
import type { AgentConfig } from "../../src/protocol/agents/agents";
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import type { LogLevel } from "../../src/protocol/wire/log";
import type { ConfigurationState } from "../../src/protocol/agents/own-configuration";
import type { ProxyComponent, Trace } from "../conductor/component";
import { conduct } from "../conductor/conductor";
import type { DialectCache } from "../conductor/proxy-dialect";
import type { EvidenceStore } from "../mcp/delivery/delivery-evidence";
import type { Clock } from "../rpc/clock";
import { readable } from "../rpc/json";
import { memoryChannels } from "../rpc/memory-channel";
import type { StatusEvent } from "./agent-status-tracker";
import { AgentConnection } from "../acp/connection";
import { commandOf, type AgentCommand } from "./distributions/agent-command";
import { findExtensions, type ExtensionChain } from "./extensions/extension-chain";
import { bothTraces, observedExtensions } from "./extensions/extension-details";
import { openAttachPoint } from "./own-configuration/attach-point";
import { serverStarter, startComponent } from "./start-component";
import type { AgentKey } from "./pool";
import type { AgentProcess, ProcessSpec } from "../process/stdio-process";

export interface LaunchDeps {
  /** The client version sent to agents. */
  readonly version: string;
  readonly clock: Clock;
  readonly startProcess: (spec: ProcessSpec) => AgentProcess;
  /**
   * Resolves the agent's command and installs the agent if needed. Default: the command as the user would type it.
   * Rejects with a sentence for the user.
   */
  readonly command?: (agent: AgentConfig, signal: AbortSignal) => Promise<AgentCommand>;
  /** Like `command`, for an extension. */
  readonly extensionCommand?: (extension: ExtensionConfig, signal: AbortSignal) => Promise<AgentCommand>;
  /** Creates the built-in extension of this name. Undefined: there is no such extension. `onWarning`: for the log. */
  readonly builtIn?: (
    extension: ExtensionConfig,
    name: string,
    onWarning: (message: string, detail: unknown) => void,
  ) => Promise<ProxyComponent | undefined>;
  /** Resolves a program of the user. Default: the name is used unchanged. */
  readonly find?: (program: string) => Promise<string | undefined>;
  /** Handles requests from agents and extensions for the editor's code information. See `ConnectionOptions.ide`. */
  readonly ide?: (params: unknown, signal: AbortSignal) => Promise<unknown>;
  /** Receives status events of extensions. */
  readonly onStatus?: (extensionId: string, status: StatusEvent) => void;
  /** Cached `initialize` dialects of extension programs, from earlier chains. */
  readonly dialects?: DialectCache;
  /** How agents used their tools in earlier sessions. Default: only sessions of the same process. */
  readonly evidence?: EvidenceStore;
  /** State of Symposium's entry in the agent's own configuration. Undefined: the configuration file is unknown. */
  readonly configuration?: (agent: AgentConfig) => Promise<ConfigurationState | undefined>;
  /** Reports a session that is no chat: one of VS Code's own chat, or one of an extension. */
  readonly hideSession?: (agentId: string, sessionId: string) => void;
  readonly trace?: Trace | undefined;
  /**
   * Proxies between the extensions and the agent, in order from the client. Default: none. `onWarning`: for the log.
   */
  readonly proxies?: (
    key: AgentKey,
    onWarning: (message: string, detail: unknown) => void,
  ) => readonly ProxyComponent[];
  readonly log: (level: LogLevel, message: string, detail: Readonly<Record<string, unknown>>) => void;
}

/**
 * Starts an agent behind a conductor, even if its chain has no proxy. An extension that cannot be used is skipped and
 * listed in the connection's `missing`. Rejects with an `AgentError` and leaves no process running.
 */
export async function launch(key: AgentKey, signal: AbortSignal, deps: LaunchDeps): Promise<AgentConnection> {
  const { agent, cwd, protocol, role } = key;
  const onWarning = rateLimited((message, times, detail) =>
    deps.log("warn", message, { agent: agent.id, times, detail: readable(detail, MAX_LOGGED_CHARACTERS) }),
  );
  const [command, extensions] = await resolveCommands(key, signal, deps, onWarning),
    configuration = (await deps.configuration?.(agent))?.entry.kind;
  const attach =
    configuration === "added" || configuration === "outdated"
      ? await openAttachPoint({ clock: deps.clock, version: deps.version, onWarning })
      : undefined;
  deps.log("info", "Starting agent", {
    agent: agent.id,
    kind: command.kind,
    cwd,
    ...(extensions.components.length === 0 ? {} : { extensions: extensions.components.map(({ name }) => name) }),
  });
  for (const { sentence } of extensions.missing) deps.log("warn", sentence, { agent: agent.id });
  const [channel, upstream] = memoryChannels();
  let lastWords = (): string => "";
  const hide = (sessionId: string): void => deps.hideSession?.(agent.id, sessionId);
  const observed = observedExtensions(extensions, {
      agent: agent.name,
      ...(role === "lm" ? { others: "VS Code", place: "chat" } : { others: undefined, place: "tab" }),
      now: () => deps.clock.now(),
      configuration,
      ownSession: hide,
    }),
    trace = bothTraces(deps.trace, observed.trace);
  const conductor = conduct(upstream, {
    proxies: [...extensions.components, ...(deps.proxies?.(key, onWarning) ?? [])],
    clock: deps.clock,
    onWarning,
    ...(trace === undefined ? {} : { trace }),
    bridge: {
      deliveries: observed.deliveries,
      ...(deps.evidence === undefined ? {} : { evidence: deps.evidence }),
      ...(attach ? { attached: attach.server } : {}),
    },
    last: {
      kind: "agent",
      name: agent.name,
      start: async () => {
        const started = await startComponent(agent.name, command, cwd, deps, attach?.env);
        lastWords = started.lastWords;
        return started;
      },
    },
    notice: notice => {
      const { kind, message, cause } = notice;
      deps.log(kind === "slow" ? "info" : "warn", message, {
        agent: agent.id,
        ...(cause === undefined ? {} : { cause: String(cause) }),
      });
      extensions.onEvent(notice);
    },
  });
  const stop = async (): Promise<void> => {
    await conductor[Symbol.asyncDispose]();
    await attach?.[Symbol.asyncDispose]();
  };
  void conductor.closed.then(() => attach?.[Symbol.asyncDispose]());
  const giveUp = (): void => {
    stop().catch((error: unknown) =>
      deps.log("error", "An agent could not be stopped", { agent: agent.id, error: String(error) }),
    );
  };
  signal.addEventListener("abort", giveUp);
  try {
    if (signal.aborted) giveUp();
    const connection = await AgentConnection.connect(channel, {
      name: agent.name,
      version: deps.version,
      protocol,
      ...(role === undefined ? {} : { role, onNewSession: hide }),
      ...(deps.ide === undefined ? {} : { ide: deps.ide }),
      clock: deps.clock,
      stop,
      onWarning,
      lastWords: () => lastWords(),
      failure: () => extensions.explained(conductor.failure),
      missing: () => extensions.missing,
      extensions: observed.extensions,
    });
    extensions.runs(conductor.closed, () => conductor.failure);
    deps.log("info", "Agent ready", { agent: agent.id });
    return connection;
  } catch (error) {
    if (!signal.aborted) extensions.fell(conductor.failure);
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/** Resolves the agent's command and its extensions in parallel. If the command fails, the extensions are aborted. */
async function resolveCommands(
  { agent, cwd, extensions = [] }: AgentKey,
  signal: AbortSignal,
  deps: LaunchDeps,
  onWarning: (message: string, detail: unknown) => void,
): Promise<readonly [AgentCommand, ExtensionChain]> {
  const chainAbort = new AbortController();
  const chain = findExtensions(extensions, [agent.name], AbortSignal.any([signal, chainAbort.signal]), {
    command: async (extension, abort) => deps.extensionCommand?.(extension, abort) ?? commandOf(extension),
    builtIn: async (extension, name) => deps.builtIn?.(extension, name, onWarning),
    start: (name, command) => startComponent(name, command, cwd, deps),
    onStatus: (id, status) => deps.onStatus?.(id, status),
    find: async program => (deps.find ? deps.find(program) : program),
    onWarning,
    starter: serverStarter(cwd, deps),
    memory: command =>
      command.kind === "process" ? deps.dialects?.of(JSON.stringify([command.command, ...command.args])) : undefined,
  });
  chain.catch(() => undefined); // the error of the command is reported instead
  try {
    const command = await (deps.command?.(agent, signal) ?? commandOf(agent));
    signal.throwIfAborted();
    return [command, await chain];
  } catch (error) {
    chainAbort.abort(error);
    throw error;
  }
}

/** Maximum number of logged characters of an unexpected message. */
const MAX_LOGGED_CHARACTERS = 2000;

/** Rate limit for the log: reports the first ten warnings of each kind, then each thousandth. */
function rateLimited(
  notify: (message: string, times: number, detail: unknown) => void,
): (message: string, detail: unknown) => void {
  const counts = new Map<string, number>();
  return (message, detail) => {
    const times = (counts.get(message) ?? 0) + 1;
    counts.set(message, times);
    if (times <= 10 || times % 1000 === 0) notify(message, times, detail);
  };
}
