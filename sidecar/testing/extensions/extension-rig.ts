/** Dependencies of an extension for tests: real processes with a separate ledger, and an empty home folder. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { startChild, type ProcessDeps } from "../../process/child";
import { findProgram, isProgramFile } from "../../process/find-program";
import { openLedger } from "../../process/process-ledger";
import { newRun } from "../../process/run-id";
import { runTool } from "../../process/tool-run";
import type { ExtensionDeps } from "../../extensions/extension";
import { temporaryFolder } from "../drive";
import { hurriedClock } from "../accelerated-clock";

export class ExtensionRig implements Disposable {
  /** Run id in the environment of all started processes (census.ts). */
  readonly run = newRun();
  /** `level: message`. The details are in `details`. */
  readonly logged: string[] = [];
  readonly details: unknown[] = [];
  /** Number of processes started with `start`. */
  started = 0;
  readonly fixture: ExtensionDeps;
  readonly #folder = temporaryFolder();
  readonly #ledger = openLedger(path.join(this.#folder.path, "ledger"), this.run);

  /** `change`: replaces real dependencies. Processes get the environment that `environment` returns. */
  constructor(change: Partial<ExtensionDeps> = {}) {
    mkdirSync(this.home);
    const clock = change.clock ?? hurriedClock(1),
      environment = change.environment ?? (() => Promise.resolve(process.env));
    const fixture = async (): Promise<ProcessDeps> => {
      const env = await environment();
      return {
        clock,
        ledger: this.#ledger,
        report: { started: () => undefined, ended: () => undefined },
        log: () => undefined,
        environment: () => env,
      };
    };
    this.fixture = {
      version: "1",
      clock,
      date: () => new Date(0),
      platform: process.platform,
      home: this.home,
      environment,
      find: async program =>
        findProgram(program, { platform: process.platform, env: await environment(), isProgram: isProgramFile }),
      run: async (spec, options) => runTool(spec, options, await fixture()),
      start: async spec => {
        this.started++;
        return startChild(spec, await fixture());
      },
      log: (level, message, detail) => {
        this.logged.push(`${level}: ${message}`);
        this.details.push(detail);
      },
      ...change,
    };
  }

  get home(): string {
    return path.join(this.#folder.path, "home");
  }

  [Symbol.dispose](): void {
    this.#ledger.close();
    this.#folder[Symbol.dispose]();
  }
}
