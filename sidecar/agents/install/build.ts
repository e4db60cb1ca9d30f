/** Writes the files of an installation into a folder: from npm, a Python package, a crate, or a binary download. */
import * as l10n from "@vscode/l10n";
import type { InstallProgress } from "../../../src/protocol/agents/agent-service";
import { FolderGrowth } from "./folder-growth";
import type { InstallerDeps, InstallMode } from "./install-options";
import type { Installable } from "./installable";
import { installBinary } from "./packages/binary-package";
import { installCargo } from "./packages/cargo-package";
import { installNpm } from "./packages/npm-package";
import type { ToolDeps } from "./packages/package-tool";
import { installPython } from "./packages/python-package";
import { packageToInstall } from "./requested-version";
import { sizeOf } from "./store/files";
import { InstallError } from "./store/install-error";
import type { Built, Source } from "./store/manifest";

export interface InstallRequest {
  readonly source: Source;
  /** Version of an archive. */
  readonly release: string;
  readonly wish: InstallMode;
}

interface BuildOptions extends InstallRequest {
  readonly id: string;
  readonly signal: AbortSignal;
  readonly progress: (progress: InstallProgress) => void;
}

/** Rejects with `InstallError`, with the signal's reason, or with a system error. */
export async function build(
  choice: Installable,
  folder: string,
  { id, source, release, wish, signal, progress }: BuildOptions,
  deps: InstallerDeps,
): Promise<Omit<Built, "source">> {
  const { files, clock, fetch, bunzip, platform, run, httpArchives = false } = deps;
  if (choice.kind === "binary")
    return installBinary(folder, choice.of, release, {
      files,
      clock,
      fetch,
      httpArchives,
      bunzip,
      signal,
      platform,
      progress,
    });
  let latest: InstallProgress = { phase: "installing" };
  const notify = (change: Partial<InstallProgress>): void => progress((latest = { ...latest, ...change }));
  const tools = await deps.tools(),
    { tool } = choice,
    command = tool && tools.find(tool);
  if (tool === undefined || command === undefined)
    throw new InstallError("noTool", l10n.t("The installation tool no longer exists."));
  const program = { name: tool, command },
    toolDeps: ToolDeps = { files, run, signal, platform, line: line => notify({ line }) };
  notify({});
  switch (choice.kind) {
    case "npx": {
      using _ = new FolderGrowth(
        clock,
        () => sizeOf(folder, files),
        done => notify({ done }),
      );
      return await installNpm(folder, packageToInstall(choice.spec, source, wish), choice.of.cmd, program, toolDeps);
    }
    case "uvx":
    case "pipx":
      return installPython(folder, choice.spec, choice.of.cmd, tool === "uv" ? "uv" : "pipx", program, toolDeps);
    case "cargo": {
      const home = await deps.cargoHome?.();
      return deps.store.building(id, target => installCargo({ folder, target }, choice.of, program, home, toolDeps));
    }
  }
}
