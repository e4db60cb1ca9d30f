/** The ripgrep that VS Code has inside, for the sidecar: so that agents search as fast as the editor does. */
import { access } from "node:fs/promises";
import path from "node:path";

/** Where it lies has changed over the years, and is nowhere promised: without it the sidecar finds another way. */
const PACKAGES = ["node_modules", "node_modules.asar.unpacked"].flatMap(modules => [
  path.join(modules, "@vscode", "ripgrep-universal", "bin", `${process.platform}-${process.arch}`),
  path.join(modules, "@vscode", "ripgrep", "bin"),
]);

/** For the environment of the sidecar. */
export async function ripgrep(appRoot: string): Promise<{ readonly SYMPOSIUM_RIPGREP?: string }> {
  for (const folder of PACKAGES) {
    const file = path.join(appRoot, folder, process.platform === "win32" ? "rg.exe" : "rg");
    if (
      await access(file).then(
        () => true,
        () => false,
      )
    )
      return { SYMPOSIUM_RIPGREP: file };
  }
  return {};
}
