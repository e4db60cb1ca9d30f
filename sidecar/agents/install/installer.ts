/**
 * From the configuration of an agent, or an extension, to the command that starts it, with an installation in between
 * where one is needed.
 *
 *   configuration ── choose ──▶ the user's program ───────────────────────────────────────────▶ command
 *                        └────▶ source ── is it installed? ──▶ yes: used (it stays) ──────────▶ command
 *                                              └─▶ no: flight (one per id) ─ staged, kept, older ones swept ─┘
 *
 * Invariants: what is installed is started without network; an installation that fails leaves what was there, and a
 * command falls back to it; the versions that this process has given commands of stay until it ends.
 */
import path from "node:path";
import type { AgentConfig } from "../../../src/protocol/agents";
import type { InstallProgress, InstallState } from "../../../src/protocol/agent-service";
import type { Environment, Platform } from "../../../src/protocol/distribution";
import type { Clock } from "../../rpc/clock";
import { commandOf, type AgentCommand } from "../distributions/agent-command";
import { choose, missingSentence, type Choice, type Missing, type Tool } from "../distributions/choose";
import { isExact } from "../distributions/package-spec";
import { wrongAddress } from "../distributions/server-address";
import { toldVersion, UNVERSIONED } from "../distributions/segment";
import type { Fetch } from "../../http/http-get";
import { installBinary } from "./binary-package";
import type { Bunzip } from "./bunzip";
import { installCargo } from "./cargo-package";
import type { Files } from "./files";
import { SingleFlight } from "./single-flight";
import { isInstallable, notHere, sourceOf, type Installable } from "./installable";
import { cancelled, explained, InstallError } from "./install-error";
import type { Lease } from "./usage-locks";
import { isOf, satisfies, type Built, type Source } from "./manifest";
import { installNpm } from "./npm-package";
import type { RunTool, ToolDeps } from "./package-tool";
import { installPython } from "./python-package";
import { ProgressTeller } from "./progress";
import type { Installed, Staging, Store } from "./store";

/** Programs on the PATH of the user's login shell, by their whole paths. */
export interface Tools {
  find(name: Tool | "node"): string | undefined;
}

export interface InstallerDeps {
  readonly store: Store;
  /** Whose programs run here, the best first: `platformsFor`. */
  readonly platforms: readonly Platform[];
  /** `process.platform`. */
  readonly platform: string;
  readonly clock: Clock;
  readonly files: Files;
  readonly fetch?: Fetch;
  /** Of tests: archives may come by http from this computer. */
  readonly httpArchives?: boolean;
  /** In this thread unless given. */
  readonly bunzip?: Bunzip;
  readonly tools: () => Promise<Tools>;
  readonly run: RunTool;
  /**
   * Where the user's cargo keeps what it has; absent: crates are not asked how they are run, which is for extensions
   * alone.
   */
  readonly cargoHome?: () => Promise<string>;
  /** Undefined: nothing is being installed any more. */
  readonly report: (id: string, progress: InstallProgress | undefined) => void;
  readonly log: (level: "info" | "warn", message: string, detail: Readonly<Record<string, unknown>>) => void;
}

/** Each tool is looked for once. */
function onceEach(tools: Tools): Tools {
  const known = new Map<Tool | "node", string | undefined>();
  return {
    find: name => {
      if (!known.has(name)) known.set(name, tools.find(name));
      return known.get(name);
    },
  };
}

/** What the settings say of an agent, or an extension, as far as it is about having it. */
export type InstallConfig = Pick<AgentConfig, "id" | "name" | "distribution" | "version">;

/**
 * `newest`: asks for a newer one where no version is named. `anew`: in place of what is there, which goes when the new
 * one stands.
 */
export type InstallWish = "missing" | "newest" | "anew";

export class Installer implements AsyncDisposable {
  readonly #deps: InstallerDeps;
  readonly #flights = new SingleFlight<Installed | undefined>();
  readonly #leases = new Map<string, Lease>();
  readonly #progress = new Map<string, InstallProgress>();

  constructor(deps: InstallerDeps) {
    this.#deps = deps;
  }

  /** Installs what is not installed. Rejects with `InstallError`, `noDistribution`, or the signal's reason. */
  async command(config: InstallConfig, signal: AbortSignal): Promise<AgentCommand> {
    const choice = await this.#choose(config);
    if (!isInstallable(choice)) return commandOf(config);
    const source = sourceOf(choice);
    const there = await this.#deps.store.find(config.id, source).catch((error: unknown) => {
      throw explained(error);
    });
    let installed = there && (await this.#use(there)) ? there : undefined;
    for (let attempt = 0; !installed; attempt++) {
      const one = await this.#installOr(config, choice, signal);
      // another window may have a newer one, and have swept this
      if ((await this.#use(one)) || attempt === 2) installed = one;
    }
    return this.#commandOf(installed, choice);
  }

  /**
   * What the configuration names. Rejects with `InstallError`, or the signal's reason; what was installed before stays
   * then.
   */
  async install(config: InstallConfig, signal: AbortSignal, wish: InstallWish = "missing"): Promise<Installed> {
    return this.#install(config, this.#installable(config, await this.#choose(config)), signal, wish);
  }

  /** All versions, but for the files of those that run. Rejects with `InstallError`. */
  async remove(id: string): Promise<void> {
    await this.#flights.run(
      id,
      "remove",
      async signal => {
        try {
          await this.#deps.store.exclusively(
            id,
            signal,
            () => this.#tell(id, { phase: "waiting" }),
            () => this.#deps.store.remove(id),
          );
        } catch (error) {
          throw explained(error);
        } finally {
          this.#tell(id, undefined);
        }
        return undefined;
      },
      new AbortController().signal,
    );
  }

  /** Ends the installation that runs; whoever waits for it hears `cancelled`. */
  cancel(id: string): void {
    this.#flights.cancel(id);
  }

  /** Without network, and without starting anything. `missing`: why it cannot be had here, as a sentence. */
  async state(config: InstallConfig): Promise<Pick<InstallState, "kind" | "install" | "missing">> {
    const progress = this.#progress.get(config.id);
    const choice = await this.#chosen(config);
    if ("missing" in choice)
      return { install: { kind: "missing" }, missing: missingSentence(config.name, choice.missing) };
    if (!isInstallable(choice)) {
      const wrong = choice.kind === "http" ? wrongAddress(choice.of) : undefined;
      return {
        kind: choice.kind,
        install: { kind: "ready" },
        ...(wrong === undefined ? {} : { missing: `${config.name} cannot be used: ${wrong}.` }),
      };
    }
    if (progress) return { kind: choice.kind, install: { kind: "installing", ...progress } };
    const installed = await this.#deps.store.find(config.id, sourceOf(choice));
    return {
      kind: choice.kind,
      install: installed ? { kind: "installed", ...toldVersion(installed.release) } : { kind: "missing" },
    };
  }

  /**
   * Why each cannot be had here, in this order; undefined where it can. For whole registries: the tools and the store
   * are looked at once, and a folder only of what is in the store.
   */
  async missing(configs: readonly InstallConfig[]): Promise<readonly (string | undefined)[]> {
    const { store } = this.#deps,
      tools = onceEach(await this.#deps.tools()),
      ids = new Set(await store.ids().catch(() => []));
    const all: (string | undefined)[] = [];
    for (const config of configs) {
      const installed = ids.has(config.id) ? await store.list(config.id).catch(() => []) : [],
        choice = this.#choiceOf(config, tools, installed);
      all.push("missing" in choice ? missingSentence(config.name, choice.missing) : undefined);
    }
    return all;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#flights[Symbol.asyncDispose]();
    await Promise.all([...this.#leases.values()].map(lease => lease.release().catch(() => undefined)));
    this.#leases.clear();
  }

  async #chosen(config: InstallConfig): Promise<Choice | { readonly missing: Missing }> {
    const tools = await this.#deps.tools(),
      installed = await this.#deps.store.list(config.id).catch(() => []);
    return this.#choiceOf(config, tools, installed);
  }

  #choiceOf(
    { distribution }: InstallConfig,
    tools: Tools,
    installed: readonly Installed[],
  ): Choice | { readonly missing: Missing } {
    const kinds = new Set(installed.map(one => one.source.kind));
    return choose(distribution, {
      platforms: this.#deps.platforms,
      has: tool => tools.find(tool) !== undefined,
      isInstalled: kind =>
        kinds.has(
          kind === "npx" ? "npm" : kind === "uvx" || kind === "pipx" ? "python" : kind === "cargo" ? "cargo" : "binary",
        ),
    });
  }

  async #choose(config: InstallConfig): Promise<Choice> {
    const choice = await this.#chosen(config);
    if ("missing" in choice) throw notHere(config.name, choice.missing);
    return choice;
  }

  #installable(config: InstallConfig, choice: Choice): Installable {
    if (isInstallable(choice)) return choice;
    throw new InstallError(
      "noPlatform",
      `${config.name} is ${choice.kind === "http" ? "at an address" : "a program of your own"}: there is nothing to install.`,
    );
  }

  /** Or the newest one of the same thing that is there: better than none, and the log says why. */
  async #installOr(config: InstallConfig, choice: Installable, signal: AbortSignal): Promise<Installed> {
    try {
      return await this.#install(config, choice, signal, "missing");
    } catch (error) {
      const before =
        error instanceof InstallError && error.code !== "cancelled" && !signal.aborted
          ? await this.#before(config.id, sourceOf(choice))
          : undefined;
      if (!before) throw error;
      this.#deps.log("warn", "An installation failed, and the version before it is started", {
        id: config.id,
        version: before.release,
        error: String(error),
      });
      return before;
    }
  }

  async #before(id: string, source: Source): Promise<Installed | undefined> {
    return (await this.#deps.store.list(id).catch(() => [])).find(one => isOf(source, one));
  }

  async #install(
    config: InstallConfig,
    choice: Installable,
    signal: AbortSignal,
    wish: InstallWish,
  ): Promise<Installed> {
    const { id } = config,
      source = sourceOf(choice),
      release = config.version ?? UNVERSIONED;
    const installed = await this.#flights.run(
      id,
      JSON.stringify([wish, source, release]),
      ending => this.#fly(id, choice, { source, release, wish }, ending),
      signal,
    );
    if (!installed) throw cancelled();
    return installed;
  }

  /** Rejects with `InstallError`, but for bugs. */
  async #fly(
    id: string,
    choice: Installable,
    how: { readonly source: Source; readonly release: string; readonly wish: InstallWish },
    signal: AbortSignal,
  ): Promise<Installed> {
    const { store, clock, log } = this.#deps;
    const progress = new ProgressTeller(clock, step => this.#tell(id, step));
    try {
      const installed = await store.exclusively(
        id,
        signal,
        () => progress.tell({ phase: "waiting" }),
        async () => {
          const there = how.wish === "anew" ? undefined : await store.find(id, how.source);
          const isWanted = how.wish === "newest" && !(how.source.kind === "binary" || isExact(how.source.asked ?? ""));
          return there && !isWanted ? there : this.#make(id, choice, how, there, progress, signal);
        },
      );
      await store
        .sweep(id)
        .catch((error: unknown) => log("warn", "Older versions cannot be removed", { id, error: String(error) }));
      return installed;
    } catch (error) {
      if (signal.aborted) throw cancelled();
      const known = explained(error),
        before = known instanceof InstallError ? await this.#before(id, how.source) : undefined;
      log("warn", "An installation failed", {
        id,
        error: String(error),
        cause: error instanceof Error ? String(error.cause) : undefined,
      });
      throw known instanceof InstallError && before
        ? known.and(
            `${before.release === UNVERSIONED ? "The one before it" : `Version ${before.release}`} stays installed.`,
          )
        : known;
    } finally {
      progress[Symbol.dispose]();
      this.#tell(id, undefined);
    }
  }

  async #make(
    id: string,
    choice: Installable,
    { source, release }: { readonly source: Source; readonly release: string },
    there: Installed | undefined,
    progress: ProgressTeller,
    signal: AbortSignal,
  ): Promise<Installed> {
    const { store, log } = this.#deps,
      isPython = source.kind === "python";
    const staging: Staging = isPython
      ? await store.prepareInPlace(id, isExact(source.asked ?? "") ? (source.asked ?? "") : "latest")
      : await store.prepare(id);
    try {
      log("info", "Installing", { id, kind: choice.kind, from: source.name });
      const built = { source, ...(await this.#build(id, choice, staging.folder, release, progress, signal)) };
      signal.throwIfAborted();
      if (there && there.release === built.release && satisfies(source, there)) {
        await staging.discard();
        return there;
      }
      const kept = await staging.keep(built);
      log("info", "Installed", { id, version: kept.release, bytes: kept.bytes });
      return kept;
    } catch (error) {
      await staging.discard();
      throw error;
    }
  }

  async #build(
    id: string,
    choice: Installable,
    folder: string,
    release: string,
    progress: ProgressTeller,
    signal: AbortSignal,
  ): Promise<Omit<Built, "source">> {
    const { files, clock, fetch, bunzip, platform, run, httpArchives = false } = this.#deps;
    if (choice.kind === "binary")
      return installBinary(folder, choice.of, release, {
        files,
        clock,
        fetch,
        httpArchives,
        bunzip,
        signal,
        platform,
        progress: step => progress.tell(step),
      });
    const tools = await this.#deps.tools(),
      { tool } = choice,
      command = tool && tools.find(tool);
    if (tool === undefined || command === undefined)
      throw new InstallError("noTool", "The tool that would install it is not there any more.");
    const program = { name: tool, command },
      deps: ToolDeps = { files, run, signal, platform, line: line => progress.tell({ phase: "installing", line }) };
    progress.tell({ phase: "installing" });
    switch (choice.kind) {
      case "npx":
        return installNpm(folder, choice.spec, choice.of.cmd, program, deps);
      case "uvx":
      case "pipx":
        return installPython(folder, choice.spec, choice.of.cmd, tool === "uv" ? "uv" : "pipx", program, deps);
      case "cargo": {
        const home = await this.#deps.cargoHome?.();
        return this.#deps.store.building(id, target =>
          installCargo({ folder, target }, choice.of, program, home, deps),
        );
      }
    }
  }

  /** False: it is gone. A store that cannot be written (read-only) is no reason not to start. */
  async #use(installed: Installed): Promise<boolean> {
    if (this.#leases.has(installed.folder)) return true;
    try {
      const lease = await this.#deps.store.use(installed);
      if (lease) this.#leases.set(installed.folder, lease);
      return lease !== undefined;
    } catch (error) {
      this.#deps.log("warn", "Nobody can be told that a version is in use", {
        folder: installed.folder,
        error: String(error),
      });
      return true;
    }
  }

  /** What the configuration says counts more than what the package does. */
  async #commandOf(
    { folder, program, runtime, runtimeArgs, args: own = [], env: owns = {} }: Installed,
    choice: Installable,
  ): Promise<AgentCommand> {
    const file = path.join(folder, program),
      { args = own, env: given = {} }: { readonly args?: readonly string[]; readonly env?: Environment } = choice.of,
      env = { ...owns, ...given };
    if (runtime === undefined) return { kind: "process", command: file, args: [...runtimeArgs, ...args], env };
    const node = (await this.#deps.tools()).find("node");
    if (node === undefined)
      throw new InstallError("noTool", "It is installed, and needs Node.js, which is not on your PATH any more.", {
        advice: "Install Node.js, and restart VS Code if it is not found then.",
      });
    return { kind: "process", command: node, args: [...runtimeArgs, file, ...args], env };
  }

  #tell(id: string, progress: InstallProgress | undefined): void {
    if (progress) this.#progress.set(id, progress);
    else if (!this.#progress.delete(id)) return;
    this.#deps.report(id, progress);
  }
}
