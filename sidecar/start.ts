/** Entry point of `dist/sidecar.js`: loads the program `dist/sidecar-main.js` (`main.ts`) with stored compiled code. */
import { createRequire } from "node:module";
import { homedir } from "node:os";
import path from "node:path";
import { CompiledCode } from "./cli/runtime/compiled-code";

const code = new CompiledCode(folder(), createRequire(__filename));
process.once("exit", () => code.store(Date.now()));
code.load(path.join(__dirname, "sidecar-main.js"));

/** `NODE_DISABLE_COMPILE_CACHE`: Node's own variable. */
function folder(): string | undefined {
  if (process.env.NODE_DISABLE_COMPILE_CACHE !== undefined) return undefined;
  try {
    return path.join(homedir(), ".symposium", "cache", "compiled", `${process.versions.v8}-${process.arch}`);
  } catch {
    return undefined; // the user has no home directory
  }
}
