/** A store and its installers in a temporary folder: fake tools, real processes, and archives from loopback. */
import { equal, match, ok, rejects } from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import type { AgentConfig, Distribution } from "../../../src/protocol/agents/agents";
import type { InstallProgress } from "../../../src/protocol/agents/agent-service";
import type { AgentCommand } from "../../agents/distributions/agent-command";
import { realFiles, type Files } from "../../agents/install/store/files";
import { InstallError, type InstallErrorCode } from "../../agents/install/store/install-error";
import { Installer } from "../../agents/install/installer";
import type { InstallerDeps } from "../../agents/install/install-options";
import type { TryLock } from "../../agents/install/store/locks";
import { Store } from "../../agents/install/store/store";
import { openLedger } from "../../process/process-ledger";
import { systemTools } from "../../process/stdio-process";
import { processTable } from "../../process/process-list";
import { newRun } from "../../process/run-id";
import { runTool } from "../../process/tool-run";
import type { Clock } from "../../rpc/clock";
import { tarGz } from "./archives";
import { temporaryFolder } from "../drive";
import { FakeTools, type ToolPlans } from "./fake-tools";
import { FileServer, type Plan } from "./file-server";
import { hurriedClock } from "../accelerated-clock";

export const systemTable = processTable(systemTools);

export interface InstallOptions {
  readonly files?: Files;
  readonly clock?: Clock;
  readonly tryLock?: TryLock;
  /** Environment of all tools. */
  readonly env?: Readonly<Record<string, string>>;
  readonly change?: Partial<InstallerDeps>;
}

export class InstallFixture implements AsyncDisposable {
  readonly run = newRun();
  readonly logged: string[] = [];
  readonly progress: [id: string, progress: InstallProgress | undefined][] = [];
  /** Called with each progress report. */
  onEvent: (progress: InstallProgress | undefined) => void = () => undefined;
  readonly #folder = temporaryFolder();
  readonly #ledger = openLedger(this.#folder.path, this.run);
  readonly #installers: Installer[] = [];

  private constructor(
    readonly server: FileServer,
    readonly tools: FakeTools,
  ) {}

  static async open(
    names: readonly string[] = ["npm", "uv", "pipx", "cargo"],
    plans: ToolPlans = {},
  ): Promise<InstallFixture> {
    const folder = temporaryFolder();
    const fixture = new InstallFixture(
      await FileServer.start(),
      new FakeTools(path.join(folder.path, "bin"), names, plans),
    );
    fixture.#also = folder;
    return fixture;
  }
  #also: Disposable | undefined;

  get root(): string {
    return path.join(this.#folder.path, ".symposium", "bin");
  }

  store({ files = realFiles, clock = hurriedClock(1), tryLock }: InstallOptions = {}): Store {
    const self = { pid: process.pid, started: systemTable.startOf(process.pid) };
    return new Store(this.root, { clock, files, table: systemTable, self, ...(tryLock ? { tryLock } : {}) });
  }

  installer(options: InstallOptions = {}): Installer {
    const { clock = hurriedClock(1), files = realFiles, env = {}, change = {} } = options;
    const installer = new Installer({
      store: this.store(options),
      clock,
      files,
      platform: process.platform,
      platforms: ["linux-x86_64"],
      tools: async () => this.tools,
      httpArchives: true,
      run: (spec, how) =>
        runTool({ ...spec, env: { ...spec.env, ...env } }, how, {
          clock,
          ledger: this.#ledger,
          report: { started: () => undefined, ended: () => undefined },
          log: () => undefined,
        }),
      report: (id, progress) => {
        this.progress.push([id, progress]);
        this.onEvent(progress);
      },
      log: (_, message) => {
        this.logged.push(message);
      },
      ...change,
    });
    this.#installers.push(installer);
    return installer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const installer of this.#installers) await installer[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
    this.#ledger.close();
    this.#folder[Symbol.dispose]();
    this.#also?.[Symbol.dispose]();
  }
}

export function agent(distribution: Distribution, rest: Partial<AgentConfig> = {}): AgentConfig {
  return { id: "some-agent", name: "Some Agent", distribution, ...rest };
}

/** Command and arguments, relative to the store. */
export function shown(command: AgentCommand, { root }: InstallFixture): readonly string[] {
  if (command.kind !== "process") return [command.kind];
  return [command.command, ...command.args].map(text =>
    text.startsWith(root) ? path.relative(root, text).replaceAll(path.sep, "/") : text,
  );
}

export const never = new AbortController().signal;

/** `bin` member of a package: one file per program. */
export function bin(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map(name => [name, `dist/${name}.js`]));
}

/** An archive with the program `bin/agent`. */
export function archive(content: string): Buffer {
  return tarGz([{ name: "bin/agent", content, mode: 0o755 }]);
}

/** An agent whose archive the fixture serves. `plan` changes the response. `sha256` is published with the archive. */
export function binary({ server }: InstallFixture, version: string, plan: Plan = {}, sha256?: string): AgentConfig {
  const at = server.serve(`/agent-${encodeURIComponent(version)}.tar.gz`, { content: archive(version), ...plan });
  const target = { archive: at, cmd: "./bin/agent", args: ["--acp"], env: { KEY: "v" } };
  const published = sha256 === undefined ? target : { ...target, sha256 };
  return agent({ binary: { "linux-x86_64": published } }, { version });
}

/** Sorted names in an agent's folder: versions, without locks and uses. */
export function versions({ root }: InstallFixture, id = "some-agent"): readonly string[] {
  const folder = path.join(root, id);
  return existsSync(folder)
    ? readdirSync(folder)
        .filter(name => name !== ".uses")
        .sort()
    : [];
}

/** Asserts that an installation fails with this code and a message that matches `message`. */
export async function refused(installation: Promise<unknown>, code: InstallErrorCode, message: RegExp): Promise<void> {
  await rejects(installation, error => {
    ok(error instanceof InstallError, String(error));
    equal(error.code, code, error.message);
    match(error.message, message);
    return true;
  });
}
