/**
 * Loads the launcher when the first sidecar is needed, so that activation does not load the modules for processes and
 * JSON-RPC.
 */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import { realClock } from "../clock";
import type { LaunchDeps } from "./process";
import type { Launcher } from "./supervisor";

export interface BundledDeps extends Pick<LaunchDeps, "custom" | "hello" | "log"> {
  readonly extensionPath: string;
  /** The environment of the sidecar. */
  env(): Promise<LaunchDeps["env"]>;
}

/** Launches the sidecar that is part of the extension. */
export const bundledLauncher = ({ extensionPath, env, ...deps }: BundledDeps): Launcher =>
  lazyLauncher(
    async () =>
      new (await import(/* webpackMode: "eager" */ "./process")).ProcessLauncher({
        ...deps,
        bundled: path.join(extensionPath, "dist", "sidecar.js"),
        env: await env(),
        clock: realClock,
      }),
  );

export function lazyLauncher(load: () => Promise<Launcher>): Launcher {
  let loading: Promise<Launcher> | undefined;
  const launcher = (): Promise<Launcher> => (loading ??= load());
  return {
    launch(node, handlers) {
      const process = launcher().then(loaded => loaded.launch(node, handlers));
      return {
        ready: process.then(({ ready }) => ready),
        ended: process.then(
          ({ ended }) => ended,
          () => l10n.t("The sidecar could not be loaded."),
        ),
        stop: () =>
          process.then(
            launched => launched.stop(),
            () => undefined,
          ),
      };
    },
    reap: async (node, records) => (await launcher()).reap(node, records),
  };
}
