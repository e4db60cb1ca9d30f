/** Selects program, arguments and environment of the sidecar. Pure: `process.ts` starts it. */
import type { NodeChoice } from "./restart-policy";

export interface ProgramChoice {
  /** Path of the bundled `dist/sidecar.js`. */
  readonly bundled: string;
  /** `symposium.acpAgentPath`, used verbatim unless it is empty. */
  readonly custom: string;
  /** VS Code's own Node: Electron, or Node itself on a server. */
  readonly ownNode: string;
  /** The login shell's Node; only used for `login`. */
  readonly loginNode: string;
}

export interface Invocation {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The program's name for messages. */
  readonly program: string;
}

/** A custom executable does not need Node. */
export function needsNode({ custom }: Pick<ProgramChoice, "custom">): boolean {
  return custom === "" || /\.[cm]?js$/i.test(custom);
}

/** `mode` is the sidecar's subcommand: `serve` or `reap`. */
export function invocation(
  mode: "serve" | "reap",
  node: NodeChoice,
  choice: ProgramChoice,
  env: Readonly<Record<string, string | undefined>>,
): Invocation {
  const program = choice.custom === "" ? choice.bundled : choice.custom;
  if (!needsNode(choice)) return { command: program, args: [mode], env: clean(env), program };
  return node === "own"
    ? { command: choice.ownNode, args: [program, mode], env: { ...clean(env), ELECTRON_RUN_AS_NODE: "1" }, program }
    : { command: choice.loginNode, args: [program, mode], env: clean(env), program };
}

/** Variables that VS Code, Electron or a debugger set for themselves. */
const NOT_INHERITED = /^(VSCODE_|ELECTRON_|CODE_SERVER_|NODE_OPTIONS$|NODE_INSPECT|NODE_CHANNEL_|NODE_UNIQUE_ID$)/i;

function clean(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (pair): pair is [string, string] => pair[1] !== undefined && !NOT_INHERITED.test(pair[0]),
    ),
  );
}

/** Runs in the login shell. Node prints its own path, because version managers wrap it in functions and shims. */
export const ASK_NODE = "node -p \"'symposium-node '+process.versions.node+' '+process.execPath\"";
const OLDEST_NODE = 20;

/**
 * Extracts the path that `ASK_NODE` printed from the output of the shell's start-up files. `undefined`: this Node is
 * too old.
 */
export function answeredNode(output: string): string | undefined {
  const [, major, path] = /^symposium-node (\d+)\.\S* (.+?)\r?$/m.exec(output) ?? [];
  return Number(major) >= OLDEST_NODE ? path : undefined;
}
