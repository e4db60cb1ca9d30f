/**
 * Keeps one sidecar running: starts it when first needed, restarts it after a crash, and stops it. `restart-policy.ts`
 * decides; the launcher owns the processes.
 *
 * Invariants:
 * - A caller that waits for a client receives a client or an error.
 * - The phase changes before the requests of a dead process are rejected. A caller that is notified of the exit
 *   therefore never receives that process again.
 * - Child processes that an exited sidecar reported as started but not as ended are reaped.
 */
import * as l10n from "@vscode/l10n";
import type { Clock } from "../clock";
import { deferred, type Deferred } from "../protocol/wire/deferred";
import { SHUTTING_DOWN, SidecarUnavailable, StartFailed } from "../errors";
import type { Log } from "../log";
import type { ChildProcessRecord, HostToSidecar, SidecarToHost } from "../protocol/sidecar";
import { assertNever, type Handlers, type ParamsOf } from "../protocol/wire/wire";
import type { Notifications, SidecarClient } from "./client";
import {
  IDLE,
  step,
  type NodeChoice,
  type SidecarEffect,
  type SidecarEvent,
  type SidecarPhase,
} from "./restart-policy";

export interface SidecarProcess {
  /** Rejects with `StartFailed`; the process is then stopped. */
  readonly ready: Promise<SidecarClient>;
  /** The reason for the end as a message, after all earlier messages were delivered. Never rejects. */
  readonly ended: Promise<string>;
  /** Resolves when the process has ended. */
  stop(): Promise<void>;
}

export interface Launcher {
  launch(node: NodeChoice, handlers: Handlers<SidecarToHost>): SidecarProcess;
  /** Ends child processes that an exited sidecar left behind. */
  reap(node: NodeChoice, records: readonly ChildProcessRecord[]): Promise<void>;
}

/** Handlers for the rest of the host. The supervisor itself tracks the child processes. */
export type SidecarListeners = Omit<Handlers<SidecarToHost>, "process/started" | "process/ended">;

export interface SupervisorDeps {
  readonly launcher: Launcher;
  readonly listeners: SidecarListeners;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after every change of phase. */
  changed(phase: SidecarPhase): void;
}

export class SidecarSupervisor {
  #phase: SidecarPhase = IDLE;
  /** The process of `#phase.run`, and its client after the handshake. */
  #process: SidecarProcess | undefined;
  #client: SidecarClient | undefined;
  #timer: { dispose(): void } | undefined;
  #waiting: Deferred<SidecarClient>[] = [];
  readonly #alive = new Set<Promise<void>>();

  constructor(private readonly deps: SupervisorDeps) {}

  get phase(): SidecarPhase {
    return this.#phase;
  }

  /**
   * The client of the running sidecar, which is started if necessary. Rejects with `SidecarUnavailable` if none will
   * run.
   */
  client(): Promise<SidecarClient> {
    const waiting = deferred<SidecarClient>();
    this.#waiting.push(waiting);
    this.#post({ kind: "wanted" });
    return waiting.promise;
  }

  /** The client of the running sidecar, if any. */
  get running(): SidecarClient | undefined {
    return this.#phase.kind === "running" ? this.#client : undefined;
  }

  /** Sends a notification to the running sidecar, if any. A new sidecar receives the state in its handshake. */
  notify<M extends Notifications>(method: M, params: ParamsOf<HostToSidecar, M>): void {
    this.running?.notify(method, params);
  }

  /** Restart by the user, also after `failed`. */
  restart(): void {
    this.#post({ kind: "restartAsked" });
  }

  /** Resolves when every started process has ended. */
  async dispose(): Promise<void> {
    this.#post({ kind: "disposeAsked" });
    await Promise.all(this.#alive);
  }

  #post(event: SidecarEvent): void {
    const before = this.#phase;
    const [phase, effects] = step(before, event);
    this.#phase = phase;
    if (phase.kind !== "backoff") {
      this.#timer?.dispose();
      this.#timer = undefined;
    }
    for (const effect of effects) this.#execute(effect);
    this.#settle();
    if (this.#phase !== before) this.deps.changed(this.#phase);
  }

  #settle(): void {
    const phase = this.#phase;
    const settle = (end: (waiting: Deferred<SidecarClient>) => void) => {
      for (const waiting of this.#waiting.splice(0)) end(waiting);
    };
    switch (phase.kind) {
      case "running": {
        const client = this.#client;
        return client && settle(({ resolve }) => resolve(client));
      }
      case "failed":
        return settle(({ reject }) => reject(new SidecarUnavailable(phase.message)));
      case "stopped":
        return settle(({ reject }) => reject(new SidecarUnavailable(SHUTTING_DOWN)));
      case "stopping":
        return phase.next === "rest"
          ? settle(({ reject }) => reject(new SidecarUnavailable(SHUTTING_DOWN)))
          : undefined;
      default:
        return;
    }
  }

  #execute(effect: SidecarEffect): void {
    switch (effect.kind) {
      case "start": {
        const living = this.#live(effect.run, effect.node).finally(() => this.#alive.delete(living));
        this.#alive.add(living);
        return;
      }
      case "wait":
        this.#timer = this.deps.clock.after(effect.ms, () => this.#post({ kind: "waited", run: effect.run }));
        return;
      case "stop":
        void this.#process?.stop().then(() => this.#post({ kind: "stopped", run: effect.run }));
        return;
      case "unexpected":
        this.deps.log.error("sidecar", "Unexpected event", { event: effect.event.kind, phase: this.#phase.kind });
        return;
      default:
        return assertNever(effect, "effect");
    }
  }

  /** Runs one process from its start to its end. */
  async #live(run: number, node: NodeChoice): Promise<void> {
    const { launcher, listeners, clock, log } = this.deps;
    const children = new Map<number, ChildProcessRecord>();
    const process = launcher.launch(node, {
      ...listeners,
      "process/started": record => {
        children.set(record.pid, record);
      },
      "process/ended": ({ pid }) => {
        children.delete(pid);
      },
    });
    this.#process = process;
    this.#client = undefined;
    const client = await process.ready.catch((error: unknown) => {
      const failed =
        error instanceof StartFailed
          ? error
          : new StartFailed("again", l10n.t("Symposium’s sidecar could not be started. See the log."), {
              cause: error,
            });
      log.error("sidecar", failed.message, { cause: failed.cause });
      this.#post({ kind: "startFailed", run, at: clock.now(), message: failed.message, remedy: failed.remedy });
      return undefined;
    });
    if (client && this.#process === process) {
      this.#client = client;
      this.#post({ kind: "shookHands", run });
    }
    const why = await process.ended;
    if (client) {
      if (this.#phase.kind === "stopping") log.info("sidecar", "Sidecar stopped");
      else log.warn("sidecar", why);
      this.#post({ kind: "died", run, at: clock.now(), message: why });
      client.close(why);
    }
    if (children.size > 0)
      await launcher
        .reap(node, [...children.values()])
        .catch((error: unknown) => log.error("sidecar", "Could not end leftover processes of the sidecar", { error }));
  }
}
