/**
 * Loads the launcher when the first sidecar is needed, so that activation does not load the modules for processes and
 * JSON-RPC.
 */
import * as l10n from "@vscode/l10n";
import type { Launcher } from "./supervisor";

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
