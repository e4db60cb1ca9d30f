/**
 * Finds the ripgrep binary that ships with VS Code. The sidecar uses it, so that agents search as fast as the editor.
 */
import { access } from "node:fs/promises";
import path from "node:path";

/** Locations in VS Code releases, which no API exposes. Without a match, the sidecar uses another search. */
const PACKAGES = ["node_modules", "node_modules.asar.unpacked"].flatMap(modules => [
  path.join(modules, "@vscode", "ripgrep-universal", "bin", `${process.platform}-${process.arch}`),
  path.join(modules, "@vscode", "ripgrep", "bin"),
]);

/** Environment variable for the sidecar; empty if no binary was found. */
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
