/**
 * Reference agent, proxy or client of the conformance kit on stdio: `faulty agent|proxy|client [RULE [NUMBER]]`. Breaks
 * RULE with the fault of this number, 0 by default. A client also needs `--agent COMMAND`, which it runs in a shell.
 */
import { spawn } from "node:child_process";
import { pipeline } from "node:stream";
import { parseArgs } from "node:util";
import type { Subject } from "../../conform/driver";
import { AGENT_FAULTS } from "../conform/agent-faults";
import { CLIENT_FAULTS } from "../conform/client-faults";
import { memorySubject } from "../conform/memory-subject";
import { PROXY_FAULTS } from "../conform/proxy-faults";
import { ReferenceAgent } from "../conform/reference-agent";
import { referenceClient } from "../conform/reference-client";
import { referenceProxy } from "../conform/reference-proxy";

/** Reports every session as stored, because this agent has no persisted state. */
class AllSessions extends Map<string, { hasTurn: boolean }> {
  override get(id: string): { hasTurn: boolean } {
    return super.get(id) ?? { hasTurn: true };
  }
}

const { positionals, values } = parseArgs({ allowPositionals: true, options: { agent: { type: "string" } } }),
  [kind, rule, number = "0"] = positionals,
  { agent } = values;

function faultIn<F>(faults: readonly { readonly rule: string; readonly fault: F }[]): F | undefined {
  if (rule === undefined) return undefined;
  const found = faults.filter(fault => fault.rule === rule)[Number(number)];
  if (!found) throw new Error(`no fault ${rule} ${number}`);
  return found.fault;
}

function subject(): Subject {
  switch (kind) {
    case "agent": {
      const fault = faultIn(AGENT_FAULTS);
      return memorySubject(serving => new ReferenceAgent(serving, new AllSessions(), fault));
    }
    case "proxy":
      return referenceProxy(faultIn(PROXY_FAULTS));
    case "client":
      return referenceClient(2, faultIn(CLIENT_FAULTS));
    default:
      throw new Error(`not a kind of program: ${String(kind)}`);
  }
}

/** An agent and a proxy use stdio. A client uses the streams of the agent that it starts. */
function peer(): { readonly input: NodeJS.WritableStream; readonly output: NodeJS.ReadableStream } {
  if (kind !== "client") return { input: process.stdout, output: process.stdin };
  if (agent === undefined) throw new Error("--agent is missing");
  const { stdin, stdout } = spawn(agent, { shell: true, stdio: ["pipe", "pipe", "inherit"] });
  return { input: stdin, output: stdout };
}

/** Lifetime of a program that does not exit when its stdin closes, if nothing ends it. */
const MAX_MS = 120_000;

const { input, output, exited } = subject(),
  counterpart = peer(),
  staying = setTimeout(() => process.exit(1), MAX_MS),
  ignore = (): void => undefined;
pipeline(counterpart.output, input, ignore);
pipeline(output, counterpart.input, ignore);
void exited.then(() => {
  clearTimeout(staying);
  if (kind === "client") counterpart.input.end();
  else process.stdout.write("", () => process.exit(0));
});
