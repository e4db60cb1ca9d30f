/**
 * Resolves the configuration of an agent or extension to the command that starts it. Installs it if needed.
 *
 *   configuration ── choose ──▶ the user's program ───────────────────────────────────────────▶ command
 *                        └────▶ source ── installed? ──▶ yes: locked against removal ─────────▶ command
 *                                              └─▶ no: one installation per id ─ staged, kept, cleaned up ─────┘
 *
 * Invariants:
 * - An installed version starts without network access.
 * - A failed installation keeps the previous version, and `command` falls back to it.
 * - Versions whose commands this process has returned are kept until it ends.
 */
import * as l10n from "@vscode/l10n";
import type { InstallProgress, InstallState } from "../../../src/protocol/agents/agent-service";
import { commandOf, type AgentCommand } from "../distributions/agent-command";
import { choose, missingSentence, type Choice, type Missing, type Tool } from "../distributions/choose";
import { isExact } from "../../../src/protocol/agents/package-spec";
import { wrongAddress } from "../distributions/server-address";
import { displayedVersion, UNVERSIONED } from "../distributions/folder-name";
import { build, type InstallRequest } from "./build";
import { SingleFlight } from "./single-flight";
import { isInstallable, unavailable, sourceOf, startable, startCommand, type Installable } from "./installable";
import { cancelled, explained, InstallError } from "./store/install-error";
import type { Lease } from "./store/usage-locks";
import { isOf, satisfies, type Source } from "./store/manifest";
import { announcedSize } from "./packages/announced-size";
import { isUpToDate } from "./requested-version";
import { ProgressThrottle } from "./progress";
import type { Installed, Staging } from "./store/store";
import type { AcceptedVersion, InstallConfig, InstallerDeps, InstallMode, Tools } from "./install-options";

/** Caches each lookup. */
function cachedTools(tools: Tools): Tools {
  const cache = new Map<Tool | "node", string | undefined>();
  return {
    find: name => {
      if (!cache.has(name)) cache.set(name, tools.find(name));
      return cache.get(name);
    },
  };
}

export class Installer implements AsyncDisposable {
  readonly #deps: InstallerDeps;
  readonly #installations = new SingleFlight<Installed | undefined>();
  readonly #usageLocks = new Map<string, Lease>();
  readonly #progress = new Map<string, InstallProgress>();

  constructor(deps: InstallerDeps) {
    this.#deps = deps;
  }

  /** Installs if needed. Rejects with `InstallError`, `noDistribution`, or the signal's reason. */
  async command(
    config: InstallConfig,
    signal: AbortSignal,
    accepted: AcceptedVersion = "requested",
  ): Promise<AgentCommand> {
    const ready = await this.installedCommand(config, accepted);
    if (ready) return ready;
    const choice = await this.#choose(config);
    if (!isInstallable(choice)) return commandOf(config);
    const source = sourceOf(choice);
    const all = await this.#deps.store.list(config.id).catch((error: unknown) => {
      throw explained(error);
    });
    const existing = startable(all, source, accepted);
    let installed = existing && (await this.#use(existing)) ? existing : undefined;
    for (let attempt = 0; !installed; attempt++) {
      const first = await this.#installOr(config, choice, signal);
      // Another window may have installed a newer version and removed this version.
      if ((await this.#use(first)) || attempt === 2) installed = first;
    }
    const node = installed.runtime === undefined ? undefined : (await this.#deps.tools()).find("node"),
      command = startCommand(installed, choice, node);
    if (!command)
      throw new InstallError("noTool", l10n.t("It is installed but needs Node.js, which is no longer on your PATH."), {
        advice: l10n.t("Install Node.js. If it is still not found, restart your editor."),
      });
    return command;
  }

  /**
   * The command of an installed version, without the login shell. Undefined if an installation or the login shell is
   * needed.
   */
  async installedCommand(config: InstallConfig, accepted: AcceptedVersion): Promise<AgentCommand | undefined> {
    const { ownTools: tools, store } = this.#deps;
    if (!tools) return undefined;
    const all = await store.list(config.id).catch(() => []),
      choice = this.#choiceOf(config, tools, all);
    if ("missing" in choice || !isInstallable(choice)) return undefined;
    const existing = startable(all, sourceOf(choice), accepted);
    return existing && (await this.#use(existing))
      ? startCommand(existing, choice, existing.runtime === undefined ? undefined : tools.find("node"))
      : undefined;
  }

  /**
   * Installs the configured version. Rejects with `InstallError`, or the signal's reason, and keeps the previous
   * version.
   */
  async install(config: InstallConfig, signal: AbortSignal, wish: InstallMode = "missing"): Promise<Installed> {
    return this.#install(config, this.#installable(config, await this.#choose(config)), signal, wish);
  }

  /** Removes all versions, except the files of running versions. Rejects with `InstallError`. */
  async remove(id: string): Promise<void> {
    await this.#installations.run(
      id,
      "remove",
      async signal => {
        try {
          await this.#deps.store.exclusively(
            id,
            signal,
            () => this.#notify(id, { phase: "waiting" }),
            () => this.#deps.store.remove(id),
          );
        } catch (error) {
          throw explained(error);
        } finally {
          this.#notify(id, undefined);
        }
        return undefined;
      },
      new AbortController().signal,
    );
  }

  /** Cancels all installations of the id. Their callers reject with `cancelled`. */
  cancel(id: string): void {
    this.#installations.cancel(id);
  }

  /** See `announcedSize`. Undefined for an agent that needs no installation or cannot be used. */
  async size(config: InstallConfig, signal: AbortSignal): Promise<number | undefined> {
    const choice = await this.#chosen(config);
    return "missing" in choice || !isInstallable(choice) ? undefined : announcedSize(choice, signal, this.#deps);
  }

  /** Uses no network and starts no process. `missing`: why the item cannot be used on this computer, as a sentence. */
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
        ...(wrong === undefined ? {} : { missing: l10n.t`${config.name} cannot be used: ${wrong}.` }),
      };
    }
    if (progress) return { kind: choice.kind, install: { kind: "installing", ...progress } };
    const installed = await this.#deps.store.find(config.id, sourceOf(choice));
    return {
      kind: choice.kind,
      install: installed ? { kind: "installed", ...displayedVersion(installed.release) } : { kind: "missing" },
    };
  }

  /**
   * Returns why each configuration cannot be used on this computer, in the same order. Undefined: it can be used.
   * Optimised for whole registries: tools and store are read once, and version folders only for ids in the store.
   */
  async missing(configs: readonly InstallConfig[]): Promise<readonly (string | undefined)[]> {
    const { store } = this.#deps,
      tools = cachedTools(await this.#deps.tools()),
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
    await this.#installations[Symbol.asyncDispose]();
    await Promise.all([...this.#usageLocks.values()].map(lease => lease.release().catch(() => undefined)));
    this.#usageLocks.clear();
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
    const kinds = new Set(installed.map(item => item.source.kind));
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
    if ("missing" in choice) throw unavailable(config.name, choice.missing);
    return choice;
  }

  #installable(config: InstallConfig, choice: Choice): Installable {
    if (isInstallable(choice)) return choice;
    throw new InstallError(
      "noPlatform",
      choice.kind === "http"
        ? l10n.t`${config.name} is a remote server and needs no installation.`
        : l10n.t`${config.name} is a local program and needs no installation.`,
    );
  }

  /** Installs, or logs the error and falls back to the newest installed version of the same source. */
  async #installOr(config: InstallConfig, choice: Installable, signal: AbortSignal): Promise<Installed> {
    try {
      return await this.#install(config, choice, signal, "missing");
    } catch (error) {
      const previous =
        error instanceof InstallError && error.code !== "cancelled" && !signal.aborted
          ? await this.#previousVersion(config.id, sourceOf(choice))
          : undefined;
      if (!previous) throw error;
      this.#deps.log("warn", "An installation failed; the previous version starts", {
        id: config.id,
        version: previous.release,
        error: String(error),
      });
      return previous;
    }
  }

  async #previousVersion(id: string, source: Source): Promise<Installed | undefined> {
    return (await this.#deps.store.list(id).catch(() => [])).find(installed => isOf(source, installed));
  }

  async #install(
    config: InstallConfig,
    choice: Installable,
    signal: AbortSignal,
    wish: InstallMode,
  ): Promise<Installed> {
    const { id } = config,
      source = sourceOf(choice),
      release = config.version ?? UNVERSIONED;
    const installed = await this.#installations.run(
      id,
      JSON.stringify([wish, source, release]),
      ending => this.#runInstallation(id, choice, { source, release, wish }, ending),
      signal,
    );
    if (!installed) throw cancelled();
    return installed;
  }

  /** Rejects with `InstallError`, except for bugs. */
  async #runInstallation(
    id: string,
    choice: Installable,
    how: InstallRequest,
    signal: AbortSignal,
  ): Promise<Installed> {
    const { store, clock, log } = this.#deps;
    const progress = new ProgressThrottle(clock, step => this.#notify(id, step));
    try {
      const installed = await store.exclusively(
        id,
        signal,
        () => progress.notify({ phase: "waiting" }),
        async () => {
          const existing = how.wish === "anew" ? undefined : await store.find(id, how.source);
          return existing && isUpToDate(how.source, existing, how.wish)
            ? existing
            : this.#create(id, choice, how, existing, progress, signal);
        },
      );
      await store
        .cleanUp(id)
        .catch((error: unknown) => log("warn", "Older versions cannot be removed", { id, error: String(error) }));
      return installed;
    } catch (error) {
      if (signal.aborted) throw cancelled();
      const failure = explained(error),
        previous = failure instanceof InstallError ? await this.#previousVersion(id, how.source) : undefined;
      log("warn", "An installation failed", {
        id,
        error: String(error),
        cause: error instanceof Error ? String(error.cause) : undefined,
      });
      throw failure instanceof InstallError && previous
        ? failure.and(
            l10n.t`${previous.release === UNVERSIONED ? l10n.t("The previous version") : l10n.t`Version ${previous.release}`} stays installed.`,
          )
        : failure;
    } finally {
      progress[Symbol.dispose]();
      this.#notify(id, undefined);
    }
  }

  async #create(
    id: string,
    choice: Installable,
    how: InstallRequest,
    existing: Installed | undefined,
    progress: ProgressThrottle,
    signal: AbortSignal,
  ): Promise<Installed> {
    const { source } = how,
      { store, log } = this.#deps,
      isPython = source.kind === "python";
    const staging: Staging = isPython
      ? await store.prepareInPlace(id, isExact(source.asked ?? "") ? (source.asked ?? "") : "latest")
      : await store.prepare(id);
    try {
      log("info", "Installing", { id, kind: choice.kind, from: source.name });
      const built = {
        source,
        ...(await build(
          choice,
          staging.folder,
          { ...how, id, signal, progress: step => progress.notify(step) },
          this.#deps,
        )),
      };
      signal.throwIfAborted();
      if (existing && existing.release === built.release && satisfies(source, existing)) {
        await staging.discard();
        return existing;
      }
      const installed = await staging.keep(built);
      log("info", "Installed", { id, version: installed.release, bytes: installed.bytes });
      return installed;
    } catch (error) {
      await staging.discard();
      throw error;
    }
  }

  /**
   * Locks the version against removal. Returns false if it no longer exists. A read-only store does not prevent the
   * start.
   */
  async #use(installed: Installed): Promise<boolean> {
    if (this.#usageLocks.has(installed.folder)) return true;
    try {
      const lease = await this.#deps.store.use(installed);
      if (lease) this.#usageLocks.set(installed.folder, lease);
      return lease !== undefined;
    } catch (error) {
      this.#deps.log("warn", "The usage lock of an installed version could not be created", {
        folder: installed.folder,
        error: String(error),
      });
      return true;
    }
  }

  #notify(id: string, progress: InstallProgress | undefined): void {
    if (progress) this.#progress.set(id, progress);
    else if (!this.#progress.delete(id)) return;
    this.#deps.report(id, progress);
  }
}
