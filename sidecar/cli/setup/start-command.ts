/** The command that starts `symposium-acp-agent run` from another editor. Pure. */
import path from "node:path";
import { findProgram, type FindDeps } from "../../process/find-program";

export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface OwnProcess extends FindDeps {
  /** Absolute path of the program that runs `script`. */
  readonly node: string;
  /** Absolute path as it was started: it can be a link, which remains valid after an update. */
  readonly script: string;
  /** Whether `node` is VS Code's Electron, which acts as Node only with `ELECTRON_RUN_AS_NODE`. */
  readonly electron: boolean;
  /** Resolves links. Returns the path itself if it does not exist. */
  readonly realPath: (file: string) => string;
}

const PROGRAM = "symposium-acp-agent";

/**
 * Absolute paths, because applications that are started from a dock or a menu do not have the PATH of the user's shell.
 */
export function absoluteCommand(own: OwnProcess): StartCommand {
  const { script, electron, platform } = own;
  // npm can delete its cache, and then installs the package again.
  if (/[\\/]_npx[\\/]/.test(script))
    return { command: platform === "win32" ? "npx.cmd" : "npx", args: ["-y", PROGRAM, "run"], env: {} };
  return {
    command: electron ? own.node : stableNode(own),
    args: [script, "run"],
    env: electron ? { ELECTRON_RUN_AS_NODE: "1" } : {},
  };
}

/** The name, if it is this program on PATH: a configuration with it can be used on other machines. */
export function shortCommand(own: OwnProcess): StartCommand {
  const found = findProgram(PROGRAM, own);
  return found !== undefined && own.realPath(found) === own.realPath(own.script)
    ? { command: PROGRAM, args: ["run"], env: {} }
    : absoluteCommand(own);
}

/** The `node` on PATH if it is the running one. Package managers keep that path when they update Node. */
function stableNode(own: OwnProcess): string {
  const found = findProgram("node", own),
    paths = own.platform === "win32" ? path.win32 : path.posix;
  return found !== undefined && paths.isAbsolute(found) && own.realPath(found) === own.realPath(own.node)
    ? found
    : own.node;
}
