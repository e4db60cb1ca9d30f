/**
 * Dependencies of the built-in extensions: processes, environment and program lookup on this computer.
 *
 * Invariant: after disposal, no process that was started through these dependencies runs, and none can be started.
 */
import { homedir } from "node:os";
import { runShell, startChild, type Child, type ProcessDeps } from "../../process/child";
import { findProgram, isProgramFile } from "../../process/find-program";
import { ShellEnvironment, type Environment } from "../../process/login-shell-environment";
import { runTool } from "../../process/tool-run";
import type { ExtensionDeps } from "../../extensions/extension";
import { realClock } from "../../rpc/clock";

export interface OwnDeps {
  readonly version: string;
  readonly processes: ProcessDeps;
  /** Environment of the login shell. */
  readonly environment: () => Promise<Environment>;
  readonly find: (program: string) => Promise<string | undefined>;
  readonly log: ExtensionDeps["log"];
}

export interface OwnedDeps extends ExtensionDeps, AsyncDisposable {}

/** Maximum time in milliseconds to wait for processes to end. */
const ENDING_MS = 6_000;

export function extensionDeps({ version, processes, environment, find, log }: OwnDeps): OwnedDeps {
  const disposal = new AbortController(),
    runs = new Set<Promise<unknown>>(),
    children = new Set<Child>();
  /** Processes are started with the login shell's environment. */
  const inShell = async (): Promise<ProcessDeps> => {
    const env = await environment();
    disposal.signal.throwIfAborted();
    return { ...processes, environment: () => env };
  };
  return {
    version,
    clock: realClock,
    date: () => new Date(),
    platform: process.platform,
    home: homedir(),
    environment,
    find,
    log,
    run: async (spec, options) => {
      const ran = runTool(
          spec,
          { ...options, signal: AbortSignal.any([options.signal, disposal.signal]) },
          await inShell(),
        ),
        ended = ran.catch(() => undefined);
      runs.add(ended);
      void ended.then(() => runs.delete(ended));
      return ran;
    },
    start: async spec => {
      const started = startChild(spec, await inShell());
      if (started.kind === "running") {
        const { child } = started;
        children.add(child);
        void child.gone.then(() => children.delete(child));
      }
      return started;
    },
    [Symbol.asyncDispose]: async () => {
      disposal.abort(new Error("Symposium is closing."));
      const gone = Promise.all([...runs, ...[...children].map(child => child.kill())]);
      await new Promise<void>(resolve => {
        const late = realClock.after(ENDING_MS, resolve);
        void gone.then(() => {
          late[Symbol.dispose]();
          resolve();
        });
      });
    },
  };
}

/** Dependencies for a standalone program. The login shell is run when an extension first needs its environment. */
export function ownDeps({ version, processes, log }: Pick<OwnDeps, "version" | "processes" | "log">): OwnedDeps {
  const { platform, env, execPath: node } = process;
  const shell = new ShellEnvironment({
    platform,
    env,
    node,
    clock: realClock,
    run: (command, args, extra, signal) => runShell(command, args, extra, signal, realClock),
  });
  let resolving: Promise<Environment> | undefined;
  const environment = (): Promise<Environment> => (resolving ??= shell.resolved().then(resolved => resolved.env));
  return extensionDeps({
    version,
    processes,
    environment,
    log,
    find: async program => findProgram(program, { platform, env: await environment(), isProgram: isProgramFile }),
  });
}
