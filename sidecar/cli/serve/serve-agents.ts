/** Agents part of a window. The sidecar loads it on first use; Eliza alone does not need it. */
import { homedir } from "node:os";
import path from "node:path";
import { AgentService, type AgentHandlers } from "../../agents/agent-service";
import type { AgentStatusTracker } from "../../agents/agent-status-tracker";
import type { CommandOf } from "../../agents/distributions/stored-keys";
import { examine, factsOf } from "../../agents/doctor/examine";
import { report, type ReportFacts } from "../../agents/doctor/report";
import { InstallSizes } from "../../agents/install/install-sizes";
import { scheduleCleanup } from "../../agents/install/store/cleanup";
import type { AgentPool } from "../../agents/pool";
import { documentAt } from "../../agents/registry/fetch-entry";
import { Icons } from "../../agents/registry/icons";
import { Registries } from "../../agents/registry/registries";
import { signOut, type SignOutDeps } from "../../agents/sign-out";
import { builtInAddition } from "../../extensions/built-in";
import { realClock } from "../../rpc/clock";
import { openAgents, type AgentsDeps, type AgentsPart } from "../runtime/open-agents";
import { openEvidence } from "../runtime/tool-evidence";

const CACHE = path.join(homedir(), ".symposium", "cache");

export interface ServedAgents extends AgentsPart {
  readonly handlers: AgentHandlers;
  readonly registries: Registries;
}

export interface ServedAgentsDeps extends AgentsDeps {
  /** Sent to servers and agents. */
  readonly version: string;
  readonly pool: AgentPool;
  readonly statusTracker: AgentStatusTracker;
  /** Includes the keys that the user entered. */
  readonly command: CommandOf;
  readonly keys: SignOutDeps["keys"];
}

/** Opens the same part for a window, with the handlers of its requests. */
export function serveAgents(deps: ServedAgentsDeps): ServedAgents {
  const { version, processes, log, pool, statusTracker, keys } = deps,
    part = openAgents(deps),
    { installers, stores, fetch, find, environment } = part;
  const fetchDeps = { clock: realClock, fetch, version, httpArchives: deps.httpArchives ?? false },
    cacheDeps = {
      ...fetchDeps,
      folder: CACHE,
      date: () => Date.now(),
      onWarning: (what: string, detail: unknown) => log("warn", what, { detail }),
    };
  const registries = new Registries(cacheDeps),
    examinations = new RunningTasks(),
    evidence = openEvidence(log);
  const facts = (): Promise<ReportFacts> => factsOf({ version, home: homedir(), find, shell: part.shell });
  const service = new AgentService({
    installers,
    statusTracker,
    find,
    registries,
    icons: new Icons(cacheDeps),
    sizes: new InstallSizes({
      ...cacheDeps,
      folder: path.join(CACHE, "sizes"),
      lookUp: (agent, signal) => installers.agent.size(agent, signal),
    }),
    documentAt: (url, kind, signal) => documentAt(url, kind, { ...fetchDeps, signal }),
    examine: (agent, cwd, signal) =>
      examinations.add(async ended => {
        const configuration = await (await part.configuration(agent))?.state();
        const examined = await examine(agent, cwd, {
          version,
          find,
          state: part.state,
          command: deps.command,
          processes: { ...processes, environment },
          signal: AbortSignal.any([signal, ended]),
        });
        return { examined, report: report(await facts(), examined, evidence, configuration) };
      }),
    preview: (extension, cwd) =>
      builtInAddition(extension, { clock: realClock, date: () => new Date(), home: homedir(), log, cwd }),
    doctor: async () => report(await facts(), undefined),
    configuration: part.configuration,
    retire: agentId => pool.retire(agentId),
    signOut: (agent, cwd) =>
      signOut(agent, cwd, {
        pool,
        statusTracker,
        keys,
        isThere: async config => (await part.state(config)).install.kind !== "missing",
      }),
  });
  const cleanup = scheduleCleanup(Object.values(stores), realClock, error =>
    log("warn", "Remains of earlier installations could not be removed", { error: String(error) }),
  );
  return {
    ...part,
    handlers: service.handlers,
    registries,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([cleanup[Symbol.asyncDispose](), examinations[Symbol.asyncDispose]()]);
      await part[Symbol.asyncDispose]();
    },
  };
}

/** Tasks that must not outlive this part. Disposal aborts them and waits for their end. */
class RunningTasks implements AsyncDisposable {
  readonly #ended = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  async add<T>(work: (ended: AbortSignal) => Promise<T>): Promise<T> {
    const running = work(this.#ended.signal);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort(new Error("The sidecar exits."));
    await Promise.allSettled(this.#running);
  }
}
