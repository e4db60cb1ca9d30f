/** Entry point of the sidecar and of the command `symposium-acp-agent`: what was asked for, and nothing else. */
import { readCommand, USAGE } from "./cli/command";

const VERSION = process.env.SYMPOSIUM_BUILD ?? "development";

async function main(): Promise<number> {
  const command = readCommand(process.argv.slice(2));
  switch (command.kind) {
    case "serve": return (await import("./cli/serve")).serve(VERSION).then(() => 0);
    case "reap": return (await import("./cli/reap")).reapFromInput(process.stdin).then(() => 0);
    case "eliza": return (await import("./cli/eliza")).serveElizaOnStdio(command.deterministic, VERSION).then(() => 0);
    case "help": process.stdout.write(USAGE); return 0;
    case "version": process.stdout.write(`${VERSION}\n`); return 0;
    case "wrong": process.stderr.write(`${command.message}\n`); return 2;
  }
}

main().then(code => process.exit(code), (error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack ?? error.message : String(error)}\n`);
  process.exit(1);
});
