/** What a command line asks for. Pure; `main.ts` does it. Options may stand before or after the subcommand. */
import { parseArgs } from "node:util";

export type Command =
  /** The extension host's sidecar: vscode-jsonrpc on stdio. Internal. */
  | { readonly kind: "serve" }
  /** Ends what a dead sidecar left: `ChildProcessRecord[]` as JSON on stdin. Internal. */
  | { readonly kind: "reap" }
  | { readonly kind: "eliza"; readonly deterministic: boolean }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  /** Exit code 2, the sentence on stderr. */
  | { readonly kind: "wrong"; readonly message: string };

export const USAGE = `symposium-acp-agent: ACP agents and what connects them.

Usage: symposium-acp-agent <command> [options]

Commands:
  eliza [--deterministic]   Eliza, the built-in agent, as an ACP agent on stdin and stdout.
                            --deterministic: every session begins with the same answers.

Options:
  --help       this text
  --version    the version
`;

/** `args` without the program's own two. */
export function readCommand(args: readonly string[]): Command {
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], allowPositionals: true, options: { help: { type: "boolean", short: "h" }, version: { type: "boolean" }, deterministic: { type: "boolean" } } });
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals: [name, ...rest] } = parsed;
  if (values.help) return { kind: "help" };
  if (values.version) return { kind: "version" };
  if (rest.length > 0) return wrong(`“${rest.join(" ")}” is too much.`);
  if (values.deterministic && name !== "eliza") return wrong("--deterministic goes with eliza.");
  switch (name) {
    case "serve": case "reap": return { kind: name };
    case "eliza": return { kind: "eliza", deterministic: values.deterministic === true };
    case undefined: return wrong("A command is missing.");
    default: return wrong(`There is no command “${name}”.`);
  }
}

function wrong(message: string): Command { return { kind: "wrong", message: `${message} See symposium-acp-agent --help.` }; }
