/** Entry point of `dist/sidecar.js`: loads the program `dist/sidecar-main.js` (`main.ts`) with stored compiled code. */
import { createRequire } from "node:module";
import { homedir } from "node:os";
import path from "node:path";
import { CompiledCode, compiledCodeFolder } from "./cli/runtime/compiled-code";

const code = new CompiledCode(compiledCodeFolder(process.env, homedir), createRequire(__filename));
process.once("exit", () => code.store(Date.now()));
code.load(path.join(__dirname, "sidecar-main.js"));
