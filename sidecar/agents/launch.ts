/**
 * From an agent's configuration to a connection with it, through the extensions of its session: Eliza in this process,
 * all others as a child. Which command a distribution means is decided before: by an installation, or in
 * `distributions/agent-command.ts`.
 */
import type { AgentConfig } from "../../src/protocol/agents";
import type { ExtensionConfig } from "../../src/protocol/extensions";
import type { LogLevel } from "../../src/protocol/log";
import type { ConfigurationState } from "../../src/protocol/own-configuration";
import type { ProxyComponent, Trace } from "../conductor/component";
import { conduct } from "../conductor/conductor";
import type { KnownDialects } from "../conductor/proxy-dialect";
import type { EvidenceStore } from "../mcp/delivery/delivery-evidence";
import type { ServerStarter } from "../proxies/added-server";
import type { Channel } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import { readable } from "../rpc/json";
import { memoryChannels } from "../rpc/memory";
import type { StatusEvent } from "./agent-status-tracker";
import { AgentConnection } from "../acp/connection";
import { commandOf, type AgentCommand } from "./distributions/agent-command";
import { findExtensions, type ExtensionChain } from "./extensions/extension-chain";
import { bothTraces, witnessedExtensions } from "./extensions/extension-details";
import { openAttachPoint } from "./own-configuration/attach-point";
import type { AgentKey } from "./pool";
import type { AgentProcess, ProcessSpec } from "../process/stdio-process";

export interface LaunchDeps {
  /** The version that we tell agents. */
  readonly version: string;
  readonly clock: Clock;
  readonly startProcess: (spec: ProcessSpec) => AgentProcess;
  /**
   * Installs the agent where that is needed; what a person would type, unless given. Rejects with a sentence for the
   * user.
   */
  readonly command?: (agent: AgentConfig, signal: AbortSignal) => Promise<AgentCommand>;
  /** Likewise for an extension. */
  readonly extensionCommand?: (extension: ExtensionConfig, signal: AbortSignal) => Promise<AgentCommand>;
  /** One that is part of this program, under this name; undefined: it is not. `odd`: for the log. */
  readonly builtIn?: (
    extension: ExtensionConfig,
    name: string,
    odd: (what: string, detail: unknown) => void,
  ) => Promise<ProxyComponent | undefined>;
  /** Where a program of the user's is; unless given it is taken as it is called. */
  readonly find?: (program: string) => Promise<string | undefined>;
  /** What the editor knows of the code, for agents and extensions; as `ConnectionOptions.ide`. */
  readonly ide?: (params: unknown, signal: AbortSignal) => Promise<unknown>;
  /** How it went with an extension. */
  readonly saw?: (extensionId: string, sight: StatusEvent) => void;
  /** How the programs of extensions are initialised, as earlier chains found out. */
  readonly dialects?: KnownDialects;
  /** How earlier sessions of agents took their tools; that of this process unless given. */
  readonly evidence?: EvidenceStore;
  /** Symposium's entry in the agent's own configuration; undefined: none can be added. */
  readonly configuration?: (agent: AgentConfig) => Promise<ConfigurationState | undefined>;
  readonly trace?: Trace | undefined;
  /** What stands between the extensions and the agent, from the client on; nothing unless given. `odd`: for the log. */
  readonly proxies?: (key: AgentKey, odd: (what: string, detail: unknown) => void) => readonly ProxyComponent[];
  readonly log: (level: LogLevel, message: string, detail: Readonly<Record<string, unknown>>) => void;
}

/**
 * Every agent runs behind a conductor, also with no proxy in its chain. An extension that cannot be there is left out,
 * and named by the connection. Rejects with an `AgentError`; nothing is left running then.
 */
export async function launch(key: AgentKey, signal: AbortSignal, deps: LaunchDeps): Promise<AgentConnection> {
  const { agent, cwd, protocol, role } = key;
  const odd = seldom((what, times, detail) =>
    deps.log("warn", what, { agent: agent.id, times, detail: readable(detail, ODD_LIMIT) }),
  );
  const [command, extensions] = await found(key, signal, deps, odd),
    configuration = (await deps.configuration?.(agent))?.entry.kind;
  const attach =
    configuration === "added" || configuration === "outdated"
      ? await openAttachPoint({ clock: deps.clock, version: deps.version, odd })
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
  const witnessed = witnessedExtensions(extensions, {
      agent: agent.name,
      others: role === "lm" ? "VS Code" : undefined,
      now: () => deps.clock.now(),
      configuration,
    }),
    trace = bothTraces(deps.trace, witnessed.trace);
  const conductor = conduct(upstream, {
    proxies: [...extensions.components, ...(deps.proxies?.(key, odd) ?? [])],
    clock: deps.clock,
    odd,
    ...(trace === undefined ? {} : { trace }),
    bridge: {
      deliveries: witnessed.deliveries,
      ...(deps.evidence === undefined ? {} : { evidence: deps.evidence }),
      ...(attach ? { attached: attach.server } : {}),
    },
    last: {
      kind: "agent",
      name: agent.name,
      start: async () => {
        const started = await startCommand(agent.name, command, cwd, deps, attach?.env);
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
      extensions.heard(notice);
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
      ...(role === undefined ? {} : { role }),
      ...(deps.ide === undefined ? {} : { ide: deps.ide }),
      clock: deps.clock,
      stop,
      odd,
      lastWords: () => lastWords(),
      failure: () => extensions.explained(conductor.failure),
      missing: () => extensions.missing,
      extensions: witnessed.extensions,
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

/** The agent's command and its extensions, looked for at once. Without the agent nobody waits for them. */
async function found(
  { agent, cwd, extensions = [] }: AgentKey,
  signal: AbortSignal,
  deps: LaunchDeps,
  odd: (what: string, detail: unknown) => void,
): Promise<readonly [AgentCommand, ExtensionChain]> {
  const given = new AbortController();
  const chain = findExtensions(extensions, [agent.name], AbortSignal.any([signal, given.signal]), {
    command: async (extension, until) => deps.extensionCommand?.(extension, until) ?? commandOf(extension),
    builtIn: async (extension, name) => deps.builtIn?.(extension, name, odd),
    start: (name, command) => startCommand(name, command, cwd, deps),
    saw: (id, sight) => deps.saw?.(id, sight),
    find: async program => (deps.find ? deps.find(program) : program),
    odd,
    starter: serverStarter(cwd, deps),
    memory: command =>
      command.kind === "process" ? deps.dialects?.of(JSON.stringify([command.command, ...command.args])) : undefined,
  });
  chain.catch(() => undefined); // it says why it was given up, which is told by the agent
  try {
    const command = await (deps.command?.(agent, signal) ?? commandOf(agent));
    signal.throwIfAborted();
    return [command, await chain];
  } catch (error) {
    given.abort(error);
    throw error;
  }
}

/** Characters of what an agent said that was odd. */
const ODD_LIMIT = 2000;

/**
 * The first few of each kind, then each thousandth: an agent that does the same again and again does not fill the log.
 */
function seldom(tell: (what: string, times: number, detail: unknown) => void): (what: string, detail: unknown) => void {
  const counts = new Map<string, number>();
  return (what, detail) => {
    const times = (counts.get(what) ?? 0) + 1;
    counts.set(what, times);
    if (times <= 10 || times % 1000 === 0) tell(what, times, detail);
  };
}

export interface Started {
  readonly channel: Channel;
  readonly stop: () => Promise<void>;
  readonly lastWords: () => string;
}

/**
 * `name`: for sentences. `more`: of its environment. A process that cannot be started is a channel that closes with the
 * reason.
 */
export async function startCommand(
  name: string,
  command: AgentCommand,
  cwd: string,
  { version, startProcess }: Pick<LaunchDeps, "version" | "startProcess">,
  more: Readonly<Record<string, string>> = {},
): Promise<Started> {
  if (command.kind === "eliza") return startEliza(command.deterministic, version);
  const { args, env } = command;
  const child = startProcess({ name, command: command.command, args, env: { ...env, ...more }, cwd });
  return { channel: child.channel, stop: async () => child[Symbol.asyncDispose](), lastWords: () => child.stderr() };
}

/** Starts the programs of MCP servers in the folder of their session, or else in this one. */
export function serverStarter(
  folder: string,
  deps: Pick<LaunchDeps, "version" | "startProcess" | "clock">,
): ServerStarter {
  return {
    clock: deps.clock,
    start: (title, server, cwd = folder) =>
      startCommand(`The MCP server “${title}”`, { kind: "process", ...server }, cwd, deps),
  };
}

async function startEliza(deterministic: boolean, version: string): Promise<Started> {
  const { serveEliza } = await import("../eliza/agent"); // its rules are read on first use
  const [channel, theirs] = memoryChannels();
  const eliza = serveEliza(theirs, { deterministic, version });
  return { channel, stop: async () => eliza[Symbol.asyncDispose](), lastWords: () => "" };
}
