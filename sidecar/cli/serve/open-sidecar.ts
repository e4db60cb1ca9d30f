/** Opens the sidecar's components after the handshake. The scope releases them in reverse order. */
import { Journal, journalFolder } from "../../journal/journal";
import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import path from "node:path";
import type { LogCategory, LogLevel } from "../../../src/protocol/wire/log";
import { PROTOCOL, type HelloFromHost, type HelloFromSidecar } from "../../../src/protocol/sidecar";
import { AgentStatusTracker, trackedConnect } from "../../agents/agent-status-tracker";
import { withSecrets } from "../../agents/distributions/stored-keys";
import { ConfiguredExtensions } from "../../agents/extensions/configured-extensions";
import { launch, type LaunchDeps } from "../../agents/launch";
import { realFiles } from "../../agents/install/store/files";
import { Locks, pause } from "../../agents/install/store/locks";
import { UsageLocks } from "../../agents/install/store/usage-locks";
import { AgentPool } from "../../agents/pool";
import { editorOperations } from "../../chat/agent/editor-operations";
import { ChatService } from "../../chat/chat-service";
import { textIn } from "../../chat/place-finder";
import { ConversationLocks } from "../../chat/conversation-locks";
import { DialectCache } from "../../conductor/proxy-dialect";
import type { TraceWriter } from "../../conductor/trace-writer";
import { ReviewLogs } from "../../review/review-logs";
import { ReviewService } from "../../review/review-service";
import { SnapshotStore } from "../../review/snapshots/snapshot-store";
import { BypassPolicy } from "../../permissions/bypass-policy";
import { forbidProcesses, startChild, systemTools, type ProcessDeps } from "../../process/child";
import { RUN_ID } from "../../process/child-environment";
import { reapOrphans } from "../../process/orphaned-ledgers";
import { openLedger } from "../../process/process-ledger";
import { processTable } from "../../process/process-list";
import { startProcess } from "../../process/stdio-process";
import { realClock } from "../../rpc/clock";
import type { HostWire } from "../../rpc/host-wire";
import type { RecommendationService } from "../../recommendations/recommendation-service";
import type { Scope } from "../../rpc/scope";
import { AgentSessions } from "../../sessions/agent-sessions";
import { HiddenSessions } from "../../sessions/hidden-sessions";
import { SessionCatalog } from "../../sessions/session-catalog";
import { filesInThread, filesInWorker } from "../../sessions/session-files";
import { SessionsService } from "../../sessions/sessions-service";
import { extensionDeps, type OwnedDeps } from "../runtime/extension-deps";
import { openEvidence } from "../runtime/tool-evidence";
import { openTrace } from "../runtime/trace-file";
import { LazyAgents, LazyLm } from "./lazy-parts";

type Data = Readonly<Record<string, unknown>>;
export type SidecarLog = (level: LogLevel, category: LogCategory, message: string, data?: Data) => void;

/** The connection to the host, and its configuration. */
export interface SidecarHost {
  readonly hello: HelloFromHost;
  readonly version: string;
  readonly wire: HostWire;
  readonly scope: Scope;
  readonly log: SidecarLog;
}

export interface Served {
  readonly hello: HelloFromSidecar;
  readonly chat: ChatService;
  readonly agents: LazyAgents;
  readonly lm: LazyLm;
  readonly policy: BypassPolicy;
  readonly extensions: ConfiguredExtensions;
  readonly journal: Journal;
  readonly sessions: SessionsService;
  readonly review: ReviewService;
  /** Loads the part on the first call. */
  readonly recommendations: () => Promise<RecommendationService>;
}

export function openSidecar(host: SidecarHost): Served {
  const { hello, version, wire, scope, log } = host;
  if (hello.restricted) forbidProcesses();
  const bootId = randomUUID(),
    processes = processesOf(host, bootId),
    trace = traceIn(hello.traceDir, scope, (level, message, data) => log(level, "sidecar", message, data)),
    extensions = new ConfiguredExtensions(hello.extensions);
  const statusTracker = new AgentStatusTracker(
    (kind, id) => wire.notify("agents/changed", { of: kind, id }),
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
        keys: keysOf(wire),
        installing: (kind, id, progress) => {
          wire.notify("agents/installing", { of: kind, id, ...(progress === undefined ? {} : { progress }) });
          if (progress === undefined) statusTracker.changed(kind, id);
          chat.installing(kind, id, progress);
        },
      }),
    ),
  );
  const command = withSecrets(
    (agent, signal) => agents.command(agent, signal),
    agentId => wire.request("secrets/environment", { agentId }),
  );
  const ownExtensions = ownExtensionsOf(host, processes, agents);
  const hidden = new HiddenSessions(path.join(journalFolder(hello.storage), ".hidden"));
  const launchDeps = launchDepsOf(host, {
    processes,
    trace,
    agents,
    ownExtensions,
    statusTracker,
    command,
    hidden,
    lm: () => lm,
  });
  const pool: AgentPool = scope.add(
    new AgentPool(
      trackedConnect((key, signal) => launch(key, signal, launchDeps), statusTracker),
      error => log("error", "agent", "An agent could not be stopped", { error: String(error) }),
    ),
  );
  const policy = new BypassPolicy(hello.bypass),
    journal: Journal = journalOf(host, conversation => void review.delete(conversation)),
    review: ReviewService = reviewOf(host, processes, agents, journal);
  const chat = scope.add(
    new ChatService({
      bootId,
      clock: realClock,
      pool,
      policy,
      host: wire,
      startCommand: spec => startChild(spec, processes),
      cancelInstall: (kind, id) => agents.cancelInstall(kind, id),
      command,
      extensions: () => extensions.current(),
      journal,
      isRestricted: hello.restricted === true,
      listChanged: () => sessions.changed(),
      record: session => review.record(session),
      filesIn: textIn,
      log,
    }),
  );
  const agentSessions = scope.add(
    new AgentSessions({
      pool,
      clock: realClock,
      hidden,
      isInstalled: agent => agents.isInstalled(agent),
      log: (message, data) => log("info", "agent", message, data),
    }),
  );
  const sessions: SessionsService = new SessionsService({
    clock: realClock,
    journal,
    catalog: new SessionCatalog(journal, () => pause(0, realClock)),
    agents: agentSessions,
    files: process.argv[1] === undefined ? filesInThread(journal) : filesInWorker(process.argv[1], hello.storage),
    chat,
    extensions: () => extensions.current(),
    isRestricted: hello.restricted === true,
    notifyChanged: () => wire.notify("sessions/changed", {}),
  });
  const lm = new LazyLm(async () => {
    const part = (await import("./serve-lm")).openLm(
      version,
      wire,
      pool,
      policy,
      () => extensions.current(),
      session => review.record(session),
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
    journal,
    sessions,
    review,
    recommendations: recommendationsOf(host, ownExtensions, agents),
  };
}

function recommendationsOf(
  { hello }: SidecarHost,
  ownExtensions: OwnedDeps,
  agents: LazyAgents,
): () => Promise<RecommendationService> {
  let loading: Promise<RecommendationService> | undefined;
  const load = async (): Promise<RecommendationService> => {
    const { serveRecommendations } = await import("./serve-recommendations");
    return serveRecommendations({
      ...ownExtensions,
      date: () => Date.now(),
      isRestricted: hello.restricted === true,
      fetch: async (...request) => (await agents.part()).fetch(...request),
      registered: async url => (await agents.part()).registries.knownExtensions(url),
    });
  };
  return () => (loading ??= load());
}

/** Dependencies of the built-in extensions in this window. */
function ownExtensionsOf({ version, scope, log }: SidecarHost, processes: ProcessDeps, agents: LazyAgents): OwnedDeps {
  return scope.add(
    extensionDeps({
      version,
      processes,
      environment: async () => (await (await agents.part()).shell()).env,
      find: async program => (await agents.part()).find(program),
      log: (level, message, detail) => log(level, "agent", message, detail),
    }),
  );
}

/** Opens the ledger of processes and ends those of an earlier sidecar. */
function processesOf({ hello, wire, scope, log }: SidecarHost, bootId: string): ProcessDeps {
  const ledger = openLedger(hello.storage, bootId, {
    warn: (message, detail) => {
      log("warn", "sidecar", message, detail);
      wire.notify("editor/showWarning", { message });
    },
  });
  // Marks processes that Eliza starts in this process (MCP servers), so that they are found if this process is killed.
  process.env[RUN_ID] = ledger.run;
  scope.defer(() => ledger.close());
  if (!hello.restricted)
    reapOrphans(hello.storage).catch((error: unknown) =>
      log("warn", "sidecar", "Processes of an earlier sidecar could not be stopped", { error: String(error) }),
    );
  return {
    clock: realClock,
    ledger,
    report: {
      started: record => wire.notify("process/started", record),
      ended: pid => wire.notify("process/ended", { pid }),
    },
    log: (message, detail) => log("debug", "agent", message, detail),
  };
}

/** Opens the reviews and removes those without a session. */
function reviewOf(
  { hello, wire, scope, log }: SidecarHost,
  processes: ProcessDeps,
  agents: LazyAgents,
  journal: Journal,
): ReviewService {
  const isRestricted = hello.restricted === true,
    date = (): number => Date.now();
  const snapshots = scope.add(
    new SnapshotStore({
      processes,
      env: async () => (await (await agents.part()).shell()).env,
      storage: hello.storage,
      ...{ isRestricted, date },
    }),
  );
  const review = scope.add(
    new ReviewService({
      clock: realClock,
      snapshots,
      logs: new ReviewLogs(hello.storage),
      lease: conversation => journal.lease(conversation, false),
      isStored: conversation => journal.has(conversation),
      ...{ isRestricted, date },
      notifyChanged: changed => wire.notify("review/changed", changed),
      notifyProgress: progress => wire.notify("review/progress", progress),
      log: (message, error) => log("warn", "sidecar", message, { error: String(error) }),
    }),
  );
  if (!isRestricted)
    review
      .cleanUp(Date.now(), hello.history)
      .catch((error: unknown) => log("warn", "sidecar", "Old reviews could not be removed", { error: String(error) }));
  return review;
}

/** Opens the journals of chat sessions and removes old ones. */
function journalOf({ hello, wire, log }: SidecarHost, deleted: (conversation: string) => void): Journal {
  const locks = conversationLocks(hello.storage);
  const journal = new Journal(hello.storage, {
    warn: (message, detail) => {
      log("warn", "sidecar", message, detail);
      wire.notify("editor/showWarning", { message });
    },
    lease: (conversation, takesOver) => locks.open(conversation, takesOver),
    deleted,
  });
  if (hello.restricted) return journal;
  journal
    .cleanUp(Date.now(), hello.history)
    .catch((error: unknown) => log("warn", "sidecar", "Old sessions could not be removed", { error: String(error) }));
  return journal;
}

function conversationLocks(storage: string): ConversationLocks {
  const folder = journalFolder(storage),
    table = processTable(systemTools),
    self = { pid: process.pid, started: table.startOf(process.pid) };
  return new ConversationLocks({
    folder,
    locks: new Locks(path.join(folder, ".locks"), realClock, realFiles),
    uses: new UsageLocks(realFiles, table, self),
    pause: ms => pause(ms, realClock),
  });
}

/** Keys that the user entered for agents; the host stores them. */
function keysOf(wire: HostWire) {
  return {
    stored: async (agentId: string) => (await wire.request("secrets/environment", { agentId })).env,
    forget: async (agentId: string) => {
      await wire.request("secrets/keepEnvironment", { agentId, env: {} });
    },
  };
}

interface LaunchParts extends Pick<LaunchDeps, "trace"> {
  readonly command: NonNullable<LaunchDeps["command"]>;
  readonly processes: ProcessDeps;
  readonly agents: LazyAgents;
  readonly ownExtensions: OwnedDeps;
  readonly statusTracker: AgentStatusTracker;
  readonly hidden: HiddenSessions;
  readonly lm: () => LazyLm;
}

function launchDepsOf({ version, wire, scope, log }: SidecarHost, parts: LaunchParts): LaunchDeps {
  const { processes, trace, agents, ownExtensions, statusTracker, command } = parts;
  return {
    version,
    clock: realClock,
    trace,
    hideSession: (agentId, sessionId) => parts.hidden.add(agentId, sessionId),
    dialects: new DialectCache(),
    evidence: scope.add(openEvidence((level, message, detail) => log(level, "agent", message, detail))),
    command,
    configuration: agent => agents.configuration(agent),
    startProcess: spec => startProcess(spec, { ...processes, environment: () => agents.environment() }),
    extensionCommand: async (extension, signal) => (await agents.part()).extensionCommand(extension, signal),
    onStatus: (id, status) => statusTracker.onStatus("extension", id, status),
    find: async program => (await agents.part()).find(program),
    builtIn: async ({ id, settings = {} }, name, onWarning) =>
      (await import("../../extensions/built-in")).builtInComponent(id, name, settings, ownExtensions, onWarning),
    ide: editorOperations((method, params, signal) => wire.request(method, params, signal)),
    proxies: (key, onWarning) => (key.role === "lm" ? parts.lm().proxies(onWarning) : []),
    log: (level, message, detail) => log(level, "agent", message, detail),
  };
}

/** Undefined if no trace is configured or the folder is not writable. */
function traceIn(
  folder: string,
  scope: Scope,
  log: (level: LogLevel, message: string, data?: Data) => void,
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
