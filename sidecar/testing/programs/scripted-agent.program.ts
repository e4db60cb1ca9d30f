/**
 * Real ACP agent (v1, stdio) that executes the prompt as a script. `../README.md` documents the steps and flags. Every
 * misbehaviour that a client must survive is one step or one flag. Requires only Node and bundles to one file.
 */
import { appendFileSync } from "node:fs";
import { ScriptedAgent } from "../scripted-agent/agent";
import { stubbornChild } from "../scripted-agent/children";
import { parseFlags } from "../scripted-agent/flags";
import { signIn } from "../scripted-agent/sign-in";
import { Wire } from "../scripted-agent/wire";

const flags = parseFlags(process.argv.slice(2));
if (flags.exitAtStart !== undefined) {
  process.stderr.write("scripted agent: this is how it goes\nno licence was found\n");
  process.exit(flags.exitAtStart);
}
if (flags.ignoreSigterm) process.on("SIGTERM", () => undefined);
/**
 * Maximum lifetime in milliseconds after the client has disconnected, so that a failed test leaves no process running.
 */
const STUBBORN_MS = 120_000;

async function main(): Promise<void> {
  if (flags.withChild) await stubbornChild(false);
  if (flags.setsidChild) await stubbornChild(true);
  const agent = new ScriptedAgent(() => wire, flags);
  const wire = new Wire(process.stdin, process.stdout, {
    request: (id, method, params) => void agent.request(id, method, params),
    notification: (method, params) => agent.notification(method, params),
    line: line => {
      if (flags.log !== undefined) appendFileSync(flags.log, `${line}\n`);
    },
    ended: () => {
      if (!flags.ignoreStdinEnd) process.exit(0);
      setTimeout(() => process.exit(0), STUBBORN_MS);
    },
  });
}

void (flags.signIn ? signIn(flags.authFile).then(code => process.exit(code)) : main());
