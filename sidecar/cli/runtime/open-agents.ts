/** Finds and installs agents and extensions, for windows and for commands. */
import { homedir } from "node:os";
import path from "node:path";
import type { Installable, InstallProgress } from "../../../src/protocol/agents/agent-service";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import type { ExtensionConfig } from "../../../src/protocol/agents/extensions";
import { runShell, systemTools, type ProcessDeps } from "../../process/child";
import type { CommandOf } from "../../agents/distributions/stored-keys";
import type { AgentCommand } from "../../agents/distributions/agent-command";
import { platformOf, platformsFor } from "../../agents/distributions/platform";
import { findProgram, isProgramFile, remembering } from "../../process/find-program";
import { bunzipInWorker } from "../../agents/install/archives/bunzip";
import { realFiles } from "../../agents/install/store/files";
import { Installer } from "../../agents/install/installer";
import type { Tools } from "../../agents/install/install-options";
import { Store } from "../../agents/install/store/store";
import { ConfigurationFile } from "../../agents/own-configuration/configuration-file";
import { configurationOf } from "../../agents/own-configuration/known-configurations";
import { processTable } from "../../process/process-list";
import { proxiedFetch } from "../../http/proxied-fetch";
import { httpGet } from "../../http/http-get";
import { ShellEnvironment, type Environment, type ResolvedEnvironment } from "../../process/login-shell-environment";
import { runTool } from "../../process/tool-run";
import { ownProgram } from "../../mcp/shim";
import { realClock } from "../../rpc/clock";

export interface AgentsPart extends AsyncDisposable {
  /** Installs the agent if needed. Afterwards `environment` returns the login shell's environment. */
  readonly command: CommandOf;
  /** Same as `command`, for an extension. */
  readonly extensionCommand: (config: ExtensionConfig, signal: AbortSignal) => Promise<AgentCommand>;
  /** Environment of agent processes. */
  readonly environment: () => Environment;
  /** Environment that the login shell reports. */
  readonly shell: () => Promise<ResolvedEnvironment>;
  /** The agent's own configuration file. Undefined if none is known. */
  readonly configuration: (agent: AgentConfig) => Promise<ConfigurationFile | undefined>;
  /** Path of a program on the login shell's PATH. */
  readonly find: (program: string) => Promise<string | undefined>;
  readonly state: Installer["state"];
  readonly installers: Readonly<Record<Installable, Installer>>;
  readonly stores: Readonly<Record<Installable, Store>>;
  /** Uses the user's proxy, if one is configured. */
  readonly fetch: typeof globalThis.fetch;
}

export interface AgentsDeps {
  readonly processes: ProcessDeps;
  /** The editor's proxy. Empty if it has none. */
  readonly proxy: string;
  readonly log: (level: "info" | "warn", message: string, detail: Readonly<Record<string, unknown>>) => void;
  /** For tests: allows downloads of archives over HTTP from this computer. */
  readonly httpArchives?: boolean;
  /** Programs on the PATH of this process. If given, installed programs start without the login shell. */
  readonly ownTools?: Tools;
  /** `progress` is undefined when the installation has ended. */
  readonly installing: (kind: Installable, id: string, progress: InstallProgress | undefined) => void;
}

/** All windows and the command line share the installed programs. */
export const STORE = path.join(homedir(), ".symposium", "bin"),
  EXTENSION_STORE = path.join(homedir(), ".symposium", "extensions");

export function openAgents({
  processes,
  proxy,
  log,
  installing,
  ownTools,
  httpArchives = false,
}: AgentsDeps): AgentsPart {
  const {
      platform,
      arch,
      execPath,
      argv: [, script],
    } = process,
    table = processTable(systemTools);
  let environment: Environment = process.env;
  const deps: ProcessDeps = { ...processes, environment: () => environment };
  const shell = new ShellEnvironment({
    platform,
    env: process.env,
    node: execPath,
    clock: realClock,
    run: (command, args, env, signal) => runShell(command, args, env, signal, realClock),
  });
  let resolving: Promise<Environment> | undefined,
    find = (_: string): string | undefined => undefined;
  const resolved = (): Promise<Environment> =>
    (resolving ??= shell.resolved().then(({ env, shell: userShell, problem }) => {
      log(problem === undefined ? "info" : "warn", "The environment of the login shell was read", {
        shell: userShell,
        problem,
        PATH: env["PATH"],
      });
      find = remembering(
        program => findProgram(program, { platform, env, isProgram: isProgramFile }),
        () => realClock.now(),
      );
      return (environment = env);
    }));
  const afterShell = async <T>(work: () => Promise<T>): Promise<T> => {
    await resolved();
    return work();
  };
  const fetch = proxiedFetch({ environment: resolved, editor: proxy, direct: httpGet(), log });
  const store = (root: string): Store =>
    new Store(root, {
      clock: realClock,
      files: realFiles,
      table,
      self: { pid: process.pid, started: table.startOf(process.pid) },
    });
  const stores = { agent: store(STORE), extension: store(EXTENSION_STORE) };
  const installer = (kind: Installable): Installer =>
    new Installer({
      store: stores[kind],
      platforms: platformsFor(platformOf(platform, arch)),
      platform,
      clock: realClock,
      files: realFiles,
      fetch,
      httpArchives,
      ...(script === undefined ? {} : { bunzip: bunzipInWorker(script) }),
      report: (id, progress) => installing(kind, id, progress),
      log: (level, message, detail) => log(level, message, { of: kind, ...detail }),
      tools: () => afterShell(async () => ({ find })),
      ...(ownTools === undefined ? {} : { ownTools }),
      run: (spec, options) => runTool(spec, { ...options, cpuSeconds: table.cpuSeconds }, deps),
      ...(kind === "extension"
        ? { cargoHome: () => afterShell(async () => environment["CARGO_HOME"] || path.join(homedir(), ".cargo")) }
        : {}),
    });
  const installers = { agent: installer("agent"), extension: installer("extension") };
  return {
    command: (agent, signal) => afterShell(() => installers.agent.command(agent, signal)),
    extensionCommand: (config, signal) => afterShell(() => installers.extension.command(config, signal)),
    environment: () => environment,
    shell: () => shell.resolved(),
    find: program => afterShell(async () => find(program)),
    state: config => installers.agent.state(config),
    configuration: async agent => {
      const place = configurationOf(agent, homedir(), await resolved());
      return place && new ConfigurationFile(place, ownProgram());
    },
    installers,
    stores,
    fetch,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(Object.values(installers).map(item => item[Symbol.asyncDispose]()));
    },
  };
}
