/**
 * Sidecar mode for the extension host. `hello` is the first request and carries the configuration; any other request
 * before it is rejected. When the host disconnects, all resources are released in reverse order of opening.
 */
import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import path from "node:path";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import { ErrorCode } from "../../../src/protocol/wire/errors";
import type { LmSettings } from "../../../src/protocol/lm/lm";
import type { ConfigurationState } from "../../../src/protocol/agents/own-configuration";
import { isLogged, type LogCategory, type LogLevel } from "../../../src/protocol/wire/log";
import { PROTOCOL, type HelloFromHost, type HelloFromSidecar, type HostToSidecar } from "../../../src/protocol/sidecar";
import { withSecrets } from "../../agents/distributions/command-secrets";
import { AgentStatusTracker, trackedConnect } from "../../agents/agent-status-tracker";
import { ConfiguredExtensions } from "../../agents/extensions/configured-extensions";
import { commandOf, type AgentCommand } from "../../agents/distributions/agent-command";
import { RUN_ID } from "../../process/child-environment";
import { launch } from "../../agents/launch";
import { openLedger, reapLeftOvers } from "../../process/process-ledger";
import { AgentPool } from "../../agents/pool";
import { startChild, type ProcessDeps } from "../../process/child";
import { startProcess } from "../../process/stdio-process";
import type { Environment } from "../../process/login-shell-environment";
import { ChatService } from "../../chat/chat-service";
import { editorOperations } from "../../chat/agent/editor-operations";
import type { ProxyComponent } from "../../conductor/component";
import { KnownDialects } from "../../conductor/proxy-dialect";
import type { TraceWriter } from "../../conductor/trace-writer";
import type { LmService } from "../../lm/lm-service";
import { BypassPolicy } from "../../permissions/policy";
import { realClock } from "../../rpc/clock";
import { dispatcher, HostWire } from "../../rpc/host-wire";
import { RpcError } from "../../rpc/message";
import { Scope } from "../../rpc/scope";
import { extensionDeps } from "../runtime/extension-deps";
import type { ServedAgents } from "./serve-agents";
import type { LmPart } from "./serve-lm";
import { openEvidence } from "../runtime/tool-evidence";
import { openTrace } from "../runtime/trace-file";

/** Resolves when the host has disconnected and all resources are released. */
export async function serve(version: string): Promise<void> {
  const wire = new HostWire(process.stdin, process.stdout);
  let threshold: LogLevel = "info";
  const log = (
    level: LogLevel,
    category: LogCategory,
    message: string,
    data?: Readonly<Record<string, unknown>>,
  ): void => {
    // A host that does not keep up receives the conversations but not the log.
    if (isLogged(level, threshold) && !wire.isCongested())
      wire.notify("log", { timestamp: Date.now(), level, category, message, ...(data === undefined ? {} : { data }) });
  };
  await using scope = new Scope("sidecar", error =>
    log("error", "sidecar", "A resource was not released", { error: String(error) }),
  );
  let served: Served | undefined;
  const ready = (): Served => {
    if (!served) throw new RpcError(ErrorCode.versionMismatch, "The first message must be hello.");
    return served;
  };
  wire.serve(
    dispatcher<HostToSidecar, "chat" | "registry" | "agents" | "lm">(
      {
        hello: async hello => {
          if (hello.protocol !== PROTOCOL || hello.build !== version)
            throw new RpcError(
              ErrorCode.versionMismatch,
              `Symposium's sidecar is version ${version} (protocol ${PROTOCOL}) and the extension ${hello.build} (protocol ${hello.protocol}). Reload the window. If the error persists, reinstall Symposium.`,
            );
          threshold = hello.logLevel;
          served ??= open(hello, version, wire, scope, log);
          return served.hello;
        },
        "settings/languageModel": settings => served?.lm.settings(settings),
        "settings/extensions": ({ extensions }) => served?.extensions.set(extensions),
        "settings/bypass": ({ agentIds }) => served?.policy.replace(agentIds),
        "settings/logLevel": ({ level }) => {
          threshold = level;
        },
      },
      {
        chat: () => ready().chat.handlers,
        registry: async () => (await ready().agents.part()).handlers,
        agents: async () => (await ready().agents.part()).handlers,
        lm: async () => (await ready().lm.service()).handlers,
      },
    ),
  );
  process.once("SIGTERM", () => process.stdin.destroy()); // same as a disconnect of the host
  await wire.closed;
}

interface Served {
  readonly hello: HelloFromSidecar;
  readonly chat: ChatService;
  readonly agents: LazyAgents;
  readonly lm: LazyLm;
  readonly policy: BypassPolicy;
  readonly extensions: ConfiguredExtensions;
}

function open(
  hello: HelloFromHost,
  version: string,
  wire: HostWire,
  scope: Scope,
  log: (level: LogLevel, category: LogCategory, message: string, data?: Readonly<Record<string, unknown>>) => void,
): Served {
  const bootId = randomUUID();
  const ledger = openLedger(hello.storage, bootId, {
    warn: (message, detail) => {
      log("warn", "sidecar", message, detail);
      wire.notify("editor/showWarning", { message });
    },
  });
  // Marks processes that Eliza starts in this process (MCP servers), so that they are found if this process is killed.
  process.env[RUN_ID] = ledger.run;
  scope.defer(() => ledger.close());
  reapLeftOvers(hello.storage).catch((error: unknown) =>
    log("warn", "sidecar", "Processes of an earlier sidecar could not be stopped", { error: String(error) }),
  );
  const trace = traceIn(hello.traceDir, scope, (level, message, data) => log(level, "sidecar", message, data));
  const processes: ProcessDeps = {
    clock: realClock,
    ledger,
    report: {
      started: record => wire.notify("process/started", record),
      ended: pid => wire.notify("process/ended", { pid }),
    },
    log: (message, detail) => log("debug", "agent", message, detail),
  };
  const extensions = new ConfiguredExtensions(hello.extensions),
    statusTracker = new AgentStatusTracker(
      (of, id) => wire.notify("agents/changed", { of, id }),
      () => Date.now(),
    );
  const agents: LazyAgents = new LazyAgents(async () =>
    scope.add(
      (await import("./serve-agents")).serveAgents({
        version,
        processes,
        proxy: hello.proxy,
        httpArchives: hello.httpArchives ?? false,
        pool,
        statusTracker,
        command,
        log: (level, message, data) => log(level, "agent", message, data),
        keys: {
          kept: async agentId => (await wire.request("secrets/environment", { agentId })).env,
          forget: async agentId => {
            await wire.request("secrets/keepEnvironment", { agentId, env: {} });
          },
        },
        installing: (of, id, progress) => {
          wire.notify("agents/installing", { of, id, ...(progress === undefined ? {} : { progress }) });
          if (progress === undefined) statusTracker.changed(of, id);
          chat.installing(of, id, progress !== undefined);
        },
      }),
    ),
  );
  const command = withSecrets(
    (agent, signal) => agents.command(agent, signal),
    agentId => wire.request("secrets/environment", { agentId }),
  );
  const ownExtensions = scope.add(
    extensionDeps({
      version,
      processes,
      environment: async () => (await (await agents.part()).shell()).env,
      find: async program => (await agents.part()).find(program),
      log: (level, message, detail) => log(level, "agent", message, detail),
    }),
  );
  const dialects = new KnownDialects();
  const evidence = scope.add(openEvidence((level, message, detail) => log(level, "agent", message, detail)));
  const pool: AgentPool = scope.add(
    new AgentPool(
      trackedConnect(
        (key, signal) =>
          launch(key, signal, {
            version,
            clock: realClock,
            trace,
            dialects,
            evidence,
            command,
            configuration: agent => agents.configuration(agent),
            startProcess: spec => startProcess(spec, { ...processes, environment: () => agents.environment() }),
            extensionCommand: async (extension, signal) => (await agents.part()).extensionCommand(extension, signal),
            onStatus: (id, status) => statusTracker.onStatus("extension", id, status),
            find: async program => (await agents.part()).find(program),
            builtIn: async ({ id, settings = {} }, name, onWarning) =>
              (await import("../../extensions/built-in")).builtInComponent(
                id,
                name,
                settings,
                ownExtensions,
                onWarning,
              ),
            ide: editorOperations((method, params, signal) => wire.request(method, params, signal)),
            proxies: (key, onWarning) => (key.role === "lm" ? lm.proxies(onWarning) : []),
            log: (level, message, detail) => log(level, "agent", message, detail),
          }),
        statusTracker,
      ),
      error => log("error", "agent", "An agent could not be stopped", { error: String(error) }),
    ),
  );
  const policy = new BypassPolicy(hello.bypass);
  const chat = scope.add(
    new ChatService({
      bootId,
      clock: realClock,
      pool,
      policy,
      host: wire,
      startCommand: spec => startChild(spec, processes),
      command,
      extensions: () => extensions.current(),
      log,
    }),
  );
  const lm = new LazyLm(async () => {
    const part = (await import("./serve-lm")).openLm(
      version,
      wire,
      pool,
      policy,
      () => extensions.current(),
      (level, message, data) => log(level, "lm", message, data),
    );
    scope.add(part.service);
    return part;
  });
  log("info", "sidecar", "Sidecar ready", { pid: process.pid, bootId, node: process.version });
  return {
    hello: { protocol: PROTOCOL, build: version, pid: process.pid, bootId },
    chat,
    agents,
    lm,
    policy,
    extensions,
  };
}

/** Loads the agents part on first use. Eliza needs neither a shell nor an installation. */
class LazyAgents {
  #loading: Promise<ServedAgents> | undefined;
  #part: ServedAgents | undefined;

  constructor(private readonly load: () => Promise<ServedAgents>) {}

  async command(agent: AgentConfig, signal: AbortSignal): Promise<AgentCommand> {
    const { symposium, ...others } = agent.distribution;
    if (symposium && Object.keys(others).length === 0) return commandOf(agent);
    return (await this.part()).command(agent, signal);
  }

  /** Undefined if no configuration is known. */
  async configuration(agent: AgentConfig): Promise<ConfigurationState | undefined> {
    return agent.distribution.symposium ? undefined : (await (await this.part()).configuration(agent))?.state();
  }

  async part(): Promise<ServedAgents> {
    return (this.#part = await (this.#loading ??= this.load()));
  }

  environment(): Environment {
    return this.#part?.environment() ?? process.env;
  }
}

/** Loads the language model part on first use. Earlier settings are kept until then. */
class LazyLm {
  #loading: Promise<LmPart> | undefined;
  #part: LmPart | undefined;
  #settings: LmSettings | undefined;

  constructor(private readonly load: () => Promise<LmPart>) {}

  async service(): Promise<LmService> {
    this.#loading ??= this.load().then(part => {
      this.#part = part;
      if (this.#settings) part.service.handlers["settings/languageModel"](this.#settings);
      return part;
    });
    return (await this.#loading).service;
  }

  settings(settings: LmSettings): void {
    this.#settings = settings;
    this.#part?.service.handlers["settings/languageModel"](settings);
  }

  proxies(onWarning: (what: string, detail: unknown) => void): readonly ProxyComponent[] {
    return this.#part?.proxies(onWarning) ?? [];
  }
}

/** Undefined if no trace is configured or the folder is not writable. */
function traceIn(
  folder: string,
  scope: Scope,
  log: (level: LogLevel, message: string, data?: Readonly<Record<string, unknown>>) => void,
): TraceWriter | undefined {
  if (folder === "") return undefined;
  try {
    return scope.add(
      openTrace(path.resolve(homedir(), folder), (level, message, detail) => log(level, message, { detail })),
    );
  } catch (error) {
    log("error", "The folder of symposium.traceDir cannot be written to", { error: String(error) });
    return undefined;
  }
}
